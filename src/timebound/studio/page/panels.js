// The panels of a race, one per agent, and the table below them.

import { strip } from "./chart.js";
import { fixed, make, rgb, whole } from "./dom.js";
import { NOWHERE, STOPS } from "./records.js";
import { View } from "./view.js";

const OUTCOMES = { goal: "goal", unreachable: "no path", intervals: "out of intervals", memory: "out of memory", stuck: "stuck", hit: "hit" };
// Charts show expansions, or microseconds of this computer. A virtual budget has no line: it prices operations, and
// agents keep no sum of those prices that a chart could show.
const LIMITS = { expansions: limit => limit, ms: limit => limit * 1000 };
const SPENT = {
  expansions: (spent, limit) => (Number.isFinite(limit) ? `${whole(spent)} of ${whole(limit)}` : whole(spent)),
  ms: (spent, limit) => `${fixed(spent, 1)} of ${whole(limit * 1000)} µs`,
  virtual_ms: spent => `${fixed(spent, 1)} µs`,
};
const ABOUT = {
  virtual_ms: "Time spent in each interval, in microseconds of this computer. A virtual budget counts operations, so there is no line.",
  other: "Spent in each interval. The dashed line is the budget.",
};
const FRAME = 80; // pixels of a panel above and below its map
const WINDOW = 240; // intervals in a strip chart

export class Panels {
  constructor(box, table, camera, palette) { Object.assign(this, { box, table, camera, palette, list: [], columns: 1, frame: FRAME }); }

  /** Build a panel per agent; without agents, one for the map alone. */
  build(titles) {
    this.box.dataset.count = Math.max(1, titles.length);
    this.list = (titles.length ? titles : [null]).map((title, number) => this.panel(title, number));
    this.box.replaceChildren(...this.list.map(panel => panel.element));
  }

  panel(title, number) {
    const colour = this.colour(number);
    const canvas = make("canvas", { class: "map", role: "img", tabindex: "0", "aria-label": title ?? "The map" });
    const swatch = make("i"), status = make("small", {}, "");
    swatch.style.background = colour;
    const chart = make("canvas", { "aria-hidden": "true" }), spent = make("small", {}, "");
    const element = make("article", { class: "panel" },
      make("header", {}, title ? swatch : null, make("b", { title: title ?? "" }, title ?? "Draw walls, drag start and goal"), status), canvas,
      title ? make("div", { class: "spent" }, chart, spent) : null);
    return { element, canvas, status, chart, spent, view: this.view(canvas), title, colour, number };
  }

  colour(number) { return rgb(this.palette.agents[number]); }

  view(canvas) { return new View(canvas, this.camera, this.palette); }

  /** Choose the number of columns that shows the map largest; on a phone, one. */
  arrange(ground) {
    const { clientWidth: width, clientHeight: height } = this.box, count = this.list.length;
    const size = columns => Math.min(width / columns / ground.width, (height / Math.ceil(count / columns) - this.frame) / ground.height);
    const narrow = matchMedia("(max-width: 860px)").matches, choices = narrow ? [1] : [1, 2, 3, 4].slice(0, count);
    this.columns = choices.reduce((best, columns) => (size(columns) > size(best) * 1.02 ? columns : best));
    this.box.style.gridTemplateColumns = `repeat(${this.columns}, minmax(0, 1fr))`;
  }

  draw(race, start, goal) {
    for (const { view, number } of this.list) {
      const mind = race?.timeline.minds[number];
      view.draw(start, mind && mind.goal !== NOWHERE ? mind.goal : goal, mind ? !mind.stop && mind.decision === NOWHERE : false);
    }
  }

  /** Update the texts and charts beside the maps. */
  tell(race) {
    const { timeline } = race, shown = Math.max(0, timeline.shown), [[unit, limit]] = Object.entries(race.setting.budget);
    for (const panel of this.list) {
      const mind = timeline.minds[panel.number], words = doing(mind);
      panel.status.textContent = words;
      panel.canvas.setAttribute("aria-label", `${panel.title}, interval ${shown}: ${words}`);
      const by = unit === "expansions" ? "expansions" : "spent", from = Math.max(0, shown - WINDOW + 1);
      let values = timeline.series(panel.number, by, from, shown);
      if (by === "expansions") values = differences(values, timeline.frames[Math.max(0, from - 1)]?.records[panel.number]?.expansions ?? 0);
      strip(panel.chart, values, LIMITS[unit]?.(limit), panel.colour);
      panel.chart.parentElement.title = ABOUT[unit] ?? ABOUT.other;
      panel.spent.textContent = values.at(-1) >= 0 ? SPENT[unit](values.at(-1), limit) : "";
    }
    this.#table(race);
  }

  #table(race) {
    const final = race.result && race.timeline.shown === race.timeline.last;
    const rows = final ? race.result.agents.map(result => finalRow(result, race)) : race.timeline.minds.map((mind, number) => liveRow(mind, number, race));
    this.table.tBodies[0].replaceChildren(...rows.map(({ number, cells }) => {
      const swatch = make("i");
      swatch.style.background = rgb(this.palette.agents[number]);
      const [, ...figures] = cells;
      return make("tr", { "data-agent": String(number) }, make("td", {}, swatch, cells[0]), ...figures.map(text => make("td", {}, text)));
    }));
    this.table.dataset.final = String(Boolean(final));
  }
}

function doing(mind) {
  if (mind.stop) return OUTCOMES[STOPS[mind.stop]];
  return mind.decision === NOWHERE ? "searching" : "walking";
}

function differences(values, before) {
  return values.map((value, i) => value - (i ? values[i - 1] : before));
}

const kib = bytes => `${whole(bytes / 1024)} KiB`;

function finalRow({ number, suboptimality, episode }, race) {
  return { number, cells: [race.titles[number], OUTCOMES[episode.stop] ?? episode.stop, whole(episode.intervals), whole(episode.moves), fixed(episode.cost, 2),
    suboptimality === null ? "–" : fixed(suboptimality, 3), whole(episode.expansions), whole(episode.searches),
    fixed(episode.time_per_move_us.mean, 2), kib(episode.memory_bytes)] };
}

function liveRow(mind, number, race) {
  const interval = Math.min(Math.max(0, race.timeline.shown), race.timeline.ends[number]);
  const spent = race.timeline.frames[interval]?.records[number]?.total ?? 0, arrived = STOPS[mind.stop] === "goal";
  const ratio = arrived && race.optimal > 0 && !race.changed ? fixed(mind.cost / race.optimal, 3) : "–";
  return { number, cells: [race.titles[number], doing(mind), whole(interval), whole(mind.moves), fixed(mind.cost, 2), ratio,
    whole(mind.expansions), whole(mind.searches), mind.moves ? fixed(spent / mind.moves, 2) : "–", kib(mind.memory)] };
}
