// The page's copy of the map: one character code per cell, what was drawn on it, and how both are packed.

export const CODE = { ground: 46, wall: 64, mud: 109 };
const FREE = new Set([...".GSgsm"].map(c => c.charCodeAt(0)));

export class Ground {
  constructor(name, width, height, codes, source) {
    Object.assign(this, { name, width, height, codes, source });
    this.original = codes.slice();
    this.hidden = new Set(); // obstacles that the map does not show
  }

  static async unpacked(packed, source) {
    const codes = await inflate(packed.cells);
    if (codes.length !== packed.width * packed.height) throw new Error("the map is damaged");
    return new Ground(packed.name, packed.width, packed.height, codes, source ?? { ...packed, kind: "cells" });
  }

  free(cell) { return FREE.has(this.codes[cell]); }

  inside(x, y) { return x >= 0 && y >= 0 && x < this.width && y < this.height; }

  /** What was drawn on the map so far, as runs of cells by their character. */
  edits() {
    const edits = {};
    for (let i = 0; i < this.codes.length; i++) {
      if (this.codes[i] === this.original[i]) continue;
      const code = this.codes[i], first = i;
      while (i + 1 < this.codes.length && this.codes[i + 1] === code && this.original[i + 1] !== code) i++;
      (edits[String.fromCharCode(code)] ??= []).push(first, i - first + 1);
    }
    return edits;
  }

  /** Apply earlier drawings; runs that do not fit are ignored. */
  draw(edits) {
    for (const [character, runs] of Object.entries(edits ?? {}))
      for (let i = 0; i + 1 < runs.length; i += 2)
        this.codes.fill(character.charCodeAt(0), runs[i], runs[i] + runs[i + 1]);
  }

  copy() {
    const copy = new Ground(this.name, this.width, this.height, this.codes.slice(), this.source);
    copy.original = this.original;
    return copy;
  }

  async packed() {
    return { name: this.name, width: this.width, height: this.height, cells: await deflate(this.codes) };
  }
}

export function runsOf(cells) {
  const sorted = [...cells].sort((a, b) => a - b), runs = [];
  for (let i = 0; i < sorted.length; i++) {
    const first = sorted[i];
    while (sorted[i + 1] === sorted[i] + 1) i++;
    runs.push(first, sorted[i] - first + 1);
  }
  return runs;
}

export async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return through(new DecompressionStream("deflate"), [bytes]);
}

export async function deflate(...parts) {
  return base64(await through(new CompressionStream("deflate"), parts));
}

export function base64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return btoa(text);
}

async function through(stream, parts) {
  const piped = new Blob(parts).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}
