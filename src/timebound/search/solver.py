"""Search without an agent: step by step, or a shortest path in one call."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..compiled.clock import NEVER
from ..core.errors import ProblemError
from ..core.memory import Unique
from ..core.values import flag, whole_or_endless
from ..worlds.world import World, a_world
from .best_first import advance_within, best_open
from .budget import Budget
from .jump_points import jump_points
from .kept_searches import idle_search, leave_search, take_search
from .orders import Order, checked_order
from .paths import begin_trace, solve, trace, traced_path
from .state import FOUND, RUNNING, UNREACHABLE, begin, costs_reached, figures
from .unit_costs import has_unit_costs, unit_path

PREPARED = "paths"
"""Where a world keeps what was prepared for its paths: see `World.prepare`."""
ONE, FIXED = 1.0, "fixed"  # the defaults, known by identity: any object may be given
STATUS = {RUNNING: "running", FOUND: "found", UNREACHABLE: "unreachable"}


@dataclass(frozen=True)
class Path:
    """What a complete search found."""

    world: World = field(repr=False)
    solved: bool
    cost: float
    """Infinite if there is no path."""
    numbers: np.ndarray = field(repr=False)
    """The numbers of the states on the path."""
    expansions: int

    @cached_property
    def states(self) -> Sequence[Any]:
        """Return the positions or labels from start to goal, both included."""
        return self.world.places(self.numbers)

    def __getstate__(self) -> dict[str, Any]:
        # A copy of the world may number its states in another order.
        return {**vars(self), "states": self.states}


class Search(Unique):
    """A best-first search that you can pause and resume: A*, weighted A* (`weight`), or `greedy`.

    Parameters
    ----------
    world, start, goal, weight, greedy, reopen
        As for `shortest_path`.
    ties, seed
        With `"random"`, states with the same f and g come in an order that depends on the seed, not on when they were
        inserted.
    open_list
        `"hot"`, `"heap"` or, by default, the one that suits the order; both give the same search.

    Examples
    --------
    >>> import numpy as np, timebound as tb
    >>> search = tb.Search(tb.Grid(np.ones((30, 30), bool)), (0, 0), (29, 20))
    >>> search.advance(expansions=10), search.expansions
    ('running', 10)
    >>> search.advance()
    'found'
    >>> search.trace(steps=3), search.traced
    (False, [(26, 20), (27, 20), (28, 20), (29, 20)])
    >>> round(search.path().cost, 4)
    37.2843
    """

    def __init__(
        self,
        world: World,
        start: Any,
        goal: Any,
        *,
        weight: float = 1.0,
        greedy: bool = False,
        reopen: bool = False,
        ties: str = "fixed",
        seed: int = 0,
        open_list: str = "auto",
    ):
        self.world, self.goal = a_world(world).aim(goal)
        self.start = self.world.state(start)
        order = checked_order(world, weight, greedy, reopen, ties, seed, open_list)
        target = self.world.compiled(self.goal)
        self._search = take_search(self.world, target, order)
        # The owner is gone when this is called: it must not be referred to here.
        self.world.pool.lease(self, partial(leave_search, self.world.states, order, self._search))
        self.world.guarded(begin)(self._search, target, self.start, order)
        self._traced_at, self._version = (-1, -1), self.world.version
        self._advance = self.world.guarded(advance_within)
        self._advance(self._search, 0, NEVER, NEVER)  # compile now if necessary, not within a caller's milliseconds
        figures(self._search)

    def advance(
        self, *, expansions: float | None = None, ms: float | None = None, virtual_ms: float | None = None
    ) -> str:
        """Continue within the budget (see `Budget`), or to the end; return `running`, `found` or `unreachable`.

        It raises a `ProblemError` if the world has changed since the search began.
        """
        limit = Budget(expansions, ms, virtual_ms).limit()
        with self.world.changes.gate.work():
            if self._version != self.world.version:
                raise ProblemError("the world has changed since this search began; start a new one")
            outcome = self._advance(self._search, *limit)
            while outcome == RUNNING and limit == (NEVER, NEVER, NEVER):  # interrupted by a signal that was handled
                outcome = self._advance(self._search, *limit)
        return STATUS[outcome]

    @property
    def status(self) -> str:
        """`running`, `found` or `unreachable`."""
        return STATUS[figures(self._search)[0]]

    @property
    def best(self) -> Any:
        """The state to be expanded next, or None if no state is open."""
        state = best_open(self._search)
        return None if state < 0 else self.world.place(state)

    @property
    def expansions(self) -> int:
        """Number of states expanded so far."""
        return figures(self._search)[1]

    @property
    def generated(self) -> int:
        """Number of successors generated so far."""
        return figures(self._search)[2]

    @property
    def memory_bytes(self) -> int:
        """Memory in use: the nodes of the states touched, and the open list."""
        return figures(self._search)[3]

    def reached(self) -> np.ndarray:
        """Return the g of every state, in the world's unit, or -1 if the search has not reached it: for pictures."""
        return costs_reached(self._search)

    def trace(self, steps: float | None = None) -> bool:
        """Trace the path from the best open state (the goal, once found) back to the start; return whether it is done.

        A call traces at most `steps` steps; the next call continues from there. After further
        expansions the trace starts again, because another state may be the best.
        """
        most = math.inf if steps is None else whole_or_endless(steps, "the number of steps is a whole number above 0")
        limit = NEVER if most == math.inf else int(most)
        end = best_open(self._search)
        if end < 0:
            raise ProblemError("no open states are left: the goal is unreachable, and there is no path to trace")
        if self._traced_at != (end, self.expansions):
            begin_trace(self._search, end)
            self._traced_at = (end, self.expansions)
        return bool(trace(self._search, limit))

    @property
    def traced(self) -> Sequence[Any]:
        """Return the traced part: the last positions or labels of the path."""
        return self.world.places(traced_path(self._search))

    def path(self) -> Path:
        """Return the path to the goal; while the search is running, the path to the best open state, not solved yet."""
        if self.status == "unreachable":
            return Path(self.world, False, math.inf, np.empty(0, np.int32), self.expansions)
        self.trace()
        numbers, solved = traced_path(self._search), self.status == "found"
        return Path(self.world, solved, self.world.path_cost(numbers) if solved else math.inf, numbers, self.expansions)


