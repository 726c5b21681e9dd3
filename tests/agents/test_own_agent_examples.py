"""Agents from outside the package: the examples of docs/your-own-agent.md, which are files of `examples/` as well."""

import importlib
import re
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import timebound as tb

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "your-own-agent.md"
TEXT = PAGE.read_text(encoding="utf-8").split("## Where it lives")[0]
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
EXAMPLES = {"own_mix": "TBR_GBFS", "own_learning_rule": "BACKUP_RTAA", "frit": "FRIT"}


@pytest.fixture(autouse=True)
def _examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))


def kind(module: str) -> Any:
    return getattr(importlib.import_module(module), EXAMPLES[module])


def test_the_page_shows_the_files() -> None:
    rule = (ROOT / "examples" / "own_learning_rule.py").read_text(encoding="utf-8")
    shown = next(block for block in BLOCKS if "class Backup" in block)
    body = shown[shown.index("def _catch_up") : shown.index("@compiled")]
    assert body in rule
    assert len((ROOT / "examples" / "frit.py").read_text(encoding="utf-8").splitlines()) <= 80


@pytest.mark.parametrize("module", EXAMPLES)
def test_they_arrive_or_prove(module: str) -> None:
    for seed in range(12):
        generator = np.random.default_rng([31, seed])
        passable = generator.random((12, 14)) >= 0.3
        cells = [(x, y) for y, x in np.argwhere(passable).tolist()]
        start, goal = (cells[i] for i in generator.integers(len(cells), size=2))
        world = tb.Grid(passable, neighbors=(4, 8)[seed % 2])
        episode = tb.make(kind(module), world, start, goal, terrain="unknown").run(expansions=3, intervals=20_000)
        assert episode.stop == ("goal" if tb.shortest_path(world, start, goal).solved else "unreachable")
        assert episode.agent == kind(module).name


@pytest.mark.uncompiled
@pytest.mark.parametrize("module", EXAMPLES)
def test_the_checker_finds_nothing(module: str) -> None:
    assert tb.check_agent(f"{module}:{EXAMPLES[module]}", problems=8) == []


def test_an_order_of_ones_own_is_kept_to() -> None:
    """The states that a search expands come in the order of the numbers that its order gives."""
    from timebound.parts import Part, priority

    module = types.ModuleType("backwards")
    module.__dict__.update(priority=priority, tb=tb)
    sys.modules["backwards"] = module
    exec(
        "from typing import NamedTuple\n"
        "class ByNumber(NamedTuple):\n    shift: int\n"
        "@priority.of(ByNumber)\ndef by_number(order, world, g, state): return state\n",
        vars(module),
    )
    order = Part("order", "by-number", "the first cells first", lambda setting: module.ByNumber(0))
    world = tb.Grid(np.ones((5, 9), bool), neighbors=4)
    agent = tb.make(tb.variant("odd", like="repeated-astar", order=order), world, (0, 2), (8, 4))
    assert agent.run().solved
    reached = agent.reached().reshape(5, 9) >= 0
    assert reached[:2].all(), "the upper rows have the lower numbers"
