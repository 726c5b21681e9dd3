"""What a program gets when it imports timebound."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import timebound as tb

HEAVY = (
    "PIL",
    "networkx",
    "matplotlib",
    "pandas",
    "pyarrow",
    "distributed",
)  # what Numba itself imports cannot be helped


def python(code: str, **environment: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, check=True
    )
    return finished.stdout.strip()


def test_the_import_is_light() -> None:
    loaded = python(f"import sys, timebound; print([name for name in {HEAVY} if name in sys.modules])")
    assert loaded == "[]"


def test_packages_that_bring_agents_are_not_looked_for_before_they_are_needed() -> None:
    code = """if True:
        import timebound as tb
        from timebound.agents import registry
        from timebound.cli import main
        for command in ([], ["solve"], ["agents"]):
            try:
                main([*command, "--help"])
            except SystemExit as end:
                assert end.code == 0
        main(["agents", "rtaa"])
        print(registry._installed.cache_info().currsize)
        tb.catalogue()
        print(registry._installed.cache_info().currsize)"""
    assert python(code).splitlines()[-2:] == ["0", "1"]


def test_help_and_maps_need_no_numba() -> None:
    code = """if True:
        import sys
        sys.modules["numba"] = None  # importing it is an error
        from timebound.cli import main
        assert main(["maps", "info", "harbour"]) == 0
        assert main(["agents"]) == 0
        for command in ([], ["solve"], ["race"], ["lab", "run"], ["maps", "generate"], ["warmup"]):
            try:
                main([*command, "--help"])
            except SystemExit as end:
                assert end.code == 0
        print("done")"""
    assert python(code).endswith("done")


def test_machine_code_is_kept_for_the_next_process(tmp_path: Path) -> None:
    code = """if True:
        import numpy as np, timebound as tb
        from timebound.compiled import store
        tb.shortest_path(tb.Grid(np.ones((5, 5), bool)), (0, 0), (4, 4))
        print(store.counts["compiled"] > 0, store.counts["loaded"] > 0)"""
    assert python(code, TIMEBOUND_CACHE=str(tmp_path)) == "True False"
    assert python(code, TIMEBOUND_CACHE=str(tmp_path)) == "False True"


def test_everything_runs_with_the_compiler_off() -> None:
    code = """if True:
        import timebound as tb
        world = tb.Grid.load("harbour")
        for order in ({}, {"weight": 2.5}, {"greedy": True}):
            path = tb.shortest_path(world, (12, 100), (60, 70), **order)
            print(path.cost, path.expansions, path.states[5])"""
    assert python(code, NUMBA_DISABLE_JIT="1") == python(code)


def test_an_old_name_works_with_a_warning() -> None:
    roads = tb.Graph.from_edges([("a", "b", 1.0), ("b", "c", 1.0)])
    with pytest.warns(DeprecationWarning, match="dearer is now called cost_factor"):
        assert tb.make("astar", roads, "a", "c", dearer=None).run().solved


def test_solve_imports_only_its_own_command() -> None:
    code = """if True:
        import sys
        from timebound.cli import main
        assert main(["solve", "harbour", "--start", "12,100", "--goal", "60,70"]) == 0
        print(*sorted(name for name in sys.modules if name.startswith("timebound.cli.")))
        print([name for name in sys.modules if name.startswith(("timebound.studio", "timebound.lab"))])"""
    commands, others = python(code).splitlines()[-2:]
    shared = ["arguments", "console", "printing", "progress"]
    assert commands.split() == sorted(f"timebound.cli.{name}" for name in ("solve", *shared))
    assert others == "[]"
