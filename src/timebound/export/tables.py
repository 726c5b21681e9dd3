"""What C must know of grids and agents, written as C."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agents.parameters import Parameter, Rule
from ..fleet.units import UNIT
from ..worlds import Grid
from ..worlds.grid import STEPS, needs_of
from .moulds import ARRAYS, ENDLESS, NONE, NUMBER, ONE, SYMBOLS, ZERO, Cells, Mould, Number, cases_of
from .units import SYMBOL

_HEAD = '#include "tables.h"\n'
_AGENT = "int64_t *, void **, void *"
# The doors of agents, in the order of `tb_kind`, as C declares them.
DOORS = {
    "made": "void **, void **, void *, int64_t",
    "turn": f"{_AGENT}, int64_t, int64_t, int64_t, int8_t",
    "left": f"{_AGENT}, int64_t",
    "put": f"{_AGENT}, int64_t, int64_t",
    "changed": f"{_AGENT}, int64_t, int64_t, int8_t, int64_t",
    "told": f"{_AGENT}, int64_t, int64_t, int8_t, int64_t",
    "mark": _AGENT,
    "path": f"{_AGENT}, int64_t, int64_t",
    "trail": f"{_AGENT}, int64_t, int64_t",
    "record": "void **, void **, void *, int64_t",
    "aimed": f"{_AGENT}, int64_t, void *, int64_t",
    "sent": "void **, void **, void *, void *, int64_t, int64_t",
}
UNITS = {
    "made": "void **, void **, void *, int64_t",
    "sensed": f"{_AGENT}, void *, int64_t, int64_t, int64_t, int64_t",
    "served": f"{_AGENT}, void *, {'int64_t, ' * 7}int8_t",
    "mark": _AGENT,
    "outdated": "void **, void **, void *",
}
FLEETS = {
    "tb_data_made": "void **, void **, void *, int64_t",
    "tb_data_requeued": "void **, void **, void *, void *",
    "tb_data_moved": f"{_AGENT}, int64_t, int64_t, int64_t",
    "tb_data_queued": "void **, void **, void *, int64_t, int64_t, int64_t",
    "tb_data_waiting": _AGENT,
    "tb_data_forgot": "void **, void **, void *, int64_t, int64_t",
    "tb_data_withdrew": "void **, void **, void *, int64_t, int64_t",
    "tb_data_dug": "void **, void **, void *, void *, int64_t, int64_t, int64_t, int64_t",
    "tb_data_waits": f"{_AGENT}, int64_t, int64_t, int64_t",
}
PATHS = {
    "tb_search_made": "void **, void **, void *, int64_t, int64_t",
    "tb_search_run": f"{_AGENT}, int64_t, int64_t",
    "tb_search_path": f"{_AGENT}, int64_t, int64_t",
}
_RULES = {"flag": "A_FLAG", "whole": "A_WHOLE", "number": "A_NUMBER", "word": "A_WORD"}


def text_of(value: Any) -> str:
    """Return a text as C writes it, or NULL."""
    return "NULL" if value is None else json.dumps(str(value), ensure_ascii=True)


def listed(values: Iterable[Any]) -> str:
    """Return the contents of an array."""
    return "{" + ", ".join(map(str, values)) + "}"


def lined(rows: Iterable[str]) -> str:
    """Return the contents of an array, a row a line."""
    return "{\n" + ",\n".join(rows) + "\n}"


def word_of(number: int) -> str:
    """Return a whole number as C writes it."""
    return "INT64_MIN" if number == -(2**63) else f"{number}LL" if abs(number) >= 2**31 else str(number)


class Part(NamedTuple):
    """A mould, and the keys of the functions that C calls for what is made by it."""

    mould: Mould
    doors: Mapping[str, str]


def tables(agents: Sequence[Part], units: Sequence[Part], paths: Part, fleet: Part) -> str:
    """Return the tables of agents, of units of fleets, of searches, and of fleets."""
    told, moulds, of_units = [_HEAD, *_grids()], {}, {}
    kinds = {part.mould.kind.name: part for part in agents}
    calls = {(key, DOORS[door]) for part in agents for door, key in part.doors.items()}
    calls |= {(key, UNITS[door]) for part in units for door, key in part.doors.items()}
    for part, doors in ((paths, PATHS), (fleet, FLEETS)):
        calls |= {(part.doors[door], arguments) for door, arguments in doors.items()}
    told += [f"extern int32_t {SYMBOL}{key}({arguments});" for key, arguments in sorted(calls)]
    for number, part in enumerate(agents):
        told += _mould(f"mould{number}", part.mould)
        moulds[part.mould.kind.name, part.mould.terrain] = f"&mould{number}"
    for number, part in enumerate(units):
        told += _mould(f"planner{number}", part.mould)
        keys = [f"{SYMBOL}{part.doors[door]}" if door in part.doors else "NULL" for door in UNITS]
        told.append(f"static const tb_units units{number} = {listed([f'&planner{number}', *keys])};")
        of_units[part.mould.kind.name, part.mould.terrain] = f"&units{number}"
    rows = []
    for number, (name, part) in enumerate(kinds.items()):
        told += _parameters(f"parameters{number}", part.mould.parameters)
        terrains = [(name, terrain) for terrain in ("known", "unknown")]
        found = [*(moulds.get(each, "NULL") for each in terrains), *(of_units.get(each, "NULL") for each in terrains)]
        counts = [
            len(part.mould.parameters),
            len(part.mould.own),
            int(part.mould.kind.by_role["lookahead"].keeps_search),
        ]
        keys = [f"{SYMBOL}{part.doors[door]}" for door in DOORS]
        rows.append(listed([text_of(name), f"parameters{number}", *counts, *found, *keys]))
    told += [f"const tb_kind tb_kinds[] = {lined(rows)};", f"const int tb_kind_count = {len(rows)};"]
    told += _mould("tb_paths", paths.mould, static="") + _mould("tb_fleets", fleet.mould, static="")
    for part, doors in ((paths, PATHS), (fleet, FLEETS)):
        told += [_called(door, arguments, part.doors[door]) for door, arguments in doors.items()]
    return "\n".join(told) + "\n"


def _called(door: str, arguments: str, key: str) -> str:
    names = "abcdefghijk"[: arguments.count(",") + 1]
    typed = ", ".join(f"{kind} {name}" for kind, name in zip(arguments.split(", "), names, strict=True))
    return f"int32_t {door}({typed}) {{ return {SYMBOL}{key}({', '.join(names)}); }}"


def row_of_unit() -> str:
    """Return the rows of units as a struct of C: see `fleet.units`."""
    kinds = {"int64": "int64_t", "int32": "int32_t", "int16": "int16_t", "int8": "int8_t", "bool": "uint8_t"}
    fields = [f"    {kinds[str(UNIT[name])]} {name};" for name in UNIT.names or ()]
    check = f'_Static_assert(sizeof(tb_row) == {UNIT.itemsize}, "rows are as in Python");'
    return "\n".join(["typedef struct {", *fields, "} tb_row;", check, ""])


def _grids() -> list[str]:
    """Return the numbers of grids."""
    rows: list[str] = []
    ways: Any = (("NULL", {"neighbors": 4}), ("NULL", {}), ('"1.4"', {"diagonal": 1.4}))
    for text, rules in ways:
        grid = Grid(np.ones((1, 1), bool), **rules)
        form = grid.compiled(0)
        prices = listed(map(word_of, form.prices.tolist()))
        estimate = [listed(map(word_of, pair)) for pair in (form.flat, form.steep)]
        rows.append(listed([grid.neighbors, text, repr(grid.diagonal), grid.unit, *estimate, prices]))
    needs = [listed(needs_of(8, corners).tolist()) for corners in ("strict", "cut")]
    return [
        f"const tb_rules tb_all_rules[] = {lined(rows)};",
        f"const int tb_rules_count = {len(rows)};",
        f"const int64_t tb_steps[16] = {listed(STEPS[:8].ravel().tolist())};",
        f"const int64_t tb_needs[2][48] = {lined(needs)};",
    ]


def _mould(name: str, mould: Mould, static: str = "static ") -> list[str]:
    parameters = list(mould.parameters)
    cases: list[str] = []
    own = {each.number: each for each in mould.leaves if isinstance(each, Cells) and each.number >= 0}
    told, cells, leaves = [], [], []
    for number, each in sorted(own.items()):
        content = "NULL"
        if each.content:
            content = f"{name}_content{number}"
            told.append(f"static const unsigned char {content}[] = {listed(each.content)};")
        by = parameters.index(each.parameter) if each.parameter else -1
        scale = SYMBOLS.index(each.scale) if each.scale else -1
        cells.append(listed([each.size, scale, int(each.kept), each.length, by, content]))
    for leaf in mould.leaves:
        if isinstance(leaf, Cells):
            what = ("SHARED", ARRAYS.index(leaf.shared)) if leaf.shared else ("OWN", leaf.number)
            leaves.append(listed([*(what if leaf.shared or leaf.number >= 0 else ("NOTHING", 0)), -1, 0]))
        else:
            leaves.append(listed(_leaf(leaf, parameters, cases)))
    return [
        *told,
        f"static const tb_leaf {name}_leaves[] = {lined(leaves)};",
        f"static const tb_case {name}_cases[] = {listed(cases or ['{0, 0}'])};",
        f"static const tb_cells {name}_cells[] = {lined(cells)};",
        f"static const unsigned char {name}_verdicts[] = {listed(mould.verdicts or [0])};",
        f"static const char *const {name}_refusals[] = {listed([*map(text_of, mould.refusals), 'NULL'])};",
        f"{static}const tb_mould {name} = {{{name}_leaves, {name}_cases, {name}_cells, {name}_verdicts,"
        f" {name}_refusals, {len(leaves)}, {len(cells)}, {mould.nodes}}};",
    ]


def _leaf(leaf: Number, parameters: list[str], cases: list[str]) -> list[Any]:
    if leaf.symbol:
        return ["OF_SYMBOL", SYMBOLS.index(leaf.symbol), -1, 0]
    if not leaf.parameters:
        return ["CONSTANT", 0, -1, word_of(leaf.constant)]
    first = len(cases)
    ways = {"constant": "FIXED_NUMBER", "value": "VALUE", "above": "ABOVE", "below": "BELOW"}
    cases += [listed([ways[what], word_of(number)]) for what, number in leaf.by_case]
    which = [parameters.index(name) for name in leaf.parameters]
    return ["BY_CASE", *(which if len(which) == 2 else [*which, -1]), first]


def _parameters(name: str, parameters: Mapping[str, Parameter]) -> list[str]:
    told, rows = [], []
    for number, (called, parameter) in enumerate(parameters.items()):
        rule, cases = parameter.rule, [case.name for case in cases_of(parameter)]
        if not isinstance(rule, Rule):
            rule = Rule("any")
        words = "NULL"
        if rule.words:
            words = f"{name}_words{number}"
            told.append(f"static const char *const {words}[] = {listed(map(text_of, rule.words))};")
        text = rule.text.format(called) + (f" is {' or '.join(rule.words)}" if rule.kind == "word" else "")
        text += " (or inf)" * rule.endless
        classes = [cases.index(each) if each in cases else -1 for each in (NONE, ZERO, ONE, ENDLESS, NUMBER)]
        first = next((cases.index(each) for each in ("false", *rule.words) if each in cases), 0)
        default = parameter.default
        default = str(default).lower() if isinstance(default, (bool, float)) else default
        limits = [repr(float(rule.least)), "INFINITY" if rule.most == float("inf") else repr(float(rule.most))]
        kind = _RULES.get(rule.kind, "A_FIXED")
        rows.append(
            listed(
                [
                    *(text_of(called), text_of(text), text_of(default), kind, int(rule.endless), int(rule.optional)),
                    *(len(rule.words), len(cases), *limits, text_of(rule.ends), words, listed(classes), first),
                ]
            )
        )
    return [*told, f"static const tb_parameter {name}[] = {lined(rows)};"]
