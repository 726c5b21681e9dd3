"""A wheel with machine code, in an empty environment with an empty home: nothing is compiled."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from timebound.compiled import store

ROOT = Path(__file__).parents[1]
AGENTS = ["rtaa", "tbaa", "dstar-lite"]
RUN = """
import timebound as tb
from timebound.compiled import store
world = tb.Grid.load("harbour")
assert tb.make("tbaa", world, (12, 100), (180, 14), terrain="unknown").run(expansions=50).solved
assert tb.make("rtaa", world, (12, 100), (180, 14)).run(ms=0.3).solved
assert tb.shortest_path(world, (12, 100), (180, 14)).solved
print(dict(store.counts))
"""
SHORT = """
import timebound as tb, numpy as np
print(tb.shortest_path(tb.Grid(np.ones((3, 3), bool)), (0, 0), (2, 2)).cost)
"""
COMMAND = """
import sys
from timebound.cli import main
from timebound.compiled import store
status = main(sys.argv[1:])
print("compiled", store.counts["compiled"], "shipped", store.counts["shipped"] > 0)
sys.exit(status)
"""


def run(command: list[str], **environment: str) -> str:
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pack = folder / "machine_code.pack"
    ship = [sys.executable, "-m", "timebound.applications.shipping", str(pack)]
    assert str(pack) in run([*ship, "--agents", ",".join(AGENTS), "--worlds", "grid"])
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    run(build, TIMEBOUND_PACK=str(pack))
    [built] = folder.glob("timebound-*.whl")
    assert "none-any" not in built.name  # it is for this platform
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, str]]:
    """The interpreter of the new environment, and the variables of a new user."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    interpreter = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    pip = [sys.executable, "-m", "pip", "--python", interpreter]
    run([*pip, "install", "--quiet", "--no-compile", *_same_versions(), str(wheel)])
    home = tmp_path_factory.mktemp("home")
    away = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "TIMEBOUND_CACHE": "", "PYTHONPATH": ""}
    return interpreter, {**away, "NUMBA_CPU_NAME": "", "NUMBA_CACHE_DIR": ""}


def _same_versions() -> list[str]:
    import llvmlite
    import numba
    import numpy

    return [f"{module.__name__}=={module.__version__}" for module in (numba, llvmlite, numpy)]


def test_it_can_be_published(wheel: Path, tmp_path: Path) -> None:
    """The wheel and the source distribution both pass twine's check."""
    for tool in ("hatchling", "twine"):
        pytest.importorskip(tool)
    run([sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(tmp_path)])
    [sources] = tmp_path.glob("timebound-*.tar.gz")
    said = run([sys.executable, "-m", "twine", "--no-color", "check", "--strict", str(wheel), str(sources)])
    assert said.count("PASSED") == 2


def test_nothing_is_compiled_in_python(python: tuple[str, dict[str, str]]) -> None:
    interpreter, home = python
    counts = eval(run([interpreter, "-c", RUN], **home))
    assert counts.get("compiled", 0) == 0
    assert counts.get("loaded", 0) == 0
    assert counts["shipped"] > 50


@pytest.mark.parametrize(
    "command",
    [
        ["solve", "harbour", "--start", "12,100", "--goal", "180,14", "--agent", "rtaa", "--expansions", "50"],
        ["race", "harbour", "--start", "12,100", "--goal", "180,14", "--terrain", "unknown", "--virtual-ms", "0.1",
         "--agents", ",".join(AGENTS)],
    ],
)  # fmt: skip
def test_nothing_is_compiled_on_the_command_line(command: list[str], python: tuple[str, dict[str, str]]) -> None:
    interpreter, home = python
    assert run([interpreter, "-c", COMMAND, *command], **home).endswith("compiled 0 shipped True\n")


def _kept_on_disk() -> dict[str, str]:
    """Variables of a user who has the machine code of these tests."""
    folder = store.folder()
    assert folder is not None
    return {"TIMEBOUND_CACHE": str(folder.parents[1]), "NUMBA_CPU_NAME": os.environ.get("NUMBA_CPU_NAME", "")}


def test_another_processor_or_a_damaged_pack_is_no_matter(python: tuple[str, dict[str, str]]) -> None:
    """Machine code for any processor is used whatever the processor is called; without its index, that on disk is."""
    interpreter, home = python
    assert "'compiled'" not in run([interpreter, "-c", RUN], **{**home, "NUMBA_CPU_NAME": "x86-64"})
    program = "import timebound.compiled.store as store; print(store.PACK)"
    pack = Path(run([interpreter, "-c", program], **home).strip())
    whole = pack.read_bytes()
    try:
        for damaged in (b"", whole[:1000], whole[:40] + b"x" + whole[41:], whole[:-200_000] + bytes(200_000)):
            pack.write_bytes(damaged)
            assert run([interpreter, "-c", SHORT], **{**home, **_kept_on_disk()}).startswith("2.828")
    finally:
        pack.write_bytes(whole)
