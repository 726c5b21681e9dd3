"""Ctrl-C at random moments, for `test_interrupts`. Prints a line of JSON for every drill.

``python -m interrupt_drills`` interrupts Python calls, ``python -m interrupt_drills FOLDER`` commands.

A process of its own, because what is feared here is a crash.
"""

import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import timebound as tb
from timebound.applications.trials import trials
from timebound.cli import main
from timebound.maps import caves

SIGNALS, CHECKS = 22, 4  # a drill
LONGEST_WAIT = 0.06  # seconds of work before a signal
PATIENCE = 5.0  # seconds before a signal counts as lost


class Drill(NamedTuple):
    """Work that never ends, and a check that everything is right after an interruption."""

    work: Callable[[], Any]
    check: Callable[[], None]


def interrupt(work: Callable[[], Any], wait: float) -> float | None:
    """The time from the signal to KeyboardInterrupt; None if it never comes."""
    sent: list[float] = []
    heard = threading.Event()

    def send() -> None:
        time.sleep(wait)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
        if not heard.wait(PATIENCE):
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    try:
        thread.start()
        work()
        raise AssertionError("work that never ends has ended")
    except KeyboardInterrupt:
        late = time.monotonic() - sent[0]
        heard.set()
    thread.join()
    return late if len(sent) == 1 else None


# ------------------------------------------------------------------ worlds

walls = np.ones((300, 300), bool)
walls[150] = False
WALLED = tb.Grid(walls)  # the goal cannot be reached, which takes long to find out
gap = np.ones((20, 20), bool)
gap[10, :-1] = False
GAP = tb.Grid(gap)  # it can, by a long way round
NOISE = tb.Grid(np.random.default_rng(0).random((1200, 1200)) > 0.2)
SMALL = tb.Grid(np.random.default_rng(1).random((30, 30)) > 0.2)
ACROSS = (0, 0), (0, 19)


def corners(world: tb.Grid) -> tuple[Any, Any]:
    free = np.argwhere(world.passable)
    return tuple(map(int, free[0][::-1])), tuple(map(int, free[-1][::-1]))


def legal(world: tb.Grid, path: Any) -> bool:
    """Does a path lead from cell to neighbouring cell, all of them free?"""
    cells = np.array(path)
    steps = np.abs(np.diff(cells, axis=0)).max(axis=1, initial=0)
    return bool((steps <= 1).all() and world.passable[cells[:, 1], cells[:, 0]].all())


# ------------------------------------------------------------------ the drills


def running(kind: str) -> Drill:
    """`run` of an agent, which goes on afterwards; others like it do what they always did."""
    agent = tb.make(kind, WALLED, (0, 0), (299, 299))
    expected = tb.make(kind, GAP, *ACROSS).run(expansions=5)
    assert expected.solved

    def work() -> None:
        while True:
            if agent.done:
                agent.reset()
            agent.run(expansions=5)

    def check() -> None:
        if not agent.done:
            agent.step(expansions=5)
        assert legal(WALLED, agent.episode().path)
        again = tb.make(kind, GAP, *ACROSS).run(expansions=5)
        assert (again.cost, again.moves, again.path) == (expected.cost, expected.moves, expected.path)

    return Drill(work, check)


def stepping(kind: str, way: str) -> Drill:
    """Loops of `step` or `plan` in Python."""
    agent = tb.make(kind, WALLED, (0, 0), (299, 299))

    def work() -> None:
        while True:
            getattr(agent, way)(expansions=1000 if way == "plan" else 5)

    def check() -> None:
        assert legal(WALLED, agent.episode().path)
        assert len(agent.episode().path) == agent.episode().moves + 1

    return Drill(work, check)


