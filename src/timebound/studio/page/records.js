// Reads the records that `frames.py` writes: what happened in one interval, as typed arrays.

export const NOWHERE = 0xffffffff;
export const WORLD = 0xffff;
export const OPEN = 1, CLOSED = 2, AS_BEFORE = 3;
export const STOPS = ["going", "goal", "unreachable", "intervals", "memory", "stuck", "illegal", "hit"];

const WORDS = ["words", "agent", "interval", "flags", "stop", "position", "decision", "subgoal", "goal", "moves",
  "expansions", "searches", "memory", "cost", "spent", "pathKept", "pathValid", "traceKept",
  "paths", "traces", "cells", "learned", "seen", "aside"];
const FRACTIONS = new Set(["memory", "cost", "spent"]);

export const records = (buffer, from = 0) => each(buffer, from, readRecord);

export function* each(buffer, from, read) {
  for (let place = from; place < buffer.byteLength;) {
    const record = read(buffer, place);
    yield record;
    place += 4 * record.words;
  }
}

export function readHead(buffer, place, names, fractional) {
  if (buffer.byteLength - place < 4 * names.length) throw new Error("the records of this trace are truncated");
  const words = new Uint32Array(buffer, place, names.length), fractions = new Float32Array(buffer, place, names.length);
  const head = Object.fromEntries(names.map((name, i) => [name, fractional.has(name) ? fractions[i] : words[i]]));
  if (head.words < names.length || place + 4 * head.words > buffer.byteLength) throw new Error("the records of this trace are damaged");
  return head;
}

function readRecord(buffer, place) {
  const r = readHead(buffer, place, WORDS, FRACTIONS);
  r.place = place;
  r.buffer = buffer;
  let at = place + 4 * WORDS.length;
  const take = (Type, count) => {
    const column = new Type(buffer, at, count);
    at += count * Type.BYTES_PER_ELEMENT;
    return column;
  };
  const counts = { path: r.paths, trace: r.traces, cells: r.cells, learned: r.learned, seen: r.seen, aside: r.aside };
  if (r.agent === WORLD) {
    r.cells = take(Uint32Array, counts.cells);
    r.codes = take(Uint8Array, counts.cells);
    return r;
  }
  r.path = take(Uint32Array, counts.path);
  r.trace = take(Uint32Array, counts.trace);
  r.cells = take(Uint32Array, counts.cells);
  r.g = take(Float32Array, counts.cells);
  r.h = take(Float32Array, counts.cells);
  r.learned = take(Uint32Array, counts.learned);
  r.learnedH = take(Float32Array, counts.learned);
  r.rise = take(Float32Array, counts.learned);
  r.seen = take(Uint32Array, counts.seen);
  r.aside = take(Uint32Array, counts.aside);
  r.marks = take(Uint8Array, counts.cells);
  r.parents = take(Uint8Array, counts.cells);
  r.expanded = take(Uint8Array, counts.cells);
  return r;
}
