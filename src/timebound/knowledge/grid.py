"""What an agent believes about a grid: cells are seen free or blocked, and moves follow from that."""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..core.distinct import distinct
from ..core.errors import ProblemError
from ..core.integers import Int
from ..core.memory import Pool, untouched
from ..search.listener import BARRED, OBSERVE, Nobody, hear, listens
from ..search.solver import shortest_path
from ..worlds.grid import NO_COSTS, OF_COST, STEPS, Grid, needs_of
from ..worlds.interface import NO_STATE
from .interface import News, added_cost, hides, reported, see, sense, without_repeats, worth_a_look

LOG = 1 << 20  # cells; their memory is touched as they are seen
UNSEEN, FREE, BLOCKED = 0, 1, 2
ASSUMED = 4  # a mark: the map has changed, and the agent has not seen it yet
WRITTEN, OUTDATED, ADDED = 0, 1, 2  # places in `GridKnowledge.tally`
DRAWS = 100
_NOTES = "notes of what was seen"


class GridKnowledge(NamedTuple):
    """An agent's belief about a grid."""

    width: int
    height: int
    passable: np.ndarray  # the assumption about unseen cells
    moves: np.ndarray  # and the moves that follow from that
    seen: np.ndarray  # UNSEEN, FREE or BLOCKED; or what the map said before it changed: ASSUMED | FREE or BLOCKED
    patch: np.ndarray  # the moves believed in are moves ^ patch
    needs: np.ndarray  # cells that each step (as in STEPS) needs, three pairs dx, dy each
    truth: np.ndarray  # what the sensor will find; empty if it is as assumed
    sensor: np.ndarray  # the cells, pairs dx, dy, that it covers
    sight: bool  # whether walls block the view
    own: np.ndarray  # the agent's believed travel costs where they differ from its map, otherwise 0; or empty
    travel: np.ndarray  # the travel costs of its map, which are the true ones; or empty
    travel_bits: int
    highest_step: int  # the most expensive move between cells of travel cost 1
    tally: np.ndarray  # cells logged as seen; whether they may be outdated; what its own costs add to a long path
    log: np.ndarray  # the logged cells, as many as there is room for
    listener: Any = Nobody()


@inlined
def believed_free(knowledge: Any, cell: Int) -> bool:
    """Does the agent believe that the cell is free?"""
    seen = knowledge.seen[cell]
    return seen & FREE != 0 or (seen == UNSEEN and knowledge.passable[cell])


@inlined
def really_free(knowledge: Any, cell: Int) -> bool:
    """Return what the sensor will find."""
    return knowledge.truth[cell] if len(knowledge.truth) else knowledge.passable[cell]


@inlined
def steps_of(knowledge: Any) -> int:
    """Return the number of neighbours."""
    return len(knowledge.needs) // 6


@inlined
def believed_moves(knowledge: Any, x: int, y: int) -> int:
    """Return the moves that the agent believes possible at (x, y)."""
    if not believed_free(knowledge, y * knowledge.width + x):
        return 0
    moves = 0
    for k in range(steps_of(knowledge)):
        legal = True
        for j in range(6 * k, 6 * k + 6, 2):
            cx, cy = x + knowledge.needs[j], y + knowledge.needs[j + 1]
            inside = 0 <= cx < knowledge.width and 0 <= cy < knowledge.height
            legal = legal and inside and believed_free(knowledge, cy * knowledge.width + cx)
        if legal:
            moves |= 1 << k
    return moves


