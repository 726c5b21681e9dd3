"""Every mix of parts works, or is refused with the reason."""

import itertools
import re
from typing import Any

import numpy as np
import pytest

import timebound as tb
from timebound.agents.catalogue import Kind
from timebound.agents.parts import PARTS, ROLES

# An agent of the catalogue with each lookahead, and the walk that goes with it.
MODELS = {
    "local": "rtaa",
    "to-the-end": "repeated-astar",
    "resumed": "rtba",
    "within": "lrta",
    "step": "plrta",
    "repair": "dstar-lite",
    "refined": "pr-lrta",
    "safe": "safe-rts",
}
CHOICES = list(itertools.product(MODELS, *(PARTS[role] for role in ("order", "learning", "target", "walk"))))
# Parameters that show more of a part than its defaults do.
MORE: dict[str, dict[str, Any]] = {
    "weighted": {"weight": 2.5},
    "within": {"depth": 3, "movements": 1},
    "time-bounded": {"trace_ratio": 0.5, "steady": True},
    "cases": {"records": 20},
    "regions": {"level": 2},
    "refined": {"level": 2},
}


def mixed(choice: tuple[str, ...]) -> Kind:
    lookahead, *others = choice
    parts = dict(zip(("order", "learning", "target", "walk"), others, strict=True))
    return tb.variant("mixed", like=MODELS[lookahead], **parts)


def problem(seed: int) -> tuple[tb.Grid, Any, Any]:
    generator = np.random.default_rng([7, seed])
    passable = generator.random((9, 11)) >= 0.25
    cells = [(x, y) for y, x in np.argwhere(passable).tolist()]
    start, goal = (cells[i] for i in generator.integers(len(cells), size=2))
    return tb.Grid(passable, neighbors=(4, 8)[seed % 2]), start, goal


def accepted(choice: tuple[str, ...]) -> bool:
    world, start, goal = problem(0)
    try:
        tb.make(mixed(choice), world, start, goal)
    except tb.ProblemError as error:
        REFUSED[choice] = str(error)
    return choice not in REFUSED


REFUSED: dict[tuple[str, ...], str] = {}
GOOD = [choice for choice in CHOICES if accepted(choice)]


def test_every_refusal_has_a_reason_in_one_line() -> None:
    assert [
        reason for reason in REFUSED.values() if "\n" in reason or not re.search("agent|learning|order", reason)
    ] == []
    assert len(set(REFUSED.values())) > 20


def test_most_of_what_makes_sense_is_accepted() -> None:
    assert len(GOOD) > 60
    assert {choice[0] for choice in GOOD} == set(MODELS)
    for role, place in zip(("order", "learning", "target", "walk"), range(1, 5), strict=True):
        assert {choice[place] for choice in GOOD} == set(PARTS[role])


@pytest.mark.parametrize("choice", GOOD, ids=" ".join)
def test_accepted_mixes_arrive_or_prove(choice: tuple[str, ...]) -> None:
    more = {name: value for part in choice for name, value in MORE.get(part, {}).items()}
    if choice[0] == "within" and choice[3] in ("unraised", "least-raised"):
        more["depth"] = 1  # at more, they are rejected
    known_only = choice[3] in ("cases", "regions") or choice[0] in ("refined", "safe")
    terrains = ["known"] if known_only else ["known", "unknown", "partial"]
    kind = mixed(choice)
    for seed, parameters in enumerate(({}, more, more, {})):
        world, start, goal = problem(seed)
        terrain = terrains[seed % len(terrains)]
        hidden = {"solvable": False} if terrain == "partial" else {}
        own = {name: value for name, value in parameters.items() if name in kind.parameters}
        agent = tb.make(kind, world, start, goal, terrain=terrain, seed=seed, **hidden, **own)
        episode = agent.run(expansions=[1, 4, 20, float("inf")][seed], intervals=20_000)
        reachable = tb.shortest_path(agent.truth, start, goal).solved
        ends = ("goal",) if reachable else ("unreachable",)
        assert episode.stop in (ends if choice[2] != "none" else (*ends, "stuck")), (seed, own, terrain, episode)


@pytest.mark.parametrize(
    ("name", "parameters", "reason"),
    [
        ("tb-gbfs", {"weight": 2}, "it belongs to order='weighted'"),
        ("tb-gbfs", {"reopen": True}, "it belongs to order='weighted'"),
        ("rtaa", {"update_weight": 2}, "it belongs to learning='dijkstra'"),
        ("rtba", {"trace_cost": 5}, "it needs a trace_ratio"),
        ("rtba", {"most_steps_back": 1}, "it needs restarts=True"),
        ("tbaa", {"weight": 2, "reopen": False}, "leave out reopen=False"),
        ("tb-gbfs", {"learning": "lazy"}, "keeps the first ones that it finds"),
        ("repeated-astar", {"direction": "backward", "learning": "lazy"}, "learns nothing about the cost to the goal"),
        ("astar", {"target": "unraised"}, "need not have found the goal"),
        ("lrta", {"learning": "dijkstra"}, "it learns from the states that a best-first search has expanded"),
        ("rtaa", {"learning": "one-state"}, "a best-first search learns about all states that it expands"),
        ("rtaa", {"order": "none"}, "a best-first search needs an order"),
        ("dstar-lite", {"order": "greedy"}, "only a best-first search has an order"),
        ("dstar-lite", {"movements": 2}, "looks one move ahead"),
        ("rtba", {"restarts": True}, "lead in circles"),
        ("rtaa", {"learning": "dijkstr"}, "did you mean 'dijkstra'?"),
        ("rtaa", {"radius": 3}, "needs unknown or partial terrain"),
        ("rtaa", {"hidden": 0.3}, "needs partial terrain"),
    ],
)
def test_what_is_refused_is_refused_with_the_reason(name: str, parameters: dict[str, Any], reason: str) -> None:
    world = tb.Grid(np.ones((5, 5), bool))
    with pytest.raises(tb.ProblemError, match=reason.replace("(", "\\(").replace("?", "\\?")):
        tb.make(name, world, (0, 0), (4, 4), **parameters)


def test_an_agent_that_learns_nothing_says_that_it_is_stuck() -> None:
    rows = ["#######", "#.....#", "#.###.#", "#...#.#", "#.###.#", "#.....#", "#######"]
    world = tb.Grid(np.array([[cell == "." for cell in row] for row in rows]), neighbors=4)
    episode = tb.make("rtaa", world, (3, 3), (5, 3), learning="none").run(expansions=1)
    assert episode.stop == "stuck"
    assert tb.make("rtaa", world, (3, 3), (5, 3)).run(expansions=1).solved


def test_lazy_learning_makes_the_same_moves() -> None:
    """TBAA* paper, section 8: RTAA* and daRTAA* with lazy updates."""
    for seed in range(30):
        world, start, goal = problem(seed)
        for name in ("rtaa", "da-rtaa"):
            told = []
            for learning in ("adaptive", "lazy"):
                agent = tb.make(name, world, start, goal, terrain="unknown", learning=learning)
                episode = agent.run(expansions=1 + seed % 7, intervals=150)  # proofs of no way take thousands
                told.append((episode.stop, episode.path, episode.expansions, episode.searches, agent.h().tolist()))
            assert told[0] == told[1]


def test_every_role_is_told() -> None:
    for kind in tb.catalogue():
        assert [part.role for part in kind.own_parts] == list(ROLES)
