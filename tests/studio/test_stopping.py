"""Ctrl-C ends the studio at once, also while it works."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from studio.settings import asked
from studio.test_server import connected, heard

from timebound.studio.client_limits import MOST_EXPANSIONS


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("working", [False, True])
def test_ctrl_c(working: bool) -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "timebound", "studio", "--port", "0", "--no-browser"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        address = process.stdout.readline().split()[4]
        with connected(address) as wire:
            heard(wire, "hello")
            if working:  # an interval that lasts for many seconds without the compiler
                map_ = {"kind": "maze", "width": 801, "height": 801}
                long = asked(
                    "astar",
                    map=map_,
                    start=[1, 1],
                    goal=[799, 799],
                    terrain="known",
                    budget={"expansions": MOST_EXPANSIONS},
                )
                wire.send('{"do": "race", "race": 1, "setting": ' + json.dumps(long) + "}")
                time.sleep(2)
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            assert process.wait(20) == 130
            assert time.monotonic() - began < 8
        assert "Traceback" not in process.stderr.read()
