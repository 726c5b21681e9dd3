"""Worlds of your own: a few functions, compiled together with the search, so that they run as fast as ours.

The functions take a tuple of data, the goal included, and a state. Each set of functions makes a type of world of its
own; types are named after what the functions say, so that compiled code is found again by the next process.
"""

import copy
import functools
import hashlib
import re
import types
from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target

from ..compiled import COMPILING, borrow, compiled, inlined
from ..errors import ProblemError, TimeboundError, WorldError
from .interface import NO_STATE, heuristic, is_goal, number_of, predecessors, states_met, successors
from .numbering import COUNT as MET
from .numbering import Numbering, key_of, new_numbering, number_for
from .world import AnyWorld

CAPACITY = 1 << 24
MOST = np.iinfo(np.int32).max

# What a world is watched for: the first fault, the state and the number that it is about; and what is going on.
FAULT, STATE, VALUE, ASKED, SUCCESSORS = 0, 1, 2, 3, 4
NONE, TOO_CHEAP, TOO_DEAR, OUTSIDE, TOO_MANY, ESTIMATE, FULL = 0, 1, 2, 3, 4, 5, 6


class Functions(NamedTuple):
    """What a world is made of."""

    successors: Callable[..., Iterator[tuple[Any, int]]]
    heuristic: Callable[..., int]
    is_goal: Callable[..., bool]
    predecessors: Callable[..., Iterator[tuple[Any, int]]] | None
    step_heuristic: Callable[..., int] | None


