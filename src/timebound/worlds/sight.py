"""A custom world as one search or agent sees it: how its states are numbered, and its errors."""

import re
from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..compiled import borrow, compiled
from ..compiled.complaints import complaint
from ..core.errors import ProblemError, WorldError
from ..core.integers import Int
from ..core.wording import shown
from .interface import NO_STATE, CompiledWorld, number_of
from .numbering import new_numbering
from .own_types import Functions, Moves, data_tuple, register
from .watch import ASKED, FAULT, NONE, REPORTS, STATE, SUCCESSORS, VALUE, new_watch

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
        state = int(self.form.watch[ASKED])
        try:
            probe(self.world, self.data, self.key(state))
        except WorldError as found:
            return str(found)
        return f"a function of the world raised {type(error).__name__}: {error}"

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
        if isinstance(cost, (bool, np.bool_)) or not isinstance(cost, (int, np.integer)):
            raise WorldError(
                f"successors yields a cost of {shown(cost)} at {shown(key)}; costs are whole numbers of 1 / unit"
            )
        if world.compile and _shape(after) != _shape(key):
            raise WorldError(f"successors yields {shown(after)} at {shown(key)}; all states must be of one form")
    for state in (key, *(after for after, _ in moves)):
        _call("is_goal", lambda state=state: bool(python(functions.is_goal)(data, state)))  # type: ignore[misc]
        h = _call("heuristic", lambda state=state: python(functions.heuristic)(data, state))  # type: ignore[misc]
        if isinstance(h, (bool, np.bool_)) or not isinstance(h, (int, np.integer)):
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
