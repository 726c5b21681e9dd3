// Which part of the map is shown, and at what size. All panels share one camera, so that they show the same part.

const LARGEST_CELL = 96;

export class Camera {
  constructor() { Object.assign(this, { scale: 1, x: 0, y: 0, fitted: true }); }

  /** Show the whole map in a box of this size. */
  fit(ground, width, height) {
    const margin = 8;
    this.scale = Math.max(0.05, Math.min((width - 2 * margin) / ground.width, (height - 2 * margin) / ground.height, 64));
    if (this.scale > 1.5) this.scale = this.scale > 8 ? Math.floor(this.scale) : Math.floor(this.scale * 4) / 4; // so that all cells have the same size
    this.x = (width - ground.width * this.scale) / 2;
    this.y = (height - ground.height * this.scale) / 2;
    this.fitted = true;
  }

  zoom(factor, x, y) {
    const scale = Math.max(0.05, Math.min(LARGEST_CELL, this.scale * factor)), real = scale / this.scale;
    this.x = x - (x - this.x) * real;
    this.y = y - (y - this.y) * real;
    this.scale = scale;
    this.fitted = false;
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.fitted = false;
  }

  cellAt(x, y) { return [Math.floor((x - this.x) / this.scale), Math.floor((y - this.y) / this.scale)]; }

  centre(cell, width) {
    const y = Math.floor(cell / width), x = cell - y * width;
    return [this.x + (x + 0.5) * this.scale, this.y + (y + 0.5) * this.scale];
  }
}
