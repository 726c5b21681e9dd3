"""Maps that change while an agent walks, so that what was prepared no longer fits."""

from itertools import pairwise

import numpy as np
from agent_worlds import Problem, legal
from naive_agents import reachable

import timebound as tb

CHANGES, MOST = 4, 100_000


def drive_through_changes(agent: tb.Agent, problem: Problem, seed: int, **budget: float) -> None:
    """Cells are blocked and freed under way, and the agent is told; it must arrive, or prove that it cannot."""
    generator, passable = np.random.default_rng(seed), problem.world.passable.copy()
    for change in range(CHANGES + 1):
        world = problem.world.with_map(passable)
        walk(agent, world, MOST if change == CHANGES else int(generator.integers(6)), **budget)
        if agent.done:
            break
        freed = bool(generator.random() < 0.4)
        cells = {(int(x), int(y)) for x, y in generator.integers((0, 0), (world.width, world.height), size=(4, 2))}
        cells -= {agent.position, problem.goal}
        for x, y in cells:
            passable[y, x] = freed
        agent.observe(**{"free" if freed else "blocked": sorted(cells)})
    assert agent.stop == ("goal" if problem.goal in reachable(world, agent.position) else "unreachable")


def walk(agent: tb.Agent, world: tb.Grid, moves: int, **budget: float) -> None:
    """Make that many moves, or fewer if the agent stops."""
    path = [agent.position]
    for _ in range(moves):
        if agent.done:
            break
        following = agent.plan(**budget)
        if not agent.done:
            agent.moved(following)
            path.append(following)
    assert all(a == b or legal(world, a, b) for a, b in pairwise(path))