class World(AnyWorld):
    """A world of your own.

    Parameters
    ----------
    successors
        A generator function `successors(world, state)` that yields pairs `(state, cost)`. A state is a whole number, or
        a tuple of whole numbers, always of the same length; costs are whole numbers of `1 / unit`.
    heuristic
        `heuristic(world, state)`: an estimate of the cost to the goal, in whole numbers of `1 / unit`. It must be
        consistent: 0 at the goal, and no larger than the cost of any move and the estimate after it together.
    data
        What the functions need to know: a dictionary (or named tuple) of numbers and one-dimensional arrays. They see
        its entries as `world.name`, and the goal as `world.goal`.
    is_goal
        `is_goal(world, state)`; by default: is it the state `world.goal`? With a test of your own the goal that `make`
        takes may be anything made of whole numbers, or None.
    states
        If states are the numbers 0, 1, ..., below this: how many there are. Otherwise they are kept in a hash table.
    branching, dearest
        How many successors a state has at most, and what the dearest move costs, in whole numbers of `1 / unit`.
    reversible
        True if every move can be undone at the same cost.
    predecessors
        If moves cannot be undone: like `successors`, the states from which a move leads here. Without it, agents that
        learn by Dijkstra's rule cannot walk here.
    step_heuristic
        `step_heuristic(world, state, h, successor)`: the heuristic of a successor, from that of the state before, for
        states in a hash table; where that is quicker than `heuristic`.
    capacity
        How many states one agent or search may meet, if they are kept in a hash table.
    compile
        False: plain Python functions, which may do whatever they like; states are then any hashable values. Slow.

    Examples
    --------
    >>> import timebound as tb
    >>> def successors(world, state):
    ...     yield state + 1, 1
    ...     yield state * world.factor, 2
    >>> def heuristic(world, state):
    ...     return 0
    >>> world = tb.World(successors, heuristic, data={"factor": 3}, dearest=2, compile=False)
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
        dearest: int = 1,
        unit: int = 1,
        reversible: bool = False,
        predecessors: Callable[..., Any] | None = None,
        step_heuristic: Callable[..., Any] | None = None,
        capacity: int = CAPACITY,
        compile: bool = True,
        name: str = "",
    ):
        given = {"successors": successors, "heuristic": heuristic, "is_goal": is_goal, "predecessors": predecessors}
        for what, function in {**given, "step_heuristic": step_heuristic}.items():
            if function is not None and not callable(function):
                raise WorldError(f"{what} of a world is a function, not {function!r}")
        counts = {"branching": branching, "dearest": dearest, "unit": unit, "capacity": capacity, "states": states}
        for what, number in counts.items():
            if number is not None and not (isinstance(number, int) and 0 < number <= MOST):
                raise WorldError(f"{what} of a world is a whole number from 1 to {MOST}, not {number!r}")
        test = _is_the_goal if is_goal is None else is_goal
        self.functions = Functions(successors, heuristic, test, predecessors, step_heuristic)
        self.goal_is_a_state = is_goal is None
        self.data = _checked_data(data, compile)
        self.dense, self.compile, self.name = states is not None and compile, compile, name
        self.states = states if states is not None and compile else capacity
        self.unit, self.branching, self.dearest = unit, branching, dearest
        self.cheapest, self.longest = 0, self.states * dearest
        self.reversible, self.aims_anywhere = reversible, False
        self.probed: list[Any] = []
        self.confluence = branching if reversible or predecessors is not None else 0

    def __repr__(self) -> str:
        kind = f"{self.states} states" if self.dense else f"at most {self.states} states met"
        return f"World({self.name or self.functions.successors.__name__}, {kind})"

    # ---------------------------------------------------------------- what a subclass may say of its states

    def key(self, place: Any) -> Any:
        """The state that the functions take for a place which a user gave."""
        if not self.compile:
            return place
        words = place if isinstance(place, (tuple, list)) else (place,)
        whole = all(isinstance(word, (int, np.integer)) and not isinstance(word, bool) for word in words)
        if not (whole and words):
            raise ProblemError(f"a state of this world is a whole number or a tuple of them, not {place!r}")
        if self.dense and not (len(words) == 1 and 0 <= words[0] < self.states):
            raise ProblemError(f"there is no state {place!r}; the states are 0 to {self.states - 1}")
        return tuple(map(int, place)) if isinstance(place, (tuple, list)) else int(place)

    def label(self, key: Any) -> Hashable:
        """What users call the state that the functions take as `key`."""
        return key

    def facts(self, goal: Any) -> dict[str, Any]:
        """What the functions see as `world.name`, for a goal that a user gave."""
        if self.goal_is_a_state or not self.compile:
            return {**self.data, "goal": self.key(goal)}
        words = goal if isinstance(goal, tuple) else (0 if goal is None else goal,)
        if not all(isinstance(word, (int, np.integer)) for word in words):
            raise ProblemError(f"a goal of this world is made of whole numbers, not {goal!r}")
        return {**self.data, "goal": goal if isinstance(goal, tuple) else int(words[0])}

    # ---------------------------------------------------------------- as one search or one agent takes it

    def aim(self, goal: Any) -> tuple[AnyWorld, int]:
        """The world with its goal, watched; with a numbering of its own, if states are numbered as they are met."""
        from .plain import Plain

        aimed = copy.copy(self)
        aimed.__dict__.update(idle_memory=self.idle_memory, idle_searches=self.idle_searches)  # memory is for all
        sees = Plain if not self.compile else Dense if self.dense else Met
        aimed.sight = sees(aimed, self.facts(goal))
        return aimed, aimed.state(goal) if self.goal_is_a_state else NO_STATE

    sight: Any = None

    def state(self, place: Any) -> int:
        """The number of a state."""
        return int(self._sight().number(self.key(place)))

    def place(self, state: int) -> Hashable:
        """The state of that number, as users call it."""
        return self.label(self._sight().key(state))

    def compiled(self, goal: int) -> Any:
        """The form in which compiled code takes this world."""
        return self._sight().form

    def _sight(self) -> Any:
        if self.sight is None:
            raise ProblemError("this world has no goal yet: states have numbers only within a search or an agent")
        return self.sight

    def guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A compiled function, which reports what it met with in the functions of this world."""

        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            try:
                result = function(*arguments)
            except TimeboundError:
                raise
            except NumbaError as error:
                raise WorldError(_compiler_says(self.functions, error)) from None
            except Exception as error:
                raise WorldError(self._sight().blame(error)) from error
            self._sight().report()
            return result

        return call

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "sight"}


