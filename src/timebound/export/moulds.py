"""Moulds: what an agent is made of, for a program that makes agents without Python.

What an agent is made of is a tuple of tuples, arrays and numbers (`making.ingredients`). Its type is the same for all
agents of a kind. Here Python makes many, on several grids and with all kinds of parameters, and every number and array
in them is found among what is known of the grid, the ends and the parameters. So there is one place that says how an
agent is made: its parts. A kind for which this does not explain every agent that was made cannot be exported.
"""

import contextlib
import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from ..agents.catalogue import KINDS, Kind, check_terrain, mix
from ..agents.making import ingredients, learned_world, take_memory
from ..agents.parameters import COMMON, Parameter, Rule
from ..agents.parts import Setting, object_to
from ..compiled import kind_of, reading
from ..compiled.clock import NEVER
from ..core.errors import ProblemError
from ..core.memory import Pool, Used, untouched
from ..knowledge.grid import LOG, GridKnowledge
from ..knowledge.terrain import believed_world, lay_out
from ..search.orders import Order, bucket_shift, open_memory, order_of
from ..search.types import NODE
from ..worlds import Grid

TERRAINS = ("known", "unknown")
ENOUGH = 300  # agents to look at
MOST_COMBINATIONS = 10_000  # of classes of parameters

# What is known of a grid and an agent, by which the numbers of its ingredients are described. C has the same list.
SYMBOLS = (
    *("states", "width", "height", "inverse", "inverse_bits", "flat_far", "flat_near", "steep_far", "steep_near"),
    *("travel_bits", "neighbors", "highest_step", "longest", "start", "goal", "goal_x", "goal_y"),
    *("memory_limit", "mark", "next_mark"),
    *("g_weight", "h_weight", "shift", "cost_shift"),
    *("mode", "room", "kinds", "queued"),  # of a fleet: how units collide, and for how many there is room
)
# Arrays that all agents on a grid, or all units of a fleet, share.
ARRAYS = (
    *("moves", "offsets", "prices", "travel", "passable", "free_moves", "free_passable", "needs", "sensor"),
    *("rows", "cells", "heads", "occupied_now", "occupied_next"),
)
SCALES = ("states", "room", "queued", "kinds")  # numbers of elements
NONE, ONE, ZERO, ENDLESS, NUMBER = "none", "one", "zero", "endless", "number"  # classes of values, besides words


class Case(NamedTuple):
    """A class of values of a parameter: agents differ in kind only from class to class."""

    name: str
    samples: tuple[Any, ...]


def cases_of(parameter: Parameter) -> tuple[Case, ...]:
    """Return the classes of a parameter's values."""
    rule = parameter.rule
    if not isinstance(rule, Rule) or rule.kind == "any":
        return (Case("default", (parameter.default,)),)
    found = [Case(NONE, (None,))] if rule.optional else []
    if rule.kind == "flag":
        return (*found, Case("false", (False,)), Case("true", (True,)))
    if rule.kind == "word":
        return (*found, *(Case(word, (word,)) for word in rule.words))
    numbers = (2, 3, 7, 29) if rule.kind == "whole" else (0.3, 0.7, 0.29, 1.5, 2.6, 7.25)
    found += [Case(name, (value,)) for name, value in ((ZERO, 0), (ONE, 1)) if rule.holds(value)]
    if rule.endless:
        found.append(Case(ENDLESS, (math.inf,)))
    return (*found, Case(NUMBER, tuple(each for each in numbers if rule.holds(each))))


def case_of(parameter: Parameter, value: Any) -> int:
    """Return the number of a value's class."""
    name = (
        NONE
        if value is None
        else str(value).lower()
        if isinstance(value, (bool, str))
        else {0: ZERO, 1: ONE, math.inf: ENDLESS}.get(value, NUMBER)
    )
    names = [case.name for case in cases_of(parameter)]
    return names.index(name if name in names else NUMBER) if names != ["default"] else 0


# ------------------------------------------------------------------ making agents to look at


class MarkedPool(Pool):
    """Memory whose earlier searches went up to some number."""

    def __init__(self, mark: int):
        super().__init__()
        self.mark = mark

    def take(self, name: str, count: int, dtype: Any) -> Used:
        """Return an array with that mark, if it is one of nodes."""
        return Used(super().take(name, count, dtype).array, self.mark if name in ("nodes", "vertices") else 0)


