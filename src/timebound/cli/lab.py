"""`timebound lab`: the papers' experiments, and yours."""

import math
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import ProblemError, TimeboundError
from . import arguments as shared
from . import console
from .arguments import Arguments
from .printing import aligned
from .progress import Progress, duration

if TYPE_CHECKING:
    from ..lab.experiment import Experiment
    from ..lab.run import Plan

EXAMPLES = """examples:
  timebound lab list
  timebound lab show tbaa-table-2
  timebound lab run tbaa-table-2 --scale quick --maps ~/movingai/maps
  timebound lab run my_experiment.toml --workers 4
  timebound lab report --open

Exit status: 0 done (agents that miss their goal are a result: the page says how many); 1 some experiment
could not run, or a run that was reported or compared is damaged or incomplete; 2 bad input, nothing was run; 130
interrupted (finished work is kept: the same command resumes)."""

OUTPUT = Path("timebound-lab")
_LONGEST = 3  # agents that an estimate names
_RUN_EXAMPLES = """examples:
  timebound lab run rtaa-table-1
  timebound lab run tbaa-table-1 tbaa-table-2 --scale full --maps ~/movingai/maps --workers 8
  timebound lab run --all --scale quick
  timebound lab run --all --scale full --maps ~/movingai/maps --estimate
  timebound lab run my_experiment.toml --agents rtaa,mine
  timebound lab run rtaa-table-1 --scale full --cluster tcp://10.0.0.1:8786

Results are stored piece by piece. If a run is stopped or killed, the same command resumes it. Without a folder of
maps, quick runs use generated maps of the same kind.

An experiment file can name functions to import (agents and worlds written as module:name): running it runs that code
with your permissions. Read files from other people first (lab show runs nothing), or give --no-code."""
_REPORT_EXAMPLES = """examples:
  timebound lab report --open
  timebound lab report --runs results --output pages
  timebound lab report --because 'We stopped it after six hours.'"""
_COMPARE_EXAMPLES = """example:
  timebound lab compare timebound-lab/runs/my-quick-0a1b2c3d4e5f timebound-lab/runs/my-quick-5f4e3d2c1b0a

Configurations with the same name and settings are compared on the problems that both runs solved."""
_PACK_EXAMPLES = """example:
  timebound lab pack timebound-lab/runs/*

A run has a file for every piece, each with a description of the whole run. Packed, it has one file, of about a
fiftieth of the size. Reports are the same, and `lab run` resumes a packed run like any other. What agents had prepared
(the folder `prepared`) stays as it is; leave it out where you keep a run, and a resumed run prepares it again."""


def add_arguments(parser: shared.Parser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    add = partial(shared.action, actions)
    add("list", "The experiments that come with timebound.", "example: timebound lab list", _list)
    show = add("show", "Describe an experiment.", "example: timebound lab show rtaa-table-1", _show)
    show.add_argument("experiment", metavar="NAME", help="a name from the list, or a .toml file")
    shared.option(show, "--toml", "print the file itself, to use as a template")
    run = add("run", "Run experiments, or resume them.", _RUN_EXAMPLES, _run)
    run.add_argument("experiments", metavar="NAME", nargs="*", help="a name from the list, or your own .toml file")
    shared.option(run, "--all", "every experiment in the list")
    shared.option(run, "--scale", "(default: quick)", default="quick", choices=("quick", "full"))
    shared.option(run, "--maps DIR", "folder with the MovingAI maps (or $TIMEBOUND_MAPS)", Path)
    shared.option(run, "--agents A,B,...", "only these, by their names in the experiment")
    shared.option(run, "--estimate", "try a few problems, and estimate how long all of them would take")
    shared.option(run, "--workers N", "processes (default: one per core)", shared.whole(1))
    shared.option(run, "--cluster ADDRESS", "address of a Dask scheduler, such as tcp://10.0.0.1:8786")
    shared.option(run, "--no-code", "reject experiments that name functions to import")
    shared.option(run, "--output DIR", f"(default: {OUTPUT})", Path, OUTPUT)
    report = add("report", "Write pages about all runs: tables, figures, verdicts.", _REPORT_EXAMPLES, _report)
    shared.option(report, "--runs DIR", f"what `lab run` wrote (default: {OUTPUT})", Path)
    shared.option(report, "--output DIR", f"(default: {OUTPUT})", Path, OUTPUT)
    shared.option(report, "--because TEXT", "why some runs are incomplete: a sentence for their pages", default="")
    shared.option(report, "--open", "show the index in a browser")
    compare = add("compare", "Compare two runs, problem by problem.", _COMPARE_EXAMPLES, _compare)
    compare.add_argument("runs", metavar="RUN", type=Path, nargs=2, help="the folder of a run")
    pack = add("pack", "Pack runs into one file each, to keep or to share.", _PACK_EXAMPLES, _pack)
    pack.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="the folder of a run")