def _is_the_goal(world: Any, state: Any) -> bool:
    return bool(state == world.goal)


def _checked_data(data: Any, compile: bool) -> dict[str, Any]:
    given = {} if data is None else data._asdict() if hasattr(data, "_asdict") else data
    if not isinstance(given, Mapping):
        raise WorldError(f"the data of a world is a dictionary or a named tuple, not {data!r}")
    return {name: _checked_entry(name, value, compile) for name, value in given.items()}


def _checked_entry(name: Any, value: Any, compile: bool) -> Any:
    plain = isinstance(name, str) and name.isidentifier() and not name.startswith("_") and "__" not in name
    if not plain or name == "goal":
        raise WorldError(f"the data of a world has names like `width`, not {name!r}")
    if not compile or isinstance(value, (bool, int, float, np.integer, np.floating, np.bool_)):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
        return np.ascontiguousarray(value)
    raise WorldError(
        f"the data {name!r} of a world is a number or a one-dimensional array of numbers, not {value!r:.40}"
    )


# ------------------------------------------------------------------ the types of compiled worlds

_TYPES: dict[str, type] = {}


def _type(name: str, fields: tuple[str, ...], checked: bool = False) -> type:
    """A named tuple class that is found in this module by its name."""
    if name not in _TYPES:
        _TYPES[name] = namedtuple(name, fields, module=__name__)
        _TYPES[name].checked = checked  # type: ignore[attr-defined]
    return _TYPES[name]


_FORM = ("data", "watch", "states", "branching", "dearest", "numbering")


def __getattr__(name: str) -> Any:
    # Numba's cache on disk names types of worlds that this process may never make.
    if name.startswith("World_"):
        return _type(name, _FORM)
    if name.startswith("Data_"):
        return _type(name, tuple(name.removeprefix("Data_").split("__")), checked=True)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _data_tuple(facts: Mapping[str, Any]) -> Any:
    return _type("Data_" + "__".join(facts), tuple(facts), checked=True)(*facts.values())


def fingerprint(function: Any, seen: tuple[Any, ...] = ()) -> str:
    """What a function does: its code, and the values that it refers to."""
    function = getattr(function, "py_func", function)
    if function in seen:
        return "again"
    if not isinstance(function, types.FunctionType):
        return repr(function)
    code, scope = function.__code__, {**function.__globals__}
    scope.update(zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()), strict=True))
    told = [code.co_code, code.co_names, *map(_constant, code.co_consts)]
    for name in (*code.co_names, *code.co_freevars):
        value = scope.get(name)
        deeper = callable(value) and not isinstance(value, type)
        told.append((name, fingerprint(value, (*seen, function)) if deeper else _constant(value)))
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def _constant(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, types.CodeType):
        return repr((value.co_code, value.co_names, [_constant(inner) for inner in value.co_consts]))
    return repr(value) if isinstance(value, (int, float, str, bytes, tuple, type(None))) else type(value).__name__


def _own(function: Any) -> Any:
    """A user's function, compiled as Python would run it: a division by zero is an error.

    Plain functions that it calls are compiled with it.
    """
    function = getattr(function, "py_func", function)
    if not (COMPILING and isinstance(function, types.FunctionType)):
        return function
    scope = dict(function.__globals__)
    for name in function.__code__.co_names:
        value = scope.get(name)
        if isinstance(value, types.FunctionType) and value is not function and not _known_to_numba(value):
            scope[name] = _own(value)
    copied = types.FunctionType(function.__code__, scope, function.__name__, None, function.__closure__)
    copied.__defaults__ = function.__defaults__
    return njit(error_model="python", boundscheck=True, forceinline=True)(copied)


def _known_to_numba(function: Any) -> bool:
    cpu_target.typing_context.refresh()
    try:
        cpu_target.typing_context.resolve_value_type(function)
    except (NumbaError, ValueError):
        return False
    return True


