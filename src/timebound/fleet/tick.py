"""The parts of a tick: units move, look around, and plan within the budget. See the package for their order.

A fleet of one kind does all of it in one call of compiled code. With several kinds, each has its own compiled search.
One function for all would have to be compiled for every mix of kinds that occurs, for many seconds each time; so a tick
is then one call for the moves, and one or two for each kind.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled
from ..compiled.clock import NEVER, now
from ..core.integers import Int
from . import turns
from .bodies import BodyTable
from .body_moves import move_bodies
from .distances import LEADING, Distances, grow_rows
from .fleet_state import FleetState
from .flow_fields import grow
from .guidance import NoTraffic
from .kinds import UnitKind
from .lacam import GENERATED, OUTCOME, SEARCHING, SOLVED, grow_tree, leads, shorten_way, take_in
from .lns import ATTEMPTS, improve
from .moving import move_all
from .options import REPAIRS, for_plans
from .sensing import sense_all
from .units import NO_UNIT, Units, going
from .window import NoWindow, Window, discard


class Planned(NamedTuple):
    """How many units planned, and the expansions."""

    served: int
    spent: int


class TickOutcome(NamedTuple):
    """What happened in a tick of one kind."""

    moved: Int
    reordered: bool  # do other units have precedence now?
    relief: bool  # has any unit seen a new way? Then no unit has planned yet
    share: int  # expansions of a search
    served: int
    spent: int
    lacking: Int  # the unit that needs a planner before planning can continue


@compiled
def tick_of_one_kind(
    data: Any,
    planners: Any,
    present: np.ndarray,
    order: np.ndarray,
    tick: Int,
    round: Int,
    share: int,
    expansions: int,
    end: int,
) -> TickOutcome:
    """Let all units move and look around, and as many plan as the budget allows. `order`: see `moving.move_all`.

    Numbers come one by one: to unpack a tuple from Python takes a seventh of the tick of a unit.
    """
    moved, reordered = move_all(data, NoWindow(), order, tick)
    queues, units = data.queues, data.units
    relief = sense_all(planners, 0, queues, units, present, tick)
    share = turns.share_of(share, expansions, end, turns.tidy_queues(queues, units.rows))
    until = -1 if relief else NEVER  # with relief, no unit may plan yet
    limits = turns.Round(tick, round, until, share, expansions, end, True)
    served, spent, lacking = turns.serve_kind(data, planners, 0, limits)
    return TickOutcome(moved, reordered, relief, share, served, spent, lacking)


def all_at_once(state: FleetState, most: int, end: int) -> tuple[int, Planned]:
    """Move, sense and plan in one call, with units of one kind; return how many moved, and who planned."""
    state.sort()
    _check_memory(state)
    (kind,), last = state.kinds, _last(state, end)
    units, limits = (state.present, state.order), (state.ticks, state.round, kind.share, most, last)
    outcome = tick_of_one_kind(state.data, kind.planners[0], *units, *limits)
    state.sorted = not outcome.reordered
    share, planned = int(outcome.share), Planned(int(outcome.served), int(outcome.spent))
    if outcome.relief:
        state.start_afresh(state.present)
        share = turns.share_of(kind.share, most, end, state.waiting)
    if outcome.relief or outcome.lacking != NO_UNIT:
        planned = _serve_all(state, most, last, [share], planned)
    _tidy(state, last)
    return int(outcome.moved), planned


def move(state: FleetState) -> int:
    """Move all units; return how many moved."""
    if not len(state):
        return 0
    if state.bodies is not None:
        return _move_bodies(state, state.bodies)
    state.sort()
    if state.led and isinstance(state.window, Window):
        discard(state.window)
    plan = state.nodes if state.led else state.window
    moved, reordered = move_all(state.data, plan, state.order, state.ticks)
    state.sorted = not reordered
    return int(moved)


def _move_bodies(state: FleetState, bodies: BodyTable) -> int:
    """Do the same in as many rounds as the fastest unit has cells to go."""
    total, length = 0, 1 / bodies.rounds
    bodies.history = []
    for number in range(bodies.rounds):
        state.sort()
        time = state.ticks - 1 + number * length
        moved, reordered = move_bodies(state.data, bodies.compiled, state.order, state.ticks, time, length)
        total, state.sorted = total + int(moved), not reordered
        bodies.note(time, state.rows["position"])
    return total


def sense(state: FleetState) -> None:
    """Let units in unknown terrain look around."""
    units = Units(state.rows, state.allocator, state.traffic)
    for kind in state.kinds:
        places = kind.planners[0], kind.number, state.queues, units, state.present
        if kind.terrain != "known" and sense_all(*places, state.ticks):
            state.start_afresh(state.present[state.rows["kind"][state.present] == kind.number])


def think(state: FleetState, most: int, end: int) -> Planned:
    """Let units plan, and improve the planned steps with what is left of the budget."""
    if not state.plans_together or not len(state):
        return _plan(state, most, end)
    began = now()
    rest = 0 if end == NEVER else max(0, end - began) // REPAIRS
    served, spent = _plan(state, for_plans(most), end if end == NEVER else end - rest)
    state.sort()
    last = _last(state, end)
    if isinstance(state.distances, Distances):
        spent += plan_jointly(state, state.distances, most if most == NEVER else most - spent, last)
    if not state.attempts or state.led:
        return Planned(served, spent)
    left = most if most == NEVER else most - spent
    attempts = ATTEMPTS if state.attempts == most == end == NEVER else state.attempts
    improved = improve(state.data, state.window, state.order, attempts, left, last)
    return Planned(served, spent + int(improved))


def plan_jointly(state: FleetState, distances: Distances, most: int, end: int) -> int:
    """Grow the distances of units, then the joint search; return the expansions."""
    used, complete = grow_rows(state.data, state.order, state.ticks, most, end)
    state.led = False
    if complete:
        used += search_jointly(state, most if most == NEVER else most - int(used), end)
    distances.tally[LEADING] = state.led or isinstance(state.traffic, NoTraffic)
    return int(used)


def search_jointly(state: FleetState, most: int, end: int) -> int:
    """Let the joint search go on. A configuration costs an expansion for each unit: small budgets save up for one."""
    nodes, budget = state.joint_search(), state.saved + most if most != NEVER else NEVER
    if most == end == NEVER:
        budget = GENERATED * len(state)
    if not take_in(state.data, nodes, state.order):
        return 0
    used = int(grow_tree(state.data, nodes, budget, end))
    if state.attempts and nodes.tally[OUTCOME] == SOLVED:
        attempts = ATTEMPTS if state.attempts == most == end == NEVER else state.attempts
        used += int(shorten_way(state.data, nodes, attempts, budget if budget == NEVER else budget - used, end))
    state.led = bool(leads(nodes))
    if most == NEVER:
        return used
    state.saved = min(budget - used, len(state) if nodes.tally[OUTCOME] in (SEARCHING, SOLVED) else 0)
    return most - max(0, budget - used - state.saved)


def _last(state: FleetState, end: int) -> int:
    """Return when planning must end, so that there is time to record what happened."""
    return end - state.aside if end != NEVER else NEVER


# ------------------------------------------------------------------ planning


def _plan(state: FleetState, most: int, end: int) -> Planned:
    """Let units of all kinds plan, longest waiting first.

    A unit that began to wait in an earlier tick comes before all later ones, whatever its kind: none is forgotten.
    """
    _check_memory(state)
    last = _last(state, end)
    grown = 0
    if len(state.groups) and not _is_full(state):  # with half of the budget
        until = last if last == NEVER else now() + (last - now()) // 2
        grown = int(grow(state.groups.fields, state.ticks, most if most == NEVER else most // 2, until))
    left, waiting = (most if most == NEVER else most - grown), state.waiting
    shares = [turns.share_of(kind.share, left, end, waiting) for kind in state.kinds]
    planned = _serve_all(state, most, last, shares, Planned(0, grown))
    _tidy(state, last)
    return planned


def _serve_all(state: FleetState, most: int, last: int, shares: list[int], before: Planned) -> Planned:
    """Do the same after some units have already been served."""
    served, spent = before
    serve = _serve_in_threads if state.threads > 1 else _serve_in_turn
    while True:
        state.work.attend()
        waits = turns.longest_waits(state.queues, state.rows, state.round)
        since = np.roll(waits, -state.ticks)  # among equals, another one first in each tick
        if since.min() == NEVER:  # all have had their turn
            break
        first = (int(since.argmin()) + state.ticks) % len(state.kinds)
        until = int(np.sort(since)[1]) if len(since) > 1 else NEVER
        left = most if most == NEVER else most - spent
        limits = turns.Round(state.ticks, state.round, until, shares[first], left, last, served == 0)
        done, used = serve(state, state.kinds[first], limits)
        served, spent = served + done, spent + used
        if not done:
            break
    return Planned(served, spent)


def _serve_in_turn(state: FleetState, kind: UnitKind, limits: turns.Round) -> Planned:
    """Let units of a kind plan, one after the other."""
    served = spent = 0
    while True:
        state.work.attend()
        rest = limits.expansions if limits.expansions == NEVER else max(0, limits.expansions - spent)
        left = limits._replace(expansions=rest, forced=limits.forced and not served)
        done, used, lacking = turns.serve_kind(state.data, kind.planners[0], kind.number, left)
        served, spent = served + int(done), spent + int(used)
        if lacking == NO_UNIT:
            return Planned(served, spent)
        served += not kind.make_planner(int(lacking), state.rows)


def _serve_in_threads(state: FleetState, kind: UnitKind, limits: turns.Round) -> Planned:
    """Do the same in several threads. Each pass plans as many units as the budget is certain to allow."""
    served = spent = 0
    budget, share, end = limits.expansions, limits.share, limits.end
    while True:
        rest = budget if budget == NEVER else budget - spent
        enough = rest >= share and (end == NEVER or now() < end)
        if not enough and (served or not limits.forced):
            break
        most = NEVER if rest == NEVER else max(1, rest // share)
        units = turns.next_turns(state.queues, kind.number, state.rows, limits, most)
        if not len(units):
            break
        served += _make_planners(state, kind, units, end)
        units = units[going(state.rows["reason"][units])]
        used = np.full(len(units), turns.NOT_SERVED, np.int64)
        left = limits._replace(forced=limits.forced and not served)
        work = [
            state.executor.submit(turns.serve_stripes, state.data, planners, number, state.threads, units, used, left)
            for number, planners in enumerate(kind.planners)
        ]
        for each in work:
            each.result()
        done, took = turns.end_turns(state.queues, state.rows, units, used, limits)
        served, spent = served + int(done), spent + int(took)
        if done < len(units):
            break
    return Planned(served, spent)


def _make_planners(state: FleetState, kind: UnitKind, units: np.ndarray, end: int) -> int:
    """Make planners for those of these units that need one, if there is time; return how many cannot have one."""
    hopeless = 0
    for unit in turns.without_planner(state.data, kind.planners[0], units).tolist():
        hopeless += not kind.make_planner(unit, state.rows)
        if end != NEVER and now() >= end:
            break
    return hopeless


# ------------------------------------------------------------------ memory


def _tidy(state: FleetState, end: int) -> None:
    """Free memory that is no longer needed: a little in every tick, more if there is time."""
    for kind in state.kinds:
        while kind.tidy(1) and (end == NEVER or now() < end):
            pass


def _is_full(state: FleetState) -> bool:
    return state.memory_bytes > state.most_bytes


def _check_memory(state: FleetState) -> None:
    """Let searches of units use the memory that paths and learned values leave; resume them when there is room."""
    own = [kind for kind in state.kinds if kind.keeps_searches]
    before, state.full = state.full, bool(own) and _is_full(state)
    for kind in own:
        kind.set_full(state.full)
    if before and not state.full:
        state.resume()
