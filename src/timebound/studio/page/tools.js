// The pointer on a panel: pans the map, drags start and goal, draws.

const NEAR = 16; // pixels from the centre of a marker

export class Tools {
  constructor(camera, heard) {
    Object.assign(this, { camera, heard, tool: "hand", pointers: new Map(), drag: null });
  }

  attach(canvas) {
    canvas.addEventListener("pointerdown", event => this.#down(canvas, event));
    canvas.addEventListener("pointermove", event => this.#move(canvas, event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, event => this.#up(event));
    canvas.addEventListener("pointerleave", () => this.heard.hover(null));
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.camera.zoom(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
      this.heard.moved();
    }, { passive: false });
    canvas.classList.toggle("drawing", this.tool !== "hand");
  }

  #down(canvas, event) {
    canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (this.pointers.size === 2) { this.drag = { kind: "pinch" }; return; }
    const at = [event.offsetX, event.offsetY], marker = this.#marker(at);
    if (marker) this.drag = { kind: marker };
    else if (this.tool === "hand" || event.button === 1) this.drag = { kind: "pan" };
    else { this.drag = { kind: "draw", last: this.camera.cellAt(...at) }; this.#stroke(at); }
  }

  #marker(at) {
    const near = cell => {
      if (!cell) return false;
      const [x, y] = [this.camera.x + (cell[0] + 0.5) * this.camera.scale, this.camera.y + (cell[1] + 0.5) * this.camera.scale];
      return Math.hypot(x - at[0], y - at[1]) < Math.max(NEAR, this.camera.scale / 2);
    };
    const { start, goal } = this.heard.markers();
    return near(goal) ? "goal" : near(start) ? "start" : null;
  }

  #move(canvas, event) {
    const at = [event.offsetX, event.offsetY], before = this.pointers.get(event.pointerId);
    if (!before || !this.drag) return this.heard.hover(this.camera.cellAt(...at), canvas);
    if (this.drag.kind === "pinch") this.#pinch(event.pointerId, at);
    else if (this.drag.kind === "pan") { this.camera.pan(at[0] - before[0], at[1] - before[1]); this.heard.moved(); }
    else if (this.drag.kind === "draw") this.#stroke(at);
    else this.heard.dragged(this.drag.kind, this.camera.cellAt(...at), false);
    this.pointers.set(event.pointerId, at);
  }

  #pinch(id, at) {
    const [a, b] = [...this.pointers.values()], before = Math.hypot(a[0] - b[0], a[1] - b[1]);
    const other = [...this.pointers].find(([key]) => key !== id)[1], now = Math.hypot(at[0] - other[0], at[1] - other[1]);
    const middle = [(at[0] + other[0]) / 2, (at[1] + other[1]) / 2], old = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    this.camera.pan(middle[0] - old[0], middle[1] - old[1]);
    if (before > 0) this.camera.zoom(now / before, ...middle);
    this.heard.moved();
  }

  #up(event) {
    const at = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (at && (this.drag?.kind === "start" || this.drag?.kind === "goal")) this.heard.dragged(this.drag.kind, this.camera.cellAt(...at), true);
    if (this.drag?.kind === "draw") this.heard.drawn([], this.tool, true);
    this.drag = null;
  }

  /** Draw all cells under the brush, from the last point to this one. */
  #stroke(at) {
    const [x1, y1] = this.camera.cellAt(...at), [x0, y0] = this.drag.last, cells = [];
    const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1), reach = Math.max(0, Math.round(3.5 / this.camera.scale - 0.5));
    for (let i = 0; i <= steps; i++) {
      const x = Math.round(x0 + ((x1 - x0) * i) / steps), y = Math.round(y0 + ((y1 - y0) * i) / steps);
      for (let dy = -reach; dy <= reach; dy++) for (let dx = -reach; dx <= reach; dx++) cells.push([x + dx, y + dy]);
    }
    this.drag.last = [x1, y1];
    this.heard.drawn(cells, this.tool, false);
  }
}
