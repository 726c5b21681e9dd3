// Guided scenes: a setting, and texts that appear when the race gets to an interval. In a crowd, a step may also build a
// wall from one place to another, or give everybody a new goal (`storm`).

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
      { at: 0, text: "The agents see only the cells beside them. They take every other cell for free, and plan a path from left to right." },
      { at: 1, text: "The first search. In each cell: g on the left, h on the right, f below, as in the paper's Figures 4 to 6. All of them expand 10 cells; the fourth, with a lookahead of 4, stops after 4." },
      { at: 4, text: "A wall where the path was: another search. Forward A* (first panel) expands the three leftmost cells of the lowest row again. RTAA* and LRTA* have learned: their h rose (teal), so they do not." },
      { at: 1e9, text: "Forward A* needed 23 expansions, RTAA* 20, LRTA* 19, all for the same walk of cost 10. With a lookahead of 4, RTAA* needs only 17, but walks a path of cost 12." },
    ],
  },
  {
    id: "tbaa-1", title: "TBA*, Figure 1", about: "Hernández et al. 2012: one search, spread over the moves",
    setting: {
      map: { kind: "rows", name: "TBAA*, Figure 1", rows: ["....", "....", "....", ".@..", "..@."] }, start: [1, 4], goal: [3, 4], terrain: "known",
      neighbors: 4, budget: { expansions: 2 }, agents: [{ name: "tba" }],
    },
    steps: [
      { at: 0, text: "Two expansions per move are not enough for A*. TBA* keeps its search from one interval to the next, and walks meanwhile." },
      { at: 1, text: "After two expansions the best open cell is the one with f = 6. The agent moves toward it, along the path traced back from there." },
      { at: 4, text: "The search reaches the goal. From now on nothing is expanded: the agent only follows the path." },
      { at: 1e9, text: "8 moves and 8 expansions. No search was thrown away: every expansion of A* was made once." },
    ],
  },
  {
    id: "tbaa-2", title: "RTBA* and TBAA*, Figure 2", about: "What it is worth to learn between searches",
    setting: {
      map: { kind: "rows", name: "TBAA*, Figure 2", rows: ["....", "....", ".@..", ".@..", "..@."] }, start: [1, 4], goal: [3, 4], terrain: "unknown",
      neighbors: 4, budget: { expansions: 2 }, agents: [{ name: "rtba" }, { name: "tbaa" }],
    },
    layers: { learned: true, fog: false },
    steps: [
      { at: 0, text: "The same idea in unknown terrain. When an obstacle blocks the path, both agents begin another search from where they are." },
      { at: 3, text: "A cell that was thought to be free is blocked. RTBA* searches again with the same h. TBAA* first raises h where its last search has been (teal)." },
      { at: 5, text: "RTBA* goes back toward cells that it knows from before. TBAA* knows better, and goes around." },
      { at: 1e9, text: "TBAA* needs 10 moves, RTBA* 12." },
    ],
  },
  {
    id: "shortcut", title: "TBA* takes a shortcut", about: "Björnsson, Bulitko and Sturtevant 2009, Figure 2: step back, or straight across",
    setting: {
      map: { kind: "random", width: 26, height: 14, share: 0.22, seed: 185 }, start: [5, 7], goal: [20, 12], terrain: "known", budget: { expansions: 5 },
      agents: [{ name: "tba" }, { name: "tba", parameters: { shortcut: true } }],
    },
    steps: [
      { at: 0, text: "TBA* follows the most promising path that its search has found so far. Now and then another one turns out to be better, and the agent is not on it." },
      { at: 10, text: "The search has found the goal, on another branch than the one that the agent is on. The way back along the search tree is long." },
      { at: 12, text: "The first agent steps back. The second searches around the new path for a shortcut to it (pink cells), and has found one." },
      { at: 1e9, text: "25 moves for the first agent, 21 for the second. On large maps, shortcuts save little: the paper says so, and our experiments agree." },
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
      { at: 0, text: "Between start and goal there is a bay, open to the left. The way on is behind the agent, and h says otherwise." },
      { at: 40, text: "LRTA* looks one move ahead. It raises h by a little where it stands, and goes where h is lowest now. It must fill the whole bay like water before it can leave: the warmer a cell, the more often it was there." },
      { at: 160, text: "RTAA* looks 40 cells ahead and raises all of them at once. It fills the bay faster." },
      { at: 1e9, text: "TBAA* remembers its search. It does not need to stand in a cell again and again to know that it leads nowhere." },
    ],
  },
  {
    id: "weights", title: "Weights make it better, not worse", about: "Rivera, Baier and Hernández 2015; Hernández, Baier and Asín 2016",
    setting: {
      map: { kind: "built-in", name: "harbour" }, start: [12, 100], goal: [180, 14], terrain: "known", budget: { expansions: 20 },
      agents: [{ name: "tb-wastar", parameters: { weight: 1 } }, { name: "tb-wastar", parameters: { weight: 1.5 } }, { name: "tb-wastar", parameters: { weight: 3 } }, { name: "tb-gbfs" }],
    },
    steps: [
      { at: 0, text: "A weight on h makes the search greedy. For A* that means a path that may cost more. Here the agent walks while it searches." },
      { at: 40, text: "With a weight of 1 the search spreads out, and the agent changes its mind again and again. The greedier searches make up theirs." },
      { at: 1e9, text: "The path that a greedy search finds costs more, and still the agent is there sooner: it has walked fewer steps back and forth." },
    ],
  },
  {
    id: "cases", title: "A case base at work", about: "Bulitko, Björnsson and Lawrence 2010: subgoals of problems that were solved before",
    setting: {
      map: { kind: "built-in", name: "harbour" }, start: [12, 100], goal: [180, 14], terrain: "known", budget: { expansions: 40 },
      agents: [{ name: "lrta" }, { name: "knn-lrta" }],
    },
    layers: { visits: true, search: false, trail: false },
    steps: [
      { at: 0, text: "Both agents know the map and look one move ahead. The second also has a base of 1,000 problems of this map that were solved beforehand." },
      { at: 5, text: "kNN LRTA* takes the subgoals of the most similar problem, one after the other (the diamond). They are so near that h leads to them without a mistake." },
      { at: 227, text: "The second agent is there after 222 moves, with a path that costs 5 % more than the cheapest. The first has run into the castle walls, and must learn by walking that there is no way through." },
      { at: 1e9, text: "LRTA* arrives as well: after 2,308 moves." },
    ],
  },
  {
    id: "thousand", title: "A thousand units", about: "One budget for all of them, and what happens without one",
    setting: {
      map: { kind: "caves", width: 300, height: 200, seed: 1 }, terrain: "known", budget: { expansions: 100 }, agents: [{ name: "rtaa" }],
      crowd: { units: 1000, agent: { name: "rtaa", parameters: { lookahead: 32 } }, collisions: "none", guidance: false, ms: 2, astar: true },
    },
    steps: [
      { at: 0, text: "A thousand units, each with a goal of its own. On the left they are a fleet: in every tick, 2 ms are for all of them together. On the right each plans its whole way with A*, as soon as it needs one." },
      { at: 10, text: "On the left, those who have planned walk already (blue); the others wait for their turn (orange), for a few ticks. On the right nobody walks before everybody has a path: the frame goes on and on." },
      { at: 150, text: "Now both walk. Who arrives gets another goal, and plans again. Below the maps, a line shows what every tick takes; the dashed line is the budget. On the right there is none to keep to." },
      { at: 240, storm: true, text: "New goals for all of them, at once. On the left the line stays flat: more units wait for their turn, that is all. On the right a thousand searches are due in one frame: a spike, and everybody stands still." },
      { at: 360, wall: [[165, 0], [165, 104]], text: "A wall across their way. On the right, whoever meant to pass there plans again in this frame: another spike. On the left each plans again when it comes to the wall, and has its turn." },
      { at: 480, text: "Units with A* walk the cheapest paths, and so they arrive more often. The units of a fleet walk longer ways, and learn while they walk. But no frame is late because of them. Draw walls, press New goals, and try 10,000 of them." },
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

/** The text that belongs to an interval: the last one that is due. Those for the end wait for it. */
export function stepAt(lesson, interval, over) {
  let found = 0;
  lesson.steps.forEach((step, i) => { if (step.at <= interval || (over && step.at === 1e9)) found = i; });
  return found;
}
