"""Flow fields: one search from a goal for all units of a group with that goal, instead of one for each unit.

A field is Dijkstra's algorithm from the goal, which grows from tick to tick while the units walk. A unit whose cell it
has reached follows it: the path to the goal is known, and needs no search. Until then, the others plan for themselves.
When the search is complete, units that it has not reached cannot get to the goal.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, making, mutable
from ..compiled.clock import NEVER, now
from ..core.integers import Int
from ..core.memory import untouched
from ..search.best_first import advance
from ..search.budget import Allowance
from ..search.orders import Order, open_memory
from ..search.state import EXPANDED, begin, figures, new_search
from ..search.state import UNREACHABLE as EXHAUSTED
from ..search.types import NODE
from ..worlds import Grid, World
from ..worlds.interface import Reversed, heuristic, is_goal, wrapping
from .addresses import address_of, no_addresses, same_type, struct_at
from .allocator import Allocator
from .guidance import declare
from .unit_paths import has_block
from .units import MOVING, UNREACHABLE, WAITING, Units

STRETCH = 64  # states of a field that a unit copies at a time

FlowFields = mutable(
    __name__,
    "FlowFields",
    [
        "like",  # a search, for its type
        "searches",  # the addresses of all
        "wanted",  # for each: has a unit asked in vain since it last grew?
    ],
)
new_flow_fields = making(FlowFields)


@wrapping
class Everywhere(NamedTuple):
    """A world without a goal: a search in it ends when it has reached every state."""

    world: Any


@is_goal.of(Everywhere)
def _is_goal(world: Any, state: Int) -> bool:
    return False


@heuristic.of(Everywhere)
def _heuristic(world: Any, state: Int) -> int:
    return 0


@compiled
def grow(fields: Any, tick: Int, expansions: int, end: int) -> int:
    """Grow the fields that some unit wants, each by its share of the budget; return the expansions."""
    count, left, spent = len(fields.wanted), 0, 0
    for i in range(count):
        left += fields.wanted[i]
    for j in range(count):
        i = (tick + j) % count  # each tick starts with another one
        most = expansions if expansions == NEVER else (expansions - spent) // max(1, left)
        if fields.wanted[i] and most > 0:
            search = struct_at(fields.like, fields.searches[i])
            before = search.expansions
            until = end if end == NEVER else now() + (end - now()) // left
            advance(search, Allowance(most, until, NEVER))
            spent += search.expansions - before
            fields.wanted[i], left = False, left - 1
    return spent


@inlined
def follows_field(fields: Any, units: Units, unit: Int) -> bool:
    """Give a unit the next stretch of its field's path, if it knows one, or stop it if there is no path."""
    row = borrow(units.rows)[unit]
    if row.field == 0 or row.buried:
        return False
    return take_stretch(fields, units, unit)


@compiled
def take_stretch(fields: Any, units: Units, unit: Int) -> bool:
    """Do the same for a unit that has a field."""
    rows, allocator, traffic = borrow(units)
    row = rows[unit]
    search = struct_at(fields.like, fields.searches[row.field - 1])
    nodes, known = borrow_field(search, "nodes"), True
    if nodes[row.position].search == search.number + EXPANDED:
        row.length = 0
        declare(traffic, allocator.cells, row)
        known = write_stretch(allocator, nodes, row, unit)
    elif search.outcome == EXHAUSTED:
        row.reason, row.wants, row.length = UNREACHABLE, False, 0
    else:
        fields.wanted[row.field - 1], known = True, False
    declare(traffic, allocator.cells, row)
    return known


@compiled
def knows_way(fields: Any, rows: np.ndarray, unit: Int) -> bool:
    """Does a unit have a field that knows its path, or that there is none?"""
    row = borrow(rows)[unit]
    if row.field == 0 or row.buried:
        return False
    search = struct_at(fields.like, fields.searches[row.field - 1])
    reached = borrow_field(search, "nodes")[row.position].search == search.number + EXPANDED
    return bool(reached or search.outcome == EXHAUSTED)


