// The choice of a map: built-in, generated, empty to draw on, or a file.

import { make } from "./dom.js";
import { choice, numberField } from "./fields.js";

const EMPTY = [48, 30];
const SIDES = { caves: [160, 100], rooms: [120, 80], maze: [61, 41], random: [120, 80] };

/** The fields; `prefix` keeps their ids apart from those of another form. */
export function mapField(hello, map, heard, prefix = "") {
  const own = map.kind === "cells" || map.kind === "rows" ? map.name || "this map" : null;
  const options = [...hello.maps.built_in.map(name => [`built-in ${name}`, name]),
    ...Object.keys(hello.maps.generators).map(kind => [kind, `${kind} (generated)`]), ["empty", "empty, to draw on"],
    ...(own ? [["own", own]] : [])];
  const value = own ? "own" : map.kind === "built-in" ? `built-in ${map.name}` : map.kind;
  const file = make("input", { type: "file", hidden: true, id: `${prefix}file`, onchange: event => heard.file(event.target.files[0]) });
  const rows = [make("div", { class: "row" }, choice("Map", options, value, chosen => choose(chosen, heard), { id: `${prefix}map` }),
    make("button", { type: "button", onclick: () => file.click() }, "Open…"), file)];
  if (map.kind in SIDES) rows.push(generator(map, heard, prefix));
  return make("fieldset", {}, make("legend", {}, "Map"), ...rows);
}

function generator(map, heard, prefix) {
  const field = (name, text) => make("label", {}, text, numberField(text, map[name], value => {
    if (value === null) return;
    map[name] = value;
    heard.map({ ...map });
  }, { min: 0, id: `${prefix}map-${name}` }));
  return make("div", { class: "row" }, field("width", "w"), field("height", "h"), field("seed", "seed"));
}

function choose(value, heard) {
  if (value === "own") return;
  if (value === "empty") {
    const [width, height] = EMPTY;
    heard.map({ kind: "rows", name: "drawing", rows: Array(height).fill(".".repeat(width)) });
  } else if (value.startsWith("built-in ")) heard.map({ kind: "built-in", name: value.slice(9) });
  else heard.map({ kind: value, width: SIDES[value][0], height: SIDES[value][1], seed: 1 });
}
