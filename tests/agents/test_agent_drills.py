"""Random sequences with a plain referee (see `agent_drills`), and what they found. `make test` runs it uncompiled.

`TIMEBOUND_AGENTS=1000` tries that many sequences, `TIMEBOUND_SEED=7` different ones.
"""

import os
from typing import Any

import numpy as np
import pytest
from agent_drills import CHOICES, KINDS, drill
from agent_worlds import grid

import timebound as tb
from timebound.search.learning import rise_in_trial
from timebound.worlds.interface import heuristic

SEQUENCES, SEED = int(os.environ.get("TIMEBOUND_AGENTS", "240")), int(os.environ.get("TIMEBOUND_SEED", "0"))
CHUNKS = 4
pytestmark = pytest.mark.uncompiled


@pytest.mark.parametrize("graphs", [False, True], ids=["grids", "graphs"])
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_sequences(chunk: int, graphs: bool) -> None:
    for number in range(chunk, SEQUENCES, CHUNKS):
        drill(1_000_000 * SEED + number, graphs)


def test_the_drill_knows_every_parameter() -> None:
    """A case base is a file: it is tried elsewhere."""
    assert {name for kind in KINDS.values() for name in kind.parameters} - {*CHOICES} == {"cases"}


# ------------------------------------------------------------------ the end that it claims


@pytest.mark.parametrize("kind", ["rtaa", "da-rtaa", "tba", "tbr-wastar", "plrta", "dstar-lite", "pr-lrta"])
def test_an_agent_at_its_refuge_has_not_arrived(kind: str) -> None:
    """Its goal is where it began. An agent that falls back began there too."""
    world = grid("......", "......")
    agent = tb.make(kind, world, (0, 0), (5, 0), fallback="nearest", **({"level": 1} if kind == "pr-lrta" else {}))
    assert agent.run(expansions=20).stop == "goal"
    world.block([(2, 0), (2, 1)])
    agent.retarget((0, 0))
    episode = agent.run(expansions=20, intervals=10_000)
    assert (episode.stop, episode.solved, agent.position) == ("unreachable", False, (3, 0))
    world.unblock([(2, 1)])
    assert agent.run(expansions=20).path[-1] == (0, 0)


@pytest.mark.parametrize("kind", ["pr-lrta", "d-lrta"])
def test_a_report_that_opens_a_wall_outlives_another_goal(kind: str) -> None:
    """What was prepared knows only the map: it cannot prove a goal unreachable for one who was told more."""
    agent = tb.make(kind, grid("...#....", "...#...."), (0, 0), (2, 1), level=1)
    agent.observe(free=[(3, 0), (3, 1)])
    agent.retarget((7, 1))
    assert agent.run(expansions=20).stop == "goal"


@pytest.mark.parametrize("kind", ["pr-lrta", "d-lrta", "knn-lrta"])
def test_a_map_without_a_free_cell_is_no_error(kind: str) -> None:
    world = tb.Grid(np.ones((3, 4), bool))
    agent = tb.make(kind, world, (0, 0), (3, 2), **({} if kind == "knn-lrta" else {"level": 1}))
    world.block([(x, y) for x in range(4) for y in range(3)])
    world.set_cost([(1, 1)], 3)  # the first costs: agents begin again
    assert agent.run(expansions=20).stop == "unreachable"
    world.unblock([(x, y) for x in range(4) for y in range(3)])
    assert agent.run(expansions=20).stop == "goal"


@pytest.mark.parametrize("kind", ["repeated-astar", "rtaa", "tba"])
def test_an_edge_that_opens_at_a_much_higher_cost_gives_hope(kind: str) -> None:
    """Sums of costs grow so much that the agent begins again, and it used to forget why."""
    world = tb.Graph.from_edges([(0, 1, 1), (1, 0, 1)])
    agent = tb.make(kind, world, 0, 1)
    world.block([(0, 1)])
    assert agent.run(expansions=5).stop == "unreachable"
    world.set_cost([(0, 1)], 20)
    world.unblock([(0, 1)])
    assert agent.run(expansions=5).stop == "goal"


def test_a_refuge_is_none_after_good_news() -> None:
    """The last move to it is decided; then it is told of a way."""
    agent = tb.make("repeated-astar", grid("...#.", "...#."), (0, 0), (4, 0), fallback="nearest")
    while agent.plan() != (2, 0):
        agent.moved(agent.plan())
    agent.observe(free=[(3, 0)])
    agent.moved((2, 0))
    assert agent.stop == "going"
    assert agent.run().stop == "goal"


