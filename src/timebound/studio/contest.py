"""Agents that race on one game clock, interval by interval, with records for those who watch."""

import math
from typing import Any

import numpy as np

from ..agents import make
from ..applications.race import Race, rank
from ..core.errors import ProblemError
from ..core.wording import shown
from ..search.solver import shortest_path
from .frames import Scribe, change_record
from .recording import figures
from .setting import Racer, RaceSetting
from .show import Show

_NEEDED = ("step", "episode", "position", "goal", "done", "truth")


class Contest(Show):
    """A running race.

    If the world has changed, or the goal has moved, paths can no longer be compared with a cheapest one.
    """

    def __init__(self, setting: RaceSetting):
        super().__init__(setting)
        self.setting = setting
        self.agents = [self._made(entrant) for entrant in setting.entrants]
        self.goal = setting.goal
        self.optimal_cost = shortest_path(self.agents[0].truth, setting.start, setting.goal).cost
        self._scribes = [Scribe(agent, self.world, number) for number, agent in enumerate(self.agents)]
        for agent, scribe in zip(self.agents, self._scribes, strict=True):
            if hasattr(agent, "listen"):  # otherwise only its positions are recorded
                agent.listen(scribe.hear)
        self._waiting = [scribe.record(agent, 0) for agent, scribe in zip(self.agents, self._scribes, strict=True)]

    def _made(self, entrant: Racer) -> Any:
        setting = self.setting
        rules = {"terrain": setting.terrain, "seed": setting.seed, **entrant.parameters}
        agent = make(entrant.kind, self.world, setting.start, setting.goal, **rules)
        lacking = [name for name in _NEEDED if not hasattr(agent, name)]
        if lacking:
            raise ProblemError(f"{shown(entrant.kind.name)} cannot be watched: it has no `{'`, `'.join(lacking)}`")
        return agent

    @property
    def over(self) -> bool:
        """Has every agent arrived, or run out of intervals?"""
        return self.interval >= self.setting.intervals or all(agent.done for agent in self.agents)

    def _step(self) -> None:
        self.interval += 1
        limits = vars(self.setting.budget)
        for agent, scribe in zip(self.agents, self._scribes, strict=True):
            if not agent.done:
                last = self.interval == self.setting.intervals
                agent.run(**limits, intervals=1) if last else agent.step(**limits)
                self._waiting.append(scribe.record(agent, self.interval))

    # ---------------------------------------------------------------- interaction

    def _changed(self, cells: np.ndarray, code: int) -> None:
        self._waiting.append(change_record(self.interval, cells, np.full(len(cells), code)))

    def retarget(self, goal: tuple[int, int]) -> None:
        """Move the goal: for all agents, or, if one of them is there, for none."""
        self.world.state(goal)
        fixed = next((agent for agent in self.agents if not hasattr(agent, "retarget")), None)
        if fixed is not None:
            raise ProblemError(f"the goal of {fixed.episode().agent!r} cannot move: it has no `retarget`")
        if any(agent.position == goal for agent in self.agents):
            raise ProblemError(f"an agent is already at {goal}; choose another goal")
        for agent in self.agents:
            agent.retarget(goal)
        self.goal, self.changed = goal, True

    # ---------------------------------------------------------------- results

    def result(self) -> dict[str, Any]:
        """Return the figures of all agents, best first: the same as those of `timebound race --json`."""
        episodes = [agent.episode() for agent in self.agents]
        optimal_cost = math.nan if self.changed else self.optimal_cost
        race = Race(self.setting.start, self.goal, self.setting.terrain, optimal_cost, episodes, {}, self.world)
        agents = [
            figures(number, episode, race.suboptimality(episode))
            for number, episode in sorted(enumerate(episodes), key=lambda numbered: rank(numbered[1]))
        ]
        return {"optimal_cost": optimal_cost, "over": self.over, "intervals": self.interval, "agents": agents}
