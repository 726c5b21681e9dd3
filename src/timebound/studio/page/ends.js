// A start and a goal far apart, for maps that come without.

export function farEnds(ground) {
  const first = ground.codes.findIndex((_, cell) => ground.free(cell));
  if (first < 0) return null;
  const largest = parts(ground, first);
  const one = farthest(ground, largest), other = farthest(ground, one);
  return [one, other].map(cell => [cell % ground.width, Math.floor(cell / ground.width)]);
}

/** A cell of the largest part of the map that hangs together. */
function parts(ground, first) {
  const seen = new Uint8Array(ground.codes.length);
  let best = first, most = 0;
  for (let cell = first; cell < seen.length; cell++) {
    if (seen[cell] || !ground.free(cell)) continue;
    const size = flood(ground, cell, seen).length;
    if (size > most) { most = size; best = cell; }
  }
  return best;
}

function farthest(ground, from) { return flood(ground, from, new Uint8Array(ground.codes.length)).at(-1); }

function flood(ground, from, seen) {
  const { width, height } = ground, queue = [from];
  seen[from] = 1;
  for (let i = 0; i < queue.length; i++) {
    const cell = queue[i], x = cell % width, y = Math.floor(cell / width);
    for (const [dx, dy] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
      const next = cell + dx + dy * width;
      if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height || seen[next] || !ground.free(next)) continue;
      seen[next] = 1;
      queue.push(next);
    }
  }
  return queue;
}
