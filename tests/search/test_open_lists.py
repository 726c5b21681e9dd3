"""The open list keeps its order, whatever is pushed and popped, and whatever the width of its buckets."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings
from numba import njit

from timebound.compiled import borrow, compiled, lowest_bit
from timebound.search.hot_queue import BUCKETS, ONE_BUCKET, HotMemory
from timebound.search.open_list import ENTRY, FIRST, NOBODY, begin_open, grown, push, remove, room, surface
from timebound.search.types import NODE


@compiled
def replay(memory, nodes, shift, pushes):  # type: ignore[no-untyped-def]
    """Push rows of (f, g, state), or pop where f is negative, then pop the rest; return the states in popped order."""
    popped = np.empty(len(pushes) + 1, np.int64)
    count = 0
    queue = begin_open(shift, pushes[0, 0], pushes[0, 1], pushes[0, 2])
    known = borrow(nodes)
    known[pushes[0, 2]].g = pushes[0, 1]
    for f, g, state in pushes[1:]:
        while room(memory, queue.store) < 2:
            memory = grown(memory)
        lent = borrow(memory)
        if f >= 0:
            known[state].g = g
            queue = push(lent, queue, f, g, state, queue.order + 1)
        else:
            queue = surface(lent, queue, known)
            if queue.hand.state != NOBODY:
                popped[count] = queue.hand.state
                count += 1
                queue = remove(queue)
    while True:
        queue = surface(borrow(memory), queue, known)
        if queue.hand.state == NOBODY:
            return popped[:count]
        popped[count] = queue.hand.state
        count += 1
        queue = remove(queue)


def hot() -> HotMemory:
    return HotMemory(np.empty(2, ENTRY), np.empty(2, ENTRY), np.empty(BUCKETS, np.int32))


def plain(pushes: list[tuple[int, int, int]]) -> list[int]:
    """What should come out: smaller f, larger g, earlier insertion; of a state's entries only the newest counts."""
    waiting: dict[int, tuple[int, int, int]] = {}
    popped = []

    def pop() -> None:
        if waiting:
            state = min(waiting, key=lambda state: waiting[state])
            del waiting[state]
            popped.append(state)

    for order, (f, g, state) in enumerate(pushes):
        if f >= 0:
            waiting[state] = (f, -g, order)
        else:
            pop()
    while waiting:
        pop()
    return popped


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """Pushes, some of a state again with another g, and pops, with f near each other, far apart, or falling."""
    spread = draw(st.sampled_from([3, 60, 5000, 10**12]))
    rising = draw(st.booleans())
    history: list[tuple[int, int, int]] = []
    used: set[tuple[int, int]] = set()
    for i in range(draw(st.integers(1, 60))):
        f = draw(st.integers(0, spread)) + (i * spread // 8 if rising else 0)
        g, state = draw(st.integers(0, 5)), draw(st.integers(0, 30))
        if (g, state) in used:  # a search never inserts a state twice with one g
            continue
        used.add((g, state))
        history.append((f, g, state))
        if draw(st.booleans()):
            history.append((-1, 0, 0))
    return history or [(0, 0, 0)]


@given(history=histories(), shift=st.sampled_from([0, 2, 30, ONE_BUCKET]))
@settings(max_examples=300)
def test_the_order_is_that_of_a_sorted_list(history: list[tuple[int, int, int]], shift: int) -> None:
    nodes = np.zeros(31, NODE)
    popped = replay(hot(), nodes, shift, np.array(history, np.int64))
    assert popped.tolist() == plain(history)


def test_a_goal_comes_before_everything_of_its_f() -> None:
    memory, nodes = borrow(hot()), borrow(np.zeros(3, NODE))
    queue = begin_open(0, 7, 100, 0)
    queue = push(memory, queue, 7, FIRST, 2, 2)
    assert surface(memory, queue, nodes).hand.state == 2


def test_lowest_bit() -> None:
    @njit
    def find(word):  # type: ignore[no-untyped-def]
        return lowest_bit(word)

    for word, place in [(1, 0), (2, 1), (12, 2), (-(2**63), 63), (0, 64)]:
        assert find(word) == lowest_bit(word) == place
