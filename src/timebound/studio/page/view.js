// One panel: an agent's map on a canvas, and everything drawn over it.

import { Painter } from "./painter.js";
import { CLOSED, NOWHERE, OPEN } from "./records.js";

export const STEPS = [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1],
  [2, 1], [1, 2], [-1, 2], [-2, 1], [-2, -1], [-1, -2], [1, -2], [2, -1]];
const LONGEST_TRAIL = 6000;
const GRID_FROM = 13, PARENTS_FROM = 20, VALUES_FROM = 34; // pixels per cell

const rgb = ([r, g, b], alpha = 1) => `rgb(${r} ${g} ${b} / ${alpha})`;

export class View {
  constructor(canvas, camera, palette) {
    Object.assign(this, { canvas, camera, palette });
    this.context = canvas.getContext("2d");
    this.colour = palette.agents[0];
  }

  /** Show a mind on a ground; `number` is the agent's, for its colour. */
  show(ground, mind, number, foggy, layers) {
    Object.assign(this, { ground, mind, layers, colour: this.palette.agents[number % this.palette.agents.length] });
    this.painter = new Painter(ground, mind, this.palette, foggy, layers);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas, ratio = Math.min(devicePixelRatio || 1, 2);
    this.ratio = ratio;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    return [width, height];
  }

  /** The map, as it looks to whoever is on it. */
  drawMap() {
    this.painter.update();
    const { context: c, camera, ground } = this, [width, height] = this.resize();
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.imageSmoothingEnabled = camera.scale < 1.5;
    c.drawImage(this.painter.canvas, camera.x, camera.y, ground.width * camera.scale, ground.height * camera.scale);
    this.#visible(width, height);
    if (camera.scale >= GRID_FROM) this.#grid();
  }

  draw(start, goal, waiting) {
    if (!this.painter) return;
    this.drawMap();
    const { camera } = this;
    if (camera.scale >= PARENTS_FROM && this.layers.parents) this.#parents();
    this.#aside();
    if (this.layers.trail) this.#trail();
    if (this.layers.path) this.#path();
    this.#ends(start, goal);
    if (camera.scale >= VALUES_FROM && this.layers.values) this.#values();
    if (this.layers.subgoals) this.#subgoal();
    this.#agent(waiting);
  }