@see.of(GridKnowledge)
def _see_cell(knowledge: GridKnowledge, subject: Int, fact: int, news: News) -> News:
    """Process a report about a cell or its cost: subjects are numbered as in notes of changes."""
    if subject % 2 == OF_COST:
        return learn_cost(borrow(knowledge), subject // 2, fact, news)
    return learn_cell(borrow(knowledge), subject // 2, fact, news)


@inlined
def believed_cost(knowledge: Any, cell: Int, on_map: Int) -> Int:
    """Return the travel cost that the agent believes, given that of the map."""
    own = np.int64(knowledge.own[cell]) if len(knowledge.own) else 0
    return own if own else on_map


@inlined
def added_by(knowledge: Any, cell: Int, on_map: Int) -> int:
    """Return by how much the agent's own cost can make a long path exceed any on the map."""
    rise = believed_cost(knowledge, cell, on_map) - on_map
    return ((rise * knowledge.highest_step) >> knowledge.travel_bits) + 1 if rise > 0 else 0


@compiled
def learn_cost(knowledge: Any, cell: Int, cost: int, news: News) -> News:
    """Set the believed travel cost of a cell; 0 means that of the map."""
    on_map = np.int64(knowledge.travel[cell])
    before, added = believed_cost(knowledge, cell, on_map), added_by(knowledge, cell, on_map)
    knowledge.own[cell] = cost
    knowledge.tally[ADDED] += added_by(knowledge, cell, on_map) - added
    return compare_costs(knowledge, cell, before, believed_cost(knowledge, cell, on_map), news)


@inlined
def cells_around(knowledge: Any, cell: Int) -> Iterator[tuple[Any, Any, Any]]:
    """Yield every cell whose moves depend on this one, itself included, and its x and y."""
    y = cell // knowledge.width
    x = cell - y * knowledge.width
    reach = 2 if steps_of(knowledge) > 8 else 1
    for cy in range(max(0, y - reach), min(knowledge.height, y + reach + 1)):
        for cx in range(max(0, x - reach), min(knowledge.width, x + reach + 1)):
            yield cy * knowledge.width + cx, cx, cy


@compiled
def compare_costs(knowledge: Any, cell: Int, before: Int, now: Int, news: News) -> News:
    """Add the moves around a cell to the news, if their costs changed."""
    if before != now:
        for near, _, _ in cells_around(borrow(knowledge), cell):
            news = reported(news, near, bool(now < before))
    return news


@compiled
def costs_changed(knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool, news: News) -> News:
    """Process changed travel costs of the agent's map; see `map_changed`."""
    for i in range(len(cells)):
        cell, now = cells[i], np.int64(knowledge.travel[cells[i]])
        believed, added = believed_cost(knowledge, cell, before[i]), added_by(knowledge, cell, before[i])
        if len(knowledge.own):
            knowledge.own[cell] = 0 if at_once else believed
        knowledge.tally[ADDED] += added_by(knowledge, cell, now) - added
        if at_once:
            news = compare_costs(knowledge, cell, believed, now, news)
    return without_repeats(news, len(knowledge.seen))


added_cost.of(GridKnowledge)(lambda knowledge: knowledge.tally[ADDED])


@inlined
def learn_cell(knowledge: Any, cell: Int, fact: int, news: News) -> News:
    """Note that a cell was seen FREE or BLOCKED."""
    surprise = believed_free(knowledge, cell) != (fact == FREE)
    write_down(knowledge, cell, fact)
    hear(knowledge.listener, OBSERVE, cell, NO_STATE, 0 if fact == FREE else BARRED, 0)
    return correct_patch(knowledge, cell, False, fact == FREE, news) if surprise else news


@inlined
def write_down(knowledge: Any, cell: Int, fact: int) -> None:
    """Log a seen cell, so that it can be undone when the agent is deleted."""
    knowledge.seen[cell] = fact
    if knowledge.tally[WRITTEN] < len(knowledge.log):
        knowledge.log[knowledge.tally[WRITTEN]] = cell
    knowledge.tally[WRITTEN] += 1


@compiled
def correct_patch(knowledge: Any, cell: Int, changed: bool, relief: bool, news: News) -> News:
    """Correct the moves around a cell; report those that changed, or all of them if the map itself changed."""
    for near, cx, cy in cells_around(borrow(knowledge), cell):
        patch = believed_moves(knowledge, cx, cy) ^ knowledge.moves[near]
        if changed or patch != knowledge.patch[near]:
            knowledge.patch[near] = patch
            news = reported(news, near, relief)
    return news


@compiled
def map_changed(knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool, news: News) -> News:
    """Process changed cells of the agent's map; it learns of them `at_once`, or keeps its belief.

    Earlier observations and reports about them are void.
    """
    for i in range(len(cells)):
        cell = cells[i]
        seen = knowledge.seen[cell]
        was_free = before[i] != 0 if seen == UNSEEN else seen & FREE != 0
        if at_once:
            knowledge.seen[cell] = UNSEEN
            hear(knowledge.listener, OBSERVE, cell, NO_STATE, 0 if knowledge.passable[cell] else BARRED, 0)
        elif seen == UNSEEN:
            write_down(knowledge, cell, ASSUMED | (FREE if was_free else BLOCKED))
        is_free = believed_free(knowledge, cell)
        following = correct_patch(knowledge, cell, was_free != is_free, is_free, news)
        if was_free != is_free:
            news = following
    return without_repeats(news, len(knowledge.seen))


# A listener hears of it immediately.
hides.of(GridKnowledge)(lambda knowledge: len(knowledge.truth) > 0 or listens(knowledge.listener))


@worth_a_look.of(GridKnowledge)
def _worth_a_look(knowledge: GridKnowledge, state: Int) -> bool:
    # The eight neighbours of most cells are inside the map: checking them directly is faster than a general look.
    changing = knowledge.tally[OUTDATED] != 0
    y = state // knowledge.width
    x = state - y * knowledge.width
    for i in range(0, len(knowledge.sensor), 2):
        cx, cy = x + knowledge.sensor[i], y + knowledge.sensor[i + 1]
        inside = 0 <= cx < knowledge.width and 0 <= cy < knowledge.height
        if inside and is_new(knowledge, cy * knowledge.width + cx, changing):
            return True
    return False


@inlined
def is_new(knowledge: Any, cell: Int, changing: bool) -> bool:
    """Would a look at the cell find anything? A second look, only if the map is `changing`."""
    seen = knowledge.seen[cell]
    if not changing or seen == UNSEEN:
        return seen == UNSEEN
    return seen >= ASSUMED or (seen == FREE) != really_free(knowledge, cell) or has_wrong_cost(knowledge, cell)


@inlined
def has_wrong_cost(knowledge: Any, cell: Int) -> bool:
    """Does the agent believe a wrong travel cost?"""
    return len(knowledge.own) > 0 and knowledge.own[cell] != 0 and knowledge.own[cell] != knowledge.travel[cell]


sense.of(GridKnowledge)(lambda knowledge, state, news: sense_cells(borrow(knowledge), state, news))


@compiled
def sense_cells(knowledge: Any, state: Int, news: News) -> News:
    """Look at every cell that the sensor covers, if that can find anything."""
    changing = knowledge.tally[OUTDATED] != 0
    y = state // knowledge.width
    x = state - y * knowledge.width
    for i in range(0, len(knowledge.sensor), 2):
        cx, cy = x + knowledge.sensor[i], y + knowledge.sensor[i + 1]
        if 0 <= cx < knowledge.width and 0 <= cy < knowledge.height:
            cell = cy * knowledge.width + cx
            if is_new(knowledge, cell, changing) and (not knowledge.sight or in_view(knowledge, x, y, cx, cy)):
                news = learn_cell(knowledge, cell, FREE if really_free(knowledge, cell) else BLOCKED, news)
                if changing and has_wrong_cost(knowledge, cell):
                    news = learn_cost(knowledge, cell, 0, news)
    return news


@compiled
def in_view(knowledge: Any, x: int, y: int, cx: int, cy: int) -> bool:
    """Are all cells between two cells free, on the line that joins their centres?"""
    steps = max(abs(cx - x), abs(cy - y))
    for i in range(1, steps):
        # Halves are rounded away from the start, so that a line looks the same from both sides of an axis.
        bx = x + (2 * i * abs(cx - x) + steps) // (2 * steps) * (1 if cx > x else -1)
        by = y + (2 * i * abs(cy - y) + steps) // (2 * steps) * (1 if cy > y else -1)
        if not really_free(knowledge, by * knowledge.width + bx):
            return False
    return True


# ------------------------------------------------------------------ made from Python


def grid_knowledge(
    world: Grid, assumed: Grid, truth: np.ndarray | None, radius: int | None = None, line_of_sight: bool = False
) -> GridKnowledge:
    """Make the knowledge of an agent that assumes one grid and will find another."""
    kinds = (world.states, np.uint8), (world.states, assumed.moves.dtype), (LOG, np.int32)
    seen, patch, log = world.pool.take_object(_NOTES, lambda: tuple(untouched(*kind) for kind in kinds))
    return GridKnowledge(
        world.width,
        world.height,
        assumed.passable.ravel(),
        assumed.moves,
        seen,
        patch,
        needs_of(world.neighbors, world.corners),
        _NOTHING if truth is None else truth.ravel(),
        _sensor(world.neighbors, radius),
        line_of_sight,
        NO_COSTS,
        *world.costs_of_cells,
        np.zeros(3, np.int64),
        log,
    )


def with_own_costs(world: Grid, knowledge: GridKnowledge) -> GridKnowledge:
    """Return the same knowledge, with room for travel costs that differ from the map."""
    travel, bits, step = world.costs_of_cells
    own = knowledge.own if len(knowledge.own) else untouched(world.states, np.uint32)
    return knowledge._replace(own=own, travel=travel, travel_bits=bits, highest_step=step)


def rescaled_grid_knowledge(world: Grid, knowledge: GridKnowledge, factor: float, bits: int) -> GridKnowledge:
    """Return the same knowledge for another unit of costs."""
    travel, travel_bits, step = world.costs_of_cells
    own = np.round(knowledge.own * 2.0**bits).astype(np.uint32)
    knowledge.tally[ADDED] = math.ceil(int(knowledge.tally[ADDED]) * factor)
    return knowledge._replace(own=own, travel=travel, travel_bits=travel_bits, highest_step=step)


def leave_grid_knowledge(pool: Pool, knowledge: GridKnowledge) -> None:
    """Leave its arrays, cleaned, to the next agent; unless more was seen than logged."""
    if knowledge.tally[WRITTEN] <= len(knowledge.log):
        if knowledge.tally[WRITTEN]:
            forget_all(knowledge)
        seen, patch, log = knowledge.seen, knowledge.patch, knowledge.log
        pool.leave_object(_NOTES, (seen, patch, log), seen.nbytes + patch.nbytes + log.nbytes)


def forget_all(knowledge: GridKnowledge) -> None:
    """Undo everything that was seen, without a listener, so that nothing extra is compiled."""
    forget(knowledge._replace(listener=Nobody()))


@compiled
def forget(knowledge: Any) -> None:
    """Undo everything that was seen, in the time that it took to see it, however large the map."""
    for i in range(knowledge.tally[WRITTEN]):
        cell = np.int64(knowledge.log[i])
        knowledge.seen[cell] = UNSEEN
        for near, _, _ in cells_around(borrow(knowledge), cell):
            knowledge.patch[near] = 0
    knowledge.tally[WRITTEN] = 0


_NOTHING = np.empty(0, bool)


@lru_cache(maxsize=64)
def _sensor(neighbors: int, radius: int | None) -> np.ndarray:
    """Return the neighbouring cells, as in the papers, or all within a radius: x, y, x, y, ..."""
    steps = STEPS[:neighbors]
    if radius is None:
        return steps.ravel()
    side = np.arange(-radius, radius + 1)
    cells = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    within = cells[(cells**2).sum(axis=1) <= max(2, radius * radius)]  # radius 1 is the eight neighbours
    # An agent always sees the cells that its next move may touch.
    both = distinct(np.concatenate([within, steps]))[0]
    return np.ascontiguousarray(both[np.any(both != 0, axis=1)]).ravel()


def hidden_obstacles(world: Grid, start: int, goal: int, share: float, seed: int, solvable: bool) -> Grid:
    """Return the world with a share of its free cells blocked, as in the TBAA* paper for partially unknown terrain.

    Start and goal stay free. If it must be `solvable`, obstacles are drawn until there is a path.
    """
    free = np.flatnonzero(world.passable)
    count = max(0, min(math.floor(share * len(free) + 0.5), len(free) - len({start, goal})))
    free = free[(free != start) & (free != goal)]
    generator = np.random.default_rng(seed)
    for _ in range(DRAWS):
        passable = world.passable.copy()
        passable.ravel()[generator.choice(free, count, replace=False)] = False
        truth = world.with_map(passable)
        if not solvable or shortest_path(truth, world.place(start), world.place(goal)).solved:
            return truth
    raise ProblemError(
        f"none of {DRAWS} draws of hidden obstacles left a path from {world.place(start)} to {world.place(goal)}; "
        "try a smaller share, another seed, or solvable=False"
    )
