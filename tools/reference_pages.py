"""Write the generated parts of reference pages: the table of agents, the list of parts, the options of all commands.

    python tools/reference_pages.py            # write them
    python tools/reference_pages.py --check    # only say what is out of date

A part begins with a line such as `<!-- catalogue -->` and ends with `<!-- end -->`.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from algorithm_pages import pages_by_agent, starred, terrain

import timebound as tb
from timebound import cli
from timebound.agents.parts import PARTS, find_part

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ("agents.md", "command-line.md", "your-own-agent.md")
BLOCK = re.compile(r"^<!-- ([\w -]+) -->\n.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
SHARED = 3  # commands with the same option: it is explained once


def agents() -> str:
    """Return the catalogue, a row per agent."""
    pages = pages_by_agent()
    rows = (
        f"| [`{kind.name}`](algorithms/{pages[kind.name]}) | {starred(kind.about)} | {terrain(kind.name)} |"
        for kind in tb.catalogue()
    )
    return "\n".join(["| agent | what it does | terrain |", "|---|---|---|", *rows])


def parts() -> str:
    """Return the parts of every role, and the lookaheads that they go with."""
    return "\n\n".join(
        "\n".join([f"**{role}**\n", *map(_part, [role] * len(PARTS[role]), PARTS[role])]) for role in PARTS
    )


def _part(role: str, name: str) -> str:
    part = find_part(role, name)
    fits = f" ({', '.join(part.lookaheads)})" if part.lookaheads else ""
    return f"- `{name}`{fits}: {starred(part.about)}"


Option = tuple[str, str]
# Shared options that come together: a command names the group.
GROUPS = {
    "problem": ("--start X,Y", "--goal X,Y"),
    "budget": ("--expansions K", "--ms T", "--virtual-ms T", "--intervals N"),
    "grid": ("--neighbors 4|8|16", "--corners strict|cut", "--diagonal C", "--heuristic NAME"),
    "agent": ("--weight W", "--param NAME=VALUE", "--seed N"),
    "reading": ("--threshold THRESHOLD", "--unknown blocked|free"),
    "new map": ("OUT", "--force", "--width WIDTH", "--height HEIGHT", "--seed SEED"),
}
# What `--help` does not say; a test compares the names of JSON.
NOTES = {
    "solve": "JSON, also of `drive` and `slide`: {agent, solved, cost, moves, intervals, expansions, searches, "
    "back_moves, reversals, path}, `time_per_move_us` ({mean, p50, p99, max}), {memory_bytes, stop, "
    "planning_us, states_in_memory, trace_steps, updates, raise_per_update, goal}; with `--trials`, `trials`.",
    "race": "JSON: {map, terrain, budget, intervals, neighbors, corners, seed, target, parameters, problems}, "
    "`agents` ({agent, suboptimality}, `episode` as of `solve`). With `--problems`: `stopped`, and `agents` have "
    "{agent, solved, failures}, `means` with confidence intervals, `max_us_per_move`.",
    "crowd": "`MAP` may also be `KIND:WIDTHxHEIGHT`, generated from the seed ({caves, rooms, maze, random}). A tick "
    "beyond 1.1 times its budget is late.\n\nJSON: {map, units, agent, terrain, collisions, guidance, repair, threads, "
    "walls, seed, neighbors, corners, parameters, budget, lifelong, ticks, storm}, percentiles ({tick_us, "
    "processor_us, bare_wait_us, changes_us}), {late_ticks, late_by_processor, late_bare_waits, served_per_tick, "
    "moved_per_tick, expansions_per_tick, longest_wait, bound, arrived, unreachable, memory_bytes}.",
    "maps info": "JSON: {map, name, width, height, passable, terrain, parts, largest_part, parts_cutting_corners, "
    "largest_part_cutting_corners, fingerprint}.",
    "agents": "JSON: {name, about, paper, terrain, needs_grid, needs_reversible_moves, learning, parts, guarantees, "
    "parameters}.",
    "advise": "JSON: {agent, parameters, certainty, winners, best, front, candidates, left_out, problems, reasons, "
    "code}.",
    "warmup": "Beyond 1 GB of machine code, the least recently used is removed.",
    "calibrate": "JSON: {unit, shipped, measured, error, shipped_error, times_shipped, samples}.",
}


@cache
def parser() -> argparse.ArgumentParser:
    """Return a parser that knows all commands and their options."""
    return getattr(cli, "parser_for", lambda _: cli._parser())([*cli.COMMANDS])  # type: ignore[no-any-return]


def commands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield every command with its name, those within others as well."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, command in action.choices.items():
                yield f"{name} {word}".strip(), command
                yield from commands(command, f"{name} {word}".strip())


def options(command: argparse.ArgumentParser) -> list[Option]:
    """Return what a command takes, as users write it, and what that means."""
    kinds = (argparse._SubParsersAction, argparse._HelpAction)
    return [_option(action) for action in command._actions if not isinstance(action, kinds)]


def _option(action: argparse.Action) -> Option:
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    flag = action.option_strings[-1] if action.option_strings else ""
    written = flag if action.nargs == 0 else f"{flag} {value}".strip()
    said = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    names = ", ".join(kind.name for kind in tb.catalogue())
    said = said.replace(f"any of {names}", names).replace(names, "[any](agents.md)")
    return written, starred(said.replace("(default: ", "("))


@cache
def shared_options() -> tuple[Option, ...]:
    """Return the options that several commands have, with the same meaning."""
    found = Counter(option for _, command in commands(parser()) for option in options(command))
    return tuple(option for option, times in found.items() if times >= SHARED)


def shared() -> str:
    """Return the options that several commands have, those of a group together."""
    said = dict(shared_options())
    groups = [
        f"- *{name}*: {'; '.join(_explained(one, said.pop(one)) for one in of if one in said)}"
        for name, of in GROUPS.items()
    ]
    return "\n".join([*groups, *(f"- {_explained(*option)}" for option in said.items())])


def _explained(written: str, said: str) -> str:
    return f"`{written}`{',' if said and said[0] != '(' else ''} {said}".rstrip()


def _noted(name: str) -> str:
    """Return the note on a command; a list of names in braces is one of code."""
    return re.sub(r"{(.*?)}", lambda names: f"`{'`, `'.join(names[1].split(', '))}`", NOTES.get(name, ""))


def all_commands() -> str:
    """Return what every command does, and its options."""
    found = commands(parser())
    return "\n\n".join(
        f"## {name}\n\n{_options_of(name, command)}" for name, command in found if not any(commands(command))
    )


def _options_of(name: str, command: argparse.ArgumentParser) -> str:
    common = [option[0] for option in options(command) if option in shared_options()]
    whole = [f"*{group}*" for group, of in GROUPS.items() if {*of} & {*dict(shared_options())} <= {*common}]
    single = [f"`{one.split()[0]}`" for one in common if not any(one in GROUPS[group.strip("*")] for group in whole)]
    own = [f"- {_explained(*option)}" for option in options(command) if option not in shared_options()]
    also = f" Shared: {', '.join([*whole, *single])}." if common else ""
    return "\n\n".join(filter(None, [f"{command.description}{also}", "\n".join(own), _noted(name)]))


BLOCKS: dict[str, Callable[[], str]] = {
    "catalogue": agents,
    "parts": parts,
    "shared options": shared,
    "commands": all_commands,
}


def written(page: str) -> str:
    """Return a page with its generated parts as they should be."""
    return BLOCK.sub(lambda found: f"<!-- {found[1]} -->\n\n{BLOCKS[found[1]]()}\n\n<!-- end -->", page)


def main() -> None:
    """Write the pages, or name those that are out of date."""
    old = {DOCS / name: (DOCS / name).read_text(encoding="utf-8") for name in PAGES}
    new = {page: written(text) for page, text in old.items() if written(text) != text}
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date: {', '.join(page.name for page in new)}" if new else None)
    for page, text in new.items():
        page.write_text(text, encoding="utf-8")
        print(page.name)


if __name__ == "__main__":
    main()