def _list(arguments: Arguments) -> int:
    from ..agents.registry import exists
    from ..lab.files import names
    from ..lab.spec import load

    rows = [("name", "shows", "paper", "agents not available")]
    for name in names():
        experiment = load(name)
        missing = ", ".join(dict.fromkeys(entry.agent for entry in experiment.entries if not exists(entry.agent)))
        rows.append((name, experiment.shows, experiment.paper, missing))
    print(aligned(rows, words=len(rows[0])))
    return 0


def _show(arguments: Arguments) -> int:
    from ..lab.spec import load

    experiment = load(arguments.experiment)
    print(experiment.source.text.rstrip() if arguments.toml else _described(experiment))
    return 0


def _described(experiment: "Experiment") -> str:
    from ..lab.experiment import UNITS

    heads = [experiment.title, f"{experiment.paper}, {experiment.shows}".strip(", "), experiment.about]
    heads += [f"Different from the paper: {experiment.differs}"] if experiment.differs else []
    scales = [
        f"  {name}: {size.worlds} worlds, {size.problems} problems on each" for name, size in experiment.scales.items()
    ]
    agents = []
    for entry in experiment.entries:
        given = (
            f"{name} {_values(value) if isinstance(value, list) else value}" for name, value in entry.parameters.items()
        )
        budgets = f"{_values(entry.budgets)} {UNITS[entry.unit]}"
        agents.append((f"  {entry.label}", entry.agent, ", ".join(given), budgets))
    measures = [(f"  {measure}", heading) for measure, heading in experiment.measures.items()]
    claims = [(f"  {claim.id}", claim.words, claim.where) for claim in experiment.claims]
    return "\n".join(
        [
            *(line for line in heads if line),
            f"\nterrain: {experiment.terrain}",
            "\nscales",
            *scales,
            "\nagents",
            aligned(agents, words=4),
            "\nmeasures",
            aligned(measures, words=2),
            f"\npublished: {len(experiment.published.rows)} rows",
            *(f"  {table.title}" for table in experiment.tables),
            *(["\nclaims", aligned(claims, words=3)] if claims else []),
        ]
    )


def _values(values: Sequence[Any]) -> str:
    return ", ".join("∞" if value == math.inf else str(value) for value in values)


def _run(arguments: Arguments) -> int:
    from ..lab.files import names
    from ..lab.spec import load

    if bool(arguments.experiments) == arguments.all:
        raise ProblemError("name experiments, or give --all (`timebound lab list` lists them)")
    if arguments.workers is None:  # as many as there are cores that this process may use
        arguments.workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    experiments = [load(name) for name in arguments.experiments or names()]
    plans = _plans(arguments, experiments)
    if arguments.estimate:
        for plan in plans:
            print(_estimated(plan, arguments.workers), flush=True)
        return 0 if len(plans) == len(experiments) else 1
    ran = [_run_one(arguments, plan) for plan in plans]
    return 0 if sum(ran) == len(experiments) else 1


