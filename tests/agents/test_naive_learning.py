"""The naive twins of the learning agents: the papers' examples and theorems."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import Problem, grid
from hypothesis import given, settings
from naive_agents import Belief, reachable, repeated_astar
from naive_learning import (
    LearningWalk,
    Queue,
    Search,
    adaptive,
    bounded_astar,
    choose,
    dijkstra,
    local_search,
    lrta,
    optimal_cost,
    plrta,
    trials,
    walked_cost,
)

import timebound as tb

Agent = Callable[..., LearningWalk]

rtaa = partial(local_search, learning="adaptive", target="best")
lss_lrta = partial(local_search, learning="dijkstra", target="best")
artaa = partial(local_search, learning="adaptive", target="unraised")
dartaa = partial(local_search, learning="adaptive", target="least-raised")

# The worked example of the RTAA* paper (section 7, Figures 3 to 7).
EXAMPLE = grid(
    ".....",
    ".....",
    "..#..",
    "..#..",
    "...#.",
    neighbors=4,
)
START, GOAL = EXAMPLE.state((2, 4)), EXAMPLE.state((4, 4))
TRAJECTORY = [(2, 4), (1, 4), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1), (4, 1), (4, 2), (4, 3), (4, 4)]
DETOUR = [(2, 4), (1, 4), (0, 4), (0, 3), *TRAJECTORY[2:]]
LEFT_BELOW = [(0, 4), (1, 4), (2, 4), (0, 3), (1, 3)]  # cells whose new values the figures print


def believing(world: tb.Grid, terrain: str = "unknown", seed: int = 0) -> Belief:
    assumed = world.passable.copy()
    if terrain == "unknown":
        assumed[:] = True
    if terrain == "partial":
        assumed |= np.random.default_rng(seed).random(assumed.shape) < 0.3
    return Belief(world, assumed, world.passable)


def places(walk: LearningWalk) -> list[tuple[int, int]]:
    return [EXAMPLE.place(state) for state in walk.path]


def test_repeated_astar_expands_23_states() -> None:
    walk = repeated_astar(believing(EXAMPLE), START, GOAL)
    assert (walk.expansions, walk.searches, len(walk.path) - 1) == (23, 2, 10)


@pytest.mark.parametrize(("agent", "expansions"), [(rtaa, 20), (lss_lrta, 19)])
def test_the_example_with_infinite_lookahead(agent: Agent, expansions: int) -> None:
    walk = agent(believing(EXAMPLE), START, GOAL, lookahead=math.inf, movements=math.inf, most_searches=99)
    assert places(walk) == TRAJECTORY
    assert (walk.expansions, walk.searches, walk.updates, walk.solved) == (expansions, 2, expansions, True)
    assert walk.raised == sum(value - believing(EXAMPLE).h(state, GOAL) for state, value in walk.h.items())


@pytest.mark.parametrize("agent", [rtaa, lss_lrta])
def test_the_example_with_a_lookahead_of_four(agent: Agent) -> None:
    walk = agent(believing(EXAMPLE), START, GOAL, lookahead=4, movements=math.inf, most_searches=99)
    assert places(walk) == DETOUR
    assert (walk.expansions, walk.searches, walk.solved) == (17, 5, True)  # 4 + 4 + 4 + 4 + 1
    but_one = agent(believing(EXAMPLE), START, GOAL, lookahead=4, movements=math.inf, most_searches=4)
    assert (but_one.expansions, but_one.searches, but_one.solved) == (16, 4, False)


@pytest.mark.parametrize(("agent", "values"), [(rtaa, [6, 7, 8, 5, 6]), (lss_lrta, [8, 7, 8, 7, 6])])
def test_the_printed_values_after_the_first_search(agent: Agent, values: list[int]) -> None:
    belief = believing(EXAMPLE)
    walk = agent(belief, START, GOAL, lookahead=math.inf, movements=math.inf, most_searches=1)
    cells = [EXAMPLE.state(place) for place in LEFT_BELOW]
    assert [walk.h.get(state, belief.h(state, GOAL)) for state in cells] == values
    assert places(walk) == TRAJECTORY[:4]


def figure(search: Search, h: Callable[[int], float]) -> list[str]:
    """The g- and f-values as they are printed."""
    cells = [f"{search.g[s]}/{search.g[s] + h(s)}" if s in search.g else "." for s in range(25)]
    return [" ".join(cells[row : row + 5]) for row in range(0, 25, 5)]


def test_the_printed_costs_of_both_searches() -> None:
    belief = believing(EXAMPLE)
    belief.sense(START)
    first = bounded_astar(START, GOAL, belief.successors, lambda s: belief.h(s, GOAL), math.inf)
    assert figure(first, lambda s: belief.h(s, GOAL)) == [
        ". . . . .",
        ". 4/10 5/10 6/10 7/10",
        "4/10 3/8 4/8 5/8 6/8",
        "3/8 2/6 . 6/8 7/8",
        "2/6 1/4 0/2 . 8/8",
    ]
    belief = believing(EXAMPLE)
    learned = rtaa(belief, START, GOAL, lookahead=math.inf, movements=math.inf, most_searches=1).h
    lowest = {EXAMPLE.state((x, 4)) for x in range(3)}

    def second(learned: dict[int, float]) -> tuple[list[str], set[int]]:
        def h(state: int) -> float:
            return learned.get(state, belief.h(state, GOAL))

        search = bounded_astar(EXAMPLE.state((1, 2)), GOAL, belief.successors, h, math.inf)
        return figure(search, h), lowest & set(search.expanded)

    above = [". 2/9 3/9 4/9 5/9", "2/9 1/7 2/7 3/7 4/7", "1/7 0/5 . 4/7 5/7"]
    assert lowest <= set(first.expanded)
    assert second({}) == ([*above, "2/7 1/5 . 7/9 6/7", "3/7 2/5 3/5 . 7/7"], lowest)
    assert second(learned) == ([*above, "2/7 1/7 . 7/9 6/7", "3/9 2/9 . . 7/7"], set())
    learned = lss_lrta(believing(EXAMPLE), START, GOAL, lookahead=math.inf, movements=math.inf, most_searches=1).h
    assert second(learned) == ([*above, "2/9 1/7 . 7/9 6/7", ". 2/9 . . 7/7"], set())


@st.composite
def mazes(draw: st.DrawFn, side: int = 7, neighbors: tuple[int, ...] = (4, 8)) -> Problem:
    """Worlds with much to learn between opposite corners; one in eight has no path."""
    generator = np.random.default_rng(draw(st.integers(0, 9999)))
    start, solvable = (0, 0), generator.random() < 7 / 8
    while True:
        height, width = generator.integers(side - 2, side + 1, size=2).tolist()
        passable = generator.random((height, width)) >= generator.choice([0.25, 0.35, 0.45])
        passable[0, 0] = passable[-1, -1] = True
        world = tb.Grid(
            passable,
            neighbors=neighbors[generator.integers(len(neighbors))],
            corners=generator.choice(["strict", "cut"]).item(),
            diagonal=generator.choice([1.4, math.sqrt(2)]).item(),
        )
        problem = Problem(world, start, (width - 1, height - 1))
        if (problem.goal in reachable(world, start)) == solvable:
            return problem


def ends(problem: Problem) -> tuple[int, int]:
    return problem.world.state(problem.start), problem.world.state(problem.goal)


TERRAINS = st.sampled_from(["known", "unknown", "partial"])
LOCAL = [(agent, target) for agent in ("adaptive", "dijkstra") for target in ("best", "unraised", "least-raised")]


@given(mazes(side=10), TERRAINS)
@settings(max_examples=30)
def test_infinite_rtaa_is_adaptive_astar(problem: Problem, terrain: str) -> None:
    start, goal = ends(problem)
    walk = rtaa(
        believing(problem.world, terrain), start, goal, lookahead=math.inf, movements=math.inf, most_searches=math.inf
    )
    other = repeated_astar(believing(problem.world, terrain), start, goal, adaptive=True)
    assert (walk.path, walk.expansions, walk.searches, walk.solved) == (
        other.path,
        other.expansions,
        other.searches,
        other.solved,
    )


@given(mazes(neighbors=(4, 8, 16)), TERRAINS)
@settings(max_examples=30)
def test_with_a_lookahead_of_one_state_all_are_lrta(problem: Problem, terrain: str) -> None:
    start, goal = ends(problem)
    most = 1000

    def run(agent: Agent, **parameters: float) -> LearningWalk:
        return agent(believing(problem.world, terrain), start, goal, **parameters)

    walk = run(rtaa, lookahead=1, movements=math.inf, most_searches=most)
    assert walk == run(lss_lrta, lookahead=1, movements=1, most_searches=most)
    assert walk.solved == (problem.goal in reachable(problem.world, problem.start))
    assert walk == run(lrta, depth=1, most_moves=most)
    assert walk == run(plrta, queue_size=5, updates=1, most_moves=most)
    if problem.world.neighbors < 16:
        highest_cost = [1.0, problem.world.diagonal][problem.world.neighbors > 4]
        assert walk == run(lrta, cost_limit=round(highest_cost * problem.world.unit), most_moves=most)


def searches(agent: Agent, belief: Belief, start: int, goal: int, most: int = 150) -> Iterator[dict[int, float]]:
    """The learned values after every search of a walk."""
    learned: dict[int, float] = {}
    for _ in range(most):
        yield learned
        walk = agent(belief, start, goal, learned=learned)
        start, learned = walk.path[-1], walk.h
        if walk.solved or len(walk.path) == 1:
            break
    yield learned


def values(belief: Belief, goal: int, learned: dict[int, float]) -> dict[int, float]:
    states = np.flatnonzero(belief.passable).tolist()
    return {state: learned.get(state, belief.h(state, goal)) for state in states}


def check_monotone_and_consistent(agent: Agent, problem: Problem, terrain: str, consistent: bool = True) -> None:
    start, goal = ends(problem)
    belief = believing(problem.world, terrain)
    before: dict[int, float] = {}
    for learned in searches(agent, belief, start, goal):
        assert all(learned[state] >= value for state, value in before.items())
        h = values(belief, goal, learned)
        assert h[goal] == 0
        if consistent:
            assert all(h[s] <= cost + h[t] for s in h if s != goal for t, cost in belief.successors(s))
        before = learned


@pytest.mark.parametrize(("learning", "target"), LOCAL)
@given(
    mazes(neighbors=(4, 8, 16)),
    TERRAINS,
    st.sampled_from([1, 2, 4, 9, math.inf]),
    st.sampled_from([1, 2, math.inf]),
    st.sampled_from([(1, 1), (2, 3), (1, 3)]),
)
@settings(max_examples=30)
def test_local_search_keeps_h_consistent(
    learning: str,
    target: str,
    problem: Problem,
    terrain: str,
    lookahead: float,
    movements: float,
    weights: tuple[int, int],
) -> None:
    agent = partial(
        local_search,
        lookahead=lookahead,
        movements=movements,
        learning=learning,
        target=target,
        weights=weights,
        most_searches=1,
    )
    check_monotone_and_consistent(agent, problem, terrain)


@given(mazes(), TERRAINS, st.integers(1, 9))
@settings(max_examples=30)
def test_prioritised_lrta_keeps_h_consistent(problem: Problem, terrain: str, updates: int) -> None:
    agent = partial(plrta, queue_size=4, updates=updates, most_moves=1)
    check_monotone_and_consistent(agent, problem, terrain)


@given(mazes(), TERRAINS, st.integers(1, 4))
@settings(max_examples=30)
def test_lrta_never_lowers_and_never_overestimates(problem: Problem, terrain: str, depth: int) -> None:
    start, goal = ends(problem)
    agent = partial(lrta, depth=depth, most_moves=1)
    check_monotone_and_consistent(agent, problem, terrain, consistent=depth == 1)
    belief = believing(problem.world, terrain)
    walk = lrta(belief, start, goal, depth=depth, most_moves=100)
    truth = believing(problem.world, "known")
    assert all(value <= optimal_cost(truth, state, goal) for state, value in walk.h.items())


@given(mazes(), TERRAINS, st.sampled_from([2, 4, 9, math.inf]))
@settings(max_examples=30)
def test_one_search_teaches_lss_lrta_at_least_as_much_as_rtaa(problem: Problem, terrain: str, lookahead: float) -> None:
    start, goal = ends(problem)
    belief = believing(problem.world, terrain)
    belief.sense(start)
    search = bounded_astar(start, goal, belief.successors, lambda s: belief.h(s, goal), lookahead)
    if start == goal or not search.open_:
        return
    less = adaptive(search, lambda s: belief.h(s, goal))
    more = dijkstra(search, lambda s: belief.h(s, goal), belief.successors)
    assert less.keys() == more.keys() == set(search.expanded)
    assert all(less[state] <= more[state] for state in less)
    assert less[start] == more[start]


@pytest.mark.parametrize(("learning", "target"), LOCAL)
@given(mazes(), TERRAINS, st.sampled_from([1, 3, 8]), st.sampled_from([1, math.inf]))
@settings(max_examples=30)
def test_the_goal_is_reached_where_it_can_be(
    learning: str, target: str, problem: Problem, terrain: str, lookahead: int, movements: float
) -> None:
    start, goal = ends(problem)
    solvable = problem.goal in reachable(problem.world, problem.start)
    belief = believing(problem.world, terrain)
    walk = local_search(
        belief,
        start,
        goal,
        lookahead=lookahead,
        movements=movements,
        learning=learning,
        target=target,
        most_searches=math.inf if solvable else 500,
    )
    assert walk.solved == solvable
    truth = believing(problem.world, "known")
    assert all(truth.cost(*move) < math.inf for move in pairwise(walk.path))


@pytest.mark.parametrize(
    "agent",
    [
        *(partial(kind, lookahead=3, movements=1, most_searches=9999) for kind in (rtaa, lss_lrta, artaa, dartaa)),
        partial(lrta, depth=1, most_moves=9999),
        partial(plrta, queue_size=10, updates=5, most_moves=9999),
    ],
    ids=["rtaa", "lss-lrta", "artaa", "dartaa", "lrta", "plrta"],
)
@given(mazes(), TERRAINS)
@settings(max_examples=30)
def test_repeated_walks_become_optimal(agent: Agent, problem: Problem, terrain: str) -> None:
    start, goal = ends(problem)
    if problem.goal not in reachable(problem.world, problem.start):
        return
    belief = believing(problem.world, terrain)
    walks = trials(agent, belief, start, goal, most_trials=300)
    assert all(walk.solved for walk in walks)
    assert walked_cost(belief, walks[-1]) == optimal_cost(belief, start, goal)
    again = agent(belief, start, goal, learned=walks[-1].h)
    assert all(again.h[state] >= value for state, value in walks[-1].h.items())


def test_lrta_with_a_lookahead_of_two_moves_arrives() -> None:
    """GOLDEN A12 and A22: valued without what lies on the way to it, the frontier would keep the agent at (2, 2)."""
    world = grid("..#", ".##", "...", "...", neighbors=4)
    start, goal = world.state((2, 3)), world.state((1, 0))
    for limit in ({"cost_limit": 2}, {"depth": 2}, {"depth": 3}):
        assert lrta(believing(world, "known"), start, goal, most_moves=400, **limit).solved


@pytest.mark.parametrize(("learned", "value"), [({5: 9, 4: 8}, 7), ({4: 8}, 7), ({4: 5, 2: 6}, 6)])
def test_lrta_walks_towards_the_best_of_its_frontier(learned: dict, value: int) -> None:
    """Two moves ahead in an empty row of seven, from the middle to an end: 1 and 5 are the frontier.

    On the left 1 is worth 2 + 5, unless 2 says more; on the right 4 is on the way to 5, and says more than 5 does.
    """
    world = grid(".......", neighbors=4)
    walk = lrta(believing(world, "known"), 3, 6, depth=2, learned=learned, most_moves=1)
    assert (walk.path, walk.expansions, walk.searches) == ([3, 2 if value == 7 else 4], 3, 1)
    assert (walk.h, walk.raised, walk.updates) == ({3: value, **learned}, value - 3, 1)


def test_isolated_agents_give_up() -> None:
    world = grid(".#.", neighbors=4)
    for walk in (
        rtaa(believing(world), 0, 2, lookahead=5, movements=1, most_searches=9),
        lrta(believing(world), 0, 2, depth=3, most_moves=9),
        lrta(believing(world), 0, 2, cost_limit=3, most_moves=9),
        plrta(believing(world), 0, 2, queue_size=3, updates=3, most_moves=9),
    ):
        assert (walk.path, walk.solved, walk.searches, walk.expansions) == ([0], False, 1, 1)
        assert walk.h == {}


def test_targets() -> None:
    search = Search([], [], [1, 2, 3, 4], {}, {})
    rise = {1: 5, 2: 3, 3: 1, 4: 1}
    assert choose("best", search, rise.__getitem__, lambda s: 0) == 1
    assert choose("unraised", search, rise.__getitem__, lambda s: 0) == 1
    assert choose("unraised", search, rise.__getitem__, lambda s: 1) == 3
    assert choose("least-raised", search, rise.__getitem__, lambda s: 0) == 3
    assert choose("least-raised", search, rise.__getitem__, {1: 2, 2: 2, 3: -1, 4: -1}.__getitem__) == 2


def test_the_goal_is_preferred_to_equals() -> None:
    edges = {0: [(1, 2), (9, 2)], 1: [(9, 1)], 9: []}
    assert bounded_astar(0, 9, edges.__getitem__, lambda s: 0, math.inf).open_ == [9, 1]


@pytest.mark.parametrize(("movements", "moves"), [(1, 1), (2, 2), (math.inf, 3)])
def test_a_search_is_good_for_so_many_moves(movements: float, moves: int) -> None:
    walk = rtaa(believing(EXAMPLE), START, GOAL, lookahead=math.inf, movements=movements, most_searches=1)
    assert places(walk) == TRAJECTORY[: moves + 1]


def test_states_without_a_way_out_get_infinite_values_and_are_not_inserted() -> None:
    """Two dead ends, 2 -> 3 and 4 -> 3, beside the way from 0 by 1 to the goal, 9."""
    edges = {0: [(2, 1), (1, 1)], 1: [(4, 1), (9, 5)], 2: [(3, 1)], 3: [], 4: [(3, 1)], 9: []}
    own = {0: 2, 1: 1, 2: 1, 3: 0, 4: 0, 9: 0}
    search = bounded_astar(0, 9, edges.__getitem__, own.__getitem__, math.inf)
    assert dijkstra(search, own.__getitem__, edges.__getitem__) == {0: 6, 1: 5, 2: math.inf, 3: math.inf, 4: math.inf}
    learned = own | {2: math.inf, 4: math.inf}
    search = bounded_astar(0, 9, edges.__getitem__, learned.__getitem__, math.inf)
    assert (search.expanded, search.open_) == ([0, 1], [9])


def test_a_state_whose_g_falls_is_opened_again() -> None:
    """State 1 is cheaper by way of 2; with weight 3, that path is found too late."""
    edges = {0: [(1, 4), (2, 1)], 1: [(3, 1)], 2: [(1, 1)], 3: [(9, 9)], 9: []}
    own = {0: 4, 1: 1, 2: 4, 3: 3, 9: 0}
    search = bounded_astar(0, 9, edges.__getitem__, own.__getitem__, 3, weights=(1, 3))
    assert (search.expanded, search.closed, search.open_) == ([0, 1, 2], [0, 2], [1, 3])
    assert adaptive(search, own.__getitem__) == {0: 4, 2: 4}
    assert dijkstra(search, own.__getitem__, edges.__getitem__) == {0: 3, 2: 2}
    search = bounded_astar(0, 9, edges.__getitem__, own.__getitem__, 4, weights=(1, 3))
    assert (search.expanded, search.closed, search.open_) == ([0, 1, 2, 1], [0, 1, 2], [3])


def test_the_queue_keeps_the_largest_changes() -> None:
    queue = Queue(3)
    for state, change in [(1, 5), (2, 5), (3, 5), (4, 5), (1, 4)]:
        queue.offer(state, change)
    assert list(queue.entries) == [1, 2, 3]  # among equals nothing is thrown out
    queue.offer(4, 6)  # for the latest of the lowest
    queue.offer(1, 6)
    queue.offer(4, 6)
    assert [queue.take() for _ in range(3)] == [4, 1, 2]


def test_prioritised_lrta_spreads_a_change() -> None:
    """At the wall of a corridor: the position's update raises it, then its neighbours' updates raise them."""
    world = grid(".....", "####.", ".....", neighbors=4)
    start, goal = world.state((3, 0)), world.state((3, 2))
    walk = plrta(believing(world, "known"), start, goal, queue_size=9, updates=3, most_moves=1)
    # 2 -> 4 for the cell itself; its neighbours to the right (3: its way down is as short) and to the left, 3 -> 5.
    assert (walk.path, walk.expansions, walk.updates) == ([3, 4], 3, 3)
    assert (walk.h, walk.raised) == ({3: 4, 2: 5}, 4)


def test_prioritised_lrta_leaves_the_goal_alone() -> None:
    world = grid("...", neighbors=4)
    walk = plrta(believing(world, "known"), 1, 2, queue_size=9, updates=9, learned={1: 0}, most_moves=9)
    # The cell is raised from 0 to 1; its neighbours wait: the goal, on the right, and the cell on the left.
    assert (walk.path, walk.expansions, walk.raised, walk.h) == ([1, 2], 2, 1, {})
