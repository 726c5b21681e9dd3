"""The base of all worlds in Python."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..core.errors import ProblemError
from ..core.lazy import above
from ..core.memory import Pool
from ..core.values import is_whole
from ..core.wording import shown
from .changes import MOST_NOTES, Changes
from .interface import IMPOSSIBLE, prices_of

MAX_STATES = 2**31 - 1  # their numbers fit into 32 bits
_OF_THIS_PROCESS = ("pool", "_prepared", "prepared_before", "changes", "bodies")  # not pickled with a world
_FROZEN = ("passable", "travel")  # read-only arrays


class PreparedPaths(Protocol):
    """The shortest paths of a world, prepared: see `timebound.Paths`."""

    current: bool
    corners: np.ndarray
    nbytes: int

    def describe(self) -> str: ...  # noqa: D102 - `Paths` describes them
    def shortest_path(self, start: Any, goal: Any) -> Any: ...  # noqa: D102
    def shortest_paths(self, starts: Any, goals: Any, *, threads: int = 1) -> Any: ...  # noqa: D102
    def costs(self, starts: Any, goals: Any, *, threads: int = 1) -> np.ndarray: ...  # noqa: D102


class World(ABC):
    """States, moves and costs.

    Inside the library a state is a whole number from 0 to `states` - 1, and a cost is a whole number of `1 / unit`.
    Users see positions or labels, and ordinary numbers.
    """

    states: int
    """The number of states; or the most that may be met, if states are numbered as they are met."""
    unit: int
    """Costs are whole numbers of 1 / unit: sums are exact, and ties are real ties."""
    branching: int
    """The most successors of a state."""
    most_predecessors: int
    """The most predecessors of a state; 0 if the world cannot list them."""
    highest_cost: int
    """The cost of the most expensive move, in the world's unit."""
    cheapest: int
    """The cost of the cheapest move, in the world's unit."""
    longest: int
    """A bound on the cost of any path without loops, in the world's unit."""
    reversible: bool = True
    """Whether moves can be undone. If False, some agents raise an error. For a graph it is not known in advance."""
    aims_anywhere: bool = True
    """Whether any state can become the goal, even during an episode. Searches from the goal need that."""

    has_moves_for_nothing: bool = False
    """Is it known that some moves cost 0? Some agents then raise an error."""
    rounding_of_distances: int | None = None
    """By how many units h may break the triangle inequality, because of rounding; None if h is not a distance."""

    @cached_property
    def pool(self) -> Pool:
        """Memory of deleted agents and searches, for reuse: queries need not allocate it."""
        return Pool()

    @cached_property
    def changes(self) -> Changes:
        """The changes of this world, which agents read."""
        return Changes()

    @property
    def version(self) -> int:
        """A counter that rises with every cell or edge that is blocked, freed or gets another cost."""
        return self.changes.version

    def block(self, places: Iterable[Any]) -> None:
        """Block cells `(x, y)` of a grid, or edges `(from, to)` of a graph, at any time; see `docs/changing-worlds.md`.

        >>> import numpy as np, timebound as tb
        >>> world = tb.Grid(np.ones((3, 3), bool), neighbors=4)
        >>> world.block([(1, 0), (1, 1)])
        >>> tb.shortest_path(world, (0, 0), (2, 0)).cost, world.version
        (6.0, 2)
        """
        raise _fixed(self)

    def unblock(self, places: Iterable[Any]) -> None:
        """Free blocked cells or edges; they cost what they did before, or 1."""
        raise _fixed(self)

    def set_cost(self, places: Iterable[Any], cost: float) -> None:
        """Change the travel cost of cells of a grid, 1 or more; or the cost of edges of a graph, above 0."""
        raise _fixed(self)

    @contextmanager
    def _changing(self, count: int) -> Iterator[None]:
        """Make a change of `count` notes while no work is running; if there is no room for them, agents read first."""
        changes = self.changes
        with changes.gate.closed():
            if changes.noted and changes.noted + count > MOST_NOTES:
                for user in self.pool.users():
                    if hasattr(user, "catch_up"):
                        user.catch_up()
                changes.throw_away()
            yield

    @property
    def prepared(self) -> dict[str, Any]:
        """Return what is computed once for all agents on this world as it is now: abstractions, subgoals, cases.

        After a change of the world it is computed again, or from the previous one (`prepared_before`).
        """
        version, kept = self.__dict__.get("_prepared", (self.version, {}))
        if version != self.version:
            self.prepared_before, kept = kept or self.prepared_before, {}
        self._prepared = self.version, kept
        return kept

    @cached_property
    def prepared_before(self) -> dict[str, Any]:
        """Return the same for an earlier version of the world."""
        return {}

    def prepare(self, *, tell: Callable[[str, int, int], None] = lambda what, done, total: None) -> PreparedPaths:
        """Prepare the shortest paths of a grid with 4 or 8 neighbours and no travel costs: see `docs/search.md`.

        `tb.shortest_path` and `tb.shortest_paths` use it until the world changes. If it is prepared already, nothing is
        done. `tell` hears of the progress: what is being done, how many of that are done, and of how many.

        >>> import timebound as tb
        >>> world = tb.Grid.load("harbour", neighbors=4)
        >>> paths = world.prepare()
        >>> paths.shortest_path((12, 100), (180, 14)).cost == tb.shortest_path(world, (12, 100), (180, 14)).cost
        True
        """
        return above("prepare")(self, tell)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _OF_THIS_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _FROZEN:  # `pickle` and `deepcopy` forget it
            if isinstance(state.get(name), np.ndarray):
                state[name].flags.writeable = False

    def for_body(self, mobility: Any = None, size: Any = 1) -> "World":
        """Return this world as a body of that mobility and size meets it: see `Grid.for_body`."""
        if mobility is None and is_whole(size) and size == 1:
            return self
        raise ProblemError(f"mobility and size are for grids, not for a {type(self).__name__}")

    @property
    def for_cheapest_path(self) -> "World":
        """The world in which a cheapest path is searched, if another one makes that faster."""
        return self

    def moved_on(self, state: int) -> int:
        """Return where an agent is when it learns of a change: in another state, if time has passed."""
        return state

    def aim(self, goal: Any) -> "tuple[World, int]":
        """Return the world for one search or agent, and the number of the goal (NO_STATE if it is not one state).

        A world whose states are numbered as they are met gives each its own numbering.
        """
        return self, self.state(goal)

    @abstractmethod
    def state(self, place: Any) -> int:
        """Return the number of the state at a user's position or label; bad ones raise `ProblemError`."""

    def inside(self, place: Any) -> int:
        """Return the number of the state at a place, whether or not an agent can be there."""
        return self.state(place)

    @abstractmethod
    def place(self, state: int) -> Hashable:
        """Return the position or label of a state."""

    @abstractmethod
    def compiled(self, goal: int) -> Any:
        """Return the compiled form of this world: a NamedTuple with its own `successors`, `heuristic`, ..."""

    def guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a compiled function that reports errors in the user's code."""
        return function

    def path_cost(self, states: np.ndarray) -> float:
        """Return the cost of a path, in ordinary numbers."""
        return self.walk_cost(states)

    def walk_cost(self, states: np.ndarray) -> float:
        """Return the cost of a walk that may have jumps, where the agent was put elsewhere; a jump costs nothing."""
        prices = self.guarded(prices_of)(self.compiled(int(states[-1])), states) if len(states) else states
        return float(prices[prices != IMPOSSIBLE].sum() / self.unit)

    def places(self, states: np.ndarray) -> Sequence[Hashable]:
        """Return the positions or labels of many states."""
        return [self.place(int(state)) for state in states]

    def places_in_rows(self, states: np.ndarray) -> np.ndarray:
        """Return the same as an array."""
        return np.array(self.places(states))


