// The form for a race: the map, the agents, what they know, and their budget.

import { make, rgb } from "./dom.js";
import { choice, numberField } from "./fields.js";
import { mapField } from "./mapform.js";

const FIRST = {
  map: { kind: "built-in", name: "harbour" }, start: [12, 100], goal: [180, 14], terrain: "unknown",
  senses: { radius: 8, line_of_sight: true }, budget: { virtual_ms: 0.01 }, neighbors: 8, corners: "strict", seed: 0,
  agents: [{ name: "tbaa" }, { name: "rtaa" }, { name: "dstar-lite" }, { name: "repeated-astar" }],
};
const BUDGETS = { expansions: [100, "expansions"], ms: [0.3, "ms"], virtual_ms: [0.01, "virtual ms"] };

export const firstSetting = () => structuredClone(FIRST);

export class Setup {
  constructor(form, hello, heard) {
    Object.assign(this, { form, hello, heard });
    this.kinds = Object.fromEntries(hello.agents.map(agent => [agent.name, agent]));
    form.addEventListener("submit", event => { event.preventDefault(); heard.start(this.setting); });
  }

  show(setting) {
    this.setting = setting;
    this.form.replaceChildren(mapField(this.hello, setting.map, this.heard), this.#agents(), this.#knowledge(), this.#budget(), this.#rules(),
      make("button", { id: "start", class: "primary", type: "submit" }, "Start the race"));
  }

  #again() { this.show(this.setting); }

  #agents() {
    const { agents } = this.setting, most = this.hello.limits.most_agents;
    const add = make("button", { type: "button", id: "add", onclick: () => { agents.push({ name: "rtaa" }); this.#again(); } }, "Add an agent");
    return make("fieldset", {}, make("legend", {}, `Agents (up to ${most})`), ...agents.map((agent, i) => this.#agent(agent, i)),
      agents.length < most ? add : null);
  }

  #agent(agent, number) {
    const kind = this.kinds[agent.name], takes = name => this.kinds[name].terrain.includes(this.setting.terrain);
    const options = this.hello.agents.filter(each => takes(each.name)).map(each => [each.name, each.name]);
    if (!takes(agent.name)) options.unshift([agent.name, `${agent.name} (not in this terrain)`]);
    const box = make("div", { class: "agent" },
      make("div", { class: "row" },
        choice(`Agent ${number + 1}`, options, agent.name, name => { agent.name = name; agent.parameters = {}; this.#again(); }),
        this.setting.agents.length > 1
          ? make("button", { type: "button", "aria-label": `Remove agent ${number + 1}`, onclick: () => { this.setting.agents.splice(number, 1); this.#again(); } }, "×") : null),
      make("p", {}, kind.about), this.#parameters(agent, kind, number));
    box.style.borderLeftColor = rgb(this.hello.palette.agents[number]);
    return box;
  }

  #parameters(agent, kind, number) {
    agent.parameters ??= {};
    const common = ["radius", "line_of_sight", "hidden", "cost_factor"];
    const own = Object.entries(kind.parameters).filter(([name]) => !common.includes(name));
    const fields = own.flatMap(([name, standard]) => {
      const id = `p-${number}-${name}`, value = agent.parameters[name] ?? standard;
      const set = given => { if (given === null || given === "") delete agent.parameters[name]; else agent.parameters[name] = given; };
      const input = typeof standard === "boolean"
        ? make("input", { type: "checkbox", id, checked: value, onchange: event => set(event.target.checked) })
        : make("input", { type: "text", id, value: String(value ?? ""), placeholder: String(standard ?? "none"),
          onchange: event => set(valueOf(event.target.value)) });
      return [make("label", { for: id }, name.replaceAll("_", " ")), input];
    });
    const changed = Object.keys(agent.parameters).length > 0;
    return make("details", { open: changed }, make("summary", {}, `Parameters · ${kind.paper || "your own agent"}`), make("div", { class: "parameters" }, ...fields));
  }

  #knowledge() {
    const { setting } = this, senses = (setting.senses ??= {});
    const terrain = choice("Terrain", [["known", "known terrain"], ["unknown", "unknown terrain"], ["partial", "partly known terrain"]],
      setting.terrain, value => { setting.terrain = value; this.#again(); }, { id: "terrain" });
    const sight = make("div", { class: "row" },
      make("label", {}, "sight", numberField("Sight radius in cells", senses.radius, value => { senses.radius = value; }, { min: 1, max: 1000, placeholder: "adjacent", id: "radius" })),
      make("label", { class: "check" }, make("input", { type: "checkbox", checked: !!senses.line_of_sight, onchange: event => { senses.line_of_sight = event.target.checked; } }), "walls block it"));
    const hidden = make("div", { class: "row" }, make("label", {}, "hidden obstacles",
      numberField("Share of hidden obstacles", senses.hidden ?? 0.15, value => { senses.hidden = value; }, { min: 0, max: 0.9, step: 0.05 })));
    return make("fieldset", {}, make("legend", {}, "Knowledge"), make("div", { class: "row" }, terrain),
      setting.terrain === "known" ? null : sight, setting.terrain === "partial" ? hidden : null);
  }

  #budget() {
    const { setting } = this, [[kind, value]] = Object.entries(setting.budget);
    const options = Object.entries(BUDGETS).map(([name, [, text]]) => [name, `${text} per interval`]);
    return make("fieldset", {}, make("legend", {}, "Budget"), make("div", { class: "row" },
      numberField("Budget", value, given => { setting.budget = { [kind]: given }; }, { min: 0, step: "any", id: "budget" }),
      choice("Budget unit", options, kind, name => { setting.budget = { [name]: BUDGETS[name][0] }; this.#again(); })));
  }

  #rules() {
    const { setting } = this;
    return make("fieldset", {}, make("legend", {}, "Moves"), make("div", { class: "row" },
      choice("Neighbours", [["4", "4 neighbours"], ["8", "8 neighbours"], ["16", "16 neighbours"]], setting.neighbors ?? 8, value => { setting.neighbors = Number(value); }),
      choice("Corners", [["strict", "no corner cutting"], ["cut", "corner cutting"]], setting.corners ?? "strict", value => { setting.corners = value; })),
    make("div", { class: "row" }, make("label", {}, "seed", numberField("Seed", setting.seed ?? 0, value => { setting.seed = value ?? 0; }, { min: 0 }))));
  }
}

function valueOf(text) {
  const given = text.trim();
  if (given === "" || given === "none" || given === "null") return given === "none" ? "none" : null;
  if (given === "true" || given === "false") return given === "true";
  const number = Number(given);
  return Number.isFinite(number) ? number : given;
}
