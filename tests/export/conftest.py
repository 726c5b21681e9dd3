import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from timebound.cli import main

# Few agents, so that few are compiled; TIMEBOUND_EXPORT=all exports and plays all, TIMEBOUND_LIBRARY=FOLDER plays those
# of a library that exists.
AGENTS = "" if os.environ.get("TIMEBOUND_EXPORT") == "all" else "rtaa,tbaa,dstar-lite"
HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def compiler() -> str:
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None:
        pytest.skip("there is no C compiler")
    return found


@pytest.fixture(scope="session")
def folder(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the library is: all test processes share it, and the first one makes it."""
    if os.environ.get("TIMEBOUND_LIBRARY"):
        return Path(os.environ["TIMEBOUND_LIBRARY"])
    base = tmp_path_factory.getbasetemp()
    made = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "library"
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (made / "timebound.h").exists():
            assert main(["export", "--output", str(made), *(["--agents", AGENTS] if AGENTS else [])]) == 0
    return made


@pytest.fixture(scope="session")
def program(compiler: str, folder: Path, tmp_path_factory: pytest.TempPathFactory):
    """Compile a C program of this folder with the library; return its path."""
    place = tmp_path_factory.mktemp("programs")

    def build(name: str, *flags: str) -> Path:
        path = place / name.removesuffix(".c")
        command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-g", *flags, f"-I{folder}"]
        where = [str(HERE / name), "-o", str(path), f"-L{folder}", "-ltimebound", f"-Wl,-rpath,{folder}"]
        subprocess.run([*command, *where], check=True)
        return path

    return build
