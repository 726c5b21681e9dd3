"""What all worlds have in common, seen from Python."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ProblemError
from ..memory import Pool
from ..wording import shown
from .changes import MOST_NOTES, Changes
from .moves import IMPOSSIBLE, prices_of

if TYPE_CHECKING:
    from ..subgoals.paths import Paths

_OF_THIS_PROCESS = ("pool", "_prepared", "prepared_before", "changes")  # what is not sent along with a world
_FROZEN = ("passable", "travel")  # arrays that nobody may write to


class World(ABC):
    """States, moves and costs.

    Inside the library a state is a whole number from 0 to `states` - 1, and a cost is a whole number of `1 / unit`.
    Users see positions or labels, and ordinary numbers.
    """

    states: int
    """How many states there are; or how many may be met, if they are numbered as they are met."""
    unit: int
    """Costs are whole numbers of 1 / unit: sums are exact, and ties are real ties."""
    branching: int
    """No state has more successors."""
    most_predecessors: int
    """No state has more predecessors; 0 if the world cannot name them."""
    highest_cost: int
    """What the most expensive move costs, in the world's unit."""
    cheapest: int
    """What the cheapest move costs, in the world's unit."""
    longest: int
    """No path without loops costs more, in the world's unit."""
    reversible: bool = True
    """Can moves be undone? Where it is False, some agents are of no use. Of a graph it is not known in advance."""
    aims_anywhere: bool = True
    """Is any state as good a goal as another, also in the middle of an episode? Searches from the goal need that."""

    rounding_of_distances: int | None = None
    """By how many units h(a) from b can be larger than h(a) + h(b) from elsewhere; None if h is not a distance."""

    def __new__(cls, *arguments: Any, **named: Any) -> "World":
        """A world. `World` itself was once the name of the custom one: that still works, with a warning."""
        if cls is not World:
            return super().__new__(cls)
        from .custom import CustomWorld

        warnings.warn("a custom world is now called CustomWorld; World is the base of all", DeprecationWarning, 2)
        return super().__new__(CustomWorld)

    @cached_property
    def pool(self) -> Pool:
        """Memory of agents and searches that are no more, for the next: no query pays for it."""
        return Pool()

    @cached_property
    def changes(self) -> Changes:
        """What has changed in it, for agents to catch up with."""
        return Changes()

    @property
    def version(self) -> int:
        """It rises with every cell or edge that is blocked, freed or gets another cost."""
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
        """Free cells, or edges, that were blocked; they cost what they did before, or 1."""
        raise _fixed(self)

    def set_cost(self, places: Iterable[Any], cost: float) -> None:
        """Let cells of a grid have another travel cost, 1 or more; or edges of a graph another cost, above 0."""
        raise _fixed(self)

    @contextmanager
    def _changing(self, count: int) -> Iterator[None]:
        """While nobody is at work, make a change of so many notes; if there is no room for them, all catch up first."""
        changes = self.changes
        with changes.gate.closed():
            if changes.noted and changes.noted + count > MOST_NOTES:
                self._let_all_catch_up()
            yield

    def _let_all_catch_up(self) -> None:
        """Let every agent take in the changes that it has not taken in yet."""
        for user in self.pool.users():
            if hasattr(user, "catch_up"):
                user.catch_up()
        self.changes.throw_away()

    @property
    def prepared(self) -> dict[str, Any]:
        """What was worked out once for all agents on this world, as it is now: abstractions, subgoals, cases.

        When the world has changed it is worked out anew, or from what there was before (`prepared_before`).
        """
        version, kept = self.__dict__.get("_prepared", (self.version, {}))
        if version != self.version:
            self.prepared_before, kept = kept or self.prepared_before, {}
        self._prepared = self.version, kept
        return kept

    @cached_property
    def prepared_before(self) -> dict[str, Any]:
        """The same, of an earlier version of the world."""
        return {}

    def prepare(self, *, tell: "Callable[[str, int, int], None]" = lambda what, done, total: None) -> "Paths":
        """Prepare the shortest paths of a grid of 4 or 8 neighbours without travel costs: see `docs/search.md`.

        `tb.shortest_path` and `tb.shortest_paths` use it until the world changes. If it is prepared already, nothing is
        done. `tell` hears of the progress: what is being done, how many of that are done, and of how many.

        >>> import timebound as tb
        >>> world = tb.Grid.load("harbour", neighbors=4)
        >>> paths = world.prepare()
        >>> paths.shortest_path((12, 100), (180, 14)).cost == tb.shortest_path(world, (12, 100), (180, 14)).cost
        True
        """
        from ..subgoals.paths import MUST_BE

        raise ProblemError(f"{MUST_BE}, not for a {type(self).__name__}")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _OF_THIS_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _FROZEN:  # `pickle` and `deepcopy` forget it
            if isinstance(state.get(name), np.ndarray):
                state[name].flags.writeable = False

    def aim(self, goal: Any) -> "tuple[World, int]":
        """The world as one search or one agent takes it, and the number of the goal (NO_STATE if it is not one state).

        A world whose states are numbered as they are met gives each a numbering of its own.
        """
        return self, self.state(goal)

    @abstractmethod
    def state(self, place: Any) -> int:
        """The number of the state at a position or label that a user gave; bad ones raise `ProblemError`."""

    def inside(self, place: Any) -> int:
        """The number of the state at a place, whether or not an agent can be there."""
        return self.state(place)

    @abstractmethod
    def place(self, state: int) -> Hashable:
        """The position or label of a state."""

    @abstractmethod
    def compiled(self, goal: int) -> Any:
        """The form in which compiled code takes this world: a NamedTuple with its own `successors`, `heuristic`, ..."""

    def guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A compiled function, so that what it meets with in code of the user's own is reported as an error."""
        return function

    def path_cost(self, states: np.ndarray) -> float:
        """What a path costs, in ordinary numbers."""
        return self.walk_cost(states)

    def walk_cost(self, states: np.ndarray) -> float:
        """What a walk costs that may have jumps, where something put the agent elsewhere; a jump costs nothing."""
        prices = self.guarded(prices_of)(self.compiled(int(states[-1])), states) if len(states) else states
        return float(prices[prices != IMPOSSIBLE].sum() / self.unit)

    def places(self, states: np.ndarray) -> Sequence[Hashable]:
        """The positions or labels of many states."""
        return [self.place(int(state)) for state in states]


def _fixed(world: World) -> ProblemError:
    return ProblemError(f"a {type(world).__name__} cannot change; grids and graphs can")


def a_world(given: Any) -> World:
    """What was given, if it is a world; else say how to make one."""
    if isinstance(given, World):
        return given
    array = isinstance(given, (np.ndarray, list))
    kinds = "tb.Grid, tb.Graph, tb.CustomWorld"
    how = "tb.Grid(array)" if array else "tb.Grid.load(file)" if isinstance(given, str) else kinds
    raise ProblemError(f"a world is needed here, not {shown(given)}; make one: {how}")
