"""What all tests share: how they are run, the benchmark data where it is present, and how hard Hypothesis tries."""

import logging
import os
import signal
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# Calls that rely on the types of their arguments check them, in all tests.
os.environ.setdefault("TIMEBOUND_CHECK_TYPES", "1")

import pytest
from compiled_helpers import forget_folder
from hypothesis import HealthCheck, settings
from shares import SHARE, data_directory, share_of

from timebound.compiled import COMPILING
from timebound.compiled.settings import CHECK_BOUNDS, PLAIN

# Marks of all tests in a folder, besides their own.
FOLDERS = {
    "every_world": "uncompiled",
    "studio": "uncompiled",
    "export": "uncompiled",
    "compiled": "compiled",
    "search": "bounds",
    "plain": "plain",
}
# When tests with a mark can run, and why not otherwise.
WHEN = {
    "uncompiled": (not COMPILING or CHECK_BOUNDS, "`make uncompiled` runs it: compiling would take too long"),
    "compiled": (COMPILING, "the compiler is off"),
    "plain": (PLAIN, "`make plain` runs it"),
}
FEWEST = 10  # examples
# A shell starts jobs in the background with Ctrl-C ignored, and their children inherit that: no test could press it.
signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile(
    "timebound", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("timebound")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out folders whose tests cannot run: to import some of them takes the compiler a minute."""
    mark = FOLDERS.get(collection_path.name) if collection_path.is_dir() else None
    return True if mark in WHEN and not WHEN[mark][0] else None


def pytest_report_header() -> list[str]:
    """Say which folders are left out, and why."""
    return [
        f"left out: tests/{folder}: {WHEN[mark][1]}"
        for folder, mark in FOLDERS.items()
        if mark in WHEN and not WHEN[mark][0]
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of folders, skip those that cannot run so, and let Hypothesis try a share of its examples."""
    for item in items:
        if mark := FOLDERS.get(item.path.parent.name):
            item.add_marker(mark)
        for name, (holds, reason) in WHEN.items():
            if not holds and item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))
    tests = {id(test): test for test in (getattr(item, "obj", None) for item in items)}
    for test in tests.values() if SHARE < 1 else ():
        chosen = getattr(test, "_hypothesis_internal_use_settings", None)
        if chosen is not None:
            fewer = share_of(chosen.max_examples, FEWEST)
            test._hypothesis_internal_use_settings = settings(chosen, max_examples=fewer)


# Files and folders whose tests stay together in one process, which makes what they share once. They come first.
TOGETHER = (
    "tests/export/",
    "tests/test_wheel.py",
    "tests/compiled/test_bounds.py",
    "tests/hostile/test_interrupts.py",
    "tests/plain/test_plain_agents.py",
    "tests/plain/test_plain_worlds.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests go to whichever process is free, apart from those files. (Marks for it say nothing to pytest 9.)"""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return next((each for each in TOGETHER if file.startswith(each)), nodeid)

    return Together(config, log)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The benchmark data, or a skip where it is absent."""
    directory = data_directory()
    if not directory.is_dir():
        pytest.skip("the benchmark maps are not here: point TIMEBOUND_DATA to a folder with maps/ and scens/")
    return directory


# ------------------------------------------------------------------ tests of the compiled package


@pytest.fixture
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for machine code that only this test uses; it is made when something is compiled."""
    chosen = tmp_path / "cache"
    monkeypatch.setenv("TIMEBOUND_CACHE", str(chosen))
    forget_folder()
    yield chosen
    forget_folder()


@pytest.fixture
def warnings_logged(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """The lines that the user has seen."""

    def logged() -> list[str]:
        return [r.getMessage() for r in caplog.records if r.name == "timebound" and r.levelno >= logging.WARNING]

    return logged


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Makes a module of a text; by default always of the same name, as if its file had been edited."""

    def make(text: str, name: str = "edited_plugin") -> Any:
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(text, f"{name}.py", "exec"), vars(module))
        return module

    return make