def _plans(arguments: Arguments, experiments: "list[Experiment]") -> "list[Plan]":
    """Plan every experiment. If one cannot run, nothing runs; with `--all` it is skipped."""
    from ..lab.run import prepare
    from ..lab.worlds import FOLDER_VARIABLE

    agents = None if arguments.agents is None else [name.strip() for name in arguments.agents.split(",")]
    given = os.environ.get(FOLDER_VARIABLE)
    maps, code = arguments.maps or (Path(given) if given else None), not arguments.no_code
    plans = []
    for experiment in experiments:
        try:
            plans.append(prepare(experiment, arguments.scale, maps=maps, agents=agents, code=code))
        except TimeboundError as error:
            if not arguments.all:
                raise
            console.say(f"{experiment.name} skipped: {error}")
    return plans


def _estimated(plan: "Plan", workers: int) -> str:
    from ..lab.run import estimate

    found = estimate(plan)
    agents = sorted(found.running.items(), key=lambda one: -one[1])[:_LONGEST]
    return (
        f"{plan.experiment.name}: {found.pieces:,} pieces, {found.episodes:,} episodes, about "
        f"{found.seconds / 3600 / workers:.2f} hours with {workers} processes (preparation: "
        f"{duration(found.preparing)} of one process, "
        f"{', '.join(f'{label} {duration(seconds)}' for label, seconds in agents)})"
    )


def _run_one(arguments: Arguments, plan: "Plan") -> bool:
    """Run an experiment; return whether it could run. A failure does not stop the others."""
    from ..lab.experiment import Named
    from ..lab.run import run
    from ..lab.store import others

    name = plan.experiment.name
    try:
        with Progress() as progress:
            tell = partial(progress.tell, f"pieces of {name}")
            outcome = run(plan, arguments.output, workers=arguments.workers, cluster=arguments.cluster, tell=tell)
    except TimeboundError as error:
        console.say(f"{name} could not run: {error}")
        return False
    lines = [f"{name}: {outcome.done} pieces run, {outcome.before} were already done; {outcome.run.directory}"]
    if outcome.stand_ins:
        what, how = "maps", "give those with --maps DIR"
        if not isinstance(plan.experiment.worlds, Named):
            what, how = "problems", f"timebound lab show {name} says how to give those"
        lines.append(f"  on generated {what}, in place of the published ones ({how})")
    if outcome.unsolved:
        lines.append(f"  {outcome.unsolved} episodes did not reach their goal (the page shows which agents)")
    for other, differences in others(outcome.run):
        lines.append(f"  kept apart from {other.directory.name}, which differs in: {', '.join(differences)}")
    print("\n".join(lines), flush=True)
    return True


def _report(arguments: Arguments) -> int:
    import webbrowser

    from ..lab.report import write_report
    from ..lab.store import RUNS

    runs = arguments.runs or (arguments.output if (arguments.output / RUNS).is_dir() else OUTPUT)
    page, faults = write_report(runs, arguments.output, because=arguments.because)
    print(page)
    if arguments.open:
        webbrowser.open(page.resolve().as_uri())
    return _status_of(faults)


def _compare(arguments: Arguments) -> int:
    from ..lab.results import compared
    from ..lab.store import Run

    rows, faults = compared(*(Run(directory) for directory in arguments.runs))
    head = ("configuration", "measure", "A", "B", "B - A", "95 % confidence", "problems", "")
    print(aligned([head, *rows], words=2))
    return _status_of(faults)


def _pack(arguments: Arguments) -> int:
    from ..lab.store import Run

    for run in [Run(directory) for directory in arguments.runs]:
        before = run.size()
        pieces = run.pack()
        print(f"{run.directory.name}: {pieces:,} pieces, {before / 1e6:.1f} MB before, {run.size() / 1e6:.1f} MB now")
    return 0


def _status_of(faults: Sequence[str]) -> int:
    """Report what is wrong with the runs that were read; return exit status 0 if nothing is."""
    for fault in faults:
        console.say(fault)
    return 1 if faults else 0
