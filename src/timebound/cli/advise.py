"""`timebound advise`: which agent suits this map and this budget?"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.disk import check_target
from ..core.errors import ProblemError
from ..maps import read
from . import arguments as shared
from .printing import aligned
from .progress import Progress

if TYPE_CHECKING:
    from ..applications.advice import Advice, Candidate, Standing

EXAMPLES = f"""examples:
  timebound advise harbour --ms 1
  timebound advise arena.map --ms 0.2 --terrain unknown --seconds 60 --picture advice.png
  timebound advise harbour --ms 2 --units 200
  timebound advise harbour --expansions 50 --problems 20 --seconds 600 --json

{shared.MAP_NOTE}
The budget is per interval; with --units, all units share it. A trajectory is measured by its time: an agent that
waits while it plans takes longer. Agents that this computer has not run before are compiled first; then the tournament
begins, and ends when its time is up. The same seed draws the same problems.
Exit status: 0 advice given; 2 bad input; 130 interrupted."""

_MOST_UNITS, _MOST_PROBLEMS = 100_000, 100_000


def add_arguments(parser: shared.Parser) -> None:
    parser.add_argument("map", metavar="MAP", help=shared.MAPS)
    budget = parser.add_mutually_exclusive_group(required=True)
    shared.option(budget, "--ms T", "milliseconds to plan per interval", shared.number)
    shared.option(budget, "--expansions K", "states to expand per interval", shared.number)
    shared.option(budget, "--virtual-ms T", "the same, on the repeatable virtual clock", shared.number)
    units, problems = shared.whole(1, _MOST_UNITS), shared.whole(1, _MOST_PROBLEMS)
    shared.option(parser, "--units N", "units that share the budget (default: 1)", units, 1)
    shared.option(parser, "--seconds S", "time to play, after compiling (default: 20)", shared.number, 20.0)
    shared.option(parser, "--problems N", "most problems to try (default: 1000)", problems, 1000)
    shared.option(parser, "--agents A,B,...", "only these (default: all that support the terrain)", shared.agents)
    shared.add_rules(parser)
    shared.add_seed(parser, "the problems")
    shared.option(parser, "--picture FILE", "draw all candidates in a .png file", Path)
    shared.add_json(parser)


def run(arguments: shared.Arguments) -> int:
    from ..applications.advice import advise

    if arguments.picture:
        if arguments.picture.suffix.lower() != ".png":
            raise ProblemError(f"{arguments.picture}: pictures of advice are written as .png files only")
        check_target(arguments.picture)
    world = shared.world_of(arguments, read(arguments.map))
    with Progress() as progress:
        advice = advise(
            world,
            **vars(shared.budget_of(arguments)),
            **{
                name: getattr(arguments, name) for name in ("terrain", "units", "seconds", "problems", "seed", "agents")
            },
            progress=lambda what, done, total: progress.say(f"{what} ({done + 1} of {total})"),
        )
    shared.draw({arguments.picture: advice.picture})
    print(json.dumps(_as_json(advice)) if arguments.json else _as_text(advice, arguments.map))
    return 0


def _as_text(advice: "Advice", map_name: str) -> str:
    heads = ("", "agent", "cost/cheapest", "us/move", "max us", "memory", "preparation", "failed")
    rows = [
        (
            "->" if one is advice.best else "*" if one in advice.front else "",
            str(one.candidate),
            f"{one.suboptimality:.3f}",
            f"{one.us_per_move:.3g}",
            f"{one.max_us:,.0f}",
            f"{one.memory_bytes / 1024:,.0f} kB",
            f"{one.preparation_s:.1f} s" if one.preparation_s else "",
            f"{one.failures} of {len(one.plays)}" if one.failures else "",
        )
        for one in advice.standings
    ]
    table = aligned([heads, *rows], words=2)
    note = "-> marks the recommendation; * marks candidates that no other beats in everything."
    return "\n".join((table, note, "", *advice.reasons, "", advice.code(map_name).rstrip()))


def _as_json(advice: "Advice") -> dict[str, Any]:
    return {
        **_named(advice.best.candidate),
        "certainty": advice.certainty,
        "winners": [{**_named(candidate), "share": share} for candidate, share in advice.winners.items()],
        "best": _row(advice.best),
        "front": [_row(one) for one in advice.front],
        "candidates": [_row(one) for one in advice.standings],
        "left_out": [str(one) for one in advice.left_out],
        "problems": advice.problems,
        "reasons": advice.reasons,
        "code": advice.code(),
    }


def _row(one: "Standing") -> dict[str, Any]:
    return {
        **_named(one.candidate),
        "suboptimality": shared.finite(one.suboptimality),
        **{name: getattr(one, name) for name in ("us_per_move", "max_us", "memory_bytes", "preparation_s")},
        "problems": len(one.plays),
        "failures": one.failures,
    }


def _named(candidate: "Candidate") -> dict[str, Any]:
    return {"agent": candidate.agent, "parameters": dict(candidate.parameters)}
