// A start and a goal for maps that have none: far apart, at the lower left and the upper right.

export function farEnds(ground) {
  const cells = largestPart(ground);
  if (!cells.length) return null;
  const diagonal = cell => (cell % ground.width) - Math.floor(cell / ground.width);
  let low = cells[0], high = cells[0];
  for (const cell of cells) {
    if (diagonal(cell) < diagonal(low)) low = cell;
    if (diagonal(cell) > diagonal(high)) high = cell;
  }
  return [low, high].map(cell => [cell % ground.width, Math.floor(cell / ground.width)]);
}

/** The cells of the largest connected part of the map. */
function largestPart(ground) {
  const seen = new Uint8Array(ground.codes.length);
  let largest = [];
  for (let cell = 0; cell < seen.length; cell++) {
    if (seen[cell] || !ground.free(cell)) continue;
    const part = flood(ground, cell, seen);
    if (part.length > largest.length) largest = part;
  }
  return largest;
}

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
