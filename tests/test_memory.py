"""Memory that is allocated page by page."""

import subprocess
import sys

import pytest

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