class Probe(NamedTuple):
    """An agent to look at: what it is made of, and what is known of it."""

    ingredients: tuple[Any, ...]
    parameters: Mapping[str, Any]
    symbols: Mapping[str, int]
    arrays: Mapping[str, np.ndarray]
    kept: Mapping[int, str]
    """The names of its arrays that it keeps when its goal moves, by their addresses."""


def probe(kind: Kind, terrain: str, given: Mapping[str, Any], world: Grid, ends: tuple[int, int], mark: int) -> Probe:
    """Make what an agent is made of, as `Agent` does."""
    chosen = mix(kind, given)
    check_terrain(terrain, chosen.parameters)
    world.pool = MarkedPool(mark)
    setting = Setting(kind.name, chosen.parts, world, chosen.parameters, *ends, 0, terrain)
    object_to(setting)
    knowledge = _knowledge(world, terrain, ends, chosen.parameters)
    setting.memory = take_memory(chosen.parts, world)
    setting.believed = learned_world(
        chosen.learning, believed_world(world, terrain, knowledge, ends[1]), setting.memory
    )
    steepness = chosen.parts["learning"].steepness(setting) if chosen.learning else 0
    most = chosen.parameters["memory_mb"]
    limit = NEVER if most is None else int(most * 2**20)
    made = ingredients(setting, knowledge, world.longest, steepness, limit)
    symbols = {**symbols_of(world, *ends), "memory_limit": limit, "mark": mark, "next_mark": mark + 1}
    if "weight" in chosen.parameters:
        order = order_of(world, chosen.parameters["weight"])
        symbols |= {"g_weight": order.g_weight, "h_weight": order.h_weight, "shift": order.shift}
    kept = {name: used.array for name, used in setting.memory.items()}
    kept |= {"seen": knowledge.seen, "patch": knowledge.patch}
    if setting.open_list is not None:
        entries = setting.open_list
        kept |= {str(i): each for i, each in enumerate([entries] if isinstance(entries, np.ndarray) else entries)}
    return Probe(made, chosen.parameters, symbols, arrays_of(world), addresses(kept))


def addresses(arrays: Mapping[str, np.ndarray]) -> dict[int, str]:
    """Return the names of arrays by their addresses."""
    return {array.ctypes.data: name for name, array in arrays.items()}


def _knowledge(world: Grid, terrain: str, ends: tuple[int, int], parameters: Mapping[str, Any]) -> GridKnowledge:
    found = lay_out(world, terrain, *ends, 0, parameters)[1]
    assert isinstance(found, GridKnowledge)
    return found


def symbols_of(world: Grid, start: int, goal: int) -> dict[str, int]:
    """Return what is known of a grid and the ends."""
    form = world.compiled(goal)
    return {
        **{"states": world.states, "width": world.width, "height": world.height, "longest": world.longest},
        **{"inverse": form.inverse, "inverse_bits": form.inverse_bits, "travel_bits": form.travel_bits},
        **{"flat_far": form.flat[0], "flat_near": form.flat[1]},
        **{"steep_far": form.steep[0], "steep_near": form.steep[1], "highest_step": world.costs_of_cells[2]},
        **{"start": start, "goal": goal, "goal_x": int(form.goal_x), "goal_y": int(form.goal_y)},
        **{"cost_shift": bucket_shift(world, 1), "neighbors": world.neighbors},
    }


def arrays_of(world: Grid) -> dict[str, np.ndarray]:
    """Return the arrays that agents on a grid share."""
    form, free, cells = world.compiled(0), world.without_obstacles, _knowledge(world, "known", (0, 0), _PLAIN)
    return {
        **{"moves": form.moves, "offsets": form.offsets, "prices": form.prices, "travel": form.travel},
        **{"passable": world.passable, "free_moves": free.moves, "free_passable": free.passable},
        **{"needs": cells.needs, "sensor": cells.sensor},
    }


_PLAIN = {name: parameter.default for name, parameter in COMMON.items()}


def worlds_to_try() -> list[Grid]:
    """Return some grids that differ in what can differ."""
    free, rules = np.ones((9, 13), bool), ({"neighbors": 8}, {"neighbors": 8, "diagonal": 1.4}, {"neighbors": 4})
    free[2:5, 3] = False
    plain = [Grid(free[: 9 - i, i:], **rule) for i, rule in enumerate(rules)]  # type: ignore[arg-type]
    costs = 1 + np.arange(7.0 * 11).reshape(7, 11) % 5
    return [*plain, Grid(np.ones((7, 11), bool), travel=costs), Grid(np.ones((40, 300), bool))]


