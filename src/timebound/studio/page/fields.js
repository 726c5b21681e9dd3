// Form fields.

import { make } from "./dom.js";

export function choice(label, options, value, change, more = {}) {
  return make("select", { "aria-label": label, ...more, onchange: event => change(event.target.value) },
    ...options.map(([key, text]) => make("option", { value: key, selected: key === String(value) }, text)));
}

export function numberField(label, value, change, more = {}) {
  return make("input", { type: "number", "aria-label": label, value: String(value ?? ""), ...more,
    onchange: event => change(event.target.value === "" ? null : Number(event.target.value)) });
}