def shortest_path(
    world: World,
    start: Any,
    goal: Any,
    *,
    weight: float = ONE,
    greedy: bool = False,
    reopen: bool = False,
    ties: str = FIXED,
    seed: int = 0,
    mobility: str | None = None,
    size: Any = 1,
    any_angle: bool = False,
) -> Path:
    """Find a cheapest path.

    Parameters
    ----------
    world, start, goal
        Any world, and two of its places: `(x, y)` on a grid, labels on a graph.
    weight
        Of the heuristic, 1 or more: the path costs at most this many times the optimum, and is found sooner.
    greedy
        Search by the heuristic alone, which finds some path quickly, whatever its cost.
    reopen
        With a weight: expand a state again if it is reached at lower cost, for a slightly cheaper path, and up to ten
        times the expansions.
    ties, seed
        With `"random"`, the seed decides which of several paths of equal cost is found.
    mobility, size
        Those of the body that goes there: see `Grid.for_body`.
    any_angle
        Find a short path of straight lines between any cells, by lazy Theta*: its states are the corners, its cost is
        its length. For grids without travel costs.

    Raises
    ------
    ProblemError
        If a place is not in the world, or a parameter is invalid. (If there is no path, `Path.solved` is False.)

    Notes
    -----
    The world keeps the memory of the search for the next call: the cost of a query depends on the states visited,
    not on the size of the world. Cheapest paths with fixed ties are found by whatever is fastest: after
    `world.prepare()` by `Paths`; on grids with 4 or 8 neighbours and no travel costs by jump points, unless many single
    obstacles make A* faster; with 4 neighbours by a simpler A*. All cost the same, but of several cheapest paths
    `Search` may find another one, and `expansions` counts turns rather than cells.

    Examples
    --------
    >>> import numpy as np, timebound as tb
    >>> path = tb.shortest_path(tb.Grid(np.ones((2, 3), bool), neighbors=4), (0, 0), (2, 1))
    >>> path.solved, path.cost, path.states
    (True, 3.0, [(0, 0), (1, 0), (1, 1), (2, 1)])
    >>> tb.shortest_path(tb.Grid(np.ones((3, 9), bool)), (0, 0), (8, 2), any_angle=True).states
    [(0, 0), (8, 2)]
    """
    world = a_world(world).for_body(mobility, size)
    plain = weight is ONE and greedy is reopen is False and ties is FIXED
    order = None if plain else checked_order(world, weight, greedy, reopen, ties, seed)
    cheapest = plain or (weight == 1 and not greedy and ties == "fixed")
    world, last = (world.for_cheapest_path if cheapest else world).aim(goal)
    first, gate = world.state(start), world.changes.gate
    straight = any_angle is not False and flag(any_angle, "any_angle")
    if straight and not plain:
        raise ProblemError("any-angle paths have no weight, are not greedy, and break no ties at random")
    try:
        gate.enter()
        if straight:
            from .any_angle import any_angle_path

            return Path(world, *any_angle_path(world, first, last))
        if cheapest:
            return _cheapest(world, first, last)
        return _best_first(world, first, last, order)
    finally:
        gate.leave()


def _cheapest(world: World, start: int, goal: int) -> Path:
    """Return the cheapest path by what finds it soonest."""
    prepared: Any = world.prepared.get(PREPARED)
    if prepared is not None:
        return prepared.path_between(start, goal)
    jumps = jump_points(world)
    return astar(world, start, goal) if jumps is None else Path(world, *jumps.path(start, goal))


def astar(world: World, start: int, goal: int) -> Path:
    """Return the path that A* finds, whatever else is there."""
    if not has_unit_costs(world):
        return _best_first(world, start, goal, Order.of(world))
    found, expansions, numbers = unit_path(world, start, goal)
    return Path(world, found, world.path_cost(numbers) if found else math.inf, numbers, expansions)


def _best_first(world: World, start: int, goal: int, order: Any) -> Path:
    target = world.compiled(goal)
    with idle_search(world, target, order) as search:
        world.guarded(begin)(search, target, start, order)
        found, expansions, numbers = world.guarded(solve)(search)
    return Path(world, found, world.path_cost(numbers) if found else math.inf, numbers, expansions)
