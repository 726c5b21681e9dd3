// Time: which interval is shown, whether it plays, and how far ahead the server should work.

const PAUSE = 40; // milliseconds between two messages, however fast the screen is

export const SPEEDS = [2, 6, 15, 30, 60, 240, 1000];

export class Player {
  constructor(shown, want) {
    Object.assign(this, { shown, want, at: 0, playing: false, speed: 30, over: false, timeline: null, asked: -1, askedAt: 0, before: 0 });
    requestAnimationFrame(now => this.#tick(now));
  }

  load(timeline) {
    Object.assign(this, { timeline, at: 0, over: false, asked: -1 });
    timeline?.seek(0);
  }

  play(on = !this.playing) {
    if (on && this.over && this.at >= this.last) this.at = 0;
    this.playing = on;
    this.shown(true);
  }

  /** How many intervals the server works ahead of the one shown. */
  get lead() { return this.playing ? Math.max(4, this.speed / 5) : 0; }

  get last() { return Math.max(0, this.timeline?.last ?? 0); }

  go(interval) {
    if (!this.timeline) return;
    this.at = Math.max(this.timeline.first, Math.min(interval, this.last + 1));
    if (this.at > this.last && this.over) this.at = this.last;
    this.#ask();
    this.#show(true);
  }

  step(by) {
    this.playing = false;
    this.go(Math.floor(Math.min(this.at, this.last)) + by);
  }

  #tick(now) {
    const passed = Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    if (this.timeline && this.playing) {
      this.at = Math.min(this.at + passed * this.speed, this.last + (this.over ? 0 : 1));
      if (this.over && this.at >= this.last) this.playing = false;
    }
    if (this.timeline) { this.#ask(); this.#show(false); } else this.shown(false);
    requestAnimationFrame(later => this.#tick(later));
  }

  /** Let the server work a little ahead, but not far: the user's changes should show soon. */
  #ask() {
    if (this.over || this.timeline.full) return;
    const aim = Math.ceil(this.at + this.lead);
    if (aim <= this.asked || (this.playing && this.before - this.askedAt < PAUSE)) return;
    Object.assign(this, { asked: aim, askedAt: this.before });
    this.want(aim);
  }

  #show(forced) {
    const aim = Math.min(Math.floor(this.at), this.last);
    const moved = this.timeline.shown !== aim;
    if (moved) this.timeline.seek(aim);
    this.shown(moved || forced);
  }
}
