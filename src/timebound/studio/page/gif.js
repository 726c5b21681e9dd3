// A GIF encoder: frames of one palette, LZW. Enough for films of maps.

export class Gif {
  constructor(width, height, palette) {
    Object.assign(this, { width, height, palette, parts: [], nearest: new Map() });
    const head = [...text("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0];
    for (let i = 0; i < 256; i++) head.push(...(palette[i] ?? [0, 0, 0]));
    head.push(0x21, 0xff, 11, ...text("NETSCAPE2.0"), 3, 1, 0, 0, 0);
    this.parts.push(Uint8Array.from(head));
  }

  /** A frame of RGBA pixels, shown for so many hundredths of a second. */
  add(rgba, hundredths) {
    const indices = new Uint8Array(this.width * this.height);
    for (let i = 0; i < indices.length; i++) indices[i] = this.#index(rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]);
    this.parts.push(Uint8Array.from([0x21, 0xf9, 4, 4, ...word(hundredths), 0, 0, 0x2c, 0, 0, 0, 0, ...word(this.width), ...word(this.height), 0, 8]));
    this.parts.push(...blocks(lzw(indices)));
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

/** The colours that some frames have most of. */
export function commonColours(frames) {
  const counts = new Map();
  for (const rgba of frames)
    for (let i = 0; i < rgba.length; i += 4) {
      const key = ((rgba[i] >> 2) << 12) | ((rgba[i + 1] >> 2) << 6) | (rgba[i + 2] >> 2);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256);
  return most.map(([key]) => [(key >> 12) * 4 + 2, ((key >> 6) & 63) * 4 + 2, (key & 63) * 4 + 2].map(v => Math.min(255, v)));
}

function lzw(indices) {
  const out = [], CLEAR = 256, END = 257;
  let bits = 0, filled = 0, size = 9, next = 258, table = new Map();
  const emit = code => {
    bits |= code << filled;
    filled += size;
    while (filled >= 8) { out.push(bits & 255); bits >>>= 8; filled -= 8; }
  };
  emit(CLEAR);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; i++) {
    const key = (prefix << 8) | indices[i], known = table.get(key);
    if (known !== undefined) { prefix = known; continue; }
    emit(prefix);
    if (next < 4096) {
      if (next === 1 << size && size < 12) size++;
      table.set(key, next++);
    } else { emit(CLEAR); table = new Map(); next = 258; size = 9; }
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
