// A small GIF encoder (LZW, one palette for all frames): enough for animations of maps.

const CLEAR = 255; // the transparent colour: unchanged pixels

export class Gif {
  constructor(width, height, palette) {
    Object.assign(this, { width, height, palette, parts: [], nearest: new Map() });
    const head = [...text("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0];
    for (let i = 0; i < 256; i++) head.push(...(palette[i] ?? [0, 0, 0]));
    head.push(0x21, 0xff, 11, ...text("NETSCAPE2.0"), 3, 1, 0, 0, 0);
    this.parts.push(Uint8Array.from(head));
  }

  /** Add a frame of RGBA pixels, shown for that many hundredths of a second. Only changes are written. */
  add(rgba, hundredths) {
    const indices = new Uint8Array(this.width * this.height);
    for (let i = 0; i < indices.length; i++) indices[i] = this.#index(rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]);
    const { left, top, width, height } = this.#box(indices), part = new Uint8Array(width * height);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const place = (top + y) * this.width + left + x;
        part[y * width + x] = this.before?.[place] === indices[place] ? CLEAR : indices[place];
      }
    this.before = indices;
    this.parts.push(Uint8Array.from([0x21, 0xf9, 4, 5, ...word(hundredths), CLEAR, 0, 0x2c, ...word(left), ...word(top), ...word(width), ...word(height), 0, 8]));
    this.parts.push(...blocks(lzw(part)));
  }

  /** The part of the picture that has changed. */
  #box(indices) {
    if (!this.before) return { left: 0, top: 0, width: this.width, height: this.height };
    let left = this.width, top = this.height, right = 0, bottom = 0;
    for (let i = 0; i < indices.length; i++) {
      if (indices[i] === this.before[i]) continue;
      const y = Math.floor(i / this.width), x = i - y * this.width;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
    return right < left ? { left: 0, top: 0, width: 1, height: 1 } : { left, top, width: right - left + 1, height: bottom - top + 1 };
  }

  blob() { return new Blob([...this.parts, Uint8Array.of(0x3b)], { type: "image/gif" }); }

  #index(r, g, b) {
    const key = ((r >> 2) << 12) | ((g >> 2) << 6) | (b >> 2), known = this.nearest.get(key);
    if (known !== undefined) return known;
    let best = 0, least = Infinity;
    this.palette.forEach(([pr, pg, pb], i) => {
      const distance = (pr - r) ** 2 + (pg - g) ** 2 + (pb - b) ** 2;
      if (distance < least) { least = distance; best = i; }
    });
    this.nearest.set(key, best);
    return best;
  }
}

/** The most common colours of some frames. */
export function commonColours(frames) {
  const counts = new Map();
  for (const rgba of frames)
    for (let i = 0; i < rgba.length; i += 4) {
      const key = ((rgba[i] >> 2) << 12) | ((rgba[i + 1] >> 2) << 6) | (rgba[i + 2] >> 2);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, CLEAR);
  return most.map(([key]) => [(key >> 12) * 4 + 2, ((key >> 6) & 63) * 4 + 2, (key & 63) * 4 + 2].map(v => Math.min(255, v)));
}

function lzw(indices) {
  const out = [], RESET = 256, END = 257;
  let bits = 0, filled = 0, size = 9, next = 258, table = new Map();
  const emit = code => {
    bits |= code << filled;
    filled += size;
    while (filled >= 8) { out.push(bits & 255); bits >>>= 8; filled -= 8; }
  };
  emit(RESET);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; i++) {
    const key = (prefix << 8) | indices[i], known = table.get(key);
    if (known !== undefined) { prefix = known; continue; }
    emit(prefix);
    if (next < 4096) {
      if (next === 1 << size && size < 12) size++;
      table.set(key, next++);
    } else { emit(RESET); table = new Map(); next = 258; size = 9; }
    prefix = indices[i];
  }
  emit(prefix);
  emit(END);
  if (filled) out.push(bits & 255);
  return Uint8Array.from(out);
}

function blocks(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length; i += 255) {
    const chunk = bytes.subarray(i, i + 255);
    parts.push(Uint8Array.of(chunk.length), chunk);
  }
  parts.push(Uint8Array.of(0));
  return parts;
}

const word = value => [value & 255, value >> 8];
const text = value => [...value].map(c => c.charCodeAt(0));
