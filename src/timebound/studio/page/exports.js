// The Share menu: a link to the setting, a picture, an animation, a trace.

import { $ } from "./dom.js";
import { Ground } from "./ground.js";
import { addressOf, film, save, sheet, traceOf } from "./share.js";

export class Exports {
  constructor(studio) {
    this.studio = studio;
    const actions = { link: () => this.#link(), png: () => this.#png(), gif: () => this.#gif(), json: () => this.#json() };
    for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", () => this.#guarded(action));
  }

  async #guarded(action) {
    $("share").open = false;
    try { await action(); } catch (error) { this.studio.notice(error.message, true); }
  }

  async #link() {
    const { studio } = this;
    studio.setting.edits = studio.ground.edits();
    history.replaceState(null, "", await addressOf(studio.setting));
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    studio.notice("the address of this page now contains the whole setting");
    setTimeout(() => studio.notice(""), 3000);
  }

  #picture(side) {
    const { panels, ground, camera } = this.studio;
    const shown = panels.list.map(({ canvas, title, colour }) => ({ canvas, colour, title: title ?? ground.name }));
    return sheet(shown, panels.columns, $("scene").textContent, camera, ground, side);
  }

  #png() { this.#picture().toBlob(blob => save(blob, "timebound.png")); }

  async #gif() {
    const { studio } = this, { player } = studio, race = this.#race(), { at } = player;
    player.playing = false;
    const show = interval => { race.timeline.seek(interval); studio.draw(); };
    const made = await film(player.last, show, side => this.#picture(side), share => studio.notice(`drawing the animation: ${Math.round(100 * share)} %`));
    save(made, "timebound.gif");
    studio.notice("");
    player.go(at);
  }

  async #json() {
    const race = this.#race(), { start, goal, terrain, budget, agents, neighbors, corners, seed } = race.setting;
    const map = await started(race).packed();
    const about = { map, start, goal, terrain, budget, agents, neighbors, corners, seed, hidden: race.hidden, result: race.result };
    save(await traceOf(race, about), "timebound-trace.json");
  }

  #race() {
    const { race } = this.studio;
    if (!race?.timeline) throw new Error("there is no race yet");
    if (race.crowd) throw new Error("a crowd is live: animations and traces can show races only");
    return race;
  }
}

/** The map of a race at its start. */
function started(race) {
  const { name, width, height, original } = race.ground, ground = new Ground(name, width, height, original.slice());
  ground.draw(race.setting.edits);
  return ground;
}
