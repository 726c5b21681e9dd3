// What one agent has in mind, cell by cell, at one interval. A record leads to the next interval, and can be undone.

import { AS_BEFORE, NOWHERE } from "./records.js";

const SEARCHED = 1, FORGOT = 2;
const KEPT = ["search", "stop", "position", "decision", "subgoal", "goal", "moves", "expansions", "searches", "memory",
  "cost", "spent", "path", "trace", "aside", "began"];

export class Mind {
  constructor(cells) {
    this.stamp = new Uint32Array(cells); // 4 * number of the search + mark: a new search voids all marks at once
    this.g = new Float32Array(cells);
    this.h = new Float32Array(cells).fill(NaN);
    this.parent = new Uint8Array(cells).fill(255);
    this.count = new Uint16Array(cells); // expansions
    this.rise = new Float32Array(cells); // of h
    this.seen = new Uint8Array(cells); // 1 free, 2 blocked
    this.visits = new Uint16Array(cells);
    Object.assign(this, { search: 1, stop: 0, position: NOWHERE, decision: NOWHERE, subgoal: NOWHERE, goal: NOWHERE,
      moves: 0, expansions: 0, searches: 0, memory: 0, cost: 0, spent: 0, path: [], trace: [], aside: [], began: NOWHERE });
    this.trail = [];
    this.dirty = []; // lists of cells to paint again
  }

  mark(cell) {
    const stamp = this.stamp[cell];
    return stamp >>> 2 === this.search ? stamp & 3 : 0;
  }

  /** Apply what happened in an interval; return what `undo` needs. */
  apply(r) {
    const undo = { record: r, marksOf: null };
    for (const name of KEPT) undo[name] = this[name];
    if (r.flags & SEARCHED) { this.search += 1; this.began = this.position === NOWHERE ? r.position : this.position; }
    this.#searched(r, undo);
    this.#learned(r, undo);
    undo.seenBefore = gather(this.seen, r.seen, 0x7fffffff);
    for (const told of r.seen) this.seen[told & 0x7fffffff] = told >>> 31 ? 2 : 1;
    this.dirty.push(r.cells, r.learned, r.seen.map(told => told & 0x7fffffff));
    this.#walk(r, undo);
    return undo;
  }

  #searched(r, undo) {
    undo.stampBefore = gather(this.stamp, r.cells);
    undo.gBefore = gather(this.g, r.cells);
    undo.hBefore = gather(this.h, r.cells);
    undo.parentBefore = gather(this.parent, r.cells);
    const base = this.search * 4;
    for (let i = 0; i < r.cells.length; i++) {
      const cell = r.cells[i];
      if (r.marks[i] !== AS_BEFORE) this.stamp[cell] = base + r.marks[i];
      this.g[cell] = r.g[i];
      if (r.h[i] === r.h[i]) this.h[cell] = r.h[i];
      if (r.parents[i] !== 255) this.parent[cell] = r.parents[i];
      this.count[cell] += r.expanded[i];
    }
  }

  #learned(r, undo) {
    if (r.flags & FORGOT) {
      undo.riseBefore = this.rise.slice();
      this.rise.fill(0);
      this.dirty.push(null);
    } else undo.riseOf = gather(this.rise, r.learned);
    undo.learnedHBefore = gather(this.h, r.learned);
    for (let i = 0; i < r.learned.length; i++) {
      this.rise[r.learned[i]] += r.rise[i];
      this.h[r.learned[i]] = r.learnedH[i];
    }
  }

  #walk(r, undo) {
    if (r.position !== this.position) {
      this.trail.push(r.position);
      this.visits[r.position] += 1;
      undo.moved = true;
      this.dirty.push([r.position]);
    }
    for (const name of ["stop", "position", "decision", "goal", "moves", "expansions", "searches", "memory", "cost", "spent"])
      this[name] = r[name];
    if (r.subgoal !== NOWHERE) this.subgoal = r.subgoal;
    const path = r.pathKept === NOWHERE ? this.path : joined(this.path, r.pathKept, r.path);
    this.path = path.length > r.pathValid ? path.slice(0, r.pathValid) : path;
    if (r.pathKept !== NOWHERE) this.trace = []; // it has become the path
    else if (r.traceKept !== NOWHERE) this.trace = joined(this.trace, r.traceKept, r.trace);
    this.aside = r.aside;
  }

  undo(undo) {
    const r = undo.record;
    if (undo.moved) {
      this.visits[this.trail.pop()] -= 1;
      this.dirty.push([r.position]);
    }
    for (let i = r.seen.length - 1; i >= 0; i--) this.seen[r.seen[i] & 0x7fffffff] = undo.seenBefore[i];
    for (let i = 0; i < r.learned.length; i++) this.h[r.learned[i]] = undo.learnedHBefore[i];
    if (undo.riseBefore) { this.rise.set(undo.riseBefore); this.dirty.push(null); }
    else for (let i = 0; i < r.learned.length; i++) this.rise[r.learned[i]] = undo.riseOf[i];
    for (let i = 0; i < r.cells.length; i++) {
      const cell = r.cells[i];
      this.stamp[cell] = undo.stampBefore[i];
      this.g[cell] = undo.gBefore[i];
      this.h[cell] = undo.hBefore[i];
      this.parent[cell] = undo.parentBefore[i];
      this.count[cell] -= r.expanded[i];
    }
    this.dirty.push(r.cells, r.learned, r.seen.map(told => told & 0x7fffffff));
    for (const name of KEPT) this[name] = undo[name];
  }
}

function gather(array, cells, mask = 0xffffffff) {
  const values = new array.constructor(cells.length);
  for (let i = 0; i < cells.length; i++) values[i] = array[(cells[i] & mask) >>> 0];
  return values;
}

function joined(old, kept, states) {
  const first = Math.min(kept, old.length), line = new Uint32Array(first + states.length);
  line.set(old.slice(0, first));
  line.set(states, first);
  return line;
}