@functools.cache
def _register(functions: Functions, words: int) -> type:
    """The type of worlds with these functions; `words` a state, 0 if states are numbers from 0 on."""
    told = "-".join(fingerprint(function) for function in functions) + f"-{words}"
    kind = _type("World_" + hashlib.sha256(told.encode()).hexdigest()[:16], _FORM)
    own = Functions(*(None if function is None else _own(function) for function in functions))
    (_register_numbers if words == 0 else _register_keys)(kind, own, words)
    return kind


def _register_numbers(kind: type, own: Functions, words: int) -> None:
    ahead, estimate, test = own.successors, own.heuristic, own.is_goal
    back = ahead if own.predecessors is None else own.predecessors

    @successors.of(kind)
    def own_successors(world: Any, state: int) -> Any:
        ask(world.watch, state)
        return ahead(world.data, state)

    @predecessors.of(kind)
    def own_predecessors(world: Any, state: int) -> Any:
        ask(world.watch, state)
        return back(world.data, state)

    @number_of.of(kind)
    def own_number(world: Any, given: Any, state: int, cost: int) -> int:
        if not acceptable(world, state, cost):
            return NO_STATE
        number = np.int64(given)
        return number if 0 <= number < world.states else fault(world.watch, OUTSIDE, state, number)

    @heuristic.of(kind)
    def own_heuristic(world: Any, state: int) -> int:
        return checked_estimate(world.watch, state, estimate(world.data, state))

    @is_goal.of(kind)
    def own_is_goal(world: Any, state: int) -> bool:
        return bool(test(world.data, state))


def _register_keys(kind: type, own: Functions, words: int) -> None:
    ahead, estimate, test, step = own.successors, own.heuristic, own.is_goal, own.step_heuristic
    back = ahead if own.predecessors is None else own.predecessors
    of_user, to_key = _conversions(abs(words)) if words > 0 else (_only_word, _as_key)

    @successors.of(kind)
    def own_successors(world: Any, state: int) -> Any:
        ask(world.watch, state)
        return ahead(world.data, of_user(key_of(world.numbering, state)))

    @predecessors.of(kind)
    def own_predecessors(world: Any, state: int) -> Any:
        ask(world.watch, state)
        return back(world.data, of_user(key_of(world.numbering, state)))

    @number_of.of(kind)
    def own_number(world: Any, given: Any, state: int, cost: int) -> int:
        if not acceptable(world, state, cost):
            return NO_STATE
        number, new = number_for(world.numbering, to_key(given))
        if number == NO_STATE:
            return fault(world.watch, FULL, state, world.states)
        if new and state != NO_STATE:
            world.numbering.estimates[number] = checked_estimate(world.watch, state, after(world, given, state))
        elif new:
            world.numbering.estimates[number] = checked_estimate(world.watch, state, estimate(world.data, given))
        return number

    if step is None:

        @inlined
        def after(world: Any, given: Any, state: int) -> int:
            return estimate(world.data, given)

    else:

        @inlined
        def after(world: Any, given: Any, state: int) -> int:
            before = of_user(key_of(world.numbering, state))
            return step(world.data, before, world.numbering.estimates[state], given)

    @heuristic.of(kind)
    def own_heuristic(world: Any, state: int) -> int:
        return world.numbering.estimates[state]

    @is_goal.of(kind)
    def own_is_goal(world: Any, state: int) -> bool:
        return bool(test(world.data, of_user(key_of(world.numbering, state))))

    @states_met.of(kind)
    def own_states_met(world: Any, states: int) -> int:
        return world.numbering.counts[MET]


@inlined
def _only_word(key: Any) -> int:
    return key[0]


@inlined
def _as_key(given: int) -> tuple[int]:
    return (np.int64(given),)


@functools.cache
def _conversions(words: int) -> tuple[Any, Any]:
    """From a key to what the functions take, and back: the same, for tuples; but their words may be of many types."""
    parts = ", ".join(f"np.int64(given[{i}])" for i in range(words))
    scope: dict[str, Any] = {"np": np}
    exec(f"def to_key(given):\n    return ({parts},)\ndef of_user(key):\n    return key", scope)
    return inlined(scope["of_user"]), inlined(scope["to_key"])


