"""The first minute: the time to compile from an empty cache, and the speed of the machine code.

$BENCH_BEFORE may name the `src` folder of another version: nanoseconds per expansion of both are then compared.
After `make wheel`, the wall time of a command with shipped machine code is also measured.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import timebound as tb

from .options import Options
from .table import table

_RUN = """
import json, sys, time
import numpy as np, timebound as tb
cells = np.random.default_rng(0).random((64, 64)) > 0.2
cells[0, 0] = cells[-1, -1] = True
worlds = {"grid": (tb.Grid(cells), (0, 0), (63, 63))}
def successors(world, state):
    if state > 0:
        yield state - 1, 1
    if state < world.last:
        yield state + 1, 1
def heuristic(world, state):
    return abs(world.goal - state)
rules = {"states": 100, "branching": 2, "reversible": True}
worlds["custom"] = (tb.CustomWorld(successors, heuristic, data={"last": 99}, **rules), 0, 99)
def use(name, world):
    if name == "shortest_path":
        return tb.shortest_path(*worlds[world])
    unknown = "unknown" in dict((kind.name, kind.terrain) for kind in tb.catalogue())[name] and world == "grid"
    return tb.make(name, *worlds[world], terrain="unknown" if unknown else "known").run(expansions=50, intervals=5000)
took = []
for name in sys.argv[2:]:
    began = 0.0 if not took else time.process_time()
    use(name, sys.argv[1])
    took.append(time.process_time() - began)
print(json.dumps(took))
"""

_SPEED = """
import json, time
import numpy as np, timebound as tb
random = np.random.default_rng(1)
world = tb.Grid(random.random((512, 512)) > 0.25)
cells = [(int(x), int(y)) for y, x in np.argwhere(world.passable)]
pairs = [(cells[i], cells[j]) for i, j in random.integers(len(cells), size=(40, 2))]
def once(name):
    if name == "shortest_path":
        return sum(tb.shortest_path(world, *pair).expansions for pair in pairs)
    runs = (tb.make(name, world, *pair, terrain="unknown").run(expansions=100, intervals=9999) for pair in pairs[:15])
    return sum(episode.expansions for episode in runs)
def ns(name):
    once(name)
    rounds = []
    for _ in range(5):
        began = time.process_time()
        count = once(name)
        rounds.append((time.process_time() - began) / count * 1e9)
    return min(rounds)
print(json.dumps({name: ns(name) for name in NAMES}))
"""
_SPEEDS = ["shortest_path", "rtaa", "lss-lrta", "tbaa", "dstar-lite"]


@dataclass(frozen=True)
class Compiled:
    """Processor seconds of a process that begins with an empty cache, including imports."""

    what: str
    world: str
    seconds: float

    headers = ("what", "world", "processor seconds")


@dataclass(frozen=True)
class Speed:
    """Nanoseconds per expansion, here and in another version, measured in turns: medians of the best of five."""

    agent: str
    before_ns: float
    after_ns: float
    ratio: float

    headers = ("agent", "before, ns", "after, ns", "after / before")


def run(options: Options) -> dict[str, list]:
    """Print how long everything takes to compile, and how fast it runs."""
    results: dict[str, list] = {"compile": _compile_times(options.quick)}
    print(table(Compiled.headers, [tuple(vars(row).values()) for row in results["compile"]]), flush=True)
    before = os.environ.get("BENCH_BEFORE")
    if before:
        results["speed"] = _speeds(Path(before), 1 if options.quick else 5)
        print("\nSpeed of the machine code\n")
        print(table(Speed.headers, [tuple(vars(row).values()) for row in results["speed"]]), flush=True)
    wheels = [wheel for wheel in Path("dist").glob("timebound-*.whl") if "none-any" not in wheel.name]
    if wheels:
        results["wheel"] = [_with_wheel(max(wheels, key=os.path.getmtime))]
    else:
        print("\nno wheel with machine code in dist/: `make wheel` first, to measure one")
    return results


def _compile_times(quick: bool) -> list[Compiled]:
    agents = ["rtaa", "tbaa"] if quick else [kind.name for kind in tb.catalogue()]
    rows = [Compiled(name, "grid", _fresh("grid", [name])[0]) for name in ("shortest_path", *agents)]
    rows += [Compiled("tbaa, after rtaa", "grid", _fresh("grid", ["rtaa", "tbaa"])[1])]
    rows += [Compiled("rtaa, after tbaa", "grid", _fresh("grid", ["tbaa", "rtaa"])[1])]
    return [*rows, Compiled("rtaa", "custom", _fresh("custom", ["rtaa"])[0])]


def _fresh(world: str, names: list[str]) -> list[float]:
    with tempfile.TemporaryDirectory() as cache:
        seconds: list[float] = _told([sys.executable, "-c", _RUN, world, *names], TIMEBOUND_CACHE=cache)
        return seconds


def _speeds(before: Path, rounds: int) -> list[Speed]:
    program = _SPEED.replace("NAMES", repr(_SPEEDS))
    here = Path(tb.__file__).parents[1]
    told: dict[Path, list[dict[str, float]]] = {before: [], here: []}
    for _ in range(rounds):
        for source, results in told.items():
            results.append(_told([sys.executable, "-c", program], PYTHONPATH=str(source)))
    rows = []
    for name in _SPEEDS:
        old, new = (median(result[name] for result in results) for results in told.values())
        rows.append(Speed(name, old, new, new / old))
    return rows


def _with_wheel(wheel: Path) -> dict[str, float]:
    """The wall time of a command in a new environment with an empty home, as a multiple of importing Numba."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / ("Scripts" if os.name == "nt" else "bin") / "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
        solve = [python, "-m", "timebound", "solve", "harbour", "--start", "12,100", "--goal", "180,14"]
        home = {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/none", "PYTHONPATH": ""}
        _wall(solve, home)  # warm up the disk
        turns = [(_wall(solve, home), _wall([python, "-c", "import numba"], home)) for _ in range(9)]
    result = {"solve_s": median(turn[0] for turn in turns), "import_numba_s": median(turn[1] for turn in turns)}
    result["ratio"] = result["solve_s"] / result["import_numba_s"]
    print(
        f"\n{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB: `timebound solve` takes "
        f"{result['solve_s']:.2f} s, {result['ratio']:.2f} times `import numba`"
    )
    return result


def _wall(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _told(command: list[str], **environment: str) -> object:
    """Return what a fresh process prints, as JSON."""
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"bench: a fresh process failed\n{done.stderr}")
    return json.loads(done.stdout)