def test_late_astar_put_beside_its_start_searches_from_there() -> None:
    """Nothing leads on from its start, where its search began, but more from where it is now."""
    agent = tb.make("late-astar", tb.Graph.from_edges([(1, 0), (1, 2)]), 0, 2)
    assert agent.run(expansions=5).stop == "unreachable"
    agent.moved(1)
    assert agent.run(expansions=5).path[-1] == 2


@pytest.mark.parametrize("kind", ["rtaa", "lss-lrta", "dstar-lite", "tbaa", "tbr-wastar"])
def test_another_trial_after_its_fallback_has_walked(kind: str) -> None:
    """Its fallback has read the news in its place: what it knew of the old world proves nothing."""
    world = grid("......", "......")
    agent = tb.make(kind, world, (0, 0), (5, 0), fallback="nearest")
    world.block([(3, 0), (3, 1)])
    assert agent.run(expansions=20).stop == "unreachable"
    world.block([(4, 1)])
    world.unblock([(3, 0)])
    agent.step(expansions=1)
    agent.reset()
    assert agent.run(expansions=20).stop == "goal"


# ------------------------------------------------------------------ no end

SQUARE = [(2, 4, 2), (3, 1, 2), (0, 1, 3), (4, 3, 1), (2, 0, 2)]


@pytest.mark.parametrize("movements", [1, 2])
@pytest.mark.parametrize("given", [{}, {"learning": "dijkstra"}, {"ties": "random"}])
def test_a_greedy_agent_does_not_replan_in_circles(movements: int, given: dict[str, Any]) -> None:
    """From node 0, the search finds the path over 1, and from 1 the one over 0: h knows no better."""
    world = tb.Graph.from_edges(SQUARE, directed=False, nodes=range(5), heuristic=[[0.0], [1.0], [2.0], [0.0], [1.0]])
    episode = tb.make("gbfs", world, 0, 4, movements=movements, **given).run(expansions=3, intervals=100)
    assert episode.stop == "goal"


def test_an_agent_that_replans_takes_a_cheaper_path() -> None:
    """It keeps its path only as long as no cheaper one is found."""
    world = tb.Grid(np.ones((9, 9), bool), heuristic="none")
    agent = tb.make("gbfs", world, (0, 0), (8, 8), movements=1)
    costs = []
    while not agent.done:
        agent.step()
        costs.append(world.path_cost(np.array([world.state(place) for place in agent.path])))
    assert costs == sorted(costs, reverse=True)
    assert agent.stop == "goal"


@pytest.mark.parametrize("movements", [1, 2, "all"])
@pytest.mark.parametrize("kind", ["astar", "adaptive-astar", "gbfs", "mpaa", "late-astar", "tba", "tbr-wastar"])
def test_moves_that_cost_nothing_lead_to_the_goal(kind: str, movements: Any) -> None:
    roads = [(u, v, 0) for u in range(6) for v in range(6) if u != v] + [(5, 6, 1), (6, 7, 0)]
    given = {} if kind in ("late-astar", "tba", "tbr-wastar") else {"movements": movements}
    agent = tb.make(kind, tb.Graph.from_edges(roads), 0, 7, **given)
    assert agent.run(expansions=3, intervals=500).stop == "goal"


@pytest.mark.parametrize(
    "kind", ["lrta", "plrta", "rtaa", "a-rtaa", "da-rtaa", "lss-lrta", "lss-lrtwa", "wlss-lrta", "dstar-lite", "fra"]
)
def test_moves_that_cost_nothing_are_refused_where_an_agent_might_never_end(kind: str) -> None:
    world = tb.Graph.from_edges([(0, 1, 0), (1, 0, 0), (1, 2, 3)])
    with pytest.raises(tb.ProblemError, match=f"agent '{kind}' needs moves that cost more than 0, but some"):
        tb.make(kind, world, 0, 2)
    world.set_cost([(0, 1), (1, 0)], 1)
    assert tb.make(kind, world, 0, 2).run(expansions=3).stop == "goal"


def test_prioritised_learning_between_longer_moves_may_be_a_circle() -> None:
    """Only where it searches does h rise: on the way, it may pass states again and again."""
    roads = [(6, 2, 3), (3, 2, 1), (0, 1, 3), (3, 1, 2), (1, 6, 7), (1, 7, 7), (2, 7, 3), (5, 4, 4), (0, 5, 8)]
    world = tb.Graph.from_edges([*roads, (5, 0, 4), (2, 1, 7), (7, 4, 2)])
    agent = tb.make("da-rtaa", world, 3, 0, learning="prioritised", lookahead=3, reopen=False)
    assert agent.run(virtual_ms=0.001, intervals=5000).stop in ("stuck", "unreachable")


