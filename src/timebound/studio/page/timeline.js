// Everything that has happened in a race, and what its agents have in mind at the interval shown.

import { Mind } from "./mind.js";
import { NOWHERE, WORLD } from "./records.js";

const MOST_BYTES = 1 << 29; // of records; beyond this, the page requests no more

export class Timeline {
  constructor(ground, agents) {
    this.ground = ground;
    this.frames = []; // per interval: the records of the agents, and the changes of the world
    this.shown = -1;
    this.bytes = 0;
    this.minds = Array.from({ length: agents }, () => new Mind(ground.codes.length));
    this.ends = new Array(agents).fill(NOWHERE); // the interval after which an agent has no more records
    this.undos = [];
    this.worldVersion = 0;
  }

  get first() { return 0; }

  get last() { return this.frames.length - 1; }

  get full() { return this.bytes > MOST_BYTES; }

  add(record) {
    const frame = (this.frames[record.interval] ??= { records: [], changes: [] });
    this.bytes += 4 * record.words;
    if (record.agent === WORLD) {
      frame.changes.push(record);
      if (this.shown >= record.interval) this.#redo(record.interval);
    } else {
      record.total = (this.frames[record.interval - 1]?.records[record.agent]?.total ?? 0) + record.spent;
      frame.records[record.agent] = record;
      this.ends[record.agent] = record.stop ? record.interval : NOWHERE;
    }
  }

  /** Apply a change to an interval that is already shown. */
  #redo(interval) {
    const shown = this.shown;
    this.seek(interval - 1);
    this.seek(shown);
  }

  seek(interval) {
    const aim = Math.max(-1, Math.min(interval, this.last));
    while (this.shown < aim) this.#forward();
    while (this.shown > aim) this.#back();
    return this.shown;
  }

  #forward() {
    const frame = this.frames[++this.shown] ?? { records: [], changes: [] };
    const undo = { agents: [], changes: [] };
    frame.records.forEach((record, agent) => { undo.agents[agent] = this.minds[agent].apply(record); });
    for (const change of frame.changes) undo.changes.push(this.#change(change.cells, change.codes));
    this.undos.push(undo);
  }

  #back() {
    const undo = this.undos.pop(), frame = this.frames[this.shown--];
    for (let i = undo.changes.length - 1; i >= 0; i--) this.#change(frame.changes[i].cells, undo.changes[i]);
    undo.agents.forEach((each, agent) => this.minds[agent].undo(each));
  }

  #change(cells, codes) {
    const before = new Uint8Array(cells.length);
    for (let i = 0; i < cells.length; i++) {
      before[i] = this.ground.codes[cells[i]];
      this.ground.codes[cells[i]] = codes[i];
    }
    for (const mind of this.minds) mind.dirty.push(cells);
    this.worldVersion += 1;
    return before;
  }

  /** One figure of an agent over a range of intervals, for charts. */
  series(agent, name, from, to) {
    const values = [];
    for (let i = Math.max(1, from); i <= to; i++) values.push(this.frames[i]?.records[agent]?.[name] ?? NaN);
    return values;
  }

  allBytes() {
    const parts = [];
    for (const frame of this.frames) {
      if (!frame) continue;
      for (const record of [...frame.records, ...frame.changes])
        if (record) parts.push(new Uint8Array(record.buffer, record.place, 4 * record.words));
    }
    return parts;
  }
}
