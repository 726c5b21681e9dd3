"""Straight lines: every move is legal, none costs more than the path, and the record says both lengths."""

from typing import Any

import numpy as np
import pytest
from agent_worlds import check_walk

import timebound as tb

FOLLOWERS = [kind for kind in tb.catalogue() if kind.part("walk") == "path"]


def a_world(random: np.random.Generator, neighbors: int, **rules: Any) -> tb.Grid:
    free = random.random((8, 10)) > 0.15
    free[0, 0] = free[7, 9] = True
    return tb.Grid(free, neighbors=neighbors, **rules)


@pytest.mark.uncompiled
@pytest.mark.parametrize("kind", FOLLOWERS, ids=lambda kind: kind.name)
def test_every_agent_that_follows_a_path_can_go_straight(kind: Any) -> None:
    for seed in range(2):
        random = np.random.default_rng(seed)
        world = a_world(random, [4, 8][seed % 2], corners=["strict", "cut"][seed])
        for terrain in kind.terrain:
            given = {"solvable": False} if terrain == "partial" else {"level": 1} if "level" in kind.parameters else {}
            plain = tb.make(kind.name, world, (0, 0), (9, 7), terrain=terrain, **given)
            agent = tb.make(kind.name, world, (0, 0), (9, 7), terrain=terrain, walk="any-angle", **given)
            expected, episode = (each.run(expansions=20, intervals=800) for each in (plain, agent))
            assert episode.stop == expected.stop
            check_walk(agent, episode)
            assert episode.length <= episode.cost + 1e-6
            if kind.name == "astar":
                assert episode.cost == pytest.approx(expected.cost)


@pytest.mark.uncompiled
@pytest.mark.parametrize("size", [1, 2])
def test_the_lines_are_free_for_a_body_and_much_shorter_on_open_ground(size: int) -> None:
    world = tb.Grid(np.pad(np.ones((20, 40), bool), 1))
    world.block([(20, y) for y in range(1, 12)])
    agent = tb.make("astar", world, (2, 2), (37, 5), size=size, walk="any-angle")
    corners = [agent.position]
    while not agent.done:
        agent.step()
        if agent.waypoint != corners[-1] and not agent.done:
            corners.append(agent.waypoint)
    straight = tb.shortest_path(world, (2, 2), (37, 5), size=size, any_angle=True)
    episode = agent.episode()
    assert corners[-1] == (37, 5)
    assert straight.cost - 1e-6 <= episode.length < 0.99 * episode.cost
    assert len(corners) <= 6
    for one, two in zip(corners[:-1], corners[1:], strict=True):  # noqa: RUF007
        seen = tb.shortest_path(world, one, two, size=size, any_angle=True)
        assert len(seen.states) == 2, f"{one} does not see {two}"


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("name", "rules", "message"),
    [
        ("tba", {}, "leave the states that its search has found"),
        ("rtaa", {"neighbors": 16}, "grids with 4 or 8 neighbours"),
        ("rtaa", {"travel": np.full((9, 9), 2.0)}, "no travel costs"),
    ],
)
def test_who_cannot_go_straight_says_so(name: str, rules: dict[str, Any], message: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        tb.make(name, tb.Grid(np.ones((9, 9), bool), **rules), (0, 0), (8, 8), walk="any-angle")
    with pytest.raises(tb.ProblemError, match="there is no walk 'hop'"):
        tb.make("rtaa", tb.Grid(np.ones((9, 9), bool)), (0, 0), (8, 8), walk="hop")
