"""Listeners: what they hear, when they begin and when they end. (For every agent: `every_world`.)"""

import math
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from agent_worlds import figures, grid
from naive_tracing import Replay, WholeWorld

import timebound as tb
from timebound.agents.events import KINDS, LAYERS, Event, Events

START, GOAL = (12, 100), (60, 70)
WALKERS = [  # what is searched is marked in one way by D* Lite, in another by the others
    *(pytest.param(name, marks=pytest.mark.compiled) for name in ("rtaa", "dstar-lite")),
    pytest.param("tbaa", marks=pytest.mark.uncompiled),
]


@pytest.fixture(scope="module")
def harbour() -> tb.Grid:
    return tb.Grid.load("harbour")


def walker(name: str, world: tb.Grid, **parameters: Any) -> tb.Agent:
    return tb.make(name, world, START, GOAL, terrain="unknown", **parameters)


@pytest.mark.parametrize("name", WALKERS)
def test_a_trace_is_what_a_comparison_of_the_whole_world_finds(name: str, harbour: tb.Grid) -> None:
    twin, expected = WholeWorld(walker(name, harbour)), []
    while not twin.agent.done:
        expected.append(twin.step(expansions=15))
    agent = walker(name, harbour)
    assert list(agent.run(expansions=15, trace=True).trace) == expected


@pytest.mark.parametrize("name", WALKERS)
def test_listeners_come_and_go_and_change_nothing(name: str, harbour: tb.Grid) -> None:
    plain, heard = walker(name, harbour), walker(name, harbour)
    replay, later = Replay(), Replay()
    for _ in range(20):
        plain.step(expansions=15), heard.step(expansions=15)
    before = heard.episode().moves
    heard.listen(replay)
    for _ in range(20):
        plain.step(expansions=15), heard.step(expansions=15)
    heard.listen(later)  # instead
    assert (later.marks, later.g, later.learned, later.seen) == (replay.marks, replay.g, replay.learned, replay.seen)
    assert later.decision == replay.decision
    for _ in range(20):
        plain.step(expansions=15), heard.step(expansions=15)
    heard.listen(None)
    assert replay.trail + later.trail[1:] == list(heard.episode().path[before:])
    counted = later.counts.copy()
    assert figures(plain.run(expansions=15)) == figures(heard.run(expansions=15))
    assert later.counts == counted


@pytest.mark.uncompiled
def test_the_next_agent_does_not_mistake_what_was_left_for_its_own(harbour: tb.Grid) -> None:
    """An agent with a listener uses different structs; the marks that it leaves to the next agent must be right."""
    world, expected = tb.Grid(harbour.passable), figures(walker("rtaa", harbour).run(expansions=15))
    for listener in (len, None, len):
        agent = walker("rtaa", world)
        if listener:
            agent.listen(listener)
        assert figures(agent.run(expansions=15)) == expected
        del agent


# ------------------------------------------------------------------ agents that somebody drives


@pytest.mark.uncompiled
def test_driving() -> None:
    world = tb.Grid(np.ones((5, 5), bool))
    agent, batches = tb.make("rtaa", world, (0, 0), (4, 4), terrain="unknown"), list[list[Event]]()
    agent.listen(lambda events: batches.append(list(events)))
    assert batches.pop() == [Event("move", (0, 0)), Event("decide", None, (0, 0), 0)]
    agent.observe(blocked=[(1, 1)], free=[(1, 0)])
    assert batches.pop() == [Event("observe", (1, 1), None, math.inf), Event("observe", (1, 0), None, 0.0)]
    wish = agent.plan(expansions=3)
    heard = batches.pop()
    assert [event.kind for event in heard[:3]] == ["search", "generate", "expand"]
    assert heard[1:3] == [Event("generate", (0, 0), None, 0.0, world_h(4, 4)), Event("expand", (0, 0), (0, 0), 0.0)]
    assert heard[-1] == Event("decide", wish, (0, 0), len(agent.path))
    agent.moved((0, 1))
    assert batches.pop() == [Event("move", (0, 1), (0, 0))]
    agent.sense()
    assert {event.kind for event in batches.pop()} == {"observe"}
    agent.reset()
    assert batches.pop()[-1] == Event("move", (0, 0), (0, 1))
    assert batches == []


