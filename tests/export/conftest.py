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
    """Where the library is."""
    if os.environ.get("TIMEBOUND_LIBRARY"):
        return Path(os.environ["TIMEBOUND_LIBRARY"])
    made: Path = tmp_path_factory.mktemp("library")
    assert main(["export", "--output", str(made), *(["--agents", AGENTS] if AGENTS else [])]) == 0
    return made


@pytest.fixture(scope="session")
def program(compiler: str, folder: Path):
    """Compile a C program of this folder with the library; return its path."""

    def build(name: str, *flags: str) -> Path:
        path = folder / name.removesuffix(".c")
        command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-g", *flags, f"-I{folder}"]
        where = [str(HERE / name), "-o", str(path), f"-L{folder}", "-ltimebound", f"-Wl,-rpath,{folder}"]
        subprocess.run([*command, *where], check=True)
        return path

    return build
