// Reads the records that `crowd_frames.py` writes: what happened to a crowd in one tick, one byte per unit.

import { each, readHead } from "./records.js";

const WORDS = ["words", "tick", "flags", "units", "astarUnits", "changes", "us", "processorUs", "served", "waiting", "arrived",
  "memory", "astarUs", "astarPlanned", "astarWaiting", "astarArrived", "astarEnded"];
const FRACTIONS = new Set(["us", "processorUs", "memory", "astarUs"]);
const FLEET_PLACED = 1, ASTAR_PLACED = 2;

export const STAYED = 16;

export const crowdRecords = (buffer, from = 0) => each(buffer, from, readRecord);

function readRecord(buffer, place) {
  const r = readHead(buffer, place, WORDS, FRACTIONS);
  let at = place + 4 * WORDS.length;
  const take = (Type, count) => {
    const column = new Type(buffer, at, count);
    at += count * Type.BYTES_PER_ELEMENT;
    return column;
  };
  r.cells = take(Uint32Array, r.changes);
  r.places = [take(Uint32Array, r.flags & FLEET_PLACED ? r.units : 0), take(Uint32Array, r.flags & ASTAR_PLACED ? r.astarUnits : 0)];
  r.codes = take(Uint8Array, r.changes);
  r.bytes = [take(Uint8Array, r.units), take(Uint8Array, r.astarUnits)];
  return r;
}