@pytest.mark.parametrize("kind", ["a-rtaa", "da-rtaa"])
def test_h_that_was_lowered_has_not_risen(kind: str) -> None:
    """In a later trial, avoiding depressions asks how far h has risen. What has fallen since does not count."""
    world = grid("....", "###.", "....", neighbors=4)
    agent = tb.make(kind, world, (0, 0), (0, 2), learning="dijkstra", weight=1.5)
    agent.reset()
    for _ in range(4):
        agent.step(expansions=2)
    world.unblock([(0, 1)])
    agent.plan(expansions=2)
    minds_world = agent._body.world
    rises = [rise_in_trial(minds_world, state) for state in range(world.states)]
    own = [heuristic(minds_world.world, state) for state in range(world.states)]
    assert all(rise <= h - initial for rise, h, initial in zip(rises, agent.h(), own, strict=True))
    assert agent.run(expansions=2).stop == "goal"


@pytest.mark.parametrize("kind", ["lrta", "rtaa"])
def test_without_learning_an_agent_in_a_circle_is_stuck(kind: str) -> None:
    world = tb.Graph.from_edges([(0, 1, 0), (1, 0, 0), (1, 2, 3)])
    episode = tb.make(kind, world, 0, 2, learning="none").run(expansions=1, intervals=100)
    assert episode.stop in ("goal", "stuck")


LOOP = [(1, 1, 1), (1, 2, 9), (2, 1, 9)]  # h knows no better than to stay at node 1, forever


@pytest.mark.parametrize("kind", ["lrta", "plrta"])
def test_an_edge_from_a_node_to_itself_is_a_circle(kind: str) -> None:
    world = tb.Graph.from_edges(LOOP)
    agent = tb.make(kind, world, 1, 2, learning="none")
    assert agent.run(expansions=2, intervals=100).stop == "stuck"
    assert tb.make(kind, world, 1, 2).run(expansions=2, intervals=100).stop == "goal"


@pytest.mark.parametrize("kind", ["tba", "rtba", "tbaa", "tb-wastar", "tb-gbfs", "tbr-wastar"])
def test_the_path_of_an_agent_that_was_put_where_its_search_has_never_been(kind: str) -> None:
    """It used to follow the parents of states that have none, forever."""
    agent = tb.make(kind, tb.Grid(np.ones((9, 40), bool)), (20, 4), (39, 4))
    for _ in range(3):
        agent.moved(agent.plan(expansions=3))
    agent.moved((0, 0))
    assert agent.path == []
    while not agent.done:
        agent.moved(agent.plan(expansions=3))
    assert agent.stop == "goal"


# ------------------------------------------------------------------ what it believes


@pytest.mark.parametrize("terrain", ["unknown", "partial"])
def test_its_own_sensor_corrects_a_false_report(terrain: str) -> None:
    agent = tb.make("repeated-astar", grid("....", "....", "...."), (0, 1), (3, 1), terrain=terrain)
    agent.observe(blocked=[(1, 0), (1, 1), (1, 2)])
    agent.sense()
    assert agent.knows()[1, 1] == (1 if agent.truth.passable[1, 1] else 2)
    assert (agent.knows()[:, 1] == np.where(agent.truth.passable[:, 1], 1, 2)).all()


def test_a_look_around_comes_after_what_has_changed() -> None:
    """Otherwise the agent would take what it sees for what was there before."""
    world = tb.Graph.from_edges([(0, 1, 1), (1, 0, 1), (0, 2, 5), (2, 1, 5)])
    agent = tb.make("repeated-astar", world, 0, 1, terrain="partial", hidden=0)
    world.block([(0, 1)])
    agent.sense()
    assert agent.plan() == 2


def test_a_report_in_known_terrain_outlives_other_changes_and_trials() -> None:
    world = grid("....", "....", "....")
    agent = tb.make("repeated-astar", world, (0, 1), (3, 1))
    agent.step()
    agent.step()
    agent.observe(blocked=[(2, 1)])
    world.block([(3, 0)])
    assert agent.knows()[1, 2] == 2
    agent.reset()
    assert (2, 1) not in agent.run().path
