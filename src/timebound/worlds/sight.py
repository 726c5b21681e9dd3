"""A custom world as one search or agent sees it: how its states are numbered, and its errors."""

import ctypes
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ..compiled import CALLBACK, borrow, call_back, compiled
from ..compiled.complaints import complaint
from ..core.errors import ProblemError, WorldError
from ..core.integers import Int
from ..core.memory import untouched
from ..core.values import is_whole
from ..core.wording import shown
from .interface import (
    NO_STATE,
    CompiledWorld,
    heuristic,
    is_goal,
    number_of,
    predecessors,
    states_met,
    successors,
)
from .numbering import new_numbering
from .own_types import Functions, Moves, data_tuple, register
from .watch import ASKED, FAULT, LARGEST, NONE, REPORTS, STATE, SUCCESSORS, VALUE, new_watch

if TYPE_CHECKING:
    from .custom import CustomWorld

F = TypeVar("F", bound=Callable[..., Any])
Result = TypeVar("Result")

_PROBES = 4


class Sight:
    """A world as one search or agent sees it: the numbering of its states, its compiled form, and its errors.

    Here the states are the numbers from 0 on.
    """

    def __init__(self, world: "CustomWorld", facts: Mapping[str, Any]):
        self.world = world
        self.data = data_tuple(facts)

    @cached_property
    def form(self) -> Any:
        """Its compiled form."""
        return self.compiled(0, 0)

    def key(self, number: int) -> Any:
        """Return the state with that number, as the functions take it."""
        return int(number)

    def number(self, key: Any) -> int:
        """Return the number of a state; a new state gets one."""
        self.probe(key)
        return int(key)

    def compiled(self, words: int, numbering: Any) -> Any:
        """Return the compiled form of a world whose states are tuples of so many words: see `own_types.register`."""
        world, kind = self.world, register(self.world.functions, words)
        return kind(self.data, new_watch(), world.states, world.branching, world.highest_cost, numbering)

    def report(self) -> None:
        """Raise the fault that the watch has found, if any."""
        watch = self.form.watch
        if watch[FAULT] != NONE:
            state = "the start" if watch[STATE] == NO_STATE else shown(self.world.label(self.key(int(watch[STATE]))))
            limits = {"highest_cost": self.world.highest_cost, "last": self.world.states - 1}
            raise WorldError(REPORTS[int(watch[FAULT])].format(state=state, value=watch[VALUE], **limits))

    def blame(self, error: Exception) -> str:
        """Say which function raised the error: find it by running them as plain Python."""
        for key in self.suspects():
            try:
                probe(self.world, self.data, key)
            except WorldError as found:
                return str(found)
        return f"a function of the world raised {type(error).__name__}: {error}"

    def suspects(self) -> list[Any]:
        """Return states at which the error may have been raised."""
        return [self.key(int(self.form.watch[ASKED]))]

    def probe(self, key: Hashable) -> None:
        """Run the functions at the user's first states as plain Python, which has the best error messages."""
        if len(self.world.probed) < _PROBES:
            self.world.probed.append(key)
            probe(self.world, self.data, key)


def probe(world: "CustomWorld", data: Any, key: Hashable) -> list[tuple[Any, int]]:
    """Return the moves from one state, computed by plain Python; errors in the functions are raised."""
    functions = world.functions
    moves = first_moves(world, "successors", functions.successors, data, key)
    for move in moves:
        if not (isinstance(move, tuple) and len(move) == 2):
            raise WorldError(f"successors yields {shown(move)} at {shown(key)}; it must yield pairs (state, cost)")
        after, cost = move
        if not is_whole(cost):
            raise WorldError(
                f"successors yields a cost of {shown(cost)} at {shown(key)}; costs are whole numbers of 1 / unit"
            )
        if world.compile and _shape(after) != _shape(key):
            raise WorldError(f"successors yields {shown(after)} at {shown(key)}; all states must be of one form")
    for state in (key, *(after for after, _ in moves)):
        _call("is_goal", lambda state=state: bool(python(functions.is_goal)(data, state)))  # type: ignore[misc]
        h = _call("heuristic", lambda state=state: python(functions.heuristic)(data, state))  # type: ignore[misc]
        if not is_whole(h):
            raise WorldError(f"heuristic gives {shown(h)} at {shown(state)}; estimates are whole numbers of 1 / unit")
    return moves


def first_moves(world: "CustomWorld", name: str, function: Moves, data: Any, key: Hashable) -> list[tuple[Any, int]]:
    """Return what a function yields at a state, at most `branching` + 1 items: it may never end."""
    return _call(name, lambda: list(islice(python(function)(data, key), world.branching + 1)))


def python(function: F) -> F:
    """Return the function as plain Python, even if the user has compiled it."""
    return getattr(function, "py_func", function)


def division_by_zero_raises() -> Any:
    """Let NumPy's numbers behave like Python's: otherwise a division by zero gives 0 or infinity, and a warning."""
    return np.errstate(divide="raise", invalid="raise")


def _call(name: str, call: Callable[[], Result]) -> Result:
    try:
        with division_by_zero_raises():
            return call()
    except Exception as error:
        raise WorldError(f"{name} of the world raised {type(error).__name__}: {error}") from error


def _shape(state: object) -> int:
    if isinstance(state, tuple):
        return len(state) if all(isinstance(word, (int, np.integer)) for word in state) else -2
    return 0 if isinstance(state, (int, np.integer)) else -1


def compiler_says(functions: Functions, report: str) -> str:
    """Return the compiler's complaint in one line."""
    names = {
        getattr(python(function), "__name__", ""): name for name, function in functions._asdict().items() if function
    }
    told = re.findall(r"<function (\w+) at", report)
    name = next((names[function] for function in told if function in names), "a function")
    return f"{name} of the world does not compile: {complaint(report)}; compile=False runs it as plain Python"


class Met(Sight):
    """A world whose states are numbered as they are met."""

    shape: int | None = None  # of the first state

    def number(self, key: Any) -> int:
        """Return the number of a state; a new state gets one."""
        if self.shape is not None and _shape(key) != self.shape:
            form = f"a tuple of {self.shape} whole numbers" if self.shape else "a whole number"
            raise ProblemError(f"a state of this world is {form}, not {shown(key)}")
        self.probe(key)
        if self.shape is None:
            self.shape = _shape(key)
            numbering = new_numbering(self.world.states, max(1, self.shape))
            self.form = self.compiled(self.shape or -1, numbering)
        self.form.watch[SUCCESSORS] = 0
        return int(self.world.guarded(number_alone)(self.form, key))

    def key(self, number: int) -> Any:
        """Return the state with that number."""
        words = max(1, self.shape or 0)
        key = self.form.numbering.keys[number * words : (number + 1) * words].tolist()
        return tuple(key) if self.shape else key[0]


@compiled
def number_alone(world: CompiledWorld, key: Any) -> Int:
    """Return the number of a state that no move has led to."""
    return number_of(borrow(world), key, NO_STATE, 0)


# ------------------------------------------------------------------ plain Python

# The compiled search calls Python for the successors of every state. States are whatever the functions yield; a
# dictionary numbers them as they are met.
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

    def suspects(self) -> list[Any]:
        """Return the last states met."""
        return self.keys[-100:]
