"""The compiled types of custom worlds: each set of functions has its own type.

Types are named after the content of the functions, so that the next process finds the compiled code again.
"""

import functools
import types
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..compiled import COMPILING, inlined
from ..compiled.backend import known_to_numba, own_part
from ..compiled.fingerprint import digest, fingerprint
from ..core.integers import Int
from .interface import (
    NO_STATE,
    after_waiting,
    heuristic,
    is_goal,
    is_safe,
    number_of,
    predecessors,
    states_met,
    successors,
)
from .numbering import COUNT as MET
from .numbering import key_of, number_for
from .watch import FULL, OUTSIDE, acceptable, ask, checked_estimate, fault

Moves = Callable[..., Iterator[tuple[Any, int]]]  # of the data and a state


class Functions(NamedTuple):
    """The functions of a world."""

    successors: Moves
    heuristic: Callable[..., int]
    is_goal: Callable[..., bool]
    predecessors: Moves | None
    step_heuristic: Callable[..., int] | None
    waiting: Moves | None = None
    safe: Callable[..., bool] | None = None


_TYPES: dict[str, type] = {}


def _type(name: str, fields: tuple[str, ...], checked: bool = False) -> type:
    """Make a named tuple class that is found in this module by its name."""
    if name not in _TYPES:
        _TYPES[name] = namedtuple(name, fields, module=__name__)
        _TYPES[name].checked = checked  # type: ignore[attr-defined]
    return _TYPES[name]


FORM = ("data", "watch", "states", "branching", "highest_cost", "numbering")


def __getattr__(name: str) -> Any:
    # Stored machine code may name types that this process has not made.
    if name.startswith("World_"):
        return _type(name, FORM)
    if name.startswith("Data_"):
        return _type(name, tuple(name.removeprefix("Data_").split("__")), checked=True)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def data_tuple(facts: Mapping[str, Any]) -> Any:
    """Return the type that the functions see as `world`."""
    return _type("Data_" + "__".join(facts), tuple(facts), checked=True)(*facts.values())


def _own(function: Any) -> Any:
    """Compile a user's function, if given, and the plain functions that it calls."""
    function = getattr(function, "py_func", function)
    if not (COMPILING and isinstance(function, types.FunctionType)):
        return function
    scope = dict(function.__globals__)
    for name in function.__code__.co_names:
        value = scope.get(name)
        if isinstance(value, types.FunctionType) and value is not function and not known_to_numba(value):
            scope[name] = _own(value)
    copied = types.FunctionType(function.__code__, scope, function.__name__, None, function.__closure__)
    copied.__defaults__ = function.__defaults__
    return own_part(copied)


@functools.cache
def register(functions: Functions, words: int) -> type:
    """Return the type of worlds with these functions; `words` per state, 0 if states are numbers from 0 on."""
    told = "-".join(fingerprint(function) for function in functions) + f"-{words}"
    kind = _type(f"World_{digest(told)}", FORM)
    own = Functions(*map(_own, functions))
    (_register_numbers if words == 0 else _register_keys)(kind, own, words)
    if own.waiting is not None:
        _register_waiting(kind, own.waiting, words)
    if own.safe is not None:
        _register_safe(kind, own.safe, words)
    return kind


def _register_safe(kind: type, safe: Callable[..., bool], words: int) -> None:
    of_user = _conversions(words)[0] if words else None

    @is_safe.of(kind)
    def own_safe(world: Any, state: Int) -> bool:
        return bool(safe(world.data, state if of_user is None else of_user(key_of(world.numbering, state))))


def _register_waiting(kind: type, waiting: Moves, words: int) -> None:
    of_user = _conversions(words)[0] if words else None

    @after_waiting.of(kind)
    def own_waiting(world: Any, state: Int) -> Int:
        after: Int = np.int64(NO_STATE)
        for given, cost in waiting(world.data, state if of_user is None else of_user(key_of(world.numbering, state))):
            after = number_of(world, given, state, cost)
        return after


def _register_numbers(kind: type, own: Functions, words: int) -> None:
    ahead, estimate, test = own.successors, own.heuristic, own.is_goal
    back = ahead if own.predecessors is None else own.predecessors

    @successors.of(kind)
    def own_successors(world: Any, state: Int) -> Any:
        ask(world.watch, state)
        return ahead(world.data, state)

    @predecessors.of(kind)
    def own_predecessors(world: Any, state: Int) -> Any:
        ask(world.watch, state)
        return back(world.data, state)

    @number_of.of(kind)
    def own_number(world: Any, given: Any, state: Int, cost: int) -> Int:
        if not acceptable(world, state, cost):
            return NO_STATE
        number = np.int64(given)
        return number if 0 <= number < world.states else fault(world.watch, OUTSIDE, state, number)

    @heuristic.of(kind)
    def own_heuristic(world: Any, state: Int) -> Int:
        return checked_estimate(world.watch, state, estimate(world.data, state))

    @is_goal.of(kind)
    def own_is_goal(world: Any, state: Int) -> bool:
        return bool(test(world.data, state))


def _register_keys(kind: type, own: Functions, words: int) -> None:
    ahead, estimate, test, step = own.successors, own.heuristic, own.is_goal, own.step_heuristic
    back = ahead if own.predecessors is None else own.predecessors
    of_user, to_key = _conversions(words)

    if step is None:

        @inlined
        def after(world: Any, given: Any, state: Int) -> int:
            return estimate(world.data, given)

    else:

        @inlined
        def after(world: Any, given: Any, state: Int) -> int:
            before = of_user(key_of(world.numbering, state))
            return step(world.data, before, world.numbering.estimates[state], given)

    @successors.of(kind)
    def own_successors(world: Any, state: Int) -> Any:
        ask(world.watch, state)
        return ahead(world.data, of_user(key_of(world.numbering, state)))

    @predecessors.of(kind)
    def own_predecessors(world: Any, state: Int) -> Any:
        ask(world.watch, state)
        return back(world.data, of_user(key_of(world.numbering, state)))

    @number_of.of(kind)
    def own_number(world: Any, given: Any, state: Int, cost: int) -> Int:
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

    @heuristic.of(kind)
    def own_heuristic(world: Any, state: Int) -> int:
        return world.numbering.estimates[state]

    @is_goal.of(kind)
    def own_is_goal(world: Any, state: Int) -> bool:
        return bool(test(world.data, of_user(key_of(world.numbering, state))))

    @states_met.of(kind)
    def own_states_met(world: Any, states: int) -> int:
        return world.numbering.counts[MET]


@functools.cache
def _conversions(words: int) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return conversions between keys and the functions' states: the word itself, or identities but for word types."""
    state, given = ("key", [f"given[{i}]" for i in range(words)]) if words > 0 else ("key[0]", ["given"])
    parts = ", ".join(f"np.int64({word})" for word in given)
    scope: dict[str, Any] = {"np": np}
    exec(f"def to_key(given):\n    return ({parts},)\ndef of_user(key):\n    return {state}", scope)
    return inlined(scope["of_user"]), inlined(scope["to_key"])
