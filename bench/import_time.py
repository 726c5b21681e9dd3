"""The cost of starting: importing, and the first call, with and without compiled code in the cache."""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import numpy as np

from .options import Options
from .table import table
from .timing import Ratio, Turns

_IMPORT = "import time; began = time.perf_counter(); import {}; print(time.perf_counter() - began)"
_WAKE_NUMBA = "import numba; numba.njit(lambda number: number)(1)"
_FIRST_CALL = """
import time, numpy, timebound
began = time.perf_counter()
timebound.shortest_path(timebound.Grid(numpy.ones((8, 8), bool)), (0, 0), (7, 7))
print(time.perf_counter() - began)
"""


@dataclass(frozen=True)
class Beginning:
    """Milliseconds, each in fresh processes."""

    import_numba_ms: float
    import_timebound_ms: float
    ratio: Ratio
    first_call_compiled_anew_ms: float
    first_call_from_cache_ms: float
    the_same_where_numba_ran_before_ms: float


def run(options: Options) -> Beginning:
    """Print how long the imports and the first calls take."""
    repeats = 3 if options.quick else 9
    _seconds(_IMPORT.format("timebound"))  # warm up the disk
    seconds = np.array([[_seconds(_IMPORT.format(name)) for name in ("numba", "timebound")] for _ in range(repeats)])
    numba, ours = (Turns(seconds[:, [i]]) for i in (0, 1))
    result = Beginning(numba.ms_per_query, ours.ms_per_query, ours.ratio_to(numba), *_first_calls(repeats))
    print("\nFresh processes, medians\n")
    print(
        table(("what", "ms"), [(name.removesuffix("_ms").replace("_", " "), value) for name, value in _times(result)])
    )
    print(f"\nimport timebound / import numba: {result.ratio}")
    return result


def _times(result: Beginning) -> list[tuple[str, float]]:
    return [(name, value) for name, value in vars(result).items() if name.endswith("_ms")]


def _first_calls(repeats: int) -> list[float]:
    """Return milliseconds of the first call ever (once: it is slow), of later ones, and without Numba's start."""
    with tempfile.TemporaryDirectory() as cache:
        anew = _seconds(_FIRST_CALL, TIMEBOUND_CACHE=cache)
        programs = (_FIRST_CALL, _WAKE_NUMBA + _FIRST_CALL)
        later = [[_seconds(program, TIMEBOUND_CACHE=cache) for program in programs] for _ in range(repeats)]
    return [1e3 * anew, *(1e3 * np.median(later, axis=0)).tolist()]


def _seconds(program: str, **environment: str) -> float:
    """Run a program in a fresh interpreter; it prints how long it took."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"bench: a fresh process failed\n{done.stderr}")
    return float(done.stdout)