def world_h(dx: int, dy: int) -> float:
    return pytest.approx(min(dx, dy) * math.sqrt(2) + abs(dx - dy))


def learned(agent: tb.Agent) -> dict[Any, float]:
    """What a comparison of the whole world finds."""
    values = WholeWorld(agent).h
    return {agent.world.place(int(state)): values[state] / agent.world.unit for state in np.flatnonzero(values)}


def enclosed(name: str, **parameters: Any) -> tuple[tb.Agent, Replay]:
    """An agent that has learned something about a wall, and its listener."""
    world = grid(".......", ".#####.", ".#...#.", ".#...#.", ".......")
    agent, replay = tb.make(name, world, (3, 2), (3, 0), **parameters), Replay()
    agent.listen(replay)
    for _ in range(8):
        agent.step(expansions=10)
    assert replay.learned
    return agent, replay


@pytest.mark.uncompiled
def test_values_that_fall_when_a_move_becomes_possible() -> None:
    agent, replay = enclosed("lrta")
    before, rises = dict(replay.learned), replay.rises
    agent.observe(free=[(3, 1)])
    interval = agent.run(expansions=10, intervals=1, trace=True).trace[-1]
    fallen = {cell for cell, h in before.items() if replay.learned[cell] < h}
    assert fallen
    assert fallen <= interval.learned.keys()
    assert replay.counts["forget"] == 0
    assert replay.counts["raise"] > replay.rises >= rises
    assert replay.learned == learned(agent)


@pytest.mark.uncompiled
def test_what_was_learned_is_forgotten_when_a_move_becomes_possible_and_h_is_not_consistent() -> None:
    agent, replay = enclosed("rtaa", weight=2, lookahead=2)
    agent.observe(free=[(3, 1)])
    agent.h()  # which takes in what is new
    agent.step(expansions=10)
    assert replay.counts["forget"] == 1
    assert replay.learned == learned(agent)