# ------------------------------------------------------------------ the watch


@inlined
def ask(watch: Any, state: int) -> None:
    """The successors of a state are asked for."""
    watch[ASKED], watch[SUCCESSORS] = state, 0


@inlined
def fault(watch: Any, what: int, state: int, value: int) -> int:
    """Something is wrong: from now on this world has no moves. (The search comes to an end; Python tells the rest.)"""
    if watch[FAULT] == NONE:
        watch[FAULT], watch[STATE], watch[VALUE] = what, state, value
    return NO_STATE


@inlined
def acceptable(world: Any, state: int, cost: int) -> bool:
    """May a move of this cost leave the state?"""
    watch = world.watch
    watch[SUCCESSORS] += 1
    if cost < 0:
        fault(watch, TOO_CHEAP, state, np.int64(cost))
    elif cost > world.dearest:
        fault(watch, TOO_DEAR, state, np.int64(cost))
    elif watch[SUCCESSORS] > world.branching:
        fault(watch, TOO_MANY, state, world.branching)
    return watch[FAULT] == NONE


@inlined
def checked_estimate(watch: Any, state: int, h: int) -> int:
    """The estimate of a state, which must not be negative."""
    estimate = np.int64(h)
    if estimate < 0 or estimate >= LARGEST:
        fault(watch, ESTIMATE, state, estimate)
        return 0
    return estimate


LARGEST = 1 << 50
_PROBES = 4

_REPORTS = {
    TOO_CHEAP: "successors yields a move from {state} that costs {value}; costs must not be negative",
    TOO_DEAR: "successors yields a move from {state} that costs {value}, above dearest={dearest}; say dearest={value}",
    OUTSIDE: "successors yields from {state} the state {value}; the states are 0 to {last}",
    TOO_MANY: "successors yields more than branching={value} moves from {state}; give a larger branching",
    ESTIMATE: "heuristic gives {value} at {state} or at a successor of it; it must be from 0 to 2**50",
    FULL: "more than capacity={value} states were met; give a larger capacity",
}


class _Sight(ABC):
    """A world as one search or agent sees it: how its states are numbered, its compiled form, what is wrong with it."""

    form: Any

    def __init__(self, world: World, facts: Mapping[str, Any]):
        self.world = world
        self.data = _data_tuple(facts)

    @abstractmethod
    def key(self, number: int) -> Any:
        """The state of that number, as the functions take it."""

    @abstractmethod
    def number(self, key: Any) -> int:
        """The number of a state."""

    def report(self) -> None:
        """Raise what the watch has seen."""
        watch = self.form.watch
        if watch[FAULT] != NONE:
            state = "the start" if watch[STATE] == NO_STATE else repr(self.world.label(self.key(int(watch[STATE]))))
            about = {
                "state": state,
                "value": watch[VALUE],
                "dearest": self.world.dearest,
                "last": self.world.states - 1,
            }
            raise WorldError(_REPORTS[int(watch[FAULT])].format(**about))

    def blame(self, error: Exception) -> str:
        """Which function raised that error: find it by running them as plain Python."""
        state = int(self.form.watch[ASKED])
        try:
            probe(self.world, self.data, self.key(state))
        except WorldError as found:
            return str(found)
        return f"a function of the world raised {type(error).__name__}: {error}"

    def probe(self, key: Any) -> None:
        """Run the functions at the first states that a user gives as plain Python, which says best what is wrong."""
        if len(self.world.probed) < _PROBES:
            self.world.probed.append(key)
            probe(self.world, self.data, key)


