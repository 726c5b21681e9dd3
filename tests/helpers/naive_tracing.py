"""Twins of what is made of events: a trace, by comparing the whole world; an agent's mind, event by event."""

from collections import Counter
from typing import Any

import numpy as np

import timebound as tb
from timebound.agents.episode import Interval
from timebound.agents.events import Event, Events
from timebound.agents.listening import CLOSED, OPEN, marks_of_repair, marks_of_search, members_of
from timebound.agents.queries import costs_of_search
from timebound.search.budget import durations
from timebound.search.learning import learned_values


class WholeWorld:
    """Compares all that an agent knows, has learned and has searched, before an interval and after it."""

    def __init__(self, agent: tb.Agent):
        self.agent = agent
        self.seen, self.h = self._seen(), self._h()

    def step(self, **budget: Any) -> Interval:
        agent, world = self.agent, self.agent.world
        limits = durations(budget.get("expansions"), budget.get("ms"), budget.get("virtual_ms"))
        decision = agent._turns(agent._mind, *limits, 1, True).decision
        seen, h, marks = self._seen(), self._h(), self._marks()
        news, risen = np.flatnonzero(seen != self.seen), np.flatnonzero(h != padded(self.h, len(h)))
        self.seen, self.h = seen, h
        return Interval(
            position=agent.position,
            decision=None if decision == -1 else world.place(decision),
            observed=[(world.place(int(cell)), "blocked" if seen[cell] == 2 else "free") for cell in news],
            open=world.places(np.flatnonzero(marks == OPEN)),
            closed=world.places(np.flatnonzero(marks == CLOSED)),
            learned={world.place(int(state)): float(h[state]) / world.unit for state in risen},
        )

    def _seen(self) -> np.ndarray:
        return self.agent.knows().ravel() if isinstance(self.agent.world, tb.Grid) else np.empty(0, np.uint8)

    def _h(self) -> np.ndarray:
        return learned_values(members_of(self.agent._body)[1])

    def _marks(self) -> np.ndarray:
        if len(costs_of_search(self.agent._mind)) == 0:
            return np.empty(0, np.uint8)
        look = marks_of_repair if self.agent.name == "dstar-lite" else marks_of_search
        return look(members_of(self.agent._body)[0])


def padded(values: np.ndarray, size: int) -> np.ndarray:
    """With zeros for the states that have been met since."""
    return np.concatenate([values, np.zeros(size - len(values), np.int64)])


class Replay:
    """An agent's mind, rebuilt from what a listener hears. (The layers beside the map are only counted.)"""

    def __init__(self) -> None:
        self.marks: dict[Any, str] = {}
        self.g: dict[Any, float] = {}
        self.parents: dict[Any, Any] = {}
        self.learned: dict[Any, float] = {}
        self.rises = 0
        self.seen: dict[Any, bool] = {}
        self.trail: list[Any] = []
        self.counts: Counter[str] = Counter()
        self.layers: Counter[str] = Counter()
        self.decision = self.root = self.subgoal = None
        self._path: list[Any] = []
        self._length = 0
        self.traced: list[Any] = []

    def __call__(self, events: Events) -> None:
        for event in events:
            self.counts[event.kind] += 1
            self.layers[event.layer] += 1
            if event.kind == "path":  # whoever has found it
                self._path[int(event.g) :] = [event.state]
            elif event.layer == "map":
                getattr(self, f"_{event.kind}")(event)

    @property
    def position(self) -> Any:
        return self.trail[-1]

    def with_mark(self, mark: str) -> set[Any]:
        return {state for state, given in self.marks.items() if given == mark}

    def path(self, steps_back: bool) -> list[Any]:
        """From the agent on; if it is not on its path, some agents first step back in the tree of their search."""
        path, state, back = self._path[: self._length], self.position, []
        while steps_back and path and state not in path and state != self.root:
            back.append(state)
            state = self.parents[state]
        if state not in path or (not back and path.index(state) == len(path) - 1):
            return []
        return back + path[path.index(state) :]

    def _search(self, event: Event) -> None:
        self.marks, self.g, self.parents, self.root = {}, {}, {}, event.state

    def _generate(self, event: Event) -> None:
        self.marks[event.state], self.g[event.state], self.parents[event.state] = "open", event.g, event.other

    def _expand(self, event: Event) -> None:
        self.marks[event.state], self.g[event.state] = "closed", event.g

    def _close(self, event: Event) -> None:
        self.marks[event.state], self.g[event.state] = "closed", event.g

    def _lose(self, event: Event) -> None:
        self.marks.pop(event.state, None), self.g.pop(event.state, None)

    def _raise(self, event: Event) -> None:
        if event.other is None:
            self.rises += event.h > event.g
            self.learned[event.state] = event.h

    def _forget(self, event: Event) -> None:
        self.learned = {}

    def _trace(self, event: Event) -> None:
        self.traced[int(event.g) :] = [event.state]

    def _observe(self, event: Event) -> None:
        self.seen[event.state if event.other is None else (event.state, event.other)] = event.g == float("inf")

    def _subgoal(self, event: Event) -> None:
        self.subgoal = event.state

    def _decide(self, event: Event) -> None:
        self.decision, self._length = event.state, int(event.g)

    def _move(self, event: Event) -> None:
        assert event.other == (self.trail[-1] if self.trail else None)
        self.trail.append(event.state)
        self.decision = None