@compiled
def write_stretch(allocator: Allocator, nodes: Any, row: Any, unit: Int) -> bool:
    """Copy a path from state to state, each the child of the next; return whether there was room."""
    if not has_block(allocator, row, unit, STRETCH):
        row.reason = WAITING  # it may find a shorter path by itself
        return False
    state, count = row.position, 0
    while count < STRETCH:
        allocator.cells[row.path + count] = state
        count += 1
        if state == row.goal:
            break
        state = np.int64(nodes[state].parent)
    row.length, row.at, row.reason, row.wants = count, 0, MOVING, False
    return True


class Groups:
    """Which units share which field, for Python."""

    def __init__(self, world: World):
        self._world = world
        self._numbers: dict[str, int] = {}
        self._places: dict[int, int] = {}  # places of fields, by group * states + goal
        self._searches: dict[int, Any] = {}
        self._like = self._new(0)
        self._gather()

    def __len__(self) -> int:
        return len(self._searches)

    def number(self, name: str) -> int:
        """Return the number of a group, from 1 on."""
        if not self._numbers:
            grow(self.fields, 0, 0, NEVER)  # compile it now, not in a tick
        return self._numbers.setdefault(name, len(self._numbers) + 1)

    def assign(self, rows: np.ndarray, present: np.ndarray) -> None:
        """Assign fields to units: two or more units of a group with the same goal share one."""
        if not self._numbers:
            return
        units = present[rows["group"][present] > 0]
        keys = rows["group"][units].astype(np.int64) * self._world.states + rows["goal"][units]
        shared, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
        wanted = set(shared[counts > 1].tolist())
        if wanted != self._places.keys():
            rows["field"][present] = 0  # no unit has one, if Ctrl-C comes before the end
            self._change(wanted)
        places = [self._places.get(key, -1) + 1 for key in shared.tolist()]
        rows["field"][units] = np.array(places, np.int64)[which]

    def _change(self, wanted: set[int]) -> None:
        """Install these fields."""
        places = {key: place for key, place in self._places.items() if key in wanted}
        searches = {place: self._searches[place] for place in places.values()}
        free = (place for place in range(len(wanted)) if place not in searches)
        for key in sorted(wanted - places.keys()):
            places[key] = place = next(free)
            searches[place] = self._begun(self._new(self._world.states), key)
        before, self._searches, self._places = self._searches, searches, places
        self._gather()
        del before  # whose addresses nobody has any more

    def _gather(self) -> None:
        room = max(self._searches, default=-1) + 1
        addresses, self.wanted = no_addresses(room), np.zeros(room, np.bool_)
        for place, search in self._searches.items():
            addresses[place], self.wanted[place] = address_of(search), True
        self.fields = new_flow_fields(self._like, addresses, self.wanted)
        """All fields, for compiled code."""

    def _map(self) -> Everywhere:
        world = self._world.compiled(0)
        # Every move of a grid can be undone at the same cost.
        return Everywhere(world if isinstance(self._world, Grid) else Reversed(world))

    def _order(self) -> Order:
        return Order.by_cost(self._world)._replace(once=True)

    def _new(self, states: int) -> Any:
        most = max(self._world.branching, self._world.most_predecessors)
        return new_search(self._map(), untouched(states, NODE), open_memory(), self._order(), most, 0, False)

    def _begun(self, search: Any, key: int) -> Any:
        begin(search, self._map(), key % self._world.states, self._order())
        return search

    def restore(self, numbers: dict[str, int], places: dict[int, int], wanted: np.ndarray) -> None:
        """Install the fields of a saved fleet; their searches have only begun."""
        self._numbers, self._places = numbers, places
        self._searches = {place: self._begun(self._new(self._world.states), key) for key, place in places.items()}
        self._gather()
        self.wanted[:] = wanted

    def restart(self) -> None:
        """Reset all fields after a change of the world: their paths are void."""
        before, self._like = self._searches, self._new(0)
        if any(not same_type(search, self._like) for search in before.values()):  # the world has new arrays
            self._searches = {place: self._new(self._world.states) for place in before}
        for key, place in self._places.items():
            self._begun(self._searches[place], key)
        self._gather()
        del before  # whose addresses nobody has any more

    @property
    def memory_bytes(self) -> int:
        """Return the memory of all fields."""
        return sum(int(figures(search)[3]) for search in self._searches.values())
