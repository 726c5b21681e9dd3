// The whole setting as a link, and files of what is shown: a picture, an animation, a trace.

import { commonColours, Gif } from "./gif.js";
import { deflate, inflate } from "./ground.js";

const LONGEST = 60000; // longest address, in characters, that browsers accept
const FRAMES = 90, FILM_SIDE = 900;

export async function addressOf(setting) {
  const packed = await deflate(new TextEncoder().encode(JSON.stringify(setting)));
  if (packed.length > LONGEST) throw new Error("this map is too large for a link; save a trace instead");
  return `#s=${packed.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The setting in an address; null if the address has none. A damaged one raises an error. */
export async function settingOf(hash) {
  if (hash.length < 2) return null;
  if (!hash.startsWith("#s=")) throw new Error("not a setting");
  const packed = hash.slice(3).replaceAll("-", "+").replaceAll("_", "/");
  const text = new TextDecoder().decode(await inflate(packed + "=".repeat(-packed.length & 3)));
  const setting = JSON.parse(text);
  if (!setting?.map) throw new Error("not a setting");
  return setting;
}

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 5000);
}

export async function traceOf(race, about) {
  const records = await deflate(...race.timeline.allBytes());
  return new Blob([JSON.stringify({ format: "timebound-trace", version: 1, ...about, records })], { type: "application/json" });
}

export async function recordsOf(trace) { return (await inflate(trace.records)).buffer; }

/** Draw all panels into one picture, each cropped to its map, with its title above. */
export function sheet(panels, columns, title, camera, ground, side = Infinity) {
  const { canvas: first } = panels[0], rows = Math.ceil(panels.length / columns), part = mapPart(first, camera, ground);
  const shrink = Math.min(1, side / (part.width * columns)), ratio = (first.width / first.clientWidth) * shrink;
  const width = Math.round(part.width * shrink), height = Math.round(part.height * shrink), head = Math.round(30 * ratio), gap = Math.round(10 * ratio);
  const canvas = document.createElement("canvas");
  canvas.width = columns * (width + gap) + gap;
  canvas.height = head + rows * (height + head) + gap;
  const c = canvas.getContext("2d", { willReadFrequently: true }), style = getComputedStyle(document.body);
  c.fillStyle = style.getPropertyValue("--paper");
  c.fillRect(0, 0, canvas.width, canvas.height);
  c.textBaseline = "middle";
  c.fillStyle = style.getPropertyValue("--faint");
  c.font = `${13 * ratio}px system-ui, sans-serif`;
  c.fillText(title, gap, head / 2, canvas.width - 2 * gap);
  panels.forEach((panel, i) => {
    const x = gap + (i % columns) * (width + gap), y = head + Math.floor(i / columns) * (height + head);
    c.beginPath();
    c.arc(x + 7 * ratio, y + head / 2, 5 * ratio, 0, 7);
    c.fillStyle = panel.colour;
    c.fill();
    c.fillStyle = style.getPropertyValue("--ink");
    c.font = `600 ${14 * ratio}px system-ui, sans-serif`;
    c.fillText(panel.title, x + 20 * ratio, y + head / 2, width - 24 * ratio);
    c.drawImage(panel.canvas, part.left, part.top, part.width, part.height, x, y + head, width, height);
  });
  return canvas;
}

/** The part of a panel that shows the map, in pixels. */
function mapPart(canvas, camera, ground) {
  const ratio = canvas.width / canvas.clientWidth;
  const span = (from, length, most) => [Math.max(0, from), Math.min(most, from + length)].map(place => Math.round(place * ratio));
  const [left, right] = span(camera.x, ground.width * camera.scale, canvas.clientWidth);
  const [top, bottom] = span(camera.y, ground.height * camera.scale, canvas.clientHeight);
  return { left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
}

/** Make an animation of the race: `show(interval)` draws an interval, `picture()` returns its sheet. */
export async function film(last, show, picture, progress) {
  const count = Math.min(last + 1, FRAMES), moments = Array.from({ length: count }, (_, i) => Math.round((i * last) / Math.max(1, count - 1)));
  const pixels = interval => {
    show(interval);
    const canvas = picture(FILM_SIDE);
    return [canvas, canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data];
  };
  const samples = [0, 0.5, 1].map(t => pixels(moments[Math.floor(t * (count - 1))])[1]);
  const [canvas] = pixels(0), gif = new Gif(canvas.width, canvas.height, commonColours(samples));
  for (let i = 0; i < count; i++) {
    gif.add(pixels(moments[i])[1], i === count - 1 ? 300 : 7);
    if (i % 5 === 0) { progress(i / count); await new Promise(requestAnimationFrame); }
  }
  return gif.blob();
}

