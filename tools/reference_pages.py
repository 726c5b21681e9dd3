"""Write the generated parts of reference pages: the table of agents, the list of parts.

    python tools/reference_pages.py            # write them
    python tools/reference_pages.py --check    # only say what is out of date

A part begins with a line such as `<!-- catalogue -->` and ends with `<!-- end -->`. The options of commands are written
when the site is built (`on_page_markdown`), where a page says `<!-- options: solve -->`: they are those of `--help`.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from algorithm_pages import pages_by_agent, terrain

import timebound as tb
from timebound import cli
from timebound.agents.parts import PARTS, find_part

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ("agents.md", "your-own-agent.md")
BLOCK = re.compile(r"^<!-- ([\w -]+) -->\n.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
SHARED = 3  # commands with the same option: it is explained once


def starred(text: str) -> str:
    """With asterisks that Markdown takes for asterisks."""
    return text.replace("*", "\\*")


def agents() -> str:
    """Return the catalogue, a row per agent."""
    pages = pages_by_agent()
    rows = (
        f"| [`{kind.name}`](algorithms/{pages[kind.name]}) | {starred(kind.about)} | {terrain(kind.name)} |"
        for kind in tb.catalogue()
    )
    return "\n".join(["| agent | what it does | terrain |", "|---|---|---|", *rows])


def parts() -> str:
    """Return the parts of every role."""
    return "\n\n".join(
        "\n".join([f"**{role}**\n", *map(_part, [role] * len(PARTS[role]), PARTS[role])]) for role in PARTS
    )


def _part(role: str, name: str) -> str:
    return f"- `{name}`: {starred(find_part(role, name).about)}"


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


@cache
def parser() -> argparse.ArgumentParser:
    """Return a parser that knows all commands and their options."""
    return cli.parser_for([*cli.COMMANDS])


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


def options_of(name: str) -> str:
    """Return what a command does, which shared options it has, and its own."""
    command = dict(commands(parser()))[name]
    common = [option[0] for option in options(command) if option in shared_options()]
    whole = [f"*{group}*" for group, of in GROUPS.items() if {*of} & {*dict(shared_options())} <= {*common}]
    single = [f"`{one.split()[0]}`" for one in common if not any(one in GROUPS[group.strip("*")] for group in whole)]
    own = [f"- {_explained(*option)}" for option in options(command) if option not in shared_options()]
    also = f" Shared options: {', '.join([*whole, *single])}." if common else ""
    return "\n\n".join(filter(None, [f"{command.description}{also}", "\n".join(own)]))


def on_page_markdown(text: str, **_: object) -> str:
    """Write the options of commands into a page of the site: MkDocs calls this for every page."""
    text = text.replace("<!-- shared options -->", shared())
    return re.sub(r"<!-- options: ([\w -]+) -->", lambda found: options_of(found[1]), text)


BLOCKS: dict[str, Callable[[], str]] = {"catalogue": agents, "parts": parts}


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
