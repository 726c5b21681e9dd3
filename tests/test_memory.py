"""Memory that is given page by page."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import timebound as tb
from timebound.memory import untouched

FORKED = """
import os
from timebound.memory import untouched
ours = untouched(1_000_000, "i8")
ours[5] = 1
if os.fork() == 0:
    ours[5] = 2
    os._exit(0)
os.wait()
print(ours[5])
"""


def test_it_is_zero_and_can_be_written() -> None:
    for count in (0, 10, 100_000):
        array = untouched(count, "i4")
        assert array.shape == (count,)
        assert not array.any()
        array[:] = 7
        assert (array == 7).all()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_a_forked_process_does_not_write_into_ours() -> None:
    result = subprocess.run([sys.executable, "-c", FORKED], check=True, capture_output=True, text=True)
    assert result.stdout == "1\n"


@pytest.mark.parametrize(("name", "terrain"), [("dstar-lite", "unknown"), ("late-astar", "known"), ("astar", "known")])
def test_agents_that_are_no_more_leave_nothing_behind(name: str, terrain: str) -> None:
    """Numba's generators leak the arrays that they count: worlds must be borrowed where agents look at their moves."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("only Linux tells how much address space a process has")

    def megabytes() -> float:
        size = next(line for line in status.read_text().splitlines() if line.startswith("VmSize"))
        return int(size.split()[1]) / 1024

    world = tb.Grid(np.ones((1024, 1024), bool))
    sizes = []
    for _ in range(12):
        agent = tb.make(name, world, (0, 0), (1000, 1000), terrain=terrain)
        agent.run(expansions=50, intervals=30)
        del agent
        sizes.append(megabytes())
    assert sizes[-1] - sizes[3] < 4  # one leaked array of moves is a megabyte


def test_an_agent_in_the_memory_of_another_does_the_same() -> None:
    world = tb.Grid.load("harbour")

    def record(**budget: float) -> dict:
        agent = tb.make("repeated-astar", world, (12, 100), (180, 14), terrain="unknown")
        assert not (agent.reached() >= 0).any()
        figures = agent.run(**budget).as_json()
        return {name: value for name, value in figures.items() if "time" not in name and "planning" not in name}

    first = record(expansions=37)
    tb.make("wastar", world, (180, 14), (12, 100)).run()
    assert len(world.idle_memory) == 1
    assert record(expansions=37) == first
