"""The command line: `python -m bench --help`."""

import argparse
import dataclasses
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np

import timebound

from . import (
    abstraction,
    advice,
    agents,
    algorithms,
    bodies,
    c_library,
    changes,
    compile,
    deadlines,
    fleet,
    growth,
    import_time,
    lab,
    learning,
    packages,
    paths,
    pogema,
    safety,
    subgoals,
    worlds,
)
from .contenders import OTHERS
from .maps import data_directory
from .options import Options
from .rules import WrongAnswerError

_PARTS = {
    "packages": packages.run,
    "paths": paths.run,
    "growth": growth.run,
    "import_time": import_time.run,
    "compile": compile.run,
    "agents": agents.run,
    "algorithms": algorithms.run,
    "learning": learning.run,
    "subgoals": subgoals.run,
    "deadlines": deadlines.run,
    "worlds": worlds.run,
    "changes": changes.run,
    "safety": safety.run,
    "fleet": fleet.run,
    "bodies": bodies.run,
    "pogema": pogema.run,
    "abstraction": abstraction.run,
    "advice": advice.run,
    "lab": lab.run_bench,
    "c_library": c_library.run,
}


def main(arguments: list[str] | None = None) -> int:
    """Run the requested benchmarks."""
    chosen = _parser().parse_args(arguments)
    options = Options(chosen.quick, data_directory(chosen.maps), chosen.seed, tuple(chosen.packages))
    about = _about()
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    print(
        f"maps: {options.data}"
        if options.data
        else "maps: the benchmark data is not available, so all maps are generated"
    )
    results: dict[str, Any] = {"about": about, "quick": chosen.quick, "seed": chosen.seed}
    began = time.perf_counter()
    for name in chosen.only or _PARTS:
        print(f"\n== {name}", flush=True)
        try:
            results[name] = _PARTS[name](options)
        except WrongAnswerError as wrong:
            print(f"\nbench: WRONG ANSWER: {wrong}", file=sys.stderr)
            return 1
    print(f"\n{time.perf_counter() - began:.0f} s in total")
    if chosen.json:
        chosen.json.write_text(json.dumps(results, default=dataclasses.asdict, indent=1) + "\n", encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    names = list(dict.fromkeys(other.package for other in OTHERS))
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure timebound; every answer is checked.")
    parser.add_argument("--quick", action="store_true", help="fewer maps, queries and rounds: under a minute")
    parser.add_argument("--maps", type=Path, metavar="DIR", help="the benchmark data (default: $TIMEBOUND_DATA)")
    parser.add_argument(
        "--only", nargs="+", choices=tuple(_PARTS), metavar="PART", help=f"only these, of {', '.join(_PARTS)}"
    )
    parser.add_argument(
        "--packages",
        nargs="+",
        default=[],
        choices=names,
        metavar="NAME",
        help=f"compare only with these, of {', '.join(names)}",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results there")
    parser.add_argument("--seed", type=int, default=1, help="seed of the generated maps and the queries (default: 1)")
    return parser


def _about() -> dict[str, str]:
    return {
        "timebound": timebound.__version__,
        "numba": numba.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.machine()} with {os.cpu_count()} cores",
    }


if __name__ == "__main__":
    sys.exit(main())