def ends_in(world: Grid, chance: random.Random) -> tuple[int, int]:
    """Return two cells."""
    return chance.randrange(world.states), chance.randrange(world.states)


# ------------------------------------------------------------------ what is in them


def mutable_arrays(kind: types.Type) -> types.Type:
    """Return a type in which all arrays can be written: known and unknown terrain differ in nothing else."""
    if isinstance(kind, types.Array):
        return types.Array(kind.dtype, kind.ndim, kind.layout)
    if isinstance(kind, types.StructRef):
        return type(kind)([(name, mutable_arrays(member)) for name, member in kind._fields])
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types(
            [mutable_arrays(each) for each in kind], getattr(kind, "instance_class", None)
        )
    return kind


def leaves(kind: types.Type, value: Any, structs: list[Any]) -> Iterator[tuple[types.Type, Any]]:
    """Yield the numbers and arrays in a value, with their types, in the order in which C gives them.

    A struct that occurs again is the one that was met before; all that are met are added to `structs`.
    """
    if isinstance(kind, types.BaseTuple):
        for member, each in zip(kind, value, strict=True):
            yield from leaves(member, each, structs)
    elif isinstance(kind, types.StructRef):
        structs.append(value)
        if structs.index(value) == len(structs) - 1:
            for name, member in kind._fields:
                yield from leaves(member, reading(name)(value), structs)
    else:
        yield kind, value


class Number(NamedTuple):
    """A number: a constant, a symbol, or what depends on the class of a parameter."""

    constant: int = 0
    symbol: str = ""
    parameters: tuple[str, ...] = ()
    """One, or two."""
    by_case: tuple[tuple[str, int], ...] = ()
    """For each class, or each pair of them: `constant` and the number, or what of the first's value it is."""


class Cells(NamedTuple):
    """An array: a `shared` one, or the agent's own, whose length may be a multiple of the number of states, say."""

    shared: str = ""
    number: int = -1
    """The number of the agent's own array; those with the same number are one."""
    size: int = 0
    """The bytes of an element."""
    length: int = 0
    scale: str = ""
    parameter: str = ""
    """The parameter that gives the number of elements, if one does."""
    content: bytes = b""
    """If it is not all zeros."""
    kept: bool = False
    """Whether the agent keeps it when its goal moves."""


EMPTY = Cells()
Leaf = Number | Cells


