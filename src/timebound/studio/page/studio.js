// The studio: connects map, race, panels, player and server.

import { Camera } from "./camera.js";
import { Controls } from "./controls.js";
import { CrowdForm } from "./crowdform.js";
import { CrowdPanels } from "./crowdpanels.js";
import { $, whole } from "./dom.js";
import { farEnds } from "./ends.js";
import { Exports } from "./exports.js";
import { base64, CODE, Ground, runsOf } from "./ground.js";
import { standardLayers } from "./layers.js";
import { March } from "./march.js";
import { Mind } from "./mind.js";
import { Panels } from "./panels.js";
import { Player } from "./player.js";
import { records } from "./records.js";
import { firstSetting, Setup } from "./setup.js";
import { recordsOf, settingOf } from "./share.js";
import { Teacher } from "./teacher.js";
import { Timeline } from "./timeline.js";
import { Tools } from "./tools.js";

const PAUSE = 40; // milliseconds between two messages

export class Studio {
  constructor(hello) {
    this.hello = hello;
    this.camera = new Camera();
    this.layers = standardLayers();
    this.panels = this.racePanels = new Panels($("panels"), $("figures"), this.camera, hello.palette);
    this.player = new Player(changed => this.#shown(changed), interval => this.wire?.say("want", { race: this.race.id, interval }));
    this.tools = new Tools(this.camera, {
      markers: () => (this.alone || this.race?.crowd ? {} : { start: this.setting?.start, goal: this.#goal() }),
      hover: (cell, canvas) => this.#hover(cell, canvas),
      moved: () => { this.stale = true; },
      dragged: (which, cell, dropped) => this.#dragged(which, cell, dropped),
      drawn: (cells, tool, done) => this.#drawn(cells, tool, done),
    });
    this.race = null;
    this.numbers = 0;
    this.pending = new Map(); // cells that were drawn but not sent yet
    this.flushed = 0;
    this.controls = new Controls(this);
    this.exports = new Exports(this);
    new ResizeObserver(() => this.refit()).observe($("panels"));
  }

  // ---------------------------------------------------------------- the map and the race

  async connect(wire) {
    this.wire = wire;
    let setting = null, fault = "";
    try { setting = await settingOf(location.hash); } catch { fault = "this link is damaged"; }
    const lacking = setting && this.#lacking(setting);
    if (lacking) fault = `this link needs the agent ${lacking}, which this studio does not have`;
    const maps = { map: description => this.choose(description), file: file => file && this.open(file) };
    this.setup = new Setup($("race"), this.hello, { start: () => this.start(), ...maps });
    this.crowdForm = new CrowdForm($("crowd"), this.hello, { gather: () => this.gather(), tune: change => this.tune(change), ...maps });
    this.crowdPanels = new CrowdPanels($("panels"), $("crowdfigures"), this.camera, this.hello);
    this.teacher = new Teacher(this);
    if (!fault) return this.load(setting ?? firstSetting());
    this.setting = { ...firstSetting(), senses: {} }; // nothing starts by itself: it would be taken for what was shared
    this.choose(this.setting.map);
    this.notice(`${fault}, so nothing of it was opened; set up a race of your own, or ask for the link again`, true);
  }

  /** The first agent of a setting that this studio does not have. */
  #lacking({ agents = [], crowd }) {
    const known = new Set(this.hello.agents.map(agent => agent.name));
    return [...agents, ...(crowd ? [crowd.agent] : [])].map(agent => String(agent?.name)).find(name => !known.has(name));
  }

  /** Load a setting, and start its race. The race before it ends now, so that nothing it still says is taken for the new one's. */
  async load(setting, play = true) {
    if (this.race) this.#leaveRace();
    this.setting = { ...firstSetting(), senses: {}, ...setting };
    this.playFirst = play;
    this.#ask(this.setting.map, ground => {
      ground.draw(this.setting.edits);
      this.#ground(ground);
      if (!this.setting.start || !this.setting.goal) [this.setting.start, this.setting.goal] = farEnds(ground) ?? [[0, 0], [0, 0]];
      if (!this.setting.crowd) return this.start();
      if (!this.teacher.lesson) this.controls.choose($("tab-crowd"));
      this.gather();
    });
  }

