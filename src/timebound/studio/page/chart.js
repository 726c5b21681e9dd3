// A strip chart: what an agent spent in every interval, and the line of the deadline.

export function strip(canvas, values, limit, colour) {
  const ratio = Math.min(devicePixelRatio || 1, 2), { clientWidth: width, clientHeight: height } = canvas;
  if (!width) return;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const c = canvas.getContext("2d"), style = getComputedStyle(canvas);
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  const known = values.filter(value => value === value);
  const sorted = known.slice().sort((a, b) => a - b), usual = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  const most = Math.max(limit ? limit * 1.25 : 0, Math.min(sorted.at(-1) ?? 0, usual * 3 + 1e-9), 1e-9), bar = width / Math.max(values.length, 60);
  c.fillStyle = colour;
  values.forEach((value, i) => {
    if (!(value > 0)) return;
    const high = Math.max(1, Math.min(1, value / most) * (height - 2));
    c.fillRect(i * bar, height - high, Math.max(bar - 0.5, 0.8), high);
  });
  if (limit) {
    const y = height - (limit / most) * (height - 2);
    c.strokeStyle = style.getPropertyValue("--deadline");
    c.lineWidth = 1.5;
    c.setLineDash([5, 3]);
    c.beginPath();
    c.moveTo(0, y);
    c.lineTo(width, y);
    c.stroke();
    c.setLineDash([]);
  }
}
