"""What `timebound warmup --studio` uses, so that nothing is left to be compiled while somebody waits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import timebound as tb
from timebound.applications import warmup
from timebound.applications.warmup import _USES, IN_A_FLEET, LISTENED_TO, WORLDS, Combination, studio_combinations
from timebound.cli import main

PLACES = studio_combinations()


@dataclass
class Seen:
    """What was made, and what agents told their listeners."""

    agents: list[Any] = field(default_factory=list)
    fleets: list[Any] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    seen, listen = Seen(), tb.Agent.listen

    def kept(made: list[Any], make: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **named: made.append(make(*given, **named)) or made[-1]

    def overheard(agent: Any, listener: Any) -> Any:
        return listen(agent, lambda events: seen.kinds.update(event.kind for event in events) or listener(events))

    monkeypatch.setattr(warmup, "make", kept(seen.agents, tb.make))
    monkeypatch.setattr(warmup, "Fleet", kept(seen.fleets, tb.Fleet))
    monkeypatch.setattr(tb.Agent, "listen", overheard)
    return seen


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_everything_is_really_used(place: Combination, seen: Seen) -> None:
    world, start, goal = WORLDS[place.world]()
    before = world.version
    _USES[place.use](place, world, start, goal)  # whatever does not work is raised here, and not passed over
    if place.use == IN_A_FLEET:
        (fleet,) = seen.fleets
        assert (fleet.ticks, len(fleet.units)) == (3, 0)
        assert world.version > before
        return
    (agent,) = seen.agents
    assert (agent.kind.name, agent.stop) == (place.agent, "goal")
    assert seen.kinds >= {"decide", "move"}
    assert (world.version > before) == isinstance(world, tb.Grid)


def test_which_they_are() -> None:
    assert studio_combinations(["rtaa", "tbaa"], ["grid", "graph"]) == [
        *(Combination("rtaa", "grid", terrain, LISTENED_TO) for terrain in ("known", "unknown")),
        *(Combination("tbaa", "grid", terrain, LISTENED_TO) for terrain in ("known", "unknown")),
        *(Combination("rtaa", "graph", terrain, LISTENED_TO) for terrain in ("known", "partial")),
        *(Combination("tbaa", "graph", terrain, LISTENED_TO) for terrain in ("known", "partial")),
        Combination("rtaa", "grid", "known", IN_A_FLEET),
    ]


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warmup", "lrta", "--studio", "--workers", "1"]) == 0
    assert "6 of 6 ready" in capsys.readouterr().out
    assert main(["warmup", "lrta", "--studio", "--list"]) == 0
    assert "in a fleet" in capsys.readouterr().out
