"""Worlds of plain Python functions: the compiled search calls Python for the successors of every state.

States are whatever the functions yield; a dictionary numbers them as they are met.
"""

import ctypes
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..compiled import CALLBACK, call_back
from ..core.errors import ProblemError, WorldError
from ..core.integers import Int
from ..core.memory import untouched
from ..core.wording import shown
from .interface import heuristic, is_goal, predecessors, states_met, successors
from .own_types import Moves
from .sight import Sight, probe
from .watch import FAULT, LARGEST, NONE, new_watch

if TYPE_CHECKING:
    from .custom import CustomWorld

# What the watch of a plain world holds besides the fault: how many successors were found, and how many states were met.
FOUND, MET = 3, 4
RAISED = 7  # the fault whose exception Python keeps


class CompiledPlain(NamedTuple):
    """The compiled form of a plain world."""

    ahead: int  # the address of a function that writes the successors of a state into `found` and `costs`
    back: int  # the same for predecessors
    watch: np.ndarray
    found: np.ndarray
    costs: np.ndarray
    estimates: np.ndarray
    goals: np.ndarray


@successors.of(CompiledPlain)
def _successors(world: CompiledPlain, state: int) -> Iterator[tuple[Any, Any]]:
    call_back(world.ahead, state)
    for i in range(world.watch[FOUND]):
        yield np.int64(world.found[i]), world.costs[i]


@predecessors.of(CompiledPlain)
def _predecessors(world: CompiledPlain, state: int) -> Iterator[tuple[Any, Any]]:
    call_back(world.back, state)
    for i in range(world.watch[FOUND]):
        yield np.int64(world.found[i]), world.costs[i]


@heuristic.of(CompiledPlain)
def _heuristic(world: CompiledPlain, state: Int) -> int:
    return world.estimates[state]


@is_goal.of(CompiledPlain)
def _is_goal(world: CompiledPlain, state: Int) -> bool:
    return bool(world.goals[state])


@states_met.of(CompiledPlain)
def _states_met(world: CompiledPlain, states: int) -> int:
    return world.watch[MET]


class PlainSight(Sight):
    """A plain world as one search or agent sees it."""

    def __init__(self, world: "CustomWorld", facts: Mapping[str, Any]):
        super().__init__(world, facts)
        self.numbers: dict[Hashable, int] = {}
        self.keys: list[Hashable] = []
        self.error: BaseException | None = None
        functions = world.functions
        back = functions.successors if functions.predecessors is None else functions.predecessors
        self._callbacks = CALLBACK(self._caller(functions.successors)), CALLBACK(self._caller(back))
        ahead, behind = (int(ctypes.cast(each, ctypes.c_void_p).value or 0) for each in self._callbacks)
        most, room = world.branching, world.states
        found, costs = np.empty(most, np.int32), np.empty(most, np.int64)
        estimates, goals = untouched(room, np.int64), untouched(room, np.uint8)
        self.form = CompiledPlain(ahead, behind, new_watch(), found, costs, estimates, goals)

    def key(self, number: int) -> Hashable:
        """Return the state with that number."""
        return self.keys[number]

    def number(self, key: Any) -> int:
        """Return the number of a state; a new state gets one."""
        try:
            known = self.numbers.get(key)
        except TypeError:
            raise ProblemError(f"a state must be hashable, and {shown(key)} is not; use a tuple") from None
        if known is not None:
            return known
        self.probe(key)
        return self._met(key)

    def _met(self, key: Hashable) -> int:
        number = len(self.keys)
        if number == self.world.states:
            raise WorldError(f"more than capacity={self.world.states} states were met; give a larger capacity")
        functions = self.world.functions
        h = functions.heuristic(self.data, key)
        if not 0 <= h < LARGEST:
            raise WorldError(f"heuristic gives {shown(h)} at {shown(key)}; it must be from 0 to 2**50")
        self.form.estimates[number], self.form.goals[number] = h, functions.is_goal(self.data, key)
        self.numbers[key] = number
        self.keys.append(key)
        self.form.watch[MET] = number + 1
        return number

    def _caller(self, function: Moves) -> Callable[[int], None]:
        """Make a function that compiled code can call with the number of a state. It never raises: see `report`."""

        def call(state: int) -> None:
            try:
                self._find(function, state)
            except BaseException as error:  # Ctrl-C must not be lost either
                self.error = self.error or error
                self.form.watch[FAULT], self.form.watch[FOUND] = RAISED, 0

        return call

    def _find(self, function: Moves, state: int) -> None:
        world, form, count = self.world, self.form, 0
        form.watch[FOUND] = 0
        if form.watch[FAULT] != NONE:
            return
        key = self.keys[state]
        for after, cost in function(self.data, key):
            if count == world.branching:
                raise WorldError(
                    f"successors yields more than branching={count} moves from {shown(key)}; give a larger one"
                )
            if not 0 <= cost <= world.highest_cost:
                right = f"a cost is from 0 to highest_cost={world.highest_cost}"
                raise WorldError(f"successors yields a move from {shown(key)} that costs {shown(cost)}; {right}")
            known = self.numbers.get(after)
            form.found[count], form.costs[count] = self._met(after) if known is None else known, cost
            count += 1
        form.watch[FOUND] = count

    def report(self) -> None:
        """Raise the exception that was caught while compiled code was running."""
        error, self.error = self.error, None
        if error is None:
            return
        if isinstance(error, WorldError) or not isinstance(error, Exception):
            raise error
        raise WorldError(self.blame(error)) from error

    def blame(self, error: Exception) -> str:
        """Say which function raised the error: find it by computing the moves of all states met."""
        for key in self.keys[-100:]:
            try:
                probe(self.world, self.data, key)
            except WorldError as found:
                return str(found)
        return f"a function of the world raised {type(error).__name__}: {error}"
