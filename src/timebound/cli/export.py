"""`timebound export`: agents as a C library, for programs without Python."""

import os
import subprocess
import sys
from pathlib import Path

from .arguments import Arguments, Parser, agents, option

EXAMPLES = """examples:
  timebound export --output build                       every agent that runs on grids
  timebound export --agents rtaa,tbaa --output build
  timebound export --target wasm --output web           for browsers and Node
  cc game.c -Ibuild -Lbuild -ltimebound -o game

It writes libtimebound.so, timebound.h, which documents every function, timebound.pc, and a licence note. The machine
code is for any processor of its architecture. It needs a C compiler; for other platforms than this one: pip install
ziglang; for wasm also npm install binaryen, which gives it 32-bit addresses. The first export compiles every agent,
for some minutes."""
TARGETS = ("linux-x64", "linux-arm64", "windows-x64", "macos-arm64", "wasm")
COMPILING = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "TIMEBOUND_LLVM": "1", "NUMBA_DISABLE_JIT": "0"}


def add_arguments(parser: Parser) -> None:
    option(parser, "--target PLATFORM", f"one of {', '.join(TARGETS)} (default: linux-x64)", default="linux-x64")
    option(parser, "--agents NAMES", "such as rtaa,tbaa (default: all that can be exported)", agents, [])
    option(parser, "--output DIR", "the folder to write to", Path, required=True)


def run(arguments: Arguments) -> int:
    from ..core.errors import ProblemError

    if arguments.target not in TARGETS:
        raise ProblemError(f"there is no target {arguments.target!r}; choose from: {', '.join(TARGETS)}")
    command = [sys.executable, "-m", "timebound.export.building", arguments.target, arguments.output, *arguments.agents]
    # Numba reads what it compiles for when it is loaded.
    return subprocess.run(command, env={**os.environ, **COMPILING}, check=False).returncode
