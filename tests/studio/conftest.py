"""A running studio, and a browser to look at it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "out" / "studio"  # kept, to be looked at
# A browser that is not told otherwise talks to its maker.
QUIET = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


@pytest.fixture(scope="session")
def studio() -> Iterator[str]:
    """The address of a studio in another process, without the compiler, so that nothing waits for it."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "timebound", "studio", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://localhost:" in line, line
        yield line.split()[4]
        process.terminate()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; a skip where there is none, but a failure on CI."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install playwright")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_api.sync_playwright() as playwright:
        try:
            launched = playwright.chromium.launch(executable_path=program, args=QUIET)
        except sync_api.Error as error:
            if os.environ.get("CI"):
                pytest.fail(f"there is no browser here, and CI must have one: {str(error).splitlines()[0]}")
            pytest.skip("there is no Chromium here: make browser")
        yield launched
        launched.close()


class Visit:
    """An open page, and its errors."""

    def __init__(self, page: Any, home: str):
        self.page, self.home = page, home
        self.errors: list[str] = []
        self.strangers: list[str] = []
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._note)

    def _note(self, request: Any) -> None:
        if not request.url.startswith((self.home, self.home.replace("http", "ws"), "data:", "blob:", "file:")):
            self.strangers.append(request.url)

    def state(self, expression: str) -> Any:
        """Evaluate an expression on the page's own state."""
        return self.page.evaluate(f"(() => {{ const s = window.studio; return {expression}; }})()")

    def wait(self, expression: str, seconds: float = 90) -> None:
        """Wait until an expression is true, also while the page is loaded again.

        Playwright's own wait evaluates strings, which the page forbids.
        """
        end = time.monotonic() + seconds
        while not self._holds(expression):
            assert time.monotonic() < end, (
                f"{expression} did not come true; {self.errors} {self.page.locator('#notice').inner_text()}"
            )
            self.page.wait_for_timeout(20)

    def _holds(self, expression: str) -> bool:
        try:
            return bool(self.state(f"Boolean({expression})"))
        except Exception as error:  # Playwright's own, which is imported only where it is installed
            if "navigation" not in str(error):
                raise
            return False

    def picture(self, name: str) -> None:
        """Keep a screenshot."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")


@pytest.fixture
def visit(browser: Any, studio: str) -> Iterator[Any]:
    """Open pages; after the test, none of them may have had errors."""
    visits: list[Visit] = []

    def go(address: str = "", width: int = 1280, height: int = 800, scheme: str = "light") -> Visit:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        visits.append(Visit(context.new_page(), studio))
        visits[-1].page.goto(address if "://" in address else studio + address)
        return visits[-1]

    yield go
    for each in visits:
        each.page.context.close()
        assert each.errors == []
        assert each.strangers == []
