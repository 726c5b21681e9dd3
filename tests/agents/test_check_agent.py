"""The library's agents pass `check_agent`; for others, it says what is missing and where."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from shares import share_of

import timebound as tb
from timebound.agents import check

SMALL: dict[str, dict[str, Any]] = {"knn-lrta": {"records": 20}, "pr-lrta": {"level": 2}}  # what they prepare
NAMES = [kind.name for kind in tb.catalogue()]


@pytest.mark.uncompiled
@pytest.mark.parametrize("name", [name for name in NAMES if name != "knn-lrta"])
def test_every_agent_has_the_properties_of_agents(name: str) -> None:
    assert tb.check_agent(name, seed=100 * NAMES.index(name), problems=share_of(8), **SMALL.get(name, {})) == []


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["repeated-astar", "rtaa", "tbaa", "knn-lrta"])
def test_compiled_agents_have_the_properties_of_agents(name: str) -> None:
    """Python alone would take long to prepare a map for kNN LRTA*."""
    assert tb.check_agent(name, **SMALL.get(name, {})) == []


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("repeated-astar", {"direction": "backward"}),
        ("rtaa", {"fallback": "nearest", "lookahead": 3}),
        ("tbr-wastar", {"most_steps_back": 0}),
    ],
)
def test_agents_with_parameters(name: str, parameters: dict[str, Any]) -> None:
    assert tb.check_agent(name, problems=share_of(8), **parameters) == []


# ------------------------------------------------------------------ agents with a fault


class Honest:
    """An agent of the library, wrapped in another class."""

    def __init__(self, world: Any, start: Any, goal: Any, **rules: Any):
        self.agent = tb.make("repeated-astar", world, start, goal, **rules)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.agent, name)

    def run(self, **limits: Any) -> tb.Episode:
        self.agent.run(**limits)
        return self.episode()

    def episode(self) -> tb.Episode:
        return self.agent.episode()


class GivesUp(Honest):
    def run(self, **limits: Any) -> tb.Episode:
        return self.agent.run(**{**limits, "intervals": 3})


class ProvesNothing(Honest):
    def episode(self) -> tb.Episode:
        record = self.agent.episode()
        return replace(record, stop="memory") if record.stop == "unreachable" else record


class ProvesTooMuch(Honest):
    def episode(self) -> tb.Episode:
        return replace(self.agent.episode(), stop="unreachable", solved=False)


class Jumps(Honest):
    def episode(self) -> tb.Episode:
        record = self.agent.episode()
        return replace(record, path=[*record.path[:1], *record.path[2:]])


class Boasts(Honest):
    def episode(self) -> tb.Episode:
        record = self.agent.episode()
        return replace(record, cost=record.cost / 2)


class Miscounts(Honest):
    def episode(self) -> tb.Episode:
        record = self.agent.episode()
        return replace(record, moves=record.moves + 1)


class Overspends(Honest):
    def step(self, expansions: float = 1, **limits: Any) -> Any:
        return self.agent.step(expansions=2 * expansions, **limits)


class IgnoresTheVirtualClock(Honest):
    def step(self, virtual_ms: float = 0, **limits: Any) -> Any:
        return self.agent.step(**limits)


class IgnoresTheClock(Honest):
    def plan(self, ms: float = 0, **limits: Any) -> Any:
        return self.agent.plan(**limits)


class IsNeverTheSame(Honest):
    made = 0

    def __init__(self, world: Any, start: Any, goal: Any, seed: int = 0, **rules: Any):
        IsNeverTheSame.made += 1
        self.agent = tb.make("late-astar", world, start, goal, seed=seed + IsNeverTheSame.made, **rules)


class DawdlesByHand(Honest):
    def plan(self, **limits: Any) -> Any:
        return self.agent.plan(expansions=1)


class SeesThroughWalls(Honest):
    """In unknown terrain it plans with the map."""

    def __init__(self, world: Any, start: Any, goal: Any, terrain: str = "known", **rules: Any):
        super().__init__(world, start, goal, terrain="known" if terrain == "unknown" else terrain, **rules)


class FindsWhatIsHidden(Honest):
    """In partial terrain it plans with the truth."""

    def __init__(self, world: Any, start: Any, goal: Any, terrain: str = "known", **rules: Any):
        super().__init__(world, start, goal, terrain=terrain, **rules)
        if terrain == "partial" and isinstance(world, tb.Grid):
            super().__init__(self.agent.truth, start, goal, seed=rules["seed"])


class TakesEveryMoveForMade(Honest):
    def plan(self, **limits: Any) -> Any:
        self.wanted = self.agent.plan(**limits)
        return self.wanted

    def moved(self, actual: Any) -> None:
        self.agent.moved(self.wanted)


class SulksWhenRefused(Honest):
    def moved(self, actual: Any) -> None:
        if actual == self.agent.position != self.agent.plan():
            self.agent.run(intervals=1)
        else:
            self.agent.moved(actual)


class Raises(Honest):
    def plan(self, **limits: Any) -> Any:
        return {}["path"]


class HasOnlyRun:
    def __init__(self, *problem: Any, **rules: Any):
        self.agent = tb.make("repeated-astar", *problem, **rules)

    def run(self, **limits: Any) -> tb.Episode:
        return self.agent.run(**limits)


FAULTS: dict[Any, str] = {
    GivesUp: r"the goal is not reached: a path of cost [\d.]+ leads to .*, but it stopped \(intervals\) after 3 ",
    ProvesNothing: r"the proof is missing: no path leads to .*, but it stopped \(memory\)",
    ProvesTooMuch: r"the goal is not reached: .*, but it stopped \(unreachable\)",
    Jumps: r"an illegal move: from .* to .*, move 1",
    Boasts: r"the cost is wrong: [\d.]+ in the record, [\d.]+ by its moves",
    Miscounts: r"the moves are miscounted: \d+ in the record, \d+ in its path",
    Overspends: r"the budget is exceeded: 8 expansions in interval 1, but 4 were allowed",
    IgnoresTheVirtualClock: r"late on the virtual clock: \d+ expansions in \d+ intervals, but one expansion ",
    IgnoresTheClock: r"late under a clock: [\d.]+ ms of planning in interval 1 on a free grid of \d+ cells, but ",
    IsNeverTheSame: r"not repeatable: with the same seed the agent is at .* after \d+ moves at first, at .* again",
    DawdlesByHand: r"run and a loop of plan and moved disagree: intervals is \d+ in run, \d+ driven by hand",
    SeesThroughWalls: r"it peeks: .*; unknown terrain",
    FindsWhatIsHidden: r"it peeks: .*; partial terrain",
    TakesEveryMoveForMade: r"a failed move is not noticed: the agent is at .*, but says ",
    SulksWhenRefused: r"lost after failed moves: it ended with 'intervals', not 'goal', at ",
    Raises: r"it raised KeyError: 'path' \(test_check_agent\.py, line \d+\)",
    HasOnlyRun: r"something is missing: it has no `position`, `done`, `stop`, `truth`, `step`, `plan`, `moved`",
}


@pytest.mark.uncompiled
def test_an_honest_agent_from_outside_passes() -> None:
    assert tb.check_agent(Honest) == []


@pytest.mark.uncompiled
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_found_and_told_in_a_sentence(fault: Any) -> None:
    found = tb.check_agent(fault, problems=10)
    lines = [line for line in found if re.match(FAULTS[fault], line)]
    assert len(lines) == 1, found
    # The seed in the line is enough to see it again.
    seed = int(re.search(r"seed (\d+)$", lines[0])[1])
    again = tb.check_agent(fault, seed=seed, problems=1)
    assert lines[0].partition(":")[0] in [line.partition(":")[0] for line in again]


@pytest.mark.uncompiled
def test_a_fault_is_told_once_and_the_others_are_told_too() -> None:
    class Liar(Boasts, Overspends):
        pass

    found = [line.partition(":")[0] for line in tb.check_agent(Liar)]
    assert found == ["the cost is wrong", "the budget is exceeded"]


@pytest.mark.uncompiled
def test_an_agent_that_refuses_everything() -> None:
    def never(world: Any, start: Any, goal: Any, **rules: Any) -> Any:
        raise tb.ProblemError("not today")

    assert tb.check_agent(never, problems=2) == [
        f"no problem in {terrain} terrain was accepted: not today" for terrain in ("known", "unknown", "partial")
    ]


@pytest.mark.uncompiled
def test_an_agent_has_to_take_the_terrain_that_it_declares() -> None:
    def known_only(world: Any, start: Any, goal: Any, terrain: str = "known", seed: int = 0) -> Any:
        return tb.make("astar", world, start, goal, terrain=terrain, seed=seed)

    assert tb.check_agent(known_only, problems=8) == []  # a function declares nothing
    assert tb.check_agent("d-lrta", problems=8) == []  # it takes grids only, and is tried on these
    on_a_graph = tb.check_agent("d-lrta", seed=2, problems=1)
    assert len(on_a_graph) == 1
    assert on_a_graph[0].startswith("no problem in known terrain was accepted: agent 'd-lrta' needs a grid")


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("agent", "rules", "message"),
    [
        ("rtaaa", {}, "there is no agent 'rtaaa'; did you mean 'rtaa'?"),
        ("rtaa", {"weigth": 2}, "agent 'rtaa' has no parameter 'weigth'; did you mean 'weight'?"),
        ("rtaa", {"radius": 2}, "leave out radius: check_agent chooses terrain, sensor and limits itself"),
        ("rtaa", {"problems": 0}, "problems is a whole number above 0, not 0"),
        ("rtaa", {"seed": -1}, "a seed is a whole number from 0"),
        (3, {}, "what is to be checked is 3, but an agent must be a Kind, or a function that makes agents"),
        ("no_such_module:agent", {}, "'no_such_module:agent' cannot be imported: ModuleNotFoundError"),
    ],
)
def test_bad_input_is_one_line(agent: Any, rules: dict[str, Any], message: str) -> None:
    with pytest.raises(tb.ProblemError) as caught:
        tb.check_agent(agent, **rules)
    assert message in str(caught.value)


@pytest.mark.uncompiled
def test_a_third_of_the_problems_have_no_solution_and_each_is_known_by_its_seed() -> None:
    drawn = [check.problem(seed) for seed in range(80)]
    solved = [tb.shortest_path(each.world, each.start, each.goal).solved for each in drawn]
    assert 0.3 < 1 - np.mean(solved) < 0.6
    assert {type(each.world) for each in drawn} == {tb.Grid, tb.Graph}
    assert {each.world.neighbors for each in drawn if isinstance(each.world, tb.Grid)} == {4, 8}
    again = check.problem(9)
    assert (again.world.passable == drawn[9].world.passable).all()
    assert again[2:] == drawn[9][2:]
