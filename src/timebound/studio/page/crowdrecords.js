// Reads the records that `crowd_frames.py` writes: what happened to a crowd in one tick, a byte for each unit.

const WORDS = ["words", "tick", "flags", "units", "astarUnits", "changes", "us", "processorUs", "served", "waiting", "arrived",
  "memory", "astarUs", "astarPlanned", "astarWaiting", "astarArrived", "astarEnded"];
const FRACTIONS = new Set(["us", "processorUs", "memory", "astarUs"]);
const FLEET_PLACED = 1, ASTAR_PLACED = 2;

export const STAYED = 16;

export function* crowdRecords(buffer, from = 0) {
  for (let place = from; place < buffer.byteLength;) {
    const record = readRecord(buffer, place);
    yield record;
    place += 4 * record.words;
  }
}

function readRecord(buffer, place) {
  if (buffer.byteLength - place < 4 * WORDS.length) throw new Error("the records are cut short");
  const words = new Uint32Array(buffer, place, WORDS.length), fractions = new Float32Array(buffer, place, WORDS.length);
  const r = {};
  WORDS.forEach((name, i) => { r[name] = FRACTIONS.has(name) ? fractions[i] : words[i]; });
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