def without_budget(kind: str) -> Drill:
    """`run` without any budget in a large world that changes, after a goal that moves; then again, from the start."""
    world = tb.Grid(NOISE.passable)
    start, goal = corners(world)
    (x, y), _ = start, goal
    agent = tb.make(kind, world, start, goal)
    expected = tb.make(kind, GAP, *ACROSS).run()

    def once() -> None:
        if agent.position != goal:
            agent.retarget(goal)
        agent.run()
        agent.reset()
        world.set_cost([(x + 1, y)], 2.5)
        world.set_cost([(x + 1, y)], 1)

    def work() -> None:
        while True:
            once()

    for _ in range(3):  # compile, and have costs
        once()

    def check() -> None:
        assert legal(world, agent.episode().path)
        world.set_cost([(x, y)], 3)
        world.set_cost([(x, y)], 1)
        agent.plan(expansions=10) if not agent.done else agent.reset()
        again = tb.make(kind, GAP, *ACROSS).run()
        assert (again.cost, again.moves, again.path) == (expected.cost, expected.moves, expected.path)

    return Drill(work, check)


def learning() -> Drill:
    """Repeated trials."""

    def some() -> list[float]:
        return [episode.cost for episode in trials(tb.make("rtaa", GAP, *ACROSS), 3, expansions=5)]

    expected = some()

    def work() -> None:
        while True:
            for _ in trials(tb.make("rtaa", GAP, *ACROSS), 1000, expansions=1):
                pass

    def check() -> None:
        assert some() == expected

    return Drill(work, check)


def path(neighbors: int) -> Drill:
    """`shortest_path`, which begins again."""
    noise, small = (tb.Grid(world.passable, neighbors=neighbors) for world in (NOISE, SMALL))
    start, goal = corners(noise)
    expected = tb.shortest_path(small, *corners(small))

    def work() -> None:
        while True:
            tb.shortest_path(noise, start, goal)

    def check() -> None:
        again = tb.shortest_path(small, *corners(small))
        assert (again.cost, list(again.states)) == (expected.cost, list(expected.states))

    return Drill(work, check)


def preparing() -> Drill:
    """`prepare`, which begins again."""
    expected = tb.shortest_path(SMALL, *corners(SMALL)).cost

    def work() -> None:
        while True:
            tb.Grid(NOISE.passable).prepare()

    def check() -> None:
        assert tb.Grid(SMALL.passable).prepare().shortest_path(*corners(SMALL)).cost == expected

    return Drill(work, check)


def many_paths() -> Drill:
    """Prepared paths in threads, which end what they have begun."""
    world = tb.Grid(caves(300, 300, seed=1).passable)
    cells, paths = np.argwhere(world.passable)[:, ::-1].copy(), world.prepare()
    expected = paths.costs(cells[:40], cells[-40:])

    def work() -> None:
        while True:
            paths.shortest_paths(cells, cells[::-1], threads=2)

    def check() -> None:
        assert np.array_equal(paths.costs(cells[:40], cells[-40:], threads=2), expected)

    return Drill(work, check)


def searching() -> Drill:
    """A search that is interrupted all the time and finds the same path as one that is not."""
    expected = tb.Search(NOISE, *corners(NOISE))
    expected.advance()
    searches = [tb.Search(NOISE, *corners(NOISE))]

    def work() -> None:
        while True:
            if searches[0].status != "running":
                check_path()
                searches[0] = tb.Search(NOISE, *corners(NOISE))
            searches[0].advance()

    def check_path() -> None:
        found = searches[0].path()
        assert (found.cost, list(found.states)) == (expected.path().cost, list(expected.path().states))

    def check() -> None:
        search = tb.Search(SMALL, *corners(SMALL))
        search.advance()
        assert search.path().cost == tb.shortest_path(SMALL, *corners(SMALL)).cost

    return Drill(work, check)


def cases() -> Drill:
    """Building a case base."""
    expected = tb.CaseBase.build(SMALL, records=20, coverage="random")
    tb.CaseBase.build(SMALL, records=20)  # compiles

    def work() -> None:
        while True:
            tb.CaseBase.build(NOISE, records=20_000)
            tb.CaseBase.build(NOISE, records=100, coverage="random")

    def check() -> None:
        again = tb.CaseBase.build(SMALL, records=20, coverage="random")
        assert repr(again) == repr(expected)

    return Drill(work, check)


