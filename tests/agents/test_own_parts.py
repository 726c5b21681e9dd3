"""What parts from outside the library can build on: the open list, d beside h, arrays of their own, Dijkstra's rule."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import timebound as tb
from timebound.agents.queries import costs_of_search
from timebound.parts import (
    NO_STATE,
    NOBODY,
    UNREACHABLE,
    Part,
    best_step,
    borrow_field,
    catch_up,
    choose,
    compiled,
    heuristic,
    learn_by_dijkstra,
    look,
    moves_to_goal,
    open_states,
    proved_unreachable,
    teach,
    value_from,
    virtual_ns,
)


class Counting(NamedTuple):
    """Dijkstra's rule, which also learns d: the number of moves of the path that h stands for."""

    weight: int
    steps: np.ndarray


@catch_up.of(Counting)
def _catch_up(rule: Any, body: Any, allowance: Any) -> Any:
    return learn_by_dijkstra(rule, body, allowance)


@value_from.of(Counting)
def _value_from(rule: Any, world: Any, state: int, successor: int) -> None:
    rule.steps[state] = 1 + (rule.steps[successor] or moves_to_goal(world, successor))


class FewestMoves(NamedTuple):
    """A target: of the open states, one with the least f, and of these one with the least d."""

    steps: np.ndarray


@choose.of(FewestMoves)
def _choose(target: Any, search: Any) -> int:
    return fewest(target, search)


@compiled
def fewest(target: Any, search: Any) -> int:
    """Look at all open states."""
    world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
    best, least_f, least_d = NOBODY, 0, 0
    for each in open_states(search):
        state = np.int64(each)
        f, d = nodes[state].g + heuristic(world, state), target.steps[state] or moves_to_goal(world, state)
        if best == NOBODY or (f, d) < (least_f, least_d):
            best, least_f, least_d = state, f, d
    return best


def counting(setting: Any) -> Counting:
    return Counting(1, setting.memory["steps"].array)


STEPS = ("steps", np.int64)
RULE = Part("learning", "counting", "", counting, memory=("h", STEPS), reads_closed=True)
TARGET = Part("target", "fewest", "", lambda setting: FewestMoves(setting.memory["steps"].array), memory=(STEPS,))
FHAT = tb.variant("fhat-like", like="lss-lrta", learning=RULE, target=TARGET)


class Greedy(NamedTuple):
    """A lookahead without a search: the neighbour with the least cost + h."""

    tag: int = 0


@look.of(Greedy)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> None:
    world = borrow_field(body, "world")
    best, count = best_step(world, body.position)
    body.searches, body.expansions = body.searches + 1, body.expansions + 1
    body.debt = virtual_ns(1, count, 0)
    if best.state == NO_STATE or proved_unreachable(body):
        body.stop = UNREACHABLE
        return
    teach(parts.learning, world, body.position, best.f)
    body.decision = np.int64(best.state)


GREEDY = tb.variant("own-lrta", like="lrta", lookahead=Part("lookahead", "greedy", "", lambda setting: Greedy()))


def problem(seed: int) -> tuple[Any, ...]:
    generator = np.random.default_rng([41, seed])
    passable = generator.random((9, 12)) >= 0.25
    cells = [(x, y) for y, x in np.argwhere(passable).tolist()]
    return tb.Grid(passable, neighbors=4), *(cells[i] for i in generator.integers(len(cells), size=2))


@pytest.mark.uncompiled
@pytest.mark.parametrize("terrain", ["known", "unknown"])
def test_d_is_learned_with_h(terrain: str) -> None:
    """With 4 neighbours and moves that cost 1, d equals h; what has no d yet has the h of a free grid."""
    for seed in range(20):
        world, start, goal = problem(seed)
        agent = tb.make(FHAT, world, start, goal, terrain=terrain)
        episode = agent.run(expansions=6, intervals=2000)
        assert episode.stop == ("goal" if tb.shortest_path(world, start, goal).solved else "unreachable")
        steps, x, y = agent._memory["steps"].array, *np.meshgrid(range(12), range(9))
        free = (abs(x - goal[0]) + abs(y - goal[1])).ravel()
        h = agent.h() // world.unit
        finite = h < 1000
        assert (np.where(steps, steps, free) == h)[finite].all()


@pytest.mark.uncompiled
def test_an_array_of_ones_own_is_shared_and_begins_as_zeros() -> None:
    world, start, goal = problem(3)
    agent = tb.make(FHAT, world, start, goal)
    agent.run(expansions=6)
    rule, target = (agent._mind.parts[role] for role in (2, 3))
    assert np.shares_memory(rule.steps, target.steps)
    assert rule.steps.any()
    agent.retarget(start)
    assert not agent._mind.parts[2].steps.any()
    other = Part("target", "other", "", lambda setting: None, memory=(("steps", np.int32),))
    with pytest.raises(tb.ProblemError, match="part 'other' shares the array 'steps', but with another dtype"):
        tb.make(tb.variant("odd", like=FHAT, target=other), world, start, goal)


@pytest.mark.uncompiled
@pytest.mark.parametrize("kind", [FHAT, GREEDY], ids=["fhat", "greedy"])
def test_the_checker_finds_nothing(kind: Any) -> None:
    assert tb.check_agent(kind, problems=8) == []


@pytest.mark.uncompiled
@pytest.mark.parametrize("neighbors", [4, 8, 16])
def test_d_is_the_number_of_moves_on_a_free_grid(neighbors: int) -> None:
    world = tb.Grid(np.ones((9, 11), bool), neighbors=neighbors)
    compiled_world = world.compiled(world.state((4, 3)))
    for cell in [(0, 0), (4, 3), (10, 8), (9, 1), (5, 5), (4, 7)]:
        reached, moves = {(4, 3)}, 0
        while cell not in reached:
            steps = [(x + dx, y + dy) for x, y in reached for dx, dy in STEPS_OF[neighbors]]
            reached |= {(x, y) for x, y in steps if 0 <= x < 11 and 0 <= y < 9}
            moves += 1
        assert moves_to_goal(compiled_world, world.state(cell)) <= moves
        assert neighbors == 16 or moves_to_goal(compiled_world, world.state(cell)) == moves


STRAIGHT = [(1, 0), (0, 1), (-1, 0), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
KNIGHT = [(a * x, b * y) for a in (1, -1) for b in (1, -1) for x, y in ((1, 2), (2, 1))]
STEPS_OF = {4: STRAIGHT, 8: STRAIGHT + DIAGONAL, 16: STRAIGHT + DIAGONAL + KNIGHT}


@pytest.mark.uncompiled
def test_an_agent_without_a_search_has_a_path_and_no_memory_of_it() -> None:
    world = tb.Grid(np.ones((5, 9), bool))
    agent = tb.make(GREEDY, world, (0, 2), (8, 2), terrain="unknown")
    agent.observe(blocked=[(4, 2)])
    agent.plan(virtual_ms=0.001)
    assert [*agent.path][:1] == [(0, 2)]
    assert len(agent.path) == 2
    assert not len(costs_of_search(agent._mind))
    assert agent.run(expansions=1).solved


def test_they_compile() -> None:
    for kind in (FHAT, GREEDY):
        world, start, goal = problem(3)
        agent = tb.make(kind, world, start, goal, terrain="unknown")
        assert agent.run(expansions=6).solved
