"""`timebound agents`: the catalogue, and everything about one agent."""

import json
from collections.abc import Sequence
from typing import Any

from ..agents.catalogue import Kind
from ..agents.parameters import COMMON
from ..agents.parts import ROLES
from ..agents.registry import catalogue, find_kind, unavailable
from . import arguments as shared
from .printing import aligned

EXAMPLES = """examples:
  timebound agents
  timebound agents tbaa
  timebound agents my_module:my_agent
  timebound agents --json"""

_COMMON = {name: parameter.default for name, parameter in COMMON.items()}


def add_arguments(parser: shared.Parser) -> None:
    shown = "show this one (default: list all)"
    parser.add_argument("agent", metavar="AGENT", nargs="?", type=shared.agent, help=shown)
    shared.add_json(parser, "an object, or a list of them, for programs")


def run(arguments: shared.Arguments) -> int:
    if arguments.agent is None:
        print(json.dumps([_record(kind) for kind in catalogue()]) if arguments.json else _list())
        return 0
    kind = find_kind(arguments.agent)
    print(json.dumps(_record(kind)) if arguments.json else _page(kind))
    return 0


def _list() -> str:
    rows = [(kind.name, ", ".join(kind.terrain), kind.about) for kind in catalogue()]
    missing = [f"not available: {reason}" for reason in unavailable().values()]
    return "\n".join([aligned([("agent", "terrain", ""), *rows], words=3), *([""] if missing else []), *missing])


def _page(kind: Kind) -> str:
    needs = {"a grid": kind.needs_grid, "moves that can be undone": kind.needs_reversible_moves}
    parts = zip(ROLES, kind.own_parts, strict=True) if kind.own_parts else ()  # one made by a function hides its parts
    sections: dict[str, Sequence[str]] = {
        "agent": (kind.name, kind.about),
        "paper": (kind.paper,),
        "terrain": (", ".join(kind.terrain),),
        "needs": (", ".join(need for need, needed in needs.items() if needed) or "nothing special",),
        "learns": (kind.learning or "nothing",),
        "guarantees": kind.guarantees,
        "parts": [f"{role}: {part.name} ({part.about})" for role, part in parts],
        "its parameters": [f"{name} = {value}" for name, value in kind.parameters.items()] or ["none"],
        "of all agents": [f"{name} = {value}" for name, value in _COMMON.items()],
    }
    return "\n".join(
        f"{'' if number else title:<16}{line}".rstrip()
        for title, lines in sections.items()
        for number, line in enumerate(lines)
    )


def _record(kind: Kind) -> dict[str, Any]:
    names = ("name", "about", "paper", "terrain", "needs_grid", "needs_reversible_moves", "learning")
    return {
        **{name: getattr(kind, name) for name in names},
        "parts": {role: kind.part(role) for role in ROLES},
        "guarantees": list(kind.guarantees),
        "parameters": {**_COMMON, **kind.parameters},
    }
