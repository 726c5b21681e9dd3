"""Write the generated parts of docs/algorithms: parameters, guarantees, code, figures.

    python tools/algorithm_pages.py

A page has marks such as `<!-- parameters: rtaa da-rtaa -->`; the text from there to `<!-- end -->` is replaced. So the
tables come from the catalogue, the code from `src`, and the figures from the last run of
`python -m bench --only algorithms`. tests/documents/test_algorithm_pages.py fails if a page is out of date.
"""

import ast
import json
import math
import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from timebound.agents.catalogue import EVERYWHERE, KINDS
from timebound.agents.parts import ROLES

ROOT = Path(__file__).parents[1]
PAGES, SOURCES = ROOT / "docs" / "algorithms", ROOT / "src" / "timebound"
MARK = re.compile(r"^<!-- (\w+): (.*?) -->\n.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)

MEANINGS = {
    "candidates": "how many records, or regions, are considered",
    "cap": "the number of steps after which a climb gives up",
    "cases": "a `CaseBase`, or its file; without one, it builds a small base",
    "cost_limit": "how far it looks ahead as a cost, instead of a depth",
    "coverage": "of the base that it builds: `even` or `random`",
    "depth": "how many moves it looks ahead",
    "direction": "`backward`: search from the goal to the agent",
    "dynamic_depth": "look ahead to a depth chosen for the region, instead of one move",
    "escape": "leave a circle of subgoals by LRTA\\* toward the goal; without it the agent is stuck there",
    "gamma": "the weight of costs relative to h on the abstract map; smaller is greedier",
    "goal_first": "climb to the goal itself if possible",
    "interrupt": "ask the base again when the quota is used up",
    "k": "how many open states the belief of a move is made of",
    "kd_tree": "use a kd-tree instead of examining all records",
    "larger_g": "between states with equal f, prefer the larger g",
    "learning": "the learning rule",
    "level": "the level of abstraction; `None`: the lowest whose table fits into a gigabyte",
    "lookahead": "expansions per search; `None`: as many as the interval allows",
    "most_steps_back": "with `restarts`: also start a new search where the path is more steps back",
    "movements": "moves along a path before the next search; `None`: all of them, or one under a clock",
    "order": "the order of expansion: `weighted` or `greedy`",
    "queue": "how many states may wait for their update, and the most updates per move",
    "quota": "how far it goes before it asks again, in distances to the goal",
    "records": "the size of the base that it builds",
    "reopen": "may a search expand a state again? `None`: if learning needs it",
    "replan": "search again if: `spoiled`, a cost on the path has risen; `cheaper`, also if a move became cheaper",
    "restarts": "start a new search where the agent cannot step back",
    "reuse": "end a search on reaching an earlier path",
    "shortcut": "once a path to the goal is known, look for a shortcut to it instead of stepping back",
    "shortcuts": "at every subgoal, head for a later one if a climb leads there",
    "skip_end": "skip the end of a record if possible",
    "skip_start": "skip the start of a record if possible",
    "steady": "switch only to a path whose end is at least as far from the root as the agent",
    "target": "the open state to go to: `best`, `unraised` or `least-raised`",
    "ties": "how ties are broken: `fixed`, or `random` by the `seed`",
    "trace_cost": "c of the TBA\\* paper: trace steps that cost as much as an expansion; `None`: 10",
    "trace_ratio": "r of the TBA\\* paper: the share of the budget for expansions; `None`: traces are not limited",
    "update_weight": "the weight of move costs in Dijkstra's rule",
    "weight": "the weight of the heuristic, 1 or more",
}
COMMON = (  # index.md says what they mean
    *("order", "learning", "target", "weight", "reopen", "ties", "movements"),
    *("trace_ratio", "trace_cost", "steady", "shortcut"),
)
_FIXED = {"regions", "cases", "none", "one-state", "prioritised", "expected"}  # parts that users cannot choose
FIGURES = (
    ("terrain", "terrain", ""),
    ("cost / optimal", "suboptimality", ".3f"),
    ("intervals", "intervals", ",.0f"),
    ("expansions", "expansions", ",.0f"),
    ("µs per move", "us_per_move", ".1f"),
    ("longest, µs", "max_us", ",.0f"),
    ("memory, KiB", "memory_kib", ",.0f"),
)


# ------------------------------------------------------------------ the generated blocks


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    first, *others = (f"| {' | '.join(line)} |" for line in (head, *rows))
    return "\n".join([first, "|---" * len(head) + "|", *others])


def parts(names: list[str]) -> str:
    """Return the agents' parts, a line for each agent."""
    made = {name: ", ".join(f"{role} `{KINDS[name].part(role)}`" for role in ROLES) for name in names}
    return "\n".join(f"- `{name}`: {made[name]}; terrain: {terrain(name)}." for name in names)


def terrain(name: str) -> str:
    """Return the terrain that an agent supports."""
    return "all" if KINDS[name].terrain == EVERYWHERE else ", ".join(KINDS[name].terrain)


def guarantees(names: list[str]) -> str:
    """Return the guarantees, each with the agents that give it, unless all do; and a link to those of all agents."""
    given: dict[str, list[str]] = {}
    for name in names:
        for line in KINDS[name].guarantees:
            given.setdefault(line, []).append(f"`{name}`")
    own = (
        f"- {sentence(line)}" if len(agents) == len(names) else f"- {', '.join(agents)}: {line}."
        for line, agents in given.items()
        if line not in everywhere()
    )
    return "\n".join(["- [Those of all agents](index.md#guarantees).", *own])


def everywhere() -> list[str]:
    """Return the guarantees of all agents."""
    first, *others = KINDS.values()
    return [line for line in first.guarantees if all(line in kind.guarantees for kind in others)]


def general(_: list[str]) -> str:
    """Return the guarantees of all agents, as sentences."""
    return "\n".join(f"- {sentence(line, 'Every agent')}" for line in everywhere())


def sentence(line: str, who: str = "It") -> str:
    """Return a guarantee as a sentence."""
    return f"{who} {line}." if line.startswith(("arrives", "may")) else f"{line[0].upper()}{line[1:]}."


def parameters(names: list[str]) -> str:
    """Return a table of the agents' own parameters, with their defaults; and the defaults of the common ones."""
    known = list(dict.fromkeys(given for name in names for given in KINDS[name].parameters if is_choice(name, given)))
    own = [[f"`{given}`", defaults(names, given), MEANINGS[given]] for given in known if given not in COMMON]
    shared = "; ".join(
        f"`{given}` {defaults(names, given)}" for given in COMMON if given in known and given not in ROLES
    )
    return "\n\n".join(
        [
            *([table(["parameter", "default", "meaning"], own)] if own else []),
            *([f"[Common parameters](index.md#common-parameters): {shared}."] if shared else []),
        ]
    )


def common(_: list[str]) -> str:
    """Return a table of the parameters that many agents have."""
    return table(["parameter", "meaning"], [[f"`{given}`", MEANINGS[given]] for given in COMMON])


def is_choice(name: str, parameter: str) -> bool:
    """Can users choose it? Parts that fit only one lookahead have no line in the table."""
    return not (parameter in ROLES and KINDS[name].parameters[parameter] in _FIXED)


def defaults(names: list[str], parameter: str) -> str:
    """Return the default, followed by those of agents that differ."""
    values = {name: shown(KINDS[name].parameters[parameter]) for name in names if parameter in KINDS[name].parameters}
    usual = next(iter(values.values()))
    others = [f"{value} (`{name}`)" for name, value in values.items() if value != usual]
    return ", ".join([usual, *others])


def shown(value: Any) -> str:
    """Return a default as users write it."""
    return "all" if value == math.inf else f"`{value}`"


def figures(_: list[str]) -> str:
    """Return a table of what was measured."""
    pages, rows = pages_by_agent(), json.loads((PAGES / "figures.json").read_text(encoding="utf-8"))["rows"]
    cells = [
        [f"[`{name}`]({pages[name]})", *(format(row[key], form) for _, key, form in FIGURES)]
        for name in KINDS
        for row in rows
        if row["agent"] == name
    ]
    prepared = [f"`{row['agent']}` {row['prepared_ms']:,.0f} ms" for row in rows if row["prepared_ms"]]
    return "\n\n".join(
        [
            table(["agent", *(head for head, _, _ in FIGURES)], cells),
            f"Preparing this map takes, once: {', '.join(prepared)}.",
        ]
    )


def code(places: list[str]) -> str:
    """Quote functions of the library, named like `agents/algorithms/rtaa.py:raise_all`, file by file."""
    pairs = [place.split(":") for place in places]
    files = dict.fromkeys(path for path, _ in pairs)
    return "\n\n".join(quoted(path, [name for other, name in pairs if other == path]) for path in files)


def quoted(path: str, functions: Sequence[str]) -> str:
    """Quote functions of one file with their decorators."""
    source = (SOURCES / path).read_text(encoding="utf-8")
    shown = "\n\n\n".join(function_text(path, source, name) for name in functions)
    return f"`src/timebound/{path}`\n\n```py\n{shown}\n```"


def function_text(path: str, source: str, name: str) -> str:
    """Return the text of the one function of that name."""
    nodes = ast.walk(ast.parse(source))
    found = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(found) != 1:
        raise SystemExit(f"{path} has {len(found)} functions called {name!r}; a page quotes one of them")
    first = min([found[0].lineno, *(decorator.lineno for decorator in found[0].decorator_list)])
    return textwrap.dedent("\n".join(source.splitlines()[first - 1 : found[0].end_lineno]))


def pages_by_agent() -> dict[str, str]:
    """Return the page that describes each agent."""
    return {
        name: page.name
        for page in sorted(PAGES.glob("*.md"))
        for what, names in re.findall(r"^<!-- (\w+): (.*?) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)
        if what == "parts" and page.name != "index.md"
        for name in names.split()
    }


BLOCKS: dict[str, Callable[[list[str]], str]] = {
    "parts": parts,
    "guarantees": guarantees,
    "parameters": parameters,
    "common": common,
    "general": general,
    "figures": figures,
    "code": code,
}


# ------------------------------------------------------------------ the pages


def written(text: str) -> str:
    """Return the page with all blocks written again."""

    def block(mark: re.Match[str]) -> str:
        return f"<!-- {mark[1]}: {mark[2]} -->\n\n{BLOCKS[mark[1]](mark[2].split())}\n\n<!-- end -->"

    return MARK.sub(block, text)


def main() -> None:
    """Write all pages."""
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        page.write_text(written(text), encoding="utf-8")
        print(page.relative_to(ROOT), "" if text == page.read_text(encoding="utf-8") else "written")


if __name__ == "__main__":
    main()
