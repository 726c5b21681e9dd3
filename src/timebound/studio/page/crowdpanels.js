// The panels of crowds, with charts of tick times, and the table below them.

import { frameTimes } from "./chart.js";
import { CrowdView } from "./crowdview.js";
import { $, fixed, make, rgb, whole } from "./dom.js";
import { Panels } from "./panels.js";

const PAUSE = 200; // milliseconds between updates of the table: nobody reads faster
const NAMES = ["Fleet", "A*"];
export const DOING = { absent: "", moving: "moving", waiting: "waiting to plan", blocked: "blocked by others", unreachable: "no path", arrived: "arrived", memory: "out of memory" };

export class CrowdPanels extends Panels {
  constructor(box, table, camera, hello) {
    super(box, table, camera, hello.palette);
    this.frame = 135;
    this.names = hello.fleets.reasons.map(reason => DOING[reason]);
    this.colours = hello.fleets.reasons.map(reason => rgb(this.palette.units[reason] ?? [0, 0, 0]));
    const keys = hello.fleets.reasons.filter(reason => DOING[reason]);
    $("legend").replaceChildren(...keys.map(reason => {
      const dot = make("i");
      dot.style.background = rgb(this.palette.units[reason]);
      return make("span", {}, dot, DOING[reason]);
    }));
    this.told = 0;
  }

  panel(title, number) {
    const panel = super.panel(title, number);
    panel.element.classList.add("crowd");
    panel.chart.parentElement.title = "Processor time of each tick, and wall-clock time (faint). The dashed line is the budget.";
    return panel;
  }

  /** Colours that differ from those of units, and that are easy to see in both themes. */
  colour(number) { return number ? rgb(this.palette.agents[3]) : getComputedStyle(document.body).getPropertyValue("--accent"); }

  view(canvas) { return new CrowdView(canvas, this.camera, this.palette); }

  /** Build one panel per crowd. */
  follow(race, layers) {
    this.build(race.timeline.troops.map(troop => troop.title));
    race.timeline.troops.forEach((troop, i) => this.list[i].view.follow(race.ground, troop, layers, this.colours, this.names));
    this.told = 0;
  }

  tell(race) {
    const { troops } = race.timeline, limit = race.setting.crowd.ms;
    const most = Math.max(4 * limit, ...troops.flatMap(troop => troop.times.slice(-300)));
    troops.forEach((troop, i) => {
      const panel = this.list[i], ms = troop.times.at(-1);
      frameTimes(panel.chart, troop, limit, most, this.colour(i));
      panel.spent.textContent = ms === undefined ? "" : duration(ms);
      panel.status.textContent = troop.under && troop.waiting ? `${whole(troop.waiting)} without a path yet` : `${whole(troop.arrived)} arrivals`;
    });
    if (performance.now() - this.told < PAUSE) return;
    this.told = performance.now();
    this.#table(race);
  }

  #table({ timeline }) {
    const rows = timeline.troops.map((troop, number) => {
      const counts = troop.count(), by = name => counts[this.names.indexOf(DOING[name])], times = figures(troop);
      this.list[number].canvas.setAttribute("aria-label", `${troop.title}, tick ${timeline.shown}: ${spoken(this.names, counts)}`);
      const swatch = make("i");
      swatch.style.background = this.colour(number);
      const cells = [whole(troop.cells.length), times.now, times.p99, times.longest, times.clock, whole(troop.served), whole(troop.waiting),
        whole(by("blocked")), whole(by("unreachable")), whole(troop.arrived), troop.memory ? `${fixed(troop.memory / 2 ** 20, 1)} MiB` : "–"];
      return make("tr", {}, make("td", {}, swatch, NAMES[number]), ...cells.map(text => make("td", {}, text)));
    });
    this.table.tBodies[0].replaceChildren(...rows);
  }
}

/** Figures for whole frames; an unfinished one counts with its time so far. */
function figures(troop) {
  const all = troop.under ? [...troop.frames, troop.under] : troop.frames;
  if (!all.length) return { now: "–", p99: "–", longest: "–", clock: "–" };
  return { now: duration(all.at(-1)), p99: duration(p99(all)), longest: duration(Math.max(...all)), clock: troop.clock.length ? duration(p99(troop.clock)) : "–" };
}

const p99 = values => values.slice().sort((a, b) => a - b)[Math.ceil(0.99 * values.length) - 1];

export const duration = ms => (ms < 1000 ? `${fixed(ms, ms < 9.95 ? 2 : 0)} ms` : `${fixed(ms / 1000, 1)} s`);

const spoken = (names, counts) => names.map((name, i) => (counts[i] ? `${whole(counts[i])} ${name}` : "")).filter(Boolean).join(", ");
