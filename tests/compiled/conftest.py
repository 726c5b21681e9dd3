"""What the tests of the compiled package share."""

import logging
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from compiled_helpers import forget_folder

from timebound.compiled import COMPILING


@pytest.fixture(autouse=True)
def _needs_the_compiler() -> None:
    if not COMPILING:
        pytest.skip("the compiler is off: there is no machine code")


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