  #visible(width, height) {
    const [left, top] = this.camera.cellAt(0, 0), [right, bottom] = this.camera.cellAt(width, height);
    this.window = [Math.max(0, left), Math.max(0, top), Math.min(this.ground.width - 1, right), Math.min(this.ground.height - 1, bottom)];
  }

  *#cells() {
    const [left, top, right, bottom] = this.window;
    for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) yield y * this.ground.width + x;
  }

  #grid() {
    const { context: c, camera } = this, [left, top, right, bottom] = this.window, s = camera.scale;
    c.beginPath();
    for (let x = left; x <= right + 1; x++) { c.moveTo(camera.x + x * s, camera.y + top * s); c.lineTo(camera.x + x * s, camera.y + (bottom + 1) * s); }
    for (let y = top; y <= bottom + 1; y++) { c.moveTo(camera.x + left * s, camera.y + y * s); c.lineTo(camera.x + (right + 1) * s, camera.y + y * s); }
    c.strokeStyle = "rgb(38 42 54 / 0.14)";
    c.lineWidth = 1;
    c.stroke();
  }

  #parents() {
    const { context: c, camera, mind, ground } = this, s = camera.scale;
    c.strokeStyle = "rgb(38 42 54 / 0.5)";
    c.lineWidth = Math.max(1, s * 0.035);
    for (const cell of this.#cells()) {
      if (!mind.mark(cell) || mind.parent[cell] === 255) continue;
      const [dx, dy] = STEPS[mind.parent[cell]], length = Math.hypot(dx, dy);
      const [x, y] = camera.centre(cell, ground.width), ux = dx / length, uy = dy / length;
      const a = s * 0.26, b = s * 0.46, head = s * 0.1;
      c.beginPath();
      c.moveTo(x + ux * a, y + uy * a);
      c.lineTo(x + ux * b, y + uy * b);
      c.moveTo(x + ux * b, y + uy * b);
      c.lineTo(x + ux * (b - head) - uy * head * 0.7, y + uy * (b - head) + ux * head * 0.7);
      c.moveTo(x + ux * b, y + uy * b);
      c.lineTo(x + ux * (b - head) + uy * head * 0.7, y + uy * (b - head) - ux * head * 0.7);
      c.stroke();
    }
  }

  #values() {
    const { context: c, camera, mind, ground } = this, s = camera.scale, size = Math.max(8.5, s * 0.155);
    const foggy = this.painter.foggy && this.layers.fog;
    c.textBaseline = "middle";
    c.font = `${size}px system-ui, sans-serif`;
    const strong = `600 ${size * 1.25}px system-ui, sans-serif`, plain = c.font;
    for (const cell of this.#cells()) {
      if (!ground.free(cell)) continue;
      const [x, y] = camera.centre(cell, ground.width), h = mind.h[cell], marked = mind.mark(cell);
      c.fillStyle = foggy && !mind.seen[cell] && !marked ? "rgb(232 230 224)" : "rgb(38 42 54)";
      if (marked) {
        c.font = plain;
        c.textAlign = "left";
        c.fillText(short(mind.g[cell]), x - s * 0.42, y - s * 0.33);
        c.font = strong;
        if (h === h) c.fillText(short(mind.g[cell] + h), x - s * 0.42, y + s * 0.33);
        c.font = plain;
      }
      if (h === h) { c.textAlign = "right"; c.fillText(short(h), x + s * 0.42, y - s * 0.33); }
    }
  }

  #aside() {
    if (!this.layers.subgoals) return;
    const { context: c, camera, mind, ground } = this, size = Math.max(3, camera.scale * 0.4);
    c.fillStyle = rgb(this.palette.agents[3], 0.8);
    for (const told of mind.aside) {
      const [x, y] = camera.centre(told & 0x1fffffff, ground.width);
      c.fillRect(x - size / 2, y - size / 2, size, size);
    }
  }

  #line(cells, from, width, colour, dash) {
    const { context: c, camera, ground } = this;
    if (cells.length - from < 2) return;
    c.beginPath();
    for (let i = from; i < cells.length; i++) {
      const [x, y] = camera.centre(cells[i], ground.width);
      if (i === from) c.moveTo(x, y); else c.lineTo(x, y);
    }
    c.lineJoin = c.lineCap = "round";
    c.setLineDash([]);
    if (!dash) { c.strokeStyle = "rgb(255 255 255 / 0.85)"; c.lineWidth = width + 2; c.stroke(); }
    c.setLineDash(dash ?? []);
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.stroke();
    c.setLineDash([]);
  }

  #trail() {
    const { trail } = this.mind, width = Math.max(2, Math.min(this.camera.scale * 0.34, 7));
    this.#line(trail, Math.max(0, trail.length - LONGEST_TRAIL), width, rgb(this.colour));
  }

  #path() {
    const { mind } = this, width = Math.max(1.6, Math.min(this.camera.scale * 0.16, 4));
    const here = mind.path.indexOf(mind.position);
    this.#line(mind.path, Math.max(0, here), width + 1.6, "rgb(255 255 255 / 0.7)", [0.1, 2.6 * width]);
    this.#line(mind.path, Math.max(0, here), width, rgb(this.colour), [0.1, 2.6 * width]);
    if (mind.trace.length) this.#line(mind.trace, 0, width, "rgb(20 20 24 / 0.75)", [0.1, 2.6 * width]);
  }

  #ends(start, goal) {
    const { context: c, camera, palette } = this, r = Math.max(5, Math.min(camera.scale * 0.36, 16));
    const disc = (x, y, radius, colour) => { c.beginPath(); c.arc(x, y, radius, 0, 7); c.fillStyle = colour; c.fill(); };
    if (start !== null) {
      const [x, y] = camera.centre(start, this.ground.width);
      disc(x, y, r + 1.5, "white");
      disc(x, y, r, rgb(palette.start));
    }
    if (goal !== null && goal !== NOWHERE) {
      const [x, y] = camera.centre(goal, this.ground.width);
      disc(x, y, r * 1.15 + 1.5, "white");
      disc(x, y, r * 1.15, rgb(palette.goal));
      disc(x, y, r * 0.72, "white");
      disc(x, y, r * 0.38, rgb(palette.goal));
    }
  }

  #subgoal() {
    const { context: c, camera, mind } = this;
    if (mind.subgoal === NOWHERE) return;
    const [x, y] = camera.centre(mind.subgoal, this.ground.width), r = Math.max(5, Math.min(camera.scale * 0.5, 12));
    c.beginPath();
    c.moveTo(x, y - r);
    c.lineTo(x + r, y);
    c.lineTo(x, y + r);
    c.lineTo(x - r, y);
    c.closePath();
    c.fillStyle = rgb(this.palette.agents[3]);
    c.strokeStyle = "white";
    c.lineWidth = 2;
    c.fill();
    c.stroke();
  }

  #agent(waiting) {
    const { context: c, camera, mind, ground } = this;
    if (mind.position === NOWHERE) return;
    const [x, y] = camera.centre(mind.position, ground.width), r = Math.max(6, Math.min(camera.scale * 0.42, 15));
    c.beginPath();
    c.arc(x, y, r, 0, 7);
    c.fillStyle = rgb(this.colour);
    c.strokeStyle = "white";
    c.lineWidth = Math.max(2, r * 0.28);
    c.stroke();
    c.fill();
    if (waiting) { c.beginPath(); c.arc(x, y, r * 0.45, 0, 7); c.fillStyle = "white"; c.fill(); }
  }

  /** What is known of a cell, in a line. */
  about(x, y) {
    const { ground, mind } = this;
    if (!ground?.inside(x, y) || !mind) return "";
    const cell = y * ground.width + x, mark = mind.mark(cell), parts = [`(${x}, ${y})`];
    parts.push(ground.codes[cell] === 109 ? "mud" : ground.free(cell) ? (ground.hidden.has(cell) ? "hidden obstacle" : "free") : "blocked");
    if (mark) parts.push(mark === OPEN ? "open" : mark === CLOSED ? "closed" : "");
    if (mark) parts.push(`g ${short(mind.g[cell])}`);
    if (mind.h[cell] === mind.h[cell]) parts.push(`h ${short(mind.h[cell])}`);
    if (mark && mind.h[cell] === mind.h[cell]) parts.push(`f ${short(mind.g[cell] + mind.h[cell])}`);
    if (mind.rise[cell] > 0) parts.push(`learned +${short(mind.rise[cell])}`);
    if (mind.count[cell]) parts.push(`expanded ${mind.count[cell]}×`);
    if (mind.visits[cell]) parts.push(`visited ${mind.visits[cell]}×`);
    return parts.filter(Boolean).join(" · ");
  }
}

export function short(value) {
  if (value === Infinity) return "∞";
  return Math.abs(value - Math.round(value)) < 0.005 ? String(Math.round(value)) : value.toFixed(value < 100 ? 1 : 0);
}
