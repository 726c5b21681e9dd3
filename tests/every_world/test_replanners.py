"""Agents that replan (GAA*, MPAA*, MPGAA*, FRA*), beside Dijkstra's algorithm and agents that keep nothing.

The references are simple: they read the agent's beliefs, and compute the cheapest cost from scratch each time.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from changing import Beliefs, believed

import timebound as tb

ALWAYS = ("gaa", "mpgaa", "dstar-lite")
AT_EACH_SEARCH = ("repeated-astar", "adaptive-astar", "mpaa", "fra")
LEARNERS = ("adaptive-astar", "gaa", "mpaa", "mpgaa")
SEEDS = range(12)


def random_grid(generator: np.random.Generator, most: int = 14, costs: bool = True) -> tb.Grid:
    height, width = generator.integers(3, most, size=2).tolist()
    passable = generator.random((height, width)) >= generator.choice([0.1, 0.3])
    passable[0, 0] = passable[-1, -1] = True
    travel = generator.choice([1.0, 2.0, 5.0], passable.shape) if costs and generator.random() < 0.5 else None
    return tb.Grid(passable, neighbors=int(generator.choice([4, 8])), travel=travel)


def corner(world: tb.Grid) -> tuple[int, int]:
    return world.width - 1, world.height - 1


def change_something(world: tb.Grid, generator: np.random.Generator, spared: list[Any]) -> None:
    cells = [(int(x), int(y)) for x, y in generator.integers([world.width, world.height], size=(2, 2))]
    cells = [cell for cell in cells if cell not in spared]
    what = generator.choice(["block", "unblock", "cost"])
    if what == "cost":
        world.set_cost(cells, float(generator.choice([1, 2, 5])))
    else:
        getattr(world, str(what))(cells)


def cost_of(path: Any, beliefs: Beliefs) -> float:
    return sum(dict(beliefs.moves(here))[there] for here, there in pairwise(path))


def check_path(agent: tb.Agent) -> None:
    """The agent's path is a cheapest one in the world as it knows it."""
    beliefs, path = believed(agent), list(agent.path)
    assert path[0] == agent.position
    assert path[-1] == agent.goal
    assert cost_of(path, beliefs) == pytest.approx(beliefs.distances(agent.position)[agent.goal])


@pytest.mark.parametrize("terrain", ["known", "unknown", "partial"])
@pytest.mark.parametrize(
    ("name", "parameters"), [*((name, {}) for name in (*ALWAYS, *AT_EACH_SEARCH)), ("dstar-lite", {"larger_g": True})]
)
def test_every_path_is_a_cheapest_one_on_the_map_as_the_agent_knows_it(
    name: str, parameters: Any, terrain: str
) -> None:
    checked = 0
    for seed in SEEDS:
        generator = np.random.default_rng(seed)
        world, hidden = random_grid(generator), {"hidden": 0.2, "solvable": False} if terrain == "partial" else {}
        agent = tb.make(name, world, (0, 0), corner(world), terrain=terrain, seed=seed, **hidden, **parameters)
        searches = 0
        for _ in range(60):
            agent.step()
            if agent.done:
                break
            if name in ALWAYS or agent.episode().searches > searches:
                check_path(agent)
                checked += 1
            searches = agent.episode().searches
            if generator.random() < 0.5:
                change_something(world, generator, [agent.position, agent.goal])
    assert checked > 10


@pytest.mark.parametrize("name", LEARNERS)
def test_h_stays_consistent_when_costs_rise_and_fall(name: str) -> None:
    for seed in SEEDS:
        generator = np.random.default_rng(seed)
        world = random_grid(generator)
        agent = tb.make(name, world, (0, 0), corner(world))
        for _ in range(20):
            agent.step()
            change_something(world, generator, [agent.position, agent.goal])
            if agent.done:
                break
            beliefs, h = believed(agent), agent.h().reshape(world.shape) / world.unit
            for y, x in np.argwhere(beliefs.free).tolist():
                for (u, v), cost in beliefs.moves((x, y)):
                    assert (x, y) == agent.goal or h[y, x] <= cost + h[v, u] + 1e-5


@pytest.mark.parametrize("name", LEARNERS[1:])
def test_what_is_reused_changes_no_verdict(name: str) -> None:
    """In unknown terrain, they reach the same goals as A* that keeps nothing."""
    for seed in SEEDS:
        world = random_grid(np.random.default_rng(seed))
        plain = tb.make("repeated-astar", world, (0, 0), corner(world), terrain="unknown").run()
        episode = tb.make(name, world, (0, 0), corner(world), terrain="unknown").run()
        assert episode.solved == plain.solved


def test_searches_that_reuse_paths_expand_less() -> None:
    passable = np.random.default_rng(1).random((40, 40)) >= 0.2
    passable[0, 0] = passable[-1, -1] = True
    spent = {}
    for name in ("adaptive-astar", "mpaa"):
        episode = tb.make(name, tb.Grid(passable), (0, 0), (39, 39), terrain="unknown").run()
        assert episode.solved
        spent[name] = episode.expansions
    assert spent["mpaa"] < 0.8 * spent["adaptive-astar"]


