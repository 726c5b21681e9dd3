"""The resumable search: stopping changes nothing, both open lists agree, limits hold, memory follows the search."""

import math
import time

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import timebound as tb
from timebound.compiled import compiled
from timebound.compiled.clock import now
from timebound.search.state import LAST_NUMBER, STRIDE


@compiled
def set_number(search, number):  # type: ignore[no-untyped-def]
    search.number = number


@compiled
def number_of(search):  # type: ignore[no-untyped-def]
    return search.number


ORDERS = [{}, {"weight": 1.5}, {"weight": 5}, {"greedy": True}]


def random_world(seed: int, side: int = 40, share: float = 0.3) -> tb.Grid:
    passable = np.random.default_rng(seed).random((side, side)) >= share
    passable[0, 0] = passable[-1, -1] = True
    return tb.Grid(passable)


def run_to_end(search: tb.Search, **budget: float) -> tb.Search:
    while search.advance(**budget) == "running":
        pass
    return search


def outcome(search: tb.Search) -> tuple[object, ...]:
    path = search.path()
    return search.status, search.expansions, search.generated, path.cost, path.numbers.tolist()


@given(st.integers(0, 10**6), st.sampled_from(ORDERS), st.integers(1, 50))
@settings(max_examples=60)
def test_stopping_every_n_expansions_changes_nothing(seed: int, order: dict, n: int) -> None:
    world = random_world(seed)
    whole = tb.Search(world, (0, 0), (39, 39), **order)
    parts = tb.Search(world, (0, 0), (39, 39), **order)
    whole.advance()
    assert outcome(run_to_end(parts, expansions=n)) == outcome(whole)


@given(st.integers(0, 10**6), st.sampled_from(ORDERS))
@settings(max_examples=60)
def test_both_open_lists_expand_the_same_states_in_the_same_order(seed: int, order: dict) -> None:
    world = random_world(seed, side=16)
    hot, heap = (tb.Search(world, (0, 0), (15, 15), open_list=kind, **order) for kind in ("hot", "heap"))
    while hot.status == "running":
        assert hot.best == heap.best
        assert hot.advance(expansions=1) == heap.advance(expansions=1)
    assert outcome(hot) == outcome(heap)


@pytest.mark.parametrize("seed", range(5))
def test_the_search_stops_where_it_should(seed: int) -> None:
    search = tb.Search(random_world(seed, side=100, share=0.2), (0, 0), (99, 99))
    for total in (1, 2, 10, 100):
        search.advance(expansions=total - search.expansions)
        assert search.expansions == total


def test_a_deadline_is_kept_to_within_a_few_expansions() -> None:
    world = tb.Grid(np.ones((3000, 3000), bool), heuristic="none")
    search = tb.Search(world, (0, 0), (2999, 2999))
    began = now()
    assert search.advance(ms=5) == "running"
    assert now() - began >= 5_000_000
    assert 16 <= search.expansions < world.states


def test_the_virtual_clock_gives_the_same_search_every_time() -> None:
    def expansions() -> list[int]:
        search = tb.Search(tb.Grid.load("harbour"), (12, 100), (180, 14))
        counts = []
        while search.advance(virtual_ms=0.05) == "running":
            counts.append(search.expansions)
        return counts

    first = expansions()
    assert first == expansions()
    assert len(first) > 3
    steps = np.diff(first)
    assert steps.max() < 3 * steps.min()  # virtual milliseconds are about the same work each


def test_the_clock_inside_compiled_code_is_the_monotonic_one() -> None:
    from numba import njit

    compiled_now = njit(lambda: now())
    before, inside, after = time.monotonic_ns(), compiled_now(), time.monotonic_ns()
    assert before <= inside <= after


def test_a_trace_may_stop_after_n_steps_and_go_on() -> None:
    search = tb.Search(tb.Grid.load("harbour"), (12, 100), (180, 14))
    search.advance()
    whole = search.path().states
    again = tb.Search(tb.Grid.load("harbour"), (12, 100), (180, 14))
    again.advance()
    lengths = []
    while not again.trace(steps=50):
        lengths.append(len(again.traced))
        assert again.traced == whole[-lengths[-1] :]
    assert lengths == [51, 101, 151, 201]
    assert again.traced == whole


def test_a_running_search_has_a_path_to_its_most_promising_state() -> None:
    search = tb.Search(tb.Grid.load("harbour"), (12, 100), (180, 14))
    search.advance(expansions=500)
    path = search.path()
    assert (path.solved, path.cost) == (False, math.inf)
    assert path.states[0] == (12, 100)
    assert path.states[-1] == search.best
    search.advance(expansions=500)
    assert search.path().states[-1] == search.best


