"""Memory that is allocated page by page."""

import os
import subprocess
import sys

import numpy as np
import pytest

from timebound.core import memory
from timebound.core.memory import Pool, Used, untouched

FORKED = """
import os
from timebound.core.memory import untouched
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


def test_a_pool_keeps_no_more_bytes_of_a_kind_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_LEFT", 1000)
    pool = Pool()
    for number in range(50):
        pool.leave("h", Used(np.full(10, number), 0))  # 80 bytes
        pool.leave_object("search", number, 150)
    arrays = [int(pool.take("h", 10, np.int64).array[0]) for _ in range(50)]
    objects = [pool.take_object("search", lambda: None) for _ in range(50)]
    assert arrays == [*range(49, 37, -1), *[0] * 38]  # 960 bytes, the newest first: their pages are still in caches
    assert objects == [*range(49, 43, -1), *[None] * 44]
    for size in (10, 10, 900):  # what has grown since it was taken
        pool.leave_object("heap", size, size)
    assert [pool.take_object("heap", lambda: None) for _ in range(3)] == [900, None, None]
    huge = Used(np.zeros(10_000), 7)
    pool.leave("nodes", huge)
    assert pool.take("nodes", 10_000, np.float64) is huge  # one of each kind stays, or every agent would begin anew


LIFE = """
import sys
import numpy as np, timebound as tb
from timebound import maps
from timebound.core import memory

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20

def agent(problem):
    made = tb.make("rtaa", world, *problem, lookahead=50)
    made.run(expansions=50, intervals=20)
    return made

memory.MOST_LEFT = 8 << 20
map_ = maps.caves(256, 256, seed=1)
world, problems = tb.Grid(map_.passable), maps.random_problems(map_, 1000, 1)
agent(problems[0])
before = resident()
many = [agent(problem) for problem in problems]
most = resident()
del many
last = agent(problems[0])
print(most - before, resident() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
def test_a_server_with_a_thousand_agents_and_then_one() -> None:
    environment = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run([sys.executable, "-c", LIFE], check=True, capture_output=True, text=True, env=environment)
    most, last = map(float, done.stdout.split())
    assert most > 60
    assert last < most / 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_a_forked_process_does_not_write_into_ours() -> None:
    result = subprocess.run([sys.executable, "-c", FORKED], check=True, capture_output=True, text=True)
    assert result.stdout == "1\n"
