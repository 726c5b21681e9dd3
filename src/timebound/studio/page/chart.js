// Charts of what each interval spent, with a line for the deadline.

export function strip(canvas, values, limit, colour) {
  const prepared = prepare(canvas);
  if (!prepared) return;
  const { c, width, height } = prepared;
  const known = values.filter(value => value === value);
  const sorted = known.slice().sort((a, b) => a - b), usual = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  const most = Math.max(limit ? limit * 1.25 : 0, Math.min(sorted.at(-1) ?? 0, usual * 3 + 1e-9), 1e-9), bar = width / Math.max(values.length, 60);
  c.fillStyle = colour;
  values.forEach((value, i) => {
    if (!(value > 0)) return;
    const high = Math.max(1, Math.min(1, value / most) * (height - 2));
    c.fillRect(i * bar, height - high, Math.max(bar - 0.5, 0.8), high);
  });
  if (limit) deadline(c, canvas, height - (limit / most) * (height - 2), width);
}

const TICKS = 300, MARGIN = 44; // ticks in a chart of frame times; pixels for its labels

/** Draw how long each of the latest ticks took, on a logarithmic scale that two charts can share. */
export function frameTimes(canvas, { times, clock }, limit, most, colour) {
  const prepared = prepare(canvas);
  if (!prepared) return;
  const { c, width, height } = prepared, least = limit / 10, top = Math.max(most * 1.4, limit * 10);
  const y = ms => height - 2 - (Math.log(Math.max(ms, least) / least) / Math.log(top / least)) * (height - 4);
  const style = getComputedStyle(canvas), label = (ms, at) => c.fillText(ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`, MARGIN - 5, at);
  c.font = "10px system-ui, sans-serif";
  c.textAlign = "right";
  c.textBaseline = "middle";
  c.fillStyle = style.getPropertyValue("--faint");
  for (let power = Math.ceil(Math.log10(least)); 10 ** power < top; power++) {
    const at = Math.round(y(10 ** power));
    c.globalAlpha = 0.22;
    c.fillRect(MARGIN, at, width - MARGIN, 1);
    c.globalAlpha = 1;
    if (Math.abs(at - y(limit)) > 11 && at > 6 && at < height - 5) label(10 ** power, at);
  }
  deadline(c, canvas, y(limit), width, MARGIN);
  c.fillStyle = style.getPropertyValue("--deadline");
  label(limit, y(limit));
  const line = (values, alpha, thick) => {
    const shown = values.slice(-TICKS), step = (width - MARGIN) / TICKS;
    c.beginPath();
    shown.forEach((value, i) => c.lineTo(width - (shown.length - 1 - i) * step - 1, y(value)));
    Object.assign(c, { strokeStyle: colour, globalAlpha: alpha, lineWidth: thick, lineJoin: "round" });
    c.stroke();
    c.globalAlpha = 1;
  };
  line(clock, 0.3, 1);
  line(times, 1, 1.7);
}

/** Clear a canvas, and give it the resolution of the screen. */
function prepare(canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2), { clientWidth: width, clientHeight: height } = canvas;
  if (!width) return null;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  return { c, width, height };
}

function deadline(c, canvas, y, width, from = 0) {
  c.strokeStyle = getComputedStyle(canvas).getPropertyValue("--deadline");
  c.lineWidth = 1.5;
  c.setLineDash([5, 3]);
  c.beginPath();
  c.moveTo(from, y);
  c.lineTo(width, y);
  c.stroke();
  c.setLineDash([]);
}
