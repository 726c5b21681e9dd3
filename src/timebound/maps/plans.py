"""Plans of many agents in files, as LaCAM and other solvers of multi-agent pathfinding write them, and a check of them.

agents=2
map_file=corridor.map
...
starts=(0,0),(5,0),
goals=(5,0),(0,0),
solution=
0:(0,0),(5,0),
1:(1,0),(4,0),
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..core.disk import StrPath, Wanted, read_bytes, write_files
from ..core.errors import MapError

_PLAN = Wanted("a plan of many agents", 2**31)
_PLACE = re.compile(r"\((\d{1,9}),(\d{1,9})\),?")


@dataclass(frozen=True)
class Plan:
    """Where each agent is at every time.

    Attributes:
        map: a label of the map.
        goals: a goal for each agent, `[n, 2]` with x and y.
        places: the places of all agents at each time, `[times, n, 2]`.

    >>> plan = Plan("corridor", np.array([[2, 0]]), np.array([[[0, 0]], [[1, 0]], [[1, 0]], [[2, 0]]]))
    >>> plan.makespan, plan.sum_of_costs, plan.faults(np.ones((1, 3), bool))
    (3, 3, [])
    >>> plan.faults(np.array([[True, False, True]]))
    ['time 1: agent 0 is in a wall at (1, 0)', 'time 2: agent 0 is in a wall at (1, 0)']
    """

    map: str
    goals: np.ndarray
    places: np.ndarray

    @property
    def costs(self) -> np.ndarray:
        """The time at which each agent has arrived for good; the whole time, if it has not."""
        away = np.any(self.places != self.goals, axis=2)
        last = len(away) - np.argmax(away[::-1], axis=0)
        return np.minimum(np.where(away.any(axis=0), last, 0), len(away) - 1)

    @property
    def makespan(self) -> int:
        """The time at which all agents have arrived."""
        return int(self.costs.max(initial=0))

    @property
    def sum_of_costs(self) -> int:
        """The sum of the times at which agents have arrived."""
        return int(self.costs.sum())

    @property
    def solved(self) -> bool:
        """Whether all agents are at their goals in the end."""
        return bool(np.all(self.places[-1] == self.goals))

    def faults(self, passable: np.ndarray, neighbors: int = 4) -> list[str]:
        """Return what is wrong with the plan: walls, jumps, two agents in one cell, and exchanges of cells."""
        found: list[str] = []
        height, width = passable.shape
        before: dict[tuple[int, int], int] = {}
        for time, places in enumerate(self.places.tolist()):
            now: dict[tuple[int, int], int] = {}
            for agent, (x, y) in enumerate(places):
                if not (0 <= x < width and 0 <= y < height) or not passable[y, x]:
                    found.append(f"time {time}: agent {agent} is in a wall at {(x, y)}")
                if (x, y) in now:
                    found.append(f"time {time}: agents {now[x, y]} and {agent} are both at {(x, y)}")
                now[x, y] = agent
                if time and self._jumps(time, agent, passable, neighbors):
                    found.append(f"time {time}: agent {agent} jumps to {(x, y)}")
                other = before.get((x, y), agent)
                if time and other < agent and tuple(places[other]) == tuple(self.places[time - 1, agent].tolist()):
                    found.append(f"time {time}: agents {other} and {agent} exchange cells")
            before = now
        return found

    def _jumps(self, time: int, agent: int, passable: np.ndarray, neighbors: int) -> bool:
        (x, y), (nx, ny) = self.places[time - 1, agent].tolist(), self.places[time, agent].tolist()
        dx, dy = abs(nx - x), abs(ny - y)
        if max(dx, dy) <= 1 and dx + dy <= 1 + (neighbors > 4):
            return bool(dx + dy == 2 and not (passable[y, nx] and passable[ny, x]))
        return True


def write_plan(plan: Plan, path: StrPath) -> None:
    """Write a plan as text."""
    lines = [f"agents={len(plan.goals)}", f"map_file={plan.map}", "solver=timebound", f"solved={int(plan.solved)}"]
    lines += [f"soc={plan.sum_of_costs}", f"makespan={plan.makespan}"]
    lines += [f"starts={_listed(plan.places[0])}", f"goals={_listed(plan.goals)}", "solution="]
    lines += [f"{time}:{_listed(places)}" for time, places in enumerate(plan.places)]
    write_files({Path(path): ("\n".join(lines) + "\n").encode()})


def _listed(places: np.ndarray) -> str:
    return "".join(f"({x},{y})," for x, y in places.tolist())


def read_plan(path: StrPath) -> Plan:
    """Read a plan that this library or another solver has written."""
    path = Path(path)
    lines = read_bytes(path, _PLAN).decode("utf-8", "replace").splitlines()
    fields = dict(line.split("=", 1) for line in lines if "=" in line)
    goals = _places(path, "goals", fields.get("goals", ""))
    steps = [line.split(":", 1) for line in lines if re.match(r"\d+:", line)]
    if not steps or not len(goals):
        raise MapError(f"{path}: no plan: it needs a line 'goals=...', and lines '0:(x,y),(x,y),...'")
    for time, (number, _) in enumerate(steps):
        if int(number) != time:
            raise MapError(f"{path}: step {time} is missing: {number} follows instead")
    places = [_places(path, f"step {number}", text) for number, text in steps]
    if any(len(each) != len(goals) for each in places):
        raise MapError(f"{path}: every step needs {len(goals)} places, one for each goal")
    return Plan(fields.get("map_file", path.stem), goals, np.array(places))


def _places(path: Path, what: str, text: str) -> np.ndarray:
    found = _PLACE.findall(text)
    if _PLACE.sub("", text).strip():
        raise MapError(f"{path}: {what} is not a list of places '(x,y),'")
    return np.array([(int(x), int(y)) for x, y in found], np.int64).reshape(-1, 2)