class Places(Sequence[Any]):
    """Positions or labels of many states, made when they are read: `np.asarray` makes no tuples of them.

    >>> import numpy as np, timebound as tb
    >>> agent = tb.make("astar", tb.Grid(np.ones((1, 4), bool)), (0, 0), (2, 0))
    >>> position = agent.step()
    >>> agent.path, agent.path[-1], np.asarray(agent.path).sum(axis=0)
    ([(0, 0), (1, 0), (2, 0)], (2, 0), array([3, 0]))
    """

    def __init__(self, world: World, states: np.ndarray):
        self._world, self._states = world, states

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, i: Any) -> Any:
        some = self._states[i]
        return Places(self._world, some) if isinstance(i, slice) else self._world.place(int(some))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._world.places(self._states))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (list, tuple, Places)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self._world.places_in_rows(self._states), dtype)


def _fixed(world: World) -> ProblemError:
    return ProblemError(f"a {type(world).__name__} cannot change; grids and graphs can")


def a_world(given: Any) -> World:
    """Return the argument if it is a world; otherwise say how to make one."""
    if isinstance(given, World):
        return given
    array = isinstance(given, (np.ndarray, list))
    kinds = "tb.Grid, tb.Graph, tb.CustomWorld"
    how = "tb.Grid(array)" if array else "tb.Grid.load(file)" if isinstance(given, str) else kinds
    raise ProblemError(f"a world is needed here, not {shown(given)}; make one: {how}")
