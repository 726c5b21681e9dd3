// One panel of a crowd: the map, and a dot for every unit, whose colour shows what the unit is doing.

import { View } from "./view.js";

const SMALLEST = 2.4, ROUND_FROM = 5; // pixels of a dot

export class CrowdView extends View {
  /** Show the units of a troop; `colours` holds a CSS colour for the number of each reason. */
  follow(ground, troop, layers, colours, names) {
    Object.assign(this, { troop, colours, names });
    this.show(ground, troop.mind, 0, false, layers);
  }

  draw() {
    if (!this.painter) return;
    this.drawMap();
    const { context: c, camera, ground, troop } = this, { width } = ground;
    const size = Math.max(SMALLEST, camera.scale * 0.82), [left, top, right, bottom] = this.window;
    const round = size >= ROUND_FROM;
    for (let reason = 1; reason < this.colours.length; reason++) {
      c.fillStyle = this.colours[reason];
      if (round) c.beginPath();
      for (let i = 0; i < troop.cells.length; i++) {
        if (troop.reasons[i] !== reason) continue;
        const cell = troop.cells[i], y = (cell / width) | 0, x = cell - y * width;
        if (x < left || x > right || y < top || y > bottom) continue;
        const px = camera.x + (x + 0.5) * camera.scale, py = camera.y + (y + 0.5) * camera.scale;
        if (!round) c.fillRect(px - size / 2, py - size / 2, size, size);
        else { c.moveTo(px + size / 2, py); c.arc(px, py, size / 2, 0, 7); }
      }
      if (round) c.fill();
    }
  }

  /** Describe a cell in one line. */
  about(x, y) {
    const cell = y * this.ground.width + x, { cells, reasons } = this.troop, here = [];
    if (!this.ground.inside(x, y)) return "";
    for (let i = 0; i < cells.length; i++) if (cells[i] === cell) here.push(`unit ${i}: ${this.names[reasons[i]]}`);
    const more = here.length > 3 ? [`and ${here.length - 3} more`] : [];
    return [super.about(x, y), ...here.slice(0, 3), ...more].join(" · ");
  }
}
