"""The C library plays what Python plays, to the last move."""

import hashlib
import json
import math
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from clib import STOPS, CAgent, Library  # type: ignore[import-not-found]
from recorded_episodes import PROBLEMS, RECORD, problem

import timebound as tb
from timebound.agents.registry import find_kind


@pytest.fixture(scope="session")
def library(folder: Path) -> Library:
    return Library(folder)


def terrains(kind: str) -> list[str]:
    return [terrain for terrain in ("known", "unknown") if terrain in find_kind(kind).terrain]


def play(program: Path, kind: str, terrain: str) -> list[tuple[str, list[list[int]], list[int]]]:
    """Play the recorded problems in C; return what the digest of an episode is made of."""
    told = []
    for number in range(PROBLEMS):
        world, start, goal, budget = problem(number)
        ((name, amount),) = budget.items()
        rules = f"neighbors={world.neighbors}" + ",diagonal=1.4" * (world.neighbors == 8 and world.diagonal == 1.4)
        cells = " ".join(map(str, world.passable.astype(int).ravel()))
        ends = f"{start[0]} {start[1]} {goal[0]} {goal[1]}"
        amount = -1 if amount == math.inf else amount
        told.append(
            f"{kind} terrain={terrain} {rules} {world.width} {world.height} {cells} {ends} {name} {amount!r} 400\n"
        )
    answer = subprocess.run([program], input="".join(told), capture_output=True, text=True, check=True).stdout
    found = []
    for line in answer.splitlines():
        assert not line.startswith("error"), line
        stop, moves, intervals, expansions, searches, traced, updates, _, *path = line.split()
        steps = [[int(x), int(y)] for x, y in zip(path[::2], path[1::2], strict=True)]
        back = sum(one == other for one, other in zip(steps, steps[2:], strict=False))
        counts = [int(moves), int(intervals), int(expansions), int(searches), back, int(traced), int(updates)]
        found.append(("intervals" if stop == "0" else STOPS[int(stop)], steps, counts))
    return found


def test_recorded_episodes_are_the_same_in_c(program, library: Library):
    recorded, player = json.loads(RECORD.read_text()), program("play.c")
    differ = [
        (kind, terrain)
        for kind in library.kinds()
        for terrain in terrains(kind)
        if hashlib.sha256(json.dumps(play(player, kind, terrain)).encode()).hexdigest()[:16]
        != recorded[f"{kind} {terrain}"]
    ]
    assert differ == []


def grid_of(chance: random.Random) -> tuple[np.ndarray, dict[str, object], list[tuple[int, int]]]:
    passable = (
        np.random.default_rng(chance.randrange(1000)).random((chance.randint(5, 14), chance.randint(5, 14))) > 0.2
    )
    passable[0, :2] = True
    rules: dict[str, object] = {"neighbors": chance.choice([4, 8]), "corners": chance.choice(["strict", "cut"])}
    return passable, rules, [(x, y) for y, x in np.argwhere(passable).tolist()]


def drill(library: Library, kind: str, terrain: str, seed: int) -> None:
    """Play the same with both while the world changes, reports come, and the goal moves."""
    chance = random.Random(seed)
    passable, rules, free = grid_of(chance)
    options = " ".join(f"{name}={value}" for name, value in rules.items())
    start, goal = chance.choice(free), chance.choice(free)
    world, c_world = tb.Grid(passable, **rules), library.grid(passable, options)  # type: ignore[arg-type]
    more = {"lookahead": chance.choice([1, 5, 30])} if kind == "rtaa" and chance.random() < 0.5 else {}
    agent = tb.make(kind, world, start, goal, terrain=terrain, **more)
    c_agent: CAgent = c_world.agent(
        kind, start, goal, f"terrain={terrain} " + " ".join(f"{a}={b}" for a, b in more.items())
    )
    everywhere = [(x, y) for y in range(world.height) for x in range(world.width)]
    for turn in range(60):
        what, some = chance.random(), chance.sample(everywhere, 3)
        if what < 0.15:
            change = chance.choice(["block", "unblock"])
            getattr(world, change)(some)
            getattr(c_world, change)(some)
        elif what < 0.25:
            agent.observe(blocked=some[:1], free=some[1:2])
            c_agent.observe(some[:1], some[1:2])
        elif what < 0.3 and world.passable[some[0][::-1]]:
            agent.moved(some[0])
            c_agent.moved(some[0])
        elif what < 0.36 and world.passable[some[0][::-1]]:
            agent.retarget(some[0])
            c_agent.retarget(some[0])
        elif what < 0.45:
            planned = agent.plan(expansions=5)
            assert (agent.stop, planned) == c_agent.plan(5), (seed, turn)
        else:
            expansions = chance.choice([1, 4, 50])
            place = agent.step(expansions=expansions)
            assert (agent.stop, place) == c_agent.step(expansions), (seed, turn)
        assert agent.path == c_agent.path, (seed, turn)


def test_both_do_the_same_while_everything_changes(library: Library):
    for kind in library.kinds():
        if kind != "fra":  # it keeps its goal
            for terrain in terrains(kind):
                for seed in range(12):
                    drill(library, kind, terrain, seed)


def test_cheapest_paths(library: Library):
    for seed in range(20):
        chance = random.Random(seed)
        passable, rules, free = grid_of(chance)
        world, start, goal = tb.Grid(passable, **rules), chance.choice(free), chance.choice(free)  # type: ignore[arg-type]
        search = tb.Search(world, start, goal)
        search.advance()
        cost, path = library.grid(passable, " ".join(f"{a}={b}" for a, b in rules.items())).path(start, goal)
        wanted = search.path()
        assert path == list(wanted.states)
        assert not wanted.solved or cost == wanted.cost
