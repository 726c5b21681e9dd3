"""The Python of the README and of all pages runs as scripts, in fresh processes, and prints what the pages say.

Most scripts run without the compiler, which takes seconds. `TIMEBOUND_DOCUMENTS=1` runs all of them compiled, twice:
from an empty cache and from the full one. CI does so with agents and worlds that are defined in the script itself.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from documents import PAGES, ROOT, SCRIPTS, Script

ALL_TWICE = os.environ.get("TIMEBOUND_DOCUMENTS") == "1"
# The compiled agents of these are in the cache of `make test`. Without the compiler they take from 15 s to minutes.
COMPILED = ("README", "docs/driving", "docs/races", "docs/concepts", "docs/fleet", "docs/subgoals", "docs/lab")
# Parts of agents, and a world, that are defined in the script itself.
ONES_OWN = ("class Backup(NamedTuple)", "def pancake(")
NEEDED = ("networkx", "gymnasium", "distributed")
SECONDS = 600
WALK = """
import timebound as tb
agent = tb.make(FRIT, tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
print(agent.run(expansions=50).path)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder beside the examples of the sources."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def run(script: Script, folder: Path, **environment: str) -> None:
    """Run a script in a process of its own, and compare what it prints with what the page says."""
    for package in NEEDED:
        if package in script.text:
            pytest.importorskip(package, reason=f"pip install {package}")
    for name, text in (*script.files, ("script.py", script.text)):
        (folder / name).write_text(text, encoding="utf-8")
    check(script, output(folder, "script.py", **environment))


def check(script: Script, printed: str) -> None:
    """What the page says is printed, in this order."""
    lines = iter(printed.splitlines())
    assert [said for said in script.said if said not in lines] == [], printed


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_prints_what_its_page_says(script: Script, folder: Path) -> None:
    compiled = any(script.name.startswith(f"{page}-") for page in COMPILED)
    run(script, folder, **({} if compiled else {"NUMBA_DISABLE_JIT": "1"}))


@pytest.mark.parametrize(
    "script",
    [script for script in SCRIPTS if ALL_TWICE or any(part in script.text for part in ONES_OWN)],
    ids=lambda script: script.name,
)
def test_compiled_from_an_empty_and_from_a_full_cache(script: Script, folder: Path) -> None:
    for _ in range(2):
        run(script, folder, TIMEBOUND_CACHE=str(folder / "cache"))


def test_a_whole_algorithm_in_a_script(folder: Path) -> None:
    """In machine code it does the same, from an empty cache and from a full one: it hears the news, too."""
    frit = (ROOT / "examples" / "frit.py").read_text(encoding="utf-8")
    (folder / "script.py").write_text(frit + WALK, encoding="utf-8")
    (folder / "again.py").write_text(
        "import sys; sys.path.append('examples'); from frit import FRIT" + WALK, encoding="utf-8"
    )
    plain = output(folder, "again.py", NUMBA_DISABLE_JIT="1")
    assert plain.endswith("(60, 70)]\n")
    for _ in range(2):
        assert output(folder, "script.py", TIMEBOUND_CACHE=str(folder / "cache")) == plain


def output(folder: Path, name: str, **environment: str) -> str:
    """Run a script in a process of its own."""
    environment = {**os.environ, **environment}
    command = [sys.executable, name]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_part_of_ones_own_in_a_notebook(folder: Path) -> None:
    """The cells run in a kernel; in a fresh one, with the same cache, they run again."""
    nbformat = pytest.importorskip("nbformat", reason="pip install nbclient ipykernel")
    nbclient = pytest.importorskip("nbclient", reason="pip install nbclient ipykernel")
    (script,) = (script for script in SCRIPTS if ONES_OWN[0] in script.text)
    for _ in range(2):
        cells = [nbformat.v4.new_code_cell(cell) for cell in script.text.split("\n\n\n")]
        notebook = nbformat.v4.new_notebook(cells=cells)
        kernel = {"env": {**os.environ, "TIMEBOUND_CACHE": str(folder / "cache")}, "cwd": str(folder)}
        nbclient.NotebookClient(notebook, timeout=SECONDS).execute(**kernel)
        outputs = [output.text for cell in notebook.cells for output in cell.outputs if output.output_type == "stream"]
        check(script, "".join(outputs))


def test_every_page_with_python_is_run() -> None:
    pages = {script.page for script in SCRIPTS}
    assert {page for page in PAGES if "```python\n" in page.read_text(encoding="utf-8")} == pages
    assert len([said for script in SCRIPTS for said in script.said]) > 60
