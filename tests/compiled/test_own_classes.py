"""Classes of scripts and notebooks: no other process can import them, and yet their machine code is kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from compiled_helpers import run_python

PROGRAM = """
import enum
from typing import NamedTuple
from timebound.compiled import compiled, generic, mutable, optional, store

class Colour(enum.IntEnum):
    RED = 3

class Rule(NamedTuple):
    step: int

@generic
def grow(rule, x): ...

@optional
def shrink(rule, x):
    return -1

@grow.of(Rule)
def _grow(rule, x):
    return x + 1 * rule.step + Colour.RED

@shrink.of(Rule)
def _shrink(rule, x):
    return x - 1

State = mutable(__name__, "State", ["rule", "x"])

@compiled
def new_state(rule, x):
    return State(rule, x)

@compiled
def turn(state):
    state.x = shrink(state.rule, grow(state.rule, state.x))
    return state.x

@compiled
def rule_of(state):
    return state.rule

def in_a_function():
    class Rule(NamedTuple):
        step: int

    @grow.of(Rule)
    def _grow(rule, x):
        return x + 100

    @compiled
    def grown(rule, x):
        return grow(rule, x), Rule(8), rule

    x, new, given = grown(Rule(1), 1)
    return x == 101 and type(new) is type(given) is Rule

state = new_state(Rule(2), 1)
same = type(rule_of(state)) is Rule and type(state) is State and in_a_function()
print(turn(state), turn(state), same, store.counts["compiled"] > 0, store.counts["loaded"] > 0)
"""
EDITED = PROGRAM.replace("1 * rule", "2 * rule")
NOTEBOOK = """
import pathlib, sys
scope = vars(sys.modules["__main__"])
for number, file in enumerate(sys.argv[1:]):
    exec(compile(pathlib.Path(file).read_text(), f"<ipython-input-{number}>", "exec"), scope)
"""


@pytest.fixture
def run(tmp_path):
    """Run a program in a process of its own, with a store of its own."""

    def ran(program: str, *cells: str, notebook: bool = False, module: bool = False) -> list[str]:
        files = [tmp_path / f"own_{number}.py" for number in range(1 + len(cells))]
        for file, text in zip(files, (program, *cells), strict=True):
            file.write_text(text)
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import own_0" if module else NOTEBOOK
        start = ["-c", code] if module or notebook else []
        done = subprocess.run(
            [sys.executable, *start, *map(str, () if module else files)],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "TIMEBOUND_CACHE": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.splitlines()

    return ran


COMPILED, LOADED = "True False", "False True"


def test_classes_of_a_script(run):
    assert run(PROGRAM) == [f"5 9 True {COMPILED}"]
    assert run(PROGRAM) == [f"5 9 True {LOADED}"]
    assert run(EDITED) == ["7 13 True True True"]
    assert run(EDITED) == [f"7 13 True {LOADED}"]
    assert run("# a comment\n" + PROGRAM) == [f"5 9 True {LOADED}"]


def test_classes_of_a_notebook(run):
    """Its cells have no file, and are run again, edited or not; a class is then another class of the same name."""
    cells = PROGRAM, EDITED, PROGRAM
    first = run(*cells, notebook=True)
    assert [line.split()[:3] for line in first] == [["5", "9", "True"], ["7", "13", "True"], ["5", "9", "True"]]
    again = run(*cells, notebook=True)
    assert [line.split()[:3] for line in again] == [line.split()[:3] for line in first]
    assert again[0] == f"5 9 True {LOADED}"


def test_classes_of_a_module(run):
    assert run(PROGRAM, module=True) == [f"5 9 True {COMPILED}"]
    assert run(PROGRAM, module=True) == [f"5 9 True {LOADED}"]


AGAIN = """
from typing import NamedTuple
from timebound.compiled import compiled, generic

class Rule(NamedTuple):
    step: int

@generic
def grow(rule, x): ...

@grow.of(Rule)
def _grow(rule, x): return x + 1

@compiled
def f(rule, x): return grow(rule, x)

print(f(Rule(1), 1))

@grow.of(Rule)
def _grow(rule, x): return x + 1

try:
    @grow.of(Rule)
    def _grow(rule, x): return x + 2
except ValueError as error:
    print(error)
"""


def test_what_is_compiled_for_a_class_cannot_be_changed(run):
    """Not even if its machine code was loaded. The same code, defined again, is no change."""
    why = "grow of Rule is already compiled, so it cannot be changed"
    error = f"{why}; define Rule again, too (in a notebook: in the same cell)"
    for _ in range(2):
        assert run(AGAIN, notebook=True) == ["2", error]


WORLD = """
import timebound as tb
from numba import njit
from timebound.compiled import store

@njit
def times(world, x):
    return world.factor * x

def successors(world, state):
    yield state + 1, 1
    yield times(world, state), 2

def heuristic(world, state):
    return 0

world = tb.CustomWorld(successors, heuristic, data={"factor": 3}, highest_cost=2, states=100)
path = tb.shortest_path(world, 1, 11)
print(path.states, store.counts["compiled"] > 0, store.counts["loaded"] > 0)
"""


def test_worlds_of_a_script_and_of_a_notebook(run):
    path = [1, 3, 9, 10, 11]
    assert run(WORLD) == [f"{path} {COMPILED}"]
    assert run(WORLD) == [f"{path} {LOADED}"]
    dearer = WORLD.replace("yield times(world, state), 2", "yield times(world, state), 20")
    dearer = dearer.replace("highest_cost=2", "highest_cost=20")
    for _ in range(2):
        lines = run(WORLD, dearer, WORLD, notebook=True)
        assert [line.split(" T")[0].split(" F")[0] for line in lines] == [str(path), str([*range(1, 12)]), str(path)]


PAGE = Path(__file__).parents[2] / "docs" / "your-own-agent.md"


def test_the_learning_rule_of_the_page_typed_in_twice():
    """With the store of the tests: a whole agent takes long to compile."""
    rule = PAGE.read_text().split("```python\n")[2].split("```")[0]
    program = f"import timebound as tb\nworld = tb.Grid.load('harbour')\n{rule}print(agent.episode().moves)"
    assert run_python(program) == run_python(program) == "True\n643\n"