def test_no_search_where_the_path_is_proved_to_be_cheapest_still() -> None:
    """A move becomes cheaper, but does not help. MPGAA* sees that without a search; GAA* does not."""
    searches = {}
    for name in ("gaa", "mpgaa"):
        world = tb.Grid(np.ones((9, 9), bool), neighbors=4, travel=np.full((9, 9), 3.0))
        agent = tb.make(name, world, (0, 4), (8, 4))
        agent.step()
        world.set_cost([(4, 0)], 2)
        agent.step()
        check_path(agent)
        searches[name] = agent.episode().searches
    assert searches == {"gaa": 2, "mpgaa": 1}


def test_a_cost_on_the_path_that_falls_and_rises_again() -> None:
    """The cost ends where it began. In between, the path was the cheapest; afterwards it need not be."""
    travel = np.ones((3, 9))
    travel[1, 4] = 4.0
    world = tb.Grid(np.ones((3, 9), bool), neighbors=4, travel=travel)
    agent = tb.make("mpgaa", world, (0, 1), (8, 1))
    agent.step()
    for cost in (1, 4, 1, 6):
        world.set_cost([(4, 1)], cost)
        agent.plan()
        check_path(agent)


# ------------------------------------------------------------------ goals that move


def free_neighbours(world: tb.Grid, cell: tuple[int, int]) -> list[tuple[int, int]]:
    return [after for after, _ in Beliefs(world).moves(cell)]


@pytest.mark.parametrize("budget", [{}, {"expansions": 3}, {"virtual_ms": 0.002}])
def test_fra_finds_cheapest_paths_after_a_goal_that_moves(budget: dict[str, float]) -> None:
    found = 0
    for seed in SEEDS:
        generator = np.random.default_rng(seed)
        world = random_grid(generator)
        agent, goal = tb.make("fra", world, (0, 0), corner(world)), corner(world)
        for _ in range(40):
            agent.step(**budget)
            if agent.path:
                check_path(agent)
                found += 1
            choices = [cell for cell in free_neighbours(world, goal) if cell != agent.position]
            if choices and generator.random() < 0.7:
                goal = choices[int(generator.integers(len(choices)))]
                agent.retarget(goal)
            if generator.random() < 0.1:
                change_something(world, generator, [agent.position, goal])
    assert found > 25


def test_fra_expands_less_than_a_search_from_scratch() -> None:
    world = tb.Grid(np.random.default_rng(2).random((40, 40)) >= 0.2)
    world.unblock([(0, 0), (39, 39)])
    from timebound.applications.pursuit import walking

    spent = {}
    for name in ("repeated-astar", "fra"):
        agent = tb.make(name, world, (0, 0), (39, 39))
        episode = agent.run(target=walking(world, (39, 39), seed=1), intervals=2000)
        assert episode.solved
        spent[name] = episode.expansions
    assert spent["fra"] < 0.3 * spent["repeated-astar"]


def test_fra_in_the_same_tree_needs_no_expansion() -> None:
    world = tb.Grid(np.ones((5, 9), bool), neighbors=4)
    agent = tb.make("fra", world, (0, 2), (8, 2))
    agent.step()
    before = agent.episode().expansions
    agent.step()
    agent.retarget((6, 2))
    agent.step()
    assert agent.episode().expansions == before
    assert agent.run().path[-1] == (6, 2)


def test_fra_goes_on_when_the_goal_was_walled_in() -> None:
    passable = np.ones((5, 5), bool)
    passable[1, 3] = passable[3, 3] = passable[2, 2] = passable[1, 4] = passable[3, 4] = False
    world = tb.Grid(passable, neighbors=4)
    agent = tb.make("fra", world, (0, 2), (4, 2))
    assert agent.run().stop == "unreachable"
    agent.retarget((0, 0))
    assert agent.run().solved
    agent.retarget((4, 2))
    assert agent.run().stop == "unreachable"
    world.unblock([(2, 2)])
    assert agent.run().solved


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("mpaa", {"weight": 2}, "can reuse paths only with A"),
        ("mpaa", {"learning": "none"}, "can reuse paths only with A"),
        ("mpaa", {"direction": "backward"}, "only forward searches reuse paths"),
        ("repeated-astar", {"reuse": True}, "can reuse paths only with A"),
        ("gaa", {"replan": "never"}, "replan is spoiled or cheaper"),
        ("fra", {"weight": 2}, "use weight 1"),
        ("fra", {"learning": "lazy"}, "does not work with the lookahead"),
        ("fra", {"order": "greedy"}, "does not work with the lookahead"),
    ],
)
def test_mixes_that_do_not_go_together(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        tb.make(name, tb.Grid(np.ones((3, 3), bool)), (0, 0), (2, 2), **parameters)


@pytest.mark.parametrize("learning", ["lazy", "adaptive", "dijkstra"])
def test_learning_rules_that_paths_can_be_reused_with(learning: str) -> None:
    for seed in range(10):
        world = random_grid(np.random.default_rng(seed))
        plain = tb.make("repeated-astar", world, (0, 0), corner(world), terrain="unknown").run()
        agent = tb.make("mpgaa", world, (0, 0), corner(world), terrain="unknown", learning=learning)
        while not agent.done:
            agent.step(expansions=7)
            if agent.path:
                check_path(agent)
        assert (agent.stop == "goal") == plain.solved