def of_value(what: str, value: Any) -> int | None:
    """Return a part of the value of a parameter, as an exact decimal fraction; None if it is no finite number."""
    if value is None or isinstance(value, (bool, str)) or value == math.inf:
        return None
    above, below = Fraction(repr(value)).as_integer_ratio()
    return {"value": above // below, "above": above, "below": below}[what]


VALUES = ("value", "above", "below")


Look = Callable[[Kind, str, Mapping[str, Any], Grid, tuple[int, int], int], Probe]


@dataclass
class Mould:
    """What agents of a kind are made of, in one terrain."""

    look: Look
    kind: Kind
    terrain: str
    type: types.Type
    parameters: dict[str, Parameter]
    leaves: list[Leaf] = field(default_factory=list)
    same: tuple[int, ...] = ()
    """For every struct in them, which of them it is: one may occur more than once."""
    nodes: int = -1
    """The number of the array of nodes, if there is one."""
    has_scratch: bool = False
    """Whether arrays may have any content at first."""
    refusals: list[str] = field(default_factory=list)
    verdicts: list[int] = field(default_factory=list)
    """For every combination of classes, the last parameter's changing fastest: 0, or the number of the refusal."""

    known: dict[Any, bool] = field(default_factory=dict)

    def fits(self, probe: "Probe") -> bool:
        """Is an agent of this type? What Numba says of a type takes long, so that is asked once for equal kinds."""
        kind = kind_of(probe.ingredients)
        if kind not in self.known:
            self.known[kind] = mutable_arrays(typeof(probe.ingredients)) == self.type
        return self.known[kind]

    @property
    def own(self) -> list[str]:
        """The names of the parameters that only some kinds have."""
        return [name for name in self.parameters if name not in OF_ALL]


OF_ALL = ("line_of_sight", "memory_mb")  # what all kinds have, besides their terrain


def mould_of(kind: Kind, terrain: str, look: Look = probe) -> Mould:
    """Find out what agents of a kind are made of; a ProblemError says that it cannot be described."""
    own = {name: given for part in kind.own_parts for name, given in part.parameters.items()}
    own = {name: Parameter(kind.defaults.get(name, given.default), given.rule) for name, given in own.items()}
    parameters = {**own, **{name: COMMON[name] for name in OF_ALL}}
    worlds = worlds_to_try()
    first = look(kind, terrain, {}, worlds[0], (0, 0), 0)
    made = Mould(look, kind, terrain, mutable_arrays(typeof(first.ingredients)), parameters)
    chance = random.Random(kind.name)
    probes = [look(kind, terrain, {}, each, ends_in(each, chance), mark) for mark, each in enumerate(3 * worlds)]
    probes += _judge_all(made, worlds, chance)
    made.leaves = described_leaves(made, probes)
    return made


def _judge_all(made: Mould, worlds: Sequence[Grid], chance: random.Random) -> list[Probe]:
    """Fill in the verdicts; return some of the agents that were made."""
    names, found = made.own, []
    of_all = [name for name in OF_ALL if name == "memory_mb" or made.terrain != "known"]
    if math.prod(len(cases_of(made.parameters[name])) for name in names) > MOST_COMBINATIONS:
        raise ProblemError(f"agent {made.kind.name!r} cannot be exported: it has too many parameters")
    combinations = list(itertools.product(*(cases_of(made.parameters[name]) for name in names)))
    for combination in combinations:
        given = {name: chance.choice(case.samples) for name, case in zip(names, combination, strict=True)}
        given = {name: value for name, value in given.items() if value != made.parameters[name].default}
        more = {name: chance.choice(chance.choice(cases_of(COMMON[name])).samples) for name in of_all}
        world, mark = worlds[len(made.verdicts) % len(worlds)], 4 * chance.randrange(9)
        refusal = ""
        try:
            each = made.look(made.kind, made.terrain, given | more, world, ends_in(world, chance), mark)
            if made.fits(each):
                if chance.random() * len(combinations) < ENOUGH:
                    found.append(each)
            else:
                other = _changing_the_type(made, given, world)
                what = (f"{n}={str(v).lower()}" if isinstance(v, (bool, str)) else f"such a {n}" for n, v in other)
                refusal = f"agent {made.kind.name!r} was exported without {' or '.join(what)}"
        except ProblemError as error:
            refusal = str(error)
        if refusal and refusal not in made.refusals:
            made.refusals.append(refusal)
        made.verdicts.append(made.refusals.index(refusal) + 1 if refusal else 0)
    return found


def _changing_the_type(made: Mould, given: Mapping[str, Any], world: Grid) -> list[tuple[str, Any]]:
    """Return which of these parameters alone would give an agent of another type; all, if none does."""
    found = []
    for name, value in given.items():
        with contextlib.suppress(ProblemError):
            each = made.look(made.kind, made.terrain, {name: value}, world, (0, 0), 0)
            if not made.fits(each):
                found.append((name, value))
    return found or list(given.items())


def described_leaves(made: Mould, probes: Sequence[Probe]) -> list[Leaf]:
    """Return what explains every number and array in all of these; and note which structs and nodes are in them."""
    structs: list[Any] = []
    rows = [list(leaves(made.type, probes[0].ingredients, structs))]
    made.same = tuple(map(structs.index, structs))
    rows += [list(leaves(made.type, each.ingredients, [])) for each in probes[1:]]
    owners: dict[Any, int] = {}
    found: list[Leaf] = []
    for place, kind in enumerate(kind for kind, _ in rows[0]):
        values = [row[place][1] for row in rows]
        if isinstance(kind, types.Array):
            found.append(_cells(values, made, probes, owners))
        elif isinstance(kind, (types.Integer, types.Boolean)) or (isinstance(kind, types.Float) and not any(values)):
            number = _number([int(value) for value in values], made, probes)
            if number is None:
                raise ProblemError(f"agent {made.kind.name!r} cannot be exported: a number in it is not explained")
            found.append(number)
        else:
            raise ProblemError(f"agent {made.kind.name!r} cannot be exported: it needs a {kind}")
    return found


def _number(values: list[int], made: Mould, probes: Sequence[Probe]) -> Number | None:
    if len({*values}) == 1:
        return Number(values[0])
    for name in SYMBOLS:
        if all(each.symbols.get(name, ~value) == value for value, each in zip(values, probes, strict=True)):
            return Number(symbol=name)
    for names in (*itertools.combinations(made.parameters, 1), *itertools.combinations(made.parameters, 2)):
        by_case = _by_case(values, names, made, probes)
        if by_case:
            return Number(parameters=names, by_case=tuple(by_case))
    return None


def _by_case(
    values: list[int], names: tuple[str, ...], made: Mould, probes: Sequence[Probe]
) -> list[tuple[str, int]] | None:
    """Return how a number follows from the classes of some parameters, if it does."""
    found: dict[tuple[int, ...], list[tuple[int, Any]]] = {}
    for value, each in zip(values, probes, strict=True):
        classes = tuple(case_of(made.parameters[name], each.parameters[name]) for name in names)
        found.setdefault(classes, []).append((value, each.parameters[names[0]]))
    told = []
    for classes in itertools.product(*(range(len(cases_of(made.parameters[name]))) for name in names)):
        there = found.get(classes, [])
        ways = [what for what in VALUES if all(of_value(what, given) == value for value, given in there)]
        if len({value for value, _ in there}) <= 1:
            told.append(("constant", there[0][0] if there else 0))
        elif ways:
            told.append((ways[0], 0))
        else:
            return None
    return told


def _cells(values: list[np.ndarray], made: Mould, probes: Sequence[Probe], owners: dict[Any, int]) -> Cells:
    if not any(map(len, values)) or all(len(array) == LOG for array in values):  # the log is for the pool
        return EMPTY
    for name in ARRAYS:
        there = all(name in each.arrays for each in probes)
        if there and all(_same(name, array, each.arrays[name]) for array, each in zip(values, probes, strict=True)):
            return Cells(name)
    number = owners.setdefault(tuple(array.ctypes.data for array in values), len(owners))
    name = probes[0].kept.get(values[0].ctypes.data, "")
    if name == "nodes":
        made.nodes = number
    size, counts, kept = values[0].itemsize, [len(array) for array in values], name != ""
    for scale in SCALES if len({*counts}) > 1 else ():
        unit = [each.symbols.get(scale, 0) for each in probes]
        if all(unit) and counts == [number * (counts[0] // unit[0]) for number in unit]:
            return Cells("", number, size, counts[0] // unit[0], scale, kept=kept)
    for parameter in made.parameters:
        if len({*counts}) > 1 and counts == [each.parameters[parameter] for each in probes]:
            return Cells("", number, size, parameter=parameter)
    if len({*counts}) > 1:
        raise ProblemError(f"agent {made.kind.name!r} cannot be exported: the length of an array is not explained")
    count, contents = counts[0], {array.tobytes() for array in values}
    if kept or (made.has_scratch and len(contents) > 1):  # nothing reads what is not written: an open list
        return Cells("", number, size, count, kept=kept)
    if len(contents) > 1:
        raise ProblemError(f"agent {made.kind.name!r} cannot be exported: the content of an array is not explained")
    content = contents.pop()
    return Cells("", number, size, count, content=content if content.strip(b"\0") else b"")


def _same(name: str, array: np.ndarray, other: np.ndarray) -> bool:
    """Are they one array, or two with the same moves?"""
    if array.size != other.size or array.size == 0:
        return array.size == other.size
    of_moves = name in ("offsets", "prices", "needs", "sensor") and array.dtype == other.dtype
    return array.ctypes.data == other.ctypes.data or (of_moves and np.array_equal(array, other))


def mould_of_paths() -> Mould:
    """Find out what a search for a cheapest path is made of."""
    probes = []
    chance = random.Random(0)
    for world in 3 * worlds_to_try():
        start, goal = ends_in(world, chance)
        world.pool = MarkedPool(0)
        order, memory = Order.of(world), open_memory()
        made = world.compiled(goal), untouched(world.states, NODE), memory, order
        symbols = symbols_of(world, start, goal) | dict(zip(("g_weight", "h_weight"), order, strict=False))
        kept = addresses({str(i): array for i, array in enumerate(memory)})
        probes.append(Probe(made, {}, symbols | {"shift": order.shift}, arrays_of(world), kept))
    mould = Mould(probe, KINDS["astar"], "known", mutable_arrays(typeof(probes[0].ingredients)), {})
    mould.leaves = described_leaves(mould, probes)
    return mould


def moulds(kind: Kind) -> list[Mould]:
    """Return the moulds of a kind, in every terrain that it supports."""
    return [mould_of(kind, terrain) for terrain in TERRAINS if terrain in kind.terrain]