  #ask(map, then) {
    this.ticket = (this.ticket ?? 0) + 1;
    this.waiting = { ticket: this.ticket, then, map };
    this.wire.say("map", { ticket: this.ticket, map });
  }

  /** Choose another map: the race ends, and start and goal are placed again. */
  choose(map) {
    this.teacher.end();
    this.#ask(map, ground => this.#fresh(ground, map.kind === "built-in" && map.name === "harbour" ? [[12, 100], [180, 14]] : null));
  }

  #fresh(ground, ends) {
    const found = ends ?? farEnds(ground);
    if (!found) return this.notice("this map has no free cell", true);
    this.setting = { ...this.setting, map: ground.source, edits: {}, start: found[0], goal: found[1] };
    this.#ground(ground);
    this.#leaveRace();
  }

  #ground(ground) {
    this.ground = ground;
    this.camera.fitted = true;
    this.setup?.show(this.setting);
    this.crowdForm?.show(this.setting);
    this.#describe();
  }

  #leaveRace() {
    this.wire?.say("stop");
    this.race = null;
    this.#bare();
  }

  /** Show the map alone, while there is no race on it. */
  #bare() {
    this.player.load(null);
    this.#crowded(false);
    this.panels.build([]);
    this.#attach();
    const [panel] = this.panels.list;
    panel.view.show(this.ground, new Mind(this.ground.codes.length), 0, false, this.layers);
    $("figures").tBodies[0].replaceChildren();
    this.refit();
  }

  start() {
    delete this.setting.crowd;
    this.#begin("race", false);
    this.notice("getting the agents ready…");
  }

  /** Start a crowd instead of a race. */
  gather() {
    this.setting.crowd = this.crowdForm.crowd;
    this.#begin("crowd", true);
    this.notice("getting the units ready…");
  }

  #begin(word, crowd) {
    this.setting.edits = this.ground.edits();
    const setting = structuredClone(this.setting);
    this.race = { id: ++this.numbers, crowd, setting, ground: this.ground.copy(), result: null, changed: false, timeline: null };
    this.#bare();
    this.wire.say(word, { race: this.race.id, setting });
    this.#describe();
  }

  #ready(message) {
    if (message.race !== this.race?.id) return;
    this.notice("");
    if (this.race.crowd) this.#march();
    else this.#lineUp(message);
    this.player.play(this.playFirst ?? true);
    this.playFirst = true;
  }

  #march() {
    const { race } = this, { units, agent, ms } = race.setting.crowd;
    race.timeline = new March(race.ground, [`Fleet: ${agent.name}, ${ms} ms per tick`, "Each unit plans with A*"]);
    race.titles = [`${whole(units)} units`];
    this.#crowded(true);
    this.player.load(race.timeline);
    this.#follow();
  }

  /** Show one panel per crowd: the one with A* can come and go. */
  #follow() {
    this.panels.follow(this.race, this.layers);
    this.#attach();
    this.refit();
  }

  /** Show the panels and controls of a crowd, or those of a race. */
  #crowded(on) {
    this.panels = on ? this.crowdPanels : this.racePanels;
    document.body.classList.toggle("crowded", on);
    if (on) $("astar").checked = this.setting.crowd.astar;
  }

  /** Change a setting of the crowd while it runs. */
  tune(change) {
    Object.assign(this.crowdForm.crowd, change);
    if (!this.race?.crowd) return;
    Object.assign(this.race.setting.crowd, change);
    this.wire.say("tune", change);
  }

  storm() {
    if (this.race?.crowd) this.wire.say("storm");
  }

  #lineUp({ optimal_cost, hidden }) {
    for (let i = 0; i < hidden.length; i += 2) for (let k = 0; k < hidden[i + 1]; k++) this.race.ground.hidden.add(hidden[i] + k);
    Object.assign(this.race, { optimal: optimal_cost, hidden });
    this.#stage();
  }

  /** Build the race's panels and timeline. */
  #stage() {
    const { race } = this;
    race.titles = titles(race.setting.agents);
    race.timeline = new Timeline(race.ground, race.titles.length);
    this.panels.build(race.titles);
    this.#attach();
    for (const panel of this.panels.list)
      panel.view.show(race.ground, race.timeline.minds[panel.number], panel.number, race.setting.terrain === "unknown", this.layers);
    this.player.load(race.timeline);
    this.refit();
  }

  #attach() { for (const panel of this.panels.list) this.tools.attach(panel.canvas); }

  // ---------------------------------------------------------------- what the server says

  message(message) {
    const { say } = message;
    if (say === "ready") this.#ready(message);
    else if (say === "map") this.#map(message);
    else if (say === "result" && message.race === this.race?.id) {
      this.race.result = message.result;
      this.player.over = true;
      this.stale = true;
    } else if (say === "wait") this.notice(message.text);
    else if (say === "problem") this.notice(message.text, true);
  }

  async #map({ ticket, map }) {
    if (ticket !== this.waiting?.ticket) return;
    const { then, map: source } = this.waiting;
    this.waiting = null;
    then(await Ground.unpacked(map, source));
  }

  records(buffer) {
    if (new Uint32Array(buffer, 0, 1)[0] !== this.race?.id || !this.race.timeline) return;
    if (this.race.crowd) this.race.timeline.add(buffer, 4);
    else for (const record of records(buffer, 4)) this.race.timeline.add(record);
    this.stale = true;
    if (this.race.timeline.full) this.notice("this race is too long for the page to keep: use a smaller budget per interval, or fewer agents", true);
  }

  closed(reason) { this.notice(reason || "the studio has stopped; start it again and reload this page", true, true); }

  // ---------------------------------------------------------------- files

  async open(file) {
    try {
      if (file.name.endsWith(".json")) return await this.replay(JSON.parse(await file.text()));
      if (file.size > this.hello.limits.most_upload) throw new Error("this file is too large");
      this.ticket = (this.ticket ?? 0) + 1;
      this.waiting = { ticket: this.ticket, then: ground => this.#fresh(ground, null), map: null };
      const content = base64(new Uint8Array(await file.arrayBuffer()));
      this.wire.say("file", { ticket: this.ticket, name: file.name, content });
    } catch (error) { this.notice(`${file.name}: ${error.message}`, true); }
  }

  /** Replay a trace: it has everything, so no server is needed. */
  async replay(trace) {
    if (trace?.format !== "timebound-trace" || trace.version !== 1) throw new Error("not a timebound trace");
    const ground = await Ground.unpacked(trace.map), buffer = await recordsOf(trace);
    this.wire?.say("stop");
    const setting = { ...trace, map: ground.source, budget: hasOne(trace.budget) ? trace.budget : { expansions: Infinity } };
    delete setting.records;
    this.setting = setting;
    this.ground = ground;
    this.race = { id: ++this.numbers, setting, ground: ground.copy(), result: trace.result ?? null, changed: false, replayed: true, hidden: trace.hidden ?? [] };
    for (let i = 0; i < this.race.hidden.length; i += 2)
      for (let k = 0; k < this.race.hidden[i + 1]; k++) this.race.ground.hidden.add(this.race.hidden[i] + k);
    this.race.optimal = trace.result?.optimal_cost;
    this.#crowded(false);
    this.#stage();
    for (const record of records(buffer)) this.race.timeline.add(record);
    this.player.over = true;
    this.camera.fitted = true;
    this.refit();
    this.#describe();
    this.player.play(true);
  }

  // ---------------------------------------------------------------- what the user does

  #goal() {
    const goal = this.race?.timeline?.minds[0].goal;
    return goal !== undefined && goal !== 0xffffffff ? [goal % this.ground.width, Math.floor(goal / this.ground.width)] : this.setting?.goal;
  }

  #dragged(which, [x, y], dropped) {
    if (!this.ground.inside(x, y) || this.race?.replayed) return;
    this.hand = { which, cell: [x, y] };
    this.stale = true;
    if (!dropped) return;
    this.hand = null;
    if (!(this.race?.ground ?? this.ground).free(y * this.ground.width + x)) return this.notice("that cell is blocked", true);
    this.setting[which] = [x, y];
    if (!this.race) return;
    if (which === "goal") this.#goOn(() => this.wire.say("goal", { at: [x, y] }));
    else this.start();
  }

  #drawn(cells, tool, done) {
    if (this.race?.replayed) return;
    const { width } = this.ground, ends = this.race?.crowd ? [] : [this.setting.start, this.#goal()];
    for (const [x, y] of cells) {
      if (!this.ground.inside(x, y) || (tool !== "mud" && ends.some(([ex, ey]) => ex === x && ey === y))) continue;
      this.pending.set(y * width + x, CODE[tool]);
    }
    this.stale = true;
  }

  /** Build a straight wall from one cell to another. */
  build([x0, y0], [x1, y1]) {
    const cells = [], steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1);
    for (let i = 0; i <= steps; i++) cells.push([Math.round(x0 + ((x1 - x0) * i) / steps), Math.round(y0 + ((y1 - y0) * i) / steps)]);
    this.#drawn(cells, "wall", true);
  }

  /** Send what was drawn since the last time. */
  #flush() {
    if (!this.pending.size || performance.now() - this.flushed < PAUSE) return;
    this.flushed = performance.now();
    const groups = {};
    for (const [cell, code] of this.pending) {
      this.ground.codes[cell] = code;
      (groups[String.fromCharCode(code)] ??= []).push(cell);
    }
    const cells = [...this.pending.keys()];
    this.pending.clear();
    if (this.race?.timeline) {
      const edits = Object.fromEntries(Object.entries(groups).map(([character, list]) => [character, runsOf(list)]));
      this.#goOn(() => this.wire.say("change", { edits }));
    } else this.panels.list[0].view.mind?.dirty.push(cells);
  }

  /** Make a change at the latest interval, even if an earlier one is shown. */
  #goOn(change) {
    const { race, player } = this;
    if (!player.playing || player.at < player.last - player.lead - 2) player.go(player.last);
    change();
    race.changed = true;
    race.result = null;
    player.over = false;
    player.asked = -1;
  }

  // ---------------------------------------------------------------- drawing

  refit() {
    const canvas = this.panels.list[0]?.canvas;
    if (!canvas || !this.ground) return;
    this.panels.arrange(this.ground);
    if (this.camera.fitted) this.camera.fit(this.ground, canvas.clientWidth, canvas.clientHeight);
    this.stale = true;
  }

  #shown(changed) {
    this.#flush();
    if (changed) this.teacher?.watch();
    if (!changed && !this.stale) return;
    this.stale = false;
    this.draw();
  }

  draw() {
    const { race, ground } = this;
    if (!ground) return;
    const number = cell => cell && cell[1] * ground.width + cell[0];
    const ends = { start: this.setting.start, goal: this.setting.goal };
    if (this.hand) ends[this.hand.which] = this.hand.cell;
    const shown = race?.timeline ? race : null;
    if (shown?.crowd && race.timeline.troops.length !== this.panels.list.length) this.#follow();
    this.panels.draw(this.hand?.which === "goal" ? null : shown, number(ends.start), number(ends.goal));
    if (shown) this.panels.tell(shown);
    this.#clock();
  }

  #clock() {
    const { player } = this, shown = Math.max(0, this.race?.timeline?.shown ?? 0), scrub = $("scrub");
    scrub.max = Math.max(1, player.last);
    if (document.activeElement !== scrub || player.playing) scrub.value = shown;
    $("clock").textContent = player.over ? `${shown.toLocaleString("en-US")} / ${player.last.toLocaleString("en-US")}` : shown.toLocaleString("en-US");
    $("playicon").setAttribute("d", player.playing ? "M7 5h3v14H7zM14 5h3v14h-3z" : "m7 4 13 8-13 8z");
    $("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
  }

  #hover(cell, canvas) {
    const panel = this.panels.list.find(each => each.canvas === canvas);
    $("hover").textContent = cell && panel ? panel.view.about(...cell) : "";
  }

  #describe() {
    const { setting, ground } = this, [[unit, value]] = Object.entries(setting.budget), { crowd } = setting;
    if (crowd) {
      $("scene").textContent = `${ground?.name ?? ""}, ${whole(crowd.units)} units (${crowd.agent.name}), ${crowd.ms} ms per tick for all of them`;
      return;
    }
    $("scene").textContent = `${ground?.name ?? ""}, ${setting.terrain} terrain, ${value} ${unit.replace("_", " ")} per interval`;
  }

  notice(text, problem = false, keep = false) {
    const box = $("notice");
    box.hidden = !text;
    box.textContent = text;
    box.classList.toggle("problem", problem);
    clearTimeout(this.timer);
    if (problem && !keep) this.timer = setTimeout(() => { box.hidden = true; }, 8000);
  }
}

const hasOne = budget => budget && Object.keys(budget).length === 1;

/** Titles of the panels: an agent's name, with the parameters that tell it from others of its kind. */
function titles(agents) {
  return agents.map(({ name, parameters }) => {
    const own = Object.entries(parameters ?? {});
    return own.length && own.length < 4 ? `${name} (${own.map(([key, value]) => `${key.replaceAll("_", " ")} ${value}`).join(", ")})` : name;
  });
}