def beside_threads() -> Drill:
    """Other threads compute, too, compiled and not; they are left alone."""
    work, check_main = running("rtaa")
    done = [0, 0]

    def paths() -> None:
        while True:
            done[0] += tb.shortest_path(SMALL, *corners(SMALL)).cost > 0

    def counting() -> None:
        while True:
            done[1] += sum(range(1000)) > 0
            time.sleep(0.001)

    for target in (paths, counting):
        threading.Thread(target=target, daemon=True).start()
    before = [0, 0]

    def check() -> None:
        time.sleep(0.05)
        assert all(now > then for now, then in zip(done, before, strict=True))
        before[:] = done
        check_main()

    return Drill(work, check)


DRILLS: dict[str, Callable[[], Drill]] = {
    "run lrta": lambda: running("lrta"),
    "run rtaa": lambda: running("rtaa"),
    "run tbaa": lambda: running("tbaa"),
    "step lrta": lambda: stepping("lrta", "step"),
    "plan rtaa": lambda: stepping("rtaa", "plan"),
    "no budget, mpgaa": lambda: without_budget("mpgaa"),
    "no budget, fra": lambda: without_budget("fra"),
    "no budget, rtaa": lambda: without_budget("rtaa"),
    "no budget, dstar-lite": lambda: without_budget("dstar-lite"),
    "trials": learning,
    "shortest_path": lambda: path(8),
    "shortest_path, 4 neighbours": lambda: path(4),
    "prepare": preparing,
    "shortest_paths": many_paths,
    "Search": searching,
    "CaseBase.build": cases,
    "threads": beside_threads,
}


def drill(name: str) -> dict[str, Any]:
    """Make everything (and compile), then signal after signal."""
    chance = random.Random(name)
    work, check = DRILLS[name]()
    check()
    late = []
    for number in range(SIGNALS):
        late.append(interrupt(work, chance.uniform(0, LONGEST_WAIT)))
        if number % (SIGNALS // CHECKS) == 0:
            check()
    return {"drill": name, "late": late}


# ------------------------------------------------------------------ the command line


def commands(folder: Path) -> list[list[str]]:
    """What takes long."""
    for name, world in (("walled", WALLED), ("noise", NOISE)):
        rows = ["".join(".@"[not free] for free in row) for row in world.passable]
        head = ["type octile", f"height {len(rows)}", f"width {len(rows[0])}", "map"]
        (folder / f"{name}.map").write_text("\n".join([*head, *rows]) + "\n")
    walled, way = str(folder / "walled.map"), ["--start", "0,0", "--goal", "299,299", "--expansions", "1"]
    return [
        ["solve", walled, *way, "--agent", "lrta"],
        ["solve", walled, *way, "--agent", "rtaa", "--trials", "9", "--json"],
        ["race", walled, *way, "--agents", "lrta,rtaa"],
        [
            "build-cases",
            str(folder / "noise.map"),
            "--coverage",
            "random",
            "--records",
            "90000",
            "--workers",
            "1",
            "--output",
            str(folder / "cases"),
            "--force",
        ],
    ]


def command(arguments: list[str], folder: Path, wait: float) -> dict[str, Any]:
    """Run a command in a fork, and interrupt it."""
    ready, begun = os.pipe()
    said = folder / "said"
    process = os.fork()
    if process == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open(said, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 2)
        status = 1
        try:
            os.write(begun, b"!")
            status = main(arguments)
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(status)
    os.read(ready, 1)
    time.sleep(wait)
    os.kill(process, signal.SIGINT)
    sent = time.monotonic()
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    late = time.monotonic() - sent
    (folder / "cases.journal").unlink(missing_ok=True)
    return {"command": arguments[0], "status": status, "said": said.read_text(), "late": late}


def interrupt_commands(folder: Path) -> None:
    """Every command some times, after it was loaded and compiled."""
    for kind in ("lrta", "rtaa"):
        tb.make(kind, WALLED, (0, 0), (299, 299)).run(expansions=1, intervals=9)
    tb.CaseBase.build(SMALL, records=20, coverage="random")
    with contextlib.suppress(SystemExit):
        main(["--version"])
    for arguments in commands(folder):
        for wait in (0.2, 0.3, 0.5):  # by then it is at work
            print(json.dumps(command(arguments, folder, wait)), flush=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        interrupt_commands(Path(sys.argv[1]))
    else:
        for name in DRILLS:
            print(json.dumps(drill(name)), flush=True)
