"""Custom worlds: a few functions, compiled together with the search, so that they run as fast as built-in worlds.

The functions take a tuple of data, the goal included, and a state.
"""

import copy
import functools
from collections.abc import Callable, Hashable, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..compiled import COMPILING
from ..core.errors import CompilationError, ProblemError, TimeboundError, WorldError
from ..core.values import flag, is_int64, name_of, whole
from ..core.wording import shown
from .interface import NO_STATE
from .own_types import Functions
from .sight import Met, PlainSight, Sight, compiler_says, division_by_zero_raises
from .world import World

CAPACITY = 1 << 24
MOST = np.iinfo(np.int32).max


class CustomWorld(World):
    """A custom world, made of your own functions.

    Parameters
    ----------
    successors
        A generator function `successors(world, state)` that yields pairs `(state, cost)`. A state is a whole number, or
        a tuple of whole numbers, always of the same length; costs are whole numbers of `1 / unit`.
    heuristic
        `heuristic(world, state)`: a lower bound on the cost to the goal, in whole numbers of `1 / unit`. It must be
        consistent: 0 at the goal, and never more than the cost of a move plus the estimate after it.
    data
        The data of the functions: a dictionary (or named tuple) of numbers and one-dimensional arrays. They see
        its entries as `world.name`, and the goal as `world.goal`. Arrays are copied: changing one later changes
        nothing here. (With ``compile=False`` the data may be anything, and is shared.)
    is_goal
        `is_goal(world, state)`; by default, whether it is `world.goal`. With your own test, the goal that `make`
        takes may be anything made of whole numbers, or None.
    states
        The number of states, if states are the numbers from 0 on. Otherwise they are kept in a hash table.
    branching, highest_cost
        The most successors of a state, and the cost of the most expensive move, in whole numbers of `1 / unit`.
    reversible
        True if every move can be undone at the same cost.
    predecessors
        If moves cannot be undone: like `successors`, for the states from which a move leads here. Without it, agents
        that learn by Dijkstra's rule raise an error.
    step_heuristic
        `step_heuristic(world, state, h, successor)`: the h of a successor, computed from the h of the state before, for
        states in a hash table, if that is faster than `heuristic`.
    waiting
        If time passes: `waiting(world, state)` yields one pair `(state, cost)`, what comes of an agent that does not
        move in an interval; or nothing, if that is its end. Then it stops with the reason `hit`.
    safe
        If some states are dangerous: `safe(world, state)`, whether an agent can stay there, or surely go on; for
        `safe-rts`.
    capacity
        The most states that one agent or search may meet, if they are kept in a hash table.
    compile
        False: plain Python functions, which may use all of Python; states are then any hashable values. Slow.

    Examples
    --------
    >>> import timebound as tb
    >>> def successors(world, state):
    ...     yield state + 1, 1
    ...     yield state * world.factor, 2
    >>> def heuristic(world, state):
    ...     return 0
    >>> world = tb.CustomWorld(successors, heuristic, data={"factor": 3}, highest_cost=2, compile=False)
    >>> tb.shortest_path(world, 1, 11).states
    [1, 3, 9, 10, 11]
    """

    def __init__(
        self,
        successors: Callable[..., Any],
        heuristic: Callable[..., Any],
        *,
        data: Any = None,
        is_goal: Callable[..., Any] | None = None,
        states: int | None = None,
        branching: int = 64,
        highest_cost: int = 1,
        unit: int = 1,
        reversible: bool = False,
        predecessors: Callable[..., Any] | None = None,
        step_heuristic: Callable[..., Any] | None = None,
        waiting: Callable[..., Any] | None = None,
        safe: Callable[..., Any] | None = None,
        capacity: int = CAPACITY,
        compile: bool = True,
        name: str = "",
    ):
        test = _is_the_goal if is_goal is None else is_goal
        self.functions = Functions(successors, heuristic, test, predecessors, step_heuristic, waiting, safe)
        for what, function in self.functions._asdict().items():
            if function is not None and not callable(function):
                raise WorldError(f"{what} of a world must be a function, not {shown(function)}")
        branching, highest_cost = _count(branching, "branching"), _count(highest_cost, "highest_cost")
        unit, capacity = _count(unit, "unit"), _count(capacity, "capacity")
        states = None if states is None else _count(states, "states")
        reversible, compile = flag(reversible, "reversible", WorldError), flag(compile, "compile", WorldError)
        self.goal_is_a_state = is_goal is None
        self.data = _checked_data(data, compile)
        self.dense, self.compile = states is not None and compile, compile
        self.name = name_of(name, "a world", WorldError)
        self.states = states if states is not None and compile else capacity
        self.unit, self.branching, self.highest_cost = unit, branching, highest_cost
        self.cheapest, self.longest = 0, self.states * highest_cost
        self.reversible, self.aims_anywhere = reversible, False
        self.probed: list[Hashable] = []
        self.most_predecessors = branching if reversible or predecessors is not None else 0

    def __repr__(self) -> str:
        kind = f"{self.states} states" if self.dense else f"at most {self.states} states met"
        return f"CustomWorld({self.name or getattr(self.functions.successors, '__name__', 'unnamed')}, {kind})"

    # ---------------------------------------------------------------- what a subclass may define about its states

    def key(self, place: Any) -> Any:
        """Return the state, as the functions take it, for a user's place."""
        if not self.compile:
            return place
        words = place if isinstance(place, (tuple, list)) else (place,)
        if not words or not all(is_int64(word) for word in words):
            raise ProblemError(f"a state of this world is a whole number or a tuple of them, not {shown(place)}")
        if self.dense and not (len(words) == 1 and 0 <= words[0] < self.states):
            raise ProblemError(f"there is no state {shown(place)}; the states are 0 to {self.states - 1}")
        return tuple(map(int, words)) if isinstance(place, (tuple, list)) and not self.dense else int(words[0])

    def label(self, key: Any) -> Hashable:
        """Return the user's name of the state that the functions take as `key`."""
        return key

    def facts(self, goal: Any) -> dict[str, Any]:
        """Return what the functions see as `world.name`, for a user's goal."""
        if self.goal_is_a_state or not self.compile:
            return {**self.data, "goal": self.key(goal)}
        words = goal if isinstance(goal, tuple) else (0 if goal is None else goal,)
        if not all(is_int64(word) for word in words):
            raise ProblemError(f"a goal of this world is made of whole numbers, not {shown(goal)}")
        return {**self.data, "goal": goal if isinstance(goal, tuple) else int(words[0])}

    # ---------------------------------------------------------------- for one search or one agent

    def aim(self, goal: Any) -> tuple[World, int]:
        """Return the world with its goal, watched; with its own numbering, if states are numbered as they are met."""
        aimed = copy.copy(self)
        aimed.__dict__.update(pool=self.pool)  # memory is shared by all
        sees = PlainSight if not self.compile else Sight if self.dense else Met
        aimed.sight = sees(aimed, self.facts(goal))
        return aimed, aimed.state(goal) if self.goal_is_a_state else NO_STATE

    sight: Sight | None = None

    def state(self, place: Any) -> int:
        """Return the number of a state."""
        return int(self._sight().number(self.key(place)))

    def place(self, state: int) -> Hashable:
        """Return the user's name of the state with that number."""
        return self.label(self._sight().key(state))

    def compiled(self, goal: int) -> Any:
        """Return the compiled form of this world."""
        return self._sight().form

    def _sight(self) -> Sight:
        if self.sight is None:
            raise ProblemError("this world has no goal yet: states have numbers only in a search or an agent")
        return self.sight

    def guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a compiled function that reports errors in the functions of this world."""

        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            try:
                with nullcontext() if self.compile and COMPILING else division_by_zero_raises():
                    result = function(*arguments)
            except CompilationError as error:
                raise WorldError(compiler_says(self.functions, error.report)) from None
            except TimeboundError:
                raise
            except Exception as error:
                raise WorldError(self._sight().blame(error)) from error
            self._sight().report()
            return result

        return call

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "sight"}


def _is_the_goal(world: Any, state: Any) -> bool:
    return bool(state == world.goal)


def _count(given: Any, what: str) -> int:
    return whole(given, f"{what} of a world is a whole number from 1 to {MOST}", 1, MOST, WorldError)


def _checked_data(data: Any, compile: bool) -> dict[str, Any]:
    given = {} if data is None else data._asdict() if hasattr(data, "_asdict") else data
    if not isinstance(given, Mapping):
        raise WorldError(f"the data of a world is a dictionary or a named tuple, not {shown(data)}")
    return {name: _checked_entry(name, value, compile) for name, value in given.items()}


def _checked_entry(name: Any, value: Any, compile: bool) -> Any:
    plain = isinstance(name, str) and name.isidentifier() and not name.startswith("_") and "__" not in name
    if not plain or name == "goal":
        raise WorldError(f"the data of a world has names like `width`, not {shown(name)}")
    small = isinstance(value, (bool, float, np.floating, np.bool_)) or is_int64(value)
    if not compile or small:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
        return np.array(value, order="C")  # a copy: what the caller does to the array must not change the world
    raise WorldError(
        f"the data {name!r} of a world is a number or a one-dimensional array of numbers, not {shown(value)}"
    )
