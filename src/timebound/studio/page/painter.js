// One colour per cell, for terrain, fog, the search, what was learned, and where the agent has been. Only changed cells
// are painted again, so the cost depends on what happens, not on the size of the map.

import { CLOSED, OPEN } from "./records.js";

const packed = ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r;

function mixed(under, over, share) {
  const s = (share * 256) | 0, t = 256 - s;
  const r = ((under & 255) * t + (over & 255) * s) >> 8;
  const g = (((under >> 8) & 255) * t + ((over >> 8) & 255) * s) >> 8;
  const b = (((under >> 16) & 255) * t + ((over >> 16) & 255) * s) >> 8;
  return (255 << 24) | (b << 16) | (g << 8) | r;
}

function scale(stops, count) {
  return Array.from({ length: count }, (_, i) => {
    const at = (i / (count - 1)) * (stops.length - 1), low = Math.min(Math.floor(at), stops.length - 2), t = at - low;
    return packed(stops[low].map((value, k) => Math.round(value + (stops[low + 1][k] - value) * t)));
  });
}

export class Painter {
  constructor(ground, mind, palette, foggy, layers) {
    Object.assign(this, { ground, mind, foggy, layers });
    this.image = new ImageData(ground.width, ground.height);
    this.pixels = new Int32Array(this.image.data.buffer);
    this.canvas = document.createElement("canvas");
    this.canvas.width = ground.width;
    this.canvas.height = ground.height;
    this.context = this.canvas.getContext("2d");
    this.painted = []; // cells in the colours of a search, without duplicates
    this.listed = new Uint8Array(ground.codes.length);
    this.search = 0;
    this.#colours(palette);
    this.all();
  }

  #colours(p) {
    this.terrain = new Int32Array(256).fill(packed(p.terrain[46]));
    for (const [code, colour] of Object.entries(p.terrain)) this.terrain[code] = packed(colour);
    this.terrain[109] = packed(p.terrain[83]);
    this.fog = packed(p.fog);
    this.density = p.fog_density;
    this.rubble = packed(p.hidden);
    this.open = packed(p.open);
    this.closed = scale(p.expanded, 9); // by the number of expansions
    this.strength = p.expanded_strength;
    this.learned = scale(p.learned, 24);
    this.visits = scale(p.visits, 24);
  }

  #colour(cell) {
    const { mind, layers, ground } = this, seen = mind.seen[cell];
    const code = ground.codes[cell];
    let colour = this.terrain[code];
    if (ground.hidden.has(cell)) {
      if (seen === 2) colour = this.rubble;
      else if (layers.truth) colour = mixed(colour, this.rubble, 0.2);
    }
    if (this.foggy && !seen) {
      if (!layers.truth) colour = this.terrain[46];
      if (layers.fog) colour = mixed(colour, this.fog, this.density);
    }
    if (layers.learned && mind.rise[cell] > 0) {
      const level = Math.min(23, Math.floor((mind.rise[cell] / this.highest) * 23.99));
      colour = mixed(colour, this.learned[level], 0.78);
    }
    if (layers.search) {
      const mark = mind.mark(cell);
      if (mark === OPEN) colour = mixed(colour, this.open, 0.72);
      else if (mark === CLOSED) colour = mixed(colour, this.closed[again(mind.count[cell])], this.strength);
      else if (layers.again && mind.count[cell] > 1) colour = mixed(colour, this.closed[again(mind.count[cell])], 0.34);
    }
    if (layers.visits && mind.visits[cell] > 0) {
      const often = Math.log2(mind.visits[cell]) / Math.max(1, Math.log2(this.often));
      colour = mixed(colour, this.visits[Math.min(23, Math.floor(often * 23.99))], 0.9);
    }
    return colour;
  }

  #scales() {
    let highest = 1e-6, often = 2;
    const { rise, visits } = this.mind;
    if (this.layers.learned) for (let i = 0; i < rise.length; i++) if (rise[i] > highest && rise[i] < Infinity) highest = rise[i];
    if (this.layers.visits) for (const cell of this.mind.trail) if (visits[cell] > often) often = visits[cell];
    const changed = highest > (this.highest ?? 0) || highest < this.highest / 2 || often > (this.often ?? 0) || often < this.often / 2;
    if (changed) { this.highest = highest * 1.25; this.often = often; }
    return changed;
  }

  /** Paint everything. */
  all() {
    this.#scales();
    this.#unlist();
    for (let cell = 0; cell < this.pixels.length; cell++) {
      this.pixels[cell] = this.#colour(cell);
      if (this.mind.mark(cell)) this.#list(cell);
    }
    this.search = this.mind.search;
    this.mind.dirty = [];
    this.context.putImageData(this.image, 0, 0);
  }

  /** Paint what has changed since the last time; return whether anything has. */
  update() {
    const { mind } = this, lists = mind.dirty;
    if (!lists.length && this.search === mind.search) return false;
    const size = lists.reduce((sum, list) => sum + (list ? list.length : Infinity), 0);
    if (mind.search < this.search || size > this.pixels.length / 2 || this.#outgrown(lists)) {
      this.all();
      return true;
    }
    const box = { left: this.ground.width, top: this.ground.height, right: -1, bottom: -1 };
    if (mind.search !== this.search) {
      const old = this.#unlist();
      this.search = mind.search;
      this.#paint(old, box);
    }
    mind.dirty = [];
    for (const list of lists) this.#paint(list, box);
    if (box.right >= box.left)
      this.context.putImageData(this.image, 0, 0, box.left, box.top, box.right - box.left + 1, box.bottom - box.top + 1);
    return true;
  }

  #list(cell) {
    if (this.listed[cell]) return;
    this.listed[cell] = 1;
    this.painted.push(cell);
  }

  #unlist() {
    const old = this.painted;
    for (const cell of old) this.listed[cell] = 0;
    this.painted = [];
    return old;
  }

  #outgrown(lists) {
    if (!this.layers.learned && !this.layers.visits) return false;
    const now = lists.length;
    return now > 0 && (this.ticks = ((this.ticks ?? 0) + 1) % 16) === 0 && this.#scales();
  }

  #paint(cells, box) {
    const { mind, pixels } = this, width = this.ground.width;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i];
      pixels[cell] = this.#colour(cell);
      if (mind.mark(cell)) this.#list(cell);
      const y = (cell / width) | 0, x = cell - y * width;
      if (x < box.left) box.left = x;
      if (x > box.right) box.right = x;
      if (y < box.top) box.top = y;
      if (y > box.bottom) box.bottom = y;
    }
  }
}

/** 0 for the first expansion, up to 8 for many. */
function again(count) {
  return count <= 1 ? 0 : Math.min(8, 1 + Math.floor(1.6 * Math.log2(count)));
}
