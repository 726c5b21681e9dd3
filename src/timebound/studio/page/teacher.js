// Plays lessons: shows the text of each step, and pauses the race where the next step is due.

import { $, make } from "./dom.js";
import { standardLayers } from "./layers.js";
import { LESSONS, stepAt } from "./lessons.js";

export class Teacher {
  constructor(studio) {
    Object.assign(this, { studio, lesson: null, step: 0 });
    this.#show();
  }

  async begin(lesson) {
    const { studio } = this, { setting } = lesson;
    Object.assign(this, { lesson, step: 0 });
    Object.assign(studio.layers, standardLayers(), lesson.layers ?? {});
    studio.controls.layers();
    studio.controls.speed(setting.map.kind === "rows" ? 2 : 30);
    this.#show();
    await studio.load({ corners: "strict", neighbors: 8, seed: 0, edits: {}, ...structuredClone(setting) }, false);
  }

  end() {
    if (!this.lesson) return;
    this.lesson = null;
    this.#show();
  }

  /** Called when another interval is shown. */
  watch() {
    const { player, race } = this.studio;
    if (!this.lesson || !race?.timeline) return;
    const step = stepAt(this.lesson, race.timeline.shown, player.over && player.at >= player.last);
    if (step === this.step) return;
    if (step > this.step) {
      player.playing = false;
      this.#act(this.lesson.steps[step]);
    }
    this.step = step;
    this.#show();
  }

  #act({ storm, wall }) {
    if (storm) this.studio.storm();
    if (wall) this.studio.build(...wall);
  }

  #show() {
    const list = LESSONS.map(each => make("button", { type: "button", class: "lesson", id: `lesson-${each.id}`, onclick: () => this.begin(each) },
      each.title, make("small", {}, each.about)));
    $("lessons").replaceChildren(...(this.lesson ? [this.#text()] : []), ...list);
  }

  #text() {
    const { steps, title } = this.lesson, last = this.step >= steps.length - 1;
    return make("div", { class: "lesson-text", "aria-live": "polite" }, make("h2", {}, title), make("p", {}, steps[this.step].text),
      make("div", { class: "row" }, make("span", {}, `${this.step + 1} of ${steps.length}`),
        make("button", { type: "button", class: "primary", id: "lesson-next", disabled: last, onclick: () => this.studio.player.play(true) }, "Continue")));
  }
}
