// A crowd over time: where its units are at the tick shown, and how long ticks took. Time only goes forward.

import { crowdRecords, STAYED } from "./crowdrecords.js";
import { Mind } from "./mind.js";
import { STEPS } from "./view.js";

export const WINDOW = 600; // ticks in charts and percentiles
const FLEET = 0, ASTAR = 1;

/** The units of one crowd. */
class Troop {
  constructor(ground, title) {
    Object.assign(this, { title, cells: new Uint32Array(0), reasons: new Uint8Array(0), arrived: 0, served: 0, waiting: 0, memory: 0 });
    this.mind = new Mind(ground.codes.length); // stays empty: the painter needs one to paint the map
    this.times = []; // of every tick, in milliseconds of processor time
    this.clock = []; // the same in wall-clock time, which includes whatever else this computer did
    this.frames = []; // of whole frames
    this.under = 0; // of the unfinished frame, or 0
    this.offsets = [...STEPS.map(([dx, dy]) => dy * ground.width + dx)];
    this.offsets[STAYED] = 0;
  }

  move(places, bytes) {
    if (places.length) this.cells = places.slice();
    if (this.reasons.length !== bytes.length) this.reasons = new Uint8Array(bytes.length);
    for (let i = 0; i < bytes.length; i++) {
      if (!places.length) this.cells[i] += this.offsets[bytes[i] & 31];
      this.reasons[i] = bytes[i] >> 5;
    }
  }

  took(ms, ended, clock = []) {
    this.times.push(ms);
    this.clock.push(...clock);
    this.under = ended ? 0 : ms;
    if (ended) this.frames.push(ms);
    for (const list of [this.times, this.clock, this.frames]) if (list.length > WINDOW) list.splice(0, list.length - WINDOW);
  }

  /** Count the units by what they are doing: one count for the number of each reason. */
  count() {
    const counts = new Array(8).fill(0);
    for (const reason of this.reasons) counts[reason] += 1;
    return counts;
  }
}

export class March {
  constructor(ground, titles) {
    Object.assign(this, { ground, titles, shown: -1, last: -1, full: false, bytes: 0, queue: [], troops: [new Troop(ground, titles[FLEET])] });
  }

  /** The first tick that can be shown: there is no way back. */
  get first() { return Math.max(0, this.shown); }

  get minds() { return this.troops.map(troop => troop.mind); }

  add(buffer, from) {
    this.bytes += buffer.byteLength - from;
    for (const record of crowdRecords(buffer, from)) {
      if (record.changes) this.#change(record);
      else {
        this.queue.push(record);
        this.last = record.tick;
      }
    }
  }

  /** Show walls at once: the person who draws them is watching the pointer. */
  #change({ cells, codes }) {
    for (let i = 0; i < cells.length; i++) this.ground.codes[cells[i]] = codes[i];
    for (const { mind } of this.troops) mind.dirty.push(cells);
  }

  seek(tick) {
    while (this.queue.length && this.queue[0].tick <= tick) this.#forward(this.queue.shift());
  }

  #forward(r) {
    this.shown = r.tick;
    if (!r.astarUnits) this.troops.length = 1;
    else if (this.troops.length === 1) this.troops.push(new Troop(this.ground, this.titles[ASTAR]));
    this.troops.forEach((troop, i) => troop.move(r.places[i], r.bytes[i]));
    const [fleet, astar] = this.troops;
    Object.assign(fleet, { served: r.served, waiting: r.waiting, arrived: r.arrived, memory: r.memory });
    if (astar) Object.assign(astar, { served: r.astarPlanned, waiting: r.astarWaiting, arrived: r.astarArrived });
    if (!r.tick) return; // before the first tick, there is nothing to time
    fleet.took(r.processorUs / 1000, true, [r.us / 1000]);
    astar?.took(r.astarUs / 1000, r.astarEnded);
  }
}
