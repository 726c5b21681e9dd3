"""Custom worlds compared with the library's grid, in the same searches; and the 15-puzzle."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import timebound as tb
from timebound import maps
from timebound.compiled import lowest_bit
from timebound.lab.puzzles import GOAL, random_arrangement

from .contenders import astar
from .options import Options
from .rules import WrongAnswerError
from .table import table
from .timing import Ratio, Turns, take_turns, timed

_SIDE = 512
_UNIT = 1 << 20


# The grid with 8 neighbours and strict corners, as a user would write it who has the legal moves of every cell.
def successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    """The legal moves of a cell are the bits of a byte."""
    legal = np.int64(world.moves[state])
    while legal:
        k = lowest_bit(legal)
        legal &= legal - 1
        yield state + world.offsets[k], world.prices[k]


def simple_successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    """Yield the same in the straightforward way: check all eight neighbours and the corners."""
    x, y = state % world.width, state // world.width
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            i, j = x + dx, y + dy
            if (dx or dy) and 0 <= i < world.width and 0 <= j < world.height:
                here, there = y * world.width, j * world.width
                if world.free[there + i] and world.free[here + i] and world.free[there + x]:
                    yield there + i, world.prices[0] if dx == 0 or dy == 0 else world.prices[4]


def heuristic(world: Any, state: int) -> int:
    """The octile distance."""
    dx = abs(state % world.width - world.goal % world.width)
    dy = abs(state // world.width - world.goal // world.width)
    return max(dx, dy) * world.prices[0] + min(dx, dy) * (world.prices[4] - world.prices[0])


@dataclass(frozen=True)
class Row:
    """One way to define the same grid."""

    world: str
    ms_per_query: float
    ratio: Ratio

    headers = ("the same grid as", "ms/query", "of the library's Grid")

    def cells(self) -> tuple[object, ...]:
        """What the table shows."""
        return self.world, self.ms_per_query, self.ratio


def run(options: Options) -> dict[str, Any]:
    """Print the tables."""
    grid = tb.Grid(maps.random_obstacles(_SIDE, _SIDE, 0.25, seed=options.seed).passable)
    pairs = maps.random_problems(
        maps.Map.from_passable(grid.passable, "random"), 10 if options.quick else 40, options.seed
    )
    ways = {"Grid": grid, **_worlds(grid)}
    actions = [[_query(world, grid, pair) for pair in pairs] for world in ways.values()]
    _check(actions)
    turns = take_turns(actions, 3 if options.quick else 9, 60.0)
    rows = [Row(name, turn.ms_per_query, turn.ratio_to(turns[0])) for name, turn in zip(ways, turns, strict=True)]
    print(f"\nA* on a map of {_SIDE} x {_SIDE} cells, 25 % of them blocked\n")
    print(table(Row.headers, [row.cells() for row in rows]))
    hashed, dense = (
        turns[[*ways].index(name)] for name in ("CustomWorld, hash table", "CustomWorld, numbers from 0 on")
    )
    print(f"\nhash table / numbers from 0 on: {hashed.ratio_to(dense)}")
    return {"worlds": rows, "plain": _plain(grid, pairs), "puzzle": _puzzle(options)}


def _worlds(grid: tb.Grid) -> dict[str, tb.World]:
    steps = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    prices = np.array([_UNIT] * 4 + [round(2**0.5 * _UNIT)] * 4)
    data = {
        "moves": grid.moves,
        "free": grid.passable.ravel(),
        "offsets": np.array([dy * _SIDE + dx for dx, dy in steps]),
        "prices": prices,
        "width": _SIDE,
        "height": _SIDE,
    }
    rules: dict[str, Any] = {
        "data": data,
        "branching": 8,
        "highest_cost": int(prices.max()),
        "unit": _UNIT,
        "reversible": True,
    }
    return {
        "CustomWorld, numbers from 0 on": tb.CustomWorld(successors, heuristic, states=grid.states, **rules),
        "CustomWorld, hash table": tb.CustomWorld(successors, heuristic, capacity=grid.states, **rules),
        "CustomWorld, looking at every neighbour": tb.CustomWorld(
            simple_successors, heuristic, states=grid.states, **rules
        ),
    }


def _query(world: tb.World, grid: tb.Grid, pair: Any) -> Any:
    start, goal = pair if world is grid else map(grid.state, pair)  # type: ignore[assignment]
    return lambda: astar(world, start, goal)


def _check(actions: list[list[Any]]) -> None:
    """Check that all find paths of the same cost; this also compiles them."""
    for queries in zip(*actions, strict=True):
        costs = [query().cost for query in queries]
        if max(costs) - min(costs) > 1e-3:
            raise WrongAnswerError(f"the same grid, defined differently, has paths of cost {costs}")


def _plain(grid: tb.Grid, pairs: list[Any]) -> float:
    """Compare plain Python functions with the compiled grid: seconds per expansion."""
    world = _worlds(grid)["CustomWorld, numbers from 0 on"]
    assert isinstance(world, tb.CustomWorld)
    plain = tb.CustomWorld(
        world.functions.successors,
        world.functions.heuristic,
        data=world.data,
        branching=8,
        highest_cost=world.highest_cost,
        unit=_UNIT,
        compile=False,
    )
    start, goal = map(grid.state, pairs[0])
    tb.shortest_path(plain, start, start)
    seconds, path = timed(lambda: tb.shortest_path(plain, start, goal))
    compiled, _ = timed(lambda: astar(grid, *pairs[0]))
    print(
        f"\nplain Python functions: {1e6 * seconds / path.expansions:.1f} us per expansion, "
        f"{seconds / compiled:.0f} times the library's Grid ({path.expansions:,} expansions)"
    )
    return seconds / path.expansions


def _puzzle(options: Options) -> dict[str, float]:
    """100 random arrangements of the 15-puzzle, weighted A*."""
    generator, world = np.random.default_rng(options.seed), tb.Tiles(4)
    starts = [random_arrangement(generator) for _ in range(20 if options.quick else 100)]
    tb.shortest_path(world, starts[0], GOAL, weight=3)
    found = {}
    for weight in (3, 2):
        turn = Turns(
            np.array([[timed(lambda s=s, w=weight: tb.shortest_path(world, s, GOAL, weight=w))[0] for s in starts]])
        )  # type: ignore[misc]
        expansions = sum(tb.shortest_path(world, start, GOAL, weight=weight).expansions for start in starts)
        seconds = float(turn.seconds.sum())
        found[f"weight {weight}"] = seconds
        print(
            f"\n15-puzzle, weight {weight}: {len(starts)} arrangements in {seconds:.2f} s, {expansions:,} expansions, "
            f"{expansions / seconds / 1e6:.1f} million per second"
        )
    return found