@pytest.mark.uncompiled
@pytest.mark.parametrize(("budget", "forgotten"), [({"expansions": 10}, 0), ({"virtual_ms": 1}, 1), ({"ms": 50}, 1)])
def test_under_a_clock_only_so_many_values_are_lowered(
    budget: dict[str, float], forgotten: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timebound.agents.agent.MOST", 1)
    agent, replay = enclosed("lrta")
    agent.observe(free=[(3, 1)])
    agent.step(**budget)
    assert replay.counts["forget"] == forgotten
    assert replay.learned == learned(agent)


@pytest.mark.uncompiled
@pytest.mark.parametrize(("name", "parameters"), [("lrta", {}), ("rtaa", {"lookahead": 2}), ("rtaa", {"weight": 2})])
def test_a_goal_that_moves_in_a_world_that_changes(name: str, parameters: dict[str, Any]) -> None:
    agent, replay = enclosed(name, **parameters)
    agent.world.unblock([(1, 2), (3, 1)])
    agent.retarget((0, 0))
    agent.step(expansions=10)
    assert (replay.seen[1, 2], replay.seen[3, 1]) == (False, False)
    assert replay.learned == {cell: h for cell, h in learned(agent).items() if h}
    assert agent.run(expansions=10).solved
    assert replay.position == (0, 0)


@pytest.mark.uncompiled
def test_set_keeps_the_listener(harbour: tb.Grid) -> None:
    agent, replay = walker("rtaa", harbour), Replay()
    agent.listen(replay)
    agent.step(expansions=10)
    agent.set(movements=1)
    episode = agent.run(expansions=10, intervals=30)
    assert replay.counts["expand"] == episode.expansions
    assert replay.trail == list(episode.path)


@pytest.mark.uncompiled
def test_questions_to_an_agent_with_a_listener(harbour: tb.Grid) -> None:
    """An agent with a listener has different types, and gives the same answers."""
    plain, heard = walker("tbaa", harbour), walker("tbaa", harbour)
    heard.listen(len)
    for agent in (plain, heard):
        agent.run(expansions=40, intervals=30)
    assert heard.path == plain.path
    assert heard.solution() == plain.solution()
    assert (heard.h() == plain.h()).all()
    assert (heard.reached() == plain.reached()).all()
    assert (heard.knows() == plain.knows()).all()


@pytest.mark.uncompiled
def test_edges_of_graphs() -> None:
    graph = tb.Graph.from_edges([("a", "b", 1), ("b", "c", 2.5), ("a", "c", 9)], directed=False)
    agent, heard = tb.make("dstar-lite", graph, "a", "c"), list[Event]()
    agent.listen(heard.extend)
    agent.observe(blocked=[("a", "b")], costs={("b", "c"): 4})
    edges = [Event("observe", "a", "b", math.inf), Event("observe", "b", "c", 4.0)]
    assert [event for event in heard if event.kind == "observe"] == edges
    late: list[Event] = []
    agent.listen(late.extend)
    assert [event for event in late if event.kind == "observe"] == edges


@pytest.mark.uncompiled
def test_listeners_that_fail_and_those_that_end_themselves(harbour: tb.Grid) -> None:
    agent = walker("rtaa", harbour)

    def fail(events: Events) -> None:
        if len(events) > 5:
            raise ValueError("enough")

    agent.listen(fail)
    with pytest.raises(ValueError, match="enough"):
        agent.run(expansions=10)
    agent.listen(lambda events: agent.listen(None))  # at once
    assert not agent._listeners
    assert agent.run(expansions=10).solved


@pytest.mark.uncompiled
@pytest.mark.parametrize("wrong", [3, "print", [print]])
def test_what_cannot_listen(wrong: Any, harbour: tb.Grid) -> None:
    with pytest.raises(tb.ProblemError, match="a listener must be a function of the events of an interval, not"):
        walker("rtaa", harbour).listen(wrong)


@pytest.mark.compiled
@pytest.mark.parametrize(("listener", "new"), [("None", ["note", "resized"]), ("len", [])])
def test_an_agent_without_listener_knows_nothing_of_events(listener: str, new: list[str]) -> None:
    """Without a listener, machine code never calls the writer of events: a call from Python is the first to load it."""
    check = (
        "import numpy as np, timebound as tb\n"
        "from timebound.compiled.store import in_use\n"
        "from timebound.search.listener import new_tape, note\n"
        "agent = tb.make('rtaa', tb.Grid(np.ones((5, 5), bool)), (0, 0), (4, 4), terrain='unknown')\n"
        f"agent.listen({listener}); agent.run(expansions=3)\n"
        "tape, before = new_tape(), in_use()\n"
        "note(tape, 0, 0, 0, 0, 0, 0)\n"
        "print(len(in_use() - before))\n"
    )
    told = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout
    assert int(told) == len(new) + 1  # and what Python enters it by


# ------------------------------------------------------------------ events and lists


@pytest.mark.uncompiled
def test_events_as_a_sequence_and_as_an_array(harbour: tb.Grid) -> None:
    agent, batches = walker("tbaa", harbour), list[Events]()
    agent.listen(batches.append)
    agent.run(expansions=15, intervals=20)
    assert len(batches) == 21
    events = batches[5]
    assert list(events[2:4]) == [events[2], events[3]]
    assert events[-1] == list(events)[-1]
    assert events[-1].kind == "decide"
    assert repr(events) == f"Events({len(events)})"
    records = events.records
    assert [KINDS[kind] for kind in records["kind"]] == [event.kind for event in events]
    assert [LAYERS[layer] for layer in records["layer"]] == [event.layer for event in events]
    opened = [event for event in events if event.kind == "generate"]
    kept = records[records["kind"] == KINDS.index("generate")]
    assert [harbour.place(int(state)) for state in kept["state"]] == [event.state for event in opened]
    assert (kept["g"] / harbour.unit).tolist() == [event.g for event in opened]


@pytest.mark.uncompiled
def test_lists_of_a_trace_are_like_lists(harbour: tb.Grid) -> None:
    episode = tb.make("astar", harbour, START, GOAL).run(expansions=15, intervals=20, trace=True)
    interval = episode.trace[5]
    closed = list(interval.closed)
    assert len(interval.closed) == len(closed) == 6 * 15
    assert interval.closed == closed
    assert interval.closed != interval.open
    assert (interval.closed[3], interval.closed[-2:]) == (closed[3], closed[-2:])
    assert closed[7] in interval.closed
    assert repr(interval.closed) == repr(closed)
    copy = pickle.loads(pickle.dumps(interval))
    assert copy == interval
    assert isinstance(copy.closed, list)