def test_an_unreachable_goal_is_proved() -> None:
    passable = np.ones((5, 5), bool)
    passable[2, :] = False
    search = tb.Search(tb.Grid(passable), (0, 0), (0, 4))
    assert search.advance() == "unreachable"
    assert search.expansions == 10
    assert search.best is None
    assert search.path().states == []
    with pytest.raises(tb.ProblemError, match="the goal is unreachable"):
        search.trace()
    assert search.advance() == "unreachable"


def test_memory_follows_the_states_touched() -> None:
    small, large = (tb.Grid(np.ones((side, side), bool)) for side in (100, 4000))
    used = [tb.Search(world, (10, 10), (60, 40)) for world in (small, large)]
    for search in used:
        search.advance()
    assert used[0].expansions == used[1].expansions
    assert used[0].memory_bytes == used[1].memory_bytes < 200_000


def test_the_open_list_grows_as_needed() -> None:
    search = tb.Search(tb.Grid(np.ones((300, 300), bool), heuristic="none"), (150, 150), (0, 0))
    before = search.memory_bytes
    assert search.advance() == "found"
    assert search.memory_bytes > 10 * before


def test_search_numbers_start_over_before_they_overflow() -> None:
    world = random_world(3)
    expected = tb.shortest_path(world, (0, 0), (39, 39), weight=1.5)
    search = world.pool.take_object("Order", lambda: None)
    world.pool.leave_object("Order", search, 1)
    set_number(search, LAST_NUMBER - STRIDE)
    for _ in range(3):
        again = tb.shortest_path(world, (0, 0), (39, 39), weight=1.5)
        assert (again.cost, again.expansions) == (expected.cost, expected.expansions)
    assert number_of(search) == 2 * STRIDE


def test_queries_in_many_threads_do_not_disturb_each_other() -> None:
    from concurrent.futures import ThreadPoolExecutor

    world = random_world(8, side=120, share=0.25)
    cells = [(int(x), int(y)) for y, x in np.argwhere(world.passable)[::137]]
    pairs = list(zip(cells, cells[::-1], strict=True))
    expected = [tb.shortest_path(world, *pair).cost for pair in pairs]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert list(pool.map(lambda pair: tb.shortest_path(world, *pair).cost, pairs)) == expected


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({"expansions": 0}, "the budget expansions must be a number above 0"),
        ({"expansions": -3}, "the budget expansions must be a number above 0"),
        ({"expansions": 1.5}, "the budget expansions must be a whole number"),
        ({"ms": math.nan}, "the budget ms must be a number above 0"),
        ({"ms": "soon"}, "the budget ms must be a number above 0"),
        ({"virtual_ms": -math.inf}, "the budget virtual_ms must be a number above 0"),
        ({"expansions": 5, "ms": 1.0}, "one budget at a time: expansions or ms, not both"),
    ],
)
def test_impossible_budgets_are_refused(budget: dict, message: str) -> None:
    search = tb.Search(tb.Grid(np.ones((3, 3), bool)), (0, 0), (2, 2))
    with pytest.raises(tb.ProblemError, match=message):
        search.advance(**budget)


def test_an_infinite_budget_is_no_limit() -> None:
    for name in ("expansions", "ms", "virtual_ms"):
        assert tb.Search(random_world(1, share=0), (0, 0), (39, 39)).advance(**{name: math.inf}) == "found"


def test_an_open_list_of_another_name_is_refused() -> None:
    with pytest.raises(tb.ProblemError, match="an open list is 'auto', 'hot' or 'heap', not 'cold'"):
        tb.Search(random_world(1), (0, 0), (39, 39), open_list="cold")


@pytest.mark.parametrize("open_list", ["hot", "heap"])
def test_an_open_list_that_outgrows_its_memory_goes_on(open_list: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = tb.Grid(np.ones((120, 120), bool), heuristic="none")
    roomy = tb.Search(world, (60, 60), (0, 0), open_list=open_list)
    monkeypatch.setattr("timebound.search.orders.ENTRIES", 16)
    cramped = tb.Search(world, (60, 60), (0, 0), open_list=open_list)
    assert outcome(run_to_end(cramped, expansions=7)) == outcome(run_to_end(roomy))


def test_random_ties_find_other_paths_of_the_same_cost() -> None:
    world = tb.Grid(np.ones((20, 20), bool), neighbors=4)
    fixed = tb.shortest_path(world, (0, 0), (19, 19))
    drawn = [tb.shortest_path(world, (0, 0), (19, 19), ties="random", seed=seed) for seed in range(6)]
    assert {path.cost for path in drawn} == {fixed.cost}
    assert len({tuple(path.states) for path in drawn}) > 3
    again = tb.Search(world, (0, 0), (19, 19), ties="random", seed=3)
    again.advance()
    assert again.path().cost == fixed.cost
    assert tb.shortest_path(world, (0, 0), (19, 19)).states == fixed.states
    with pytest.raises(tb.ProblemError, match="ties are 'fixed' or 'random'"):
        tb.Search(world, (0, 0), (1, 1), ties="any")
