// Which layers are drawn, with a key to their colours.

import { make, rgb } from "./dom.js";

const LAYERS = [
  ["truth", "Truth", "the real map, also where the agent has not been", true],
  ["fog", "Fog", "dim what the agent has not seen", true],
  ["search", "Open and closed", "blue: open; yellow: closed; darker: expanded more than once", true],
  ["again", "Expanded before", "cells that earlier searches expanded more than once", false],
  ["path", "Path", "the path that the agent follows; black: being traced", true],
  ["trail", "Trail", "where the agent has been", true],
  ["visits", "Visits", "how often it has been in each cell", false],
  ["learned", "Learned", "by how much h has risen", false],
  ["subgoals", "Subgoals", "where it is heading (diamond), and additional searches", true],
  ["parents", "Parents", "arrows, when zoomed in", true],
  ["values", "g, h and f", "in the cells, when zoomed in", true],
];

export const standardLayers = () => Object.fromEntries(LAYERS.map(([name, , , on]) => [name, on]));

export function layerForm(box, layers, palette, changed) {
  const keys = {
    fog: [palette.fog], search: [palette.open, palette.expanded[0], palette.expanded[1]], again: palette.expanded, visits: palette.visits,
    learned: palette.learned, subgoals: [palette.agents[3]], truth: [palette.terrain[46], palette.terrain[64]],
  };
  box.replaceChildren(...LAYERS.map(([name, title, about]) => {
    const input = make("input", { type: "checkbox", id: `layer-${name}`, checked: layers[name], onchange: () => { layers[name] = input.checked; changed(); } });
    const key = make("i", { class: "key" }), colours = keys[name];
    if (colours) key.style.background = colours.length > 1 ? `linear-gradient(90deg, ${colours.map(rgb).join(",")})` : rgb(colours[0]);
    return make("label", { class: "layer" }, input, make("span", {}, title, make("small", {}, about)), key);
  }));
}
