"""Fleets in the POGEMA benchmark: its sets, played in POGEMA, next to the published results."""

import csv
import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from .options import Options
from .table import table

_EXAMPLE = Path(__file__).parents[1] / "examples" / "pogema_fleet.py"
_LIFELONG = {"03-warehouse": (256, (32, 64, 128, 192)), "04-movingai": (256, (64, 256)), "01-random": (256, (64,))}
_LIFELONG |= {"02-mazes": (128, (64,))}
_ONE_SHOT = {"03-warehouse": (128, (192,)), "04-movingai": (256, (256,)), "01-random": (128, (64,))}
_ONE_SHOT |= {"02-mazes": (128, (64,))}
_LOOKAHEADS = {"whole map": float("inf"), "128 expansions": 128}
_RIVALS = {"LMAPF": ("RHCR", "Follower", "MATS-LP"), "MAPF": ("LaCAM", "DCC", "SCRIMP")}


@dataclass(frozen=True)
class Score:
    """What fleets did on one set, with one number of robots."""

    set: str
    agents: int
    lookahead: str
    episodes: int
    score: float
    error: float
    all_arrived: float
    ms_per_step: float
    published: tuple[float | None, ...]
    published_all_arrived: tuple[float | None, ...]

    def cells(self, kind: str) -> tuple[object, ...]:
        """What the table shows."""
        score = f"{self.score:.2f} +- {self.error:.2f}"
        shared = self.set, self.agents, self.lookahead, self.episodes, score
        if kind == "LMAPF":
            return *shared, self.ms_per_step, *self.published
        return *shared, self.all_arrived, self.ms_per_step, *map(_both, self.published, self.published_all_arrived)


def _both(arrived: float | None, all_arrived: float | None) -> str:
    return "-" if arrived is None or all_arrived is None else f"{arrived:.2f} / {all_arrived:.2f}"


def run(options: Options) -> dict[str, Any]:
    """Lifelong: targets reached per step. One shot: the share of the robots, and of episodes, that arrive.

    The time is processor time of planning. Published results are given as "robots / episodes".
    """
    folder = options.data / "pogema" if options.data else None
    if folder is None or not folder.exists():
        print("the POGEMA sets are not available")
        return {}
    episodes = 2 if options.quick else 12
    results = {}
    for kind, sets in (("LMAPF", _LIFELONG), ("MAPF", _ONE_SHOT)):
        scores = [*_scores(folder, kind, sets, episodes)]
        what = ("targets per step",) if kind == "LMAPF" else ("arrived", "all arrived")
        headers = ("set", "robots", "lookahead", "episodes", *what, "ms/step", *_RIVALS[kind])
        print(table(headers, [score.cells(kind) for score in scores]), flush=True)
        results[kind] = scores
    return results


def _scores(folder: Path, kind: str, sets: dict[str, Any], episodes: int) -> Iterator[Score]:
    play = runpy.run_path(str(_EXAMPLE))["play"]
    published = _published(folder / "published.csv", kind, "avg_throughput" if kind == "LMAPF" else "ISR")
    all_arrived = _published(folder / "published.csv", kind, "CSR")
    for name, (steps, counts) in sets.items():
        for agents in counts:
            for lookahead, expansions in _LOOKAHEADS.items():
                configs = _configs(folder / f"{name}.yaml", agents, steps, kind, episodes)
                played = [play(config, lookahead=expansions) for config in configs]
                if any(result.refused for result in played):
                    print(f"{name}: POGEMA altered {sum(result.refused for result in played)} moves of the fleet")
                scores = [result.throughput if kind == "LMAPF" else result.arrived for result in played]
                others = [
                    tuple(found.get((name, rival, agents)) for rival in _RIVALS[kind])
                    for found in (published, all_arrived)
                ]
                error = stdev(scores) / len(scores) ** 0.5
                ms, whole = mean(result.ms_per_step for result in played), mean(one.arrived == 1 for one in played)
                yield Score(name, agents, lookahead, len(played), mean(scores), error, whole, ms, *others)


def _configs(file: Path, agents: int, steps: int, kind: str, episodes: int) -> Iterator[Any]:
    """Return the first of the published episodes: one per map, or several seeds of the only map."""
    import yaml
    from pogema import GridConfig

    maps = list(yaml.safe_load(file.read_text(encoding="utf-8")).values())
    target = "restart" if kind == "LMAPF" else "nothing"
    for number in range(episodes):
        chosen, seed = (maps[0], number) if len(maps) == 1 else (maps[number * len(maps) // episodes], 0)
        rules = {"max_episode_steps": steps, "on_target": target, "collision_system": "soft", "obs_radius": 2}
        yield GridConfig(map=chosen, num_agents=agents, seed=seed, **rules)


def _published(file: Path, kind: str, column: str) -> dict[tuple[str, str, int], float]:
    with file.open(encoding="utf-8", newline="") as rows:
        return {
            (row["set"], row["algorithm"], int(row["agents"])): float(row[column])
            for row in csv.DictReader(rows)
            if row["kind"] == kind and row[column] and row["agents"]
        }
