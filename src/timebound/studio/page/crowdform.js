// The form for a crowd: how many units, of which kind, how they avoid each other, and the budget of a tick.

import { make } from "./dom.js";
import { choice, numberField } from "./fields.js";
import { mapField } from "./mapform.js";

const COLLISIONS = { none: "pass through each other", wait: "wait for each other", push: "push each other aside" };

const firstCrowd = () => ({ units: 1000, agent: { name: "rtaa", parameters: { lookahead: 32 } }, collisions: "none", guidance: false, ms: 2, astar: true });

export class CrowdForm {
  constructor(form, hello, heard) {
    Object.assign(this, { form, hello, heard, crowd: firstCrowd() });
    form.addEventListener("submit", event => { event.preventDefault(); heard.gather(); });
  }

  show(setting) {
    this.setting = setting;
    const crowd = (this.crowd = setting.crowd ?? this.crowd);
    this.form.replaceChildren(
      make("p", { class: "about" }, "The units walk from one goal to the next. All of them share one budget per tick. Draw a wall in their way while they walk."),
      mapField(this.hello, setting.map, this.heard, "crowd-"), this.#units(crowd), this.#others(crowd), this.#budget(crowd),
      make("button", { id: "gather", class: "primary", type: "submit" }, "Start the crowd"));
  }

  #units(crowd) {
    const { kinds } = this.hello.fleets, most = this.hello.limits.most_units, own = this.hello.agents.find(each => each.name === crowd.agent.name)?.parameters ?? {};
    const kind = choice("Kind of unit", kinds.map(name => [name, name]), crowd.agent.name, name => {
      const takes = "lookahead" in this.hello.agents.find(each => each.name === name).parameters;
      crowd.agent = { name, parameters: takes ? { lookahead: crowd.agent.parameters?.lookahead ?? 32 } : {} };
      this.show(this.setting);
    }, { id: "crowd-kind" });
    const units = numberField("Number of units", crowd.units, value => { crowd.units = value; }, { min: 1, max: most, id: "crowd-units" });
    const lookahead = "lookahead" in own
      ? make("div", { class: "row" }, make("label", {}, "lookahead", numberField("Lookahead", crowd.agent.parameters?.lookahead, value => {
        crowd.agent.parameters = value === null ? {} : { lookahead: value };
      }, { min: 1, id: "crowd-lookahead", placeholder: "set by budget" }))) : null;
    return make("fieldset", {}, make("legend", {}, `Units (up to ${most.toLocaleString("en-US")})`), make("div", { class: "row" }, units, kind), lookahead);
  }

  #others(crowd) {
    const options = this.hello.fleets.collisions.map(name => [name, COLLISIONS[name] ?? name]);
    const guidance = make("input", { type: "checkbox", id: "crowd-guidance", checked: crowd.guidance, onchange: event => { crowd.guidance = event.target.checked; } });
    return make("fieldset", {}, make("legend", {}, "Collisions"),
      make("div", { class: "row" }, choice("Collisions", options, crowd.collisions, value => { crowd.collisions = value; }, { id: "crowd-collisions" })),
      make("div", { class: "row" }, make("label", { class: "check" }, guidance, "plan around crowds (guidance)")));
  }

  #budget(crowd) {
    const { setting } = this, ms = value => { crowd.ms = value; this.heard.tune({ ms: value }); };
    return make("fieldset", {}, make("legend", {}, "Milliseconds per tick, for all units"),
      make("div", { class: "row" }, numberField("Milliseconds per tick", crowd.ms, ms, { min: 0.1, max: this.hello.limits.most_ms, step: "any", id: "crowd-ms" }),
        make("label", {}, "seed", numberField("Seed", setting.seed ?? 0, value => { setting.seed = value ?? 0; }, { min: 0 }))));
  }
}
