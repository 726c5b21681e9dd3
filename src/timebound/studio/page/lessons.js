// Guided scenes: a setting, and texts that appear when the race reaches an interval. In a crowd, a step may also build a
// wall from one cell to another, or give all units new goals (`storm`).

const SECTION_7 = [".....", ".....", "..@..", "..@..", "...@."];

export const LESSONS = [
  {
    id: "rtaa-figure", title: "RTAA*, section 7", about: "Koenig and Likhachev 2006: three ways to search the same 5 × 5 cells",
    setting: {
      map: { kind: "rows", name: "RTAA*, section 7", rows: SECTION_7 }, start: [2, 4], goal: [4, 4], terrain: "unknown",
      neighbors: 4, budget: { expansions: 1000 },
      agents: [{ name: "repeated-astar" }, { name: "rtaa" }, { name: "lss-lrta" }, { name: "rtaa", parameters: { lookahead: 4 } }],
    },
    layers: { learned: true, fog: false },
    steps: [
      { at: 0, text: "The agents see only adjacent cells. They assume that all others are free, and plan a path from left to right." },
      { at: 1, text: "The first search. Each cell shows g on the left, h on the right and f below, as in Figures 4 to 6 of the paper. The first three agents expand 10 cells. The fourth, with a lookahead of 4, stops after 4." },
      { at: 4, text: "A wall blocks the path, so the agents search again. Forward A* (first panel) expands the three leftmost cells of the lowest row once more. RTAA* and LRTA* have learned: h has risen there (teal), so they do not." },
      { at: 1e9, text: "Forward A* needed 23 expansions, RTAA* 20 and LRTA* 19, all for the same path of cost 10. With a lookahead of 4, RTAA* needs only 17, but its path costs 12." },
    ],
  },
  {
    id: "tbaa-1", title: "TBA*, Figure 1", about: "Hernández et al. 2012: one search, spread over many moves",
    setting: {
      map: { kind: "rows", name: "TBAA*, Figure 1", rows: ["....", "....", "....", ".@..", "..@."] }, start: [1, 4], goal: [3, 4], terrain: "known",
      neighbors: 4, budget: { expansions: 2 }, agents: [{ name: "tba" }],
    },
    steps: [
      { at: 0, text: "Two expansions per move are too few for A* to finish. TBA* keeps its search from one interval to the next, and moves in the meantime." },
      { at: 1, text: "After two expansions, the best open cell has f = 6. The agent moves toward it, along the path traced back from that cell." },
      { at: 4, text: "The search reaches the goal. From now on the agent expands nothing; it only follows the path." },
      { at: 1e9, text: "8 moves and 8 expansions. No work was thrown away: TBA* made each expansion of A* once." },
    ],
  },
  {
    id: "tbaa-2", title: "RTBA* and TBAA*, Figure 2", about: "What learning between searches is worth",
    setting: {
      map: { kind: "rows", name: "TBAA*, Figure 2", rows: ["....", "....", ".@..", ".@..", "..@."] }, start: [1, 4], goal: [3, 4], terrain: "unknown",
      neighbors: 4, budget: { expansions: 2 }, agents: [{ name: "rtba" }, { name: "tbaa" }],
    },
    layers: { learned: true, fog: false },
    steps: [
      { at: 0, text: "The same idea in unknown terrain. When an obstacle blocks the path, both agents start a new search from where they are." },
      { at: 3, text: "A cell that was assumed free turns out to be blocked. RTBA* searches again with the same h. TBAA* first raises h where its last search has been (teal)." },
      { at: 5, text: "RTBA* goes back toward cells that it already knows. TBAA* has learned better, and goes around." },
      { at: 1e9, text: "TBAA* needs 10 moves, RTBA* 12." },
    ],
  },
  {
    id: "shortcut", title: "TBA* takes a shortcut", about: "Björnsson, Bulitko and Sturtevant 2009, Figure 2: step back, or cut across",
    setting: {
      map: { kind: "random", width: 26, height: 14, share: 0.22, seed: 185 }, start: [5, 7], goal: [20, 12], terrain: "known", budget: { expansions: 5 },
      agents: [{ name: "tba" }, { name: "tba", parameters: { shortcut: true } }],
    },
    steps: [
      { at: 0, text: "TBA* follows the most promising path that its search has found so far. Sometimes another path turns out to be better, and the agent is not on it." },
      { at: 10, text: "The search has found the goal, but on a different branch from the one the agent is on. The way back along the search tree is long." },
      { at: 12, text: "The first agent steps back. The second has searched around the new path for a shortcut to it (pink cells), and found one." },
      { at: 1e9, text: "25 moves for the first agent, 21 for the second. On large maps, shortcuts save little, as the paper says and our experiments confirm." },
    ],
  },
  {
    id: "scrubbing", title: "Why LRTA* scrubs", about: "A small lookahead in front of a large obstacle",
    setting: {
      map: { kind: "rows", name: "a bay", rows: bay(29, 17) }, start: [4, 8], goal: [26, 8], terrain: "unknown", budget: { expansions: 40 },
      agents: [{ name: "lrta" }, { name: "rtaa", parameters: { lookahead: 40 } }, { name: "tbaa" }],
    },
    layers: { visits: true, search: false, path: false, trail: false },
    steps: [
      { at: 0, text: "A bay, open to the left, lies between start and goal. The way around it is behind the agent, but h points into the bay." },
      { at: 40, text: "LRTA* looks one move ahead. It raises h a little where it stands, and then moves to where h is lowest. It must fill the whole bay, like water, before it can leave. The warmer the colour of a cell, the more often the agent has been there." },
      { at: 160, text: "RTAA* expands 40 cells and raises h in all of them at once, so it fills the bay faster." },
      { at: 1e9, text: "TBAA* remembers its search. It does not have to visit a cell again and again to learn that it leads nowhere." },
    ],
  },
  {
    id: "weights", title: "Weights make it better, not worse", about: "Rivera, Baier and Hernández 2015; Hernández, Baier and Asín 2016",
    setting: {
      map: { kind: "built-in", name: "harbour" }, start: [12, 100], goal: [180, 14], terrain: "known", budget: { expansions: 20 },
      agents: [{ name: "tb-wastar", parameters: { weight: 1 } }, { name: "tb-wastar", parameters: { weight: 1.5 } }, { name: "tb-wastar", parameters: { weight: 3 } }, { name: "tb-gbfs" }],
    },
    steps: [
      { at: 0, text: "A weight on h makes the search greedy. For A*, that can make the path more expensive. But here the agent walks while it searches." },
      { at: 40, text: "With a weight of 1, the search spreads out, and the agent keeps changing its mind. The greedier searches commit to a path." },
      { at: 1e9, text: "The path that a greedy search finds costs more, yet the agent arrives sooner, because it paces back and forth less." },
    ],
  },
  {
    id: "cases", title: "A case base at work", about: "Bulitko, Björnsson and Lawrence 2010: subgoals from problems solved in advance",
    setting: {
      map: { kind: "built-in", name: "harbour" }, start: [12, 100], goal: [180, 14], terrain: "known", budget: { expansions: 40 },
      agents: [{ name: "lrta" }, { name: "knn-lrta" }],
    },
    layers: { visits: true, search: false, trail: false },
    steps: [
      { at: 0, text: "Both agents know the map and look one move ahead. The second also has a case base: 1,000 problems on this map, solved in advance." },
      { at: 5, text: "kNN LRTA* heads for the subgoals of the most similar problem, one after the other (the diamond). They are so near that h leads straight to them." },
      { at: 227, text: "The second agent has arrived after 222 moves, on a path that costs 5 % more than the cheapest. The first has run into the castle walls, and must learn by walking that there is no way through." },
      { at: 1e9, text: "LRTA* arrives too, after 2,308 moves." },
    ],
  },
  {
    id: "thousand", title: "A thousand units", about: "One budget for all units, and what happens without one",
    setting: {
      map: { kind: "caves", width: 300, height: 200, seed: 1 }, terrain: "known", budget: { expansions: 100 }, agents: [{ name: "rtaa" }],
      crowd: { units: 1000, agent: { name: "rtaa", parameters: { lookahead: 32 } }, collisions: "none", guidance: false, ms: 2, astar: true },
    },
    steps: [
      { at: 0, text: "A thousand units, each with its own goal. On the left they are a fleet: all of them together get 2 ms per tick. On the right, each plans its whole path with A*, as soon as it needs one." },
      { at: 10, text: "On the left, units that have planned are already moving (blue); the others wait a few ticks for their turn (orange). On the right, no unit moves until all of them have a path: the frame drags on." },
      { at: 150, text: "Now both crowds move. A unit that arrives gets another goal, and plans again. The line below each map shows how long every tick takes; the dashed line is the budget. The crowd on the right is not held to it." },
      { at: 240, storm: true, text: "All units get new goals at once. On the left, the line stays flat; more units wait for their turn, that is all. On the right, a thousand searches fall into one frame: the line spikes, and every unit stands still." },
      { at: 360, wall: [[165, 0], [165, 104]], text: "A wall cuts across their paths. On the right, every unit whose path it cuts plans again in this frame: another spike. On the left, a unit plans again when it comes to the wall and has its turn." },
      { at: 480, text: "Units that plan with A* take the cheapest paths, so they arrive more often. The units of the fleet take longer paths, and learn as they go. But they never make a frame late. Draw walls, press New goals, and try 10,000 units." },
    ],
  },
];

function bay(width, height) {
  const rows = Array.from({ length: height }, () => Array(width).fill("."));
  const [left, right, top, bottom] = [9, 20, 3, height - 4];
  for (let x = left; x <= right; x++) rows[top][x] = rows[bottom][x] = "@";
  for (let y = top; y <= bottom; y++) rows[y][right] = "@";
  return rows.map(row => row.join(""));
}

/** The step to show at an interval: the last one that is due. A step for the end waits until the race is over. */
export function stepAt(lesson, interval, over) {
  let found = 0;
  lesson.steps.forEach((step, i) => { if (step.at <= interval || (over && step.at === 1e9)) found = i; });
  return found;
}
