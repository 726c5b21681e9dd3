// Plays problems with the library; see test_web.py.
export function play(library, problems) {
  return problems.map(({ kind, terrain, rules, width, height, cells, start, goal, budget, intervals }) => {
    const grid = library.grid(cells, width, height, rules);
    const agent = grid.agent(kind, start, goal, { terrain });
    const spent = "virtual_ms" in budget ? { virtualMs: budget.virtual_ms } : { expansions: budget.expansions ?? Infinity };
    let status = agent.status;
    for (let i = 0; i < intervals && status === "going"; i++) status = agent.step(spent).status;
    const { record, trail } = agent;
    grid.free(); // the agent still has it
    agent.free();
    return { status, record, trail };
  });
}