def probe(world: World, data: Any, key: Any) -> list[tuple[Any, int]]:
    """The moves from one state, as plain Python sees them; what is wrong with the functions there is raised."""
    functions = world.functions
    moves = _call("successors", lambda: list(_python(functions.successors)(data, key)))
    for move in moves:
        if not (isinstance(move, tuple) and len(move) == 2):
            raise WorldError(f"successors yields {move!r} at {key!r}; it must yield pairs (state, cost)")
        after, cost = move
        if isinstance(cost, (bool, np.bool_)) or not isinstance(cost, (int, np.integer)):
            raise WorldError(f"successors yields a cost of {cost!r} at {key!r}; costs are whole numbers of 1 / unit")
        if world.compile and _shape(after) != _shape(key):
            raise WorldError(f"successors yields {after!r} at {key!r}; all states must be of one form")
    for state in (key, *(after for after, _ in moves)):
        _call("is_goal", lambda state=state: bool(_python(functions.is_goal)(data, state)))  # type: ignore[misc]
        h = _call("heuristic", lambda state=state: _python(functions.heuristic)(data, state))  # type: ignore[misc]
        if isinstance(h, (bool, np.bool_)) or not isinstance(h, (int, np.integer)):
            raise WorldError(f"heuristic gives {h!r} at {state!r}; estimates are whole numbers of 1 / unit")
    return moves


def _python(function: Any) -> Any:
    return getattr(function, "py_func", function)


def _call(name: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        raise WorldError(f"{name} of the world raised {type(error).__name__}: {error}") from error


def _shape(state: Any) -> int:
    if isinstance(state, tuple):
        return len(state) if all(isinstance(word, (int, np.integer)) for word in state) else -2
    return 0 if isinstance(state, (int, np.integer)) else -1


def _compiler_says(functions: Functions, error: NumbaError) -> str:
    """What the compiler complains of, in one line: it says so after the last of its general remarks."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    remarks = [i for i, line in enumerate(lines) if line.startswith("Failed in nopython mode")]
    complaint = lines[min(remarks[-1] + 1, len(lines) - 1)] if remarks else lines[0]
    names = {
        getattr(_python(function), "__name__", ""): name for name, function in functions._asdict().items() if function
    }
    told = re.findall(r"<function (\w+) at", str(error))
    name = next((names[function] for function in told if function in names), "a function")
    return f"{name} of the world does not compile: {complaint:.200}; compile=False runs it as plain Python"


class Dense(_Sight):
    """States are numbers from 0 on."""

    def __init__(self, world: World, facts: Mapping[str, Any]):
        super().__init__(world, facts)
        kind = _register(world.functions, 0)
        watch = np.zeros(5, np.int64)
        self.form = kind(self.data, watch, world.states, world.branching, world.dearest, 0)

    def number(self, key: Any) -> int:
        """The state itself."""
        self.probe(key)
        return int(key)

    def key(self, number: int) -> Any:
        """The number itself."""
        return int(number)


class Met(_Sight):
    """States get their numbers as they are met."""

    numbering: Numbering

    def number(self, key: Any) -> int:
        """The number of a state, from now on."""
        if hasattr(self, "shape") and _shape(key) != self.shape:
            raise ProblemError(f"a state of this world is {self._form_of_states()}, not {key!r}")
        self.probe(key)
        if not hasattr(self, "form"):
            self._begin(key)
        self.form.watch[SUCCESSORS] = 0
        number = int(self.world.guarded(number_alone)(self.form, key))
        return number

    def _begin(self, key: Any) -> None:
        self.shape = _shape(key)
        numbering = new_numbering(self.world.states, max(1, self.shape))
        kind = _register(self.world.functions, self.shape or -1)
        watch = np.zeros(5, np.int64)
        self.form = kind(self.data, watch, self.world.states, self.world.branching, self.world.dearest, numbering)

    def _form_of_states(self) -> str:
        return f"a tuple of {self.shape} whole numbers" if self.shape else "a whole number"

    def key(self, number: int) -> Any:
        """The state of that number."""
        words = max(1, self.shape)
        key = self.form.numbering.keys[number * words : (number + 1) * words].tolist()
        return tuple(key) if self.shape else key[0]


@compiled
def number_alone(world: Any, key: Any) -> int:
    """The number of a state that no move has led to."""
    return number_of(borrow(world), key, NO_STATE, 0)
