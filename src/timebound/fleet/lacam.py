"""LaCAM: a search over joint configurations, which leads everybody home where that is possible at all.

Okumura: LaCAM: Search-based algorithm for quick multi-agent pathfinding (2023). Liang, Veerapaneni, Harabor, Li and
Likhachev: Real-Time LaCAM for real-time MAPF (SoCS 2025). With collisions="complete":

    a node: where all units are, C         `Nodes.states`; its successors are generated one by one, by PIBT
    OPEN, a stack; EXPLORED, a hash table  `Nodes.below`, `Nodes.chains`
    a constraint: unit i goes to v         `Nodes.who`, `Nodes.where`: a tree of them for each node, breadth first
    while OPEN is not empty                `grow_tree`
        N <- OPEN.top(), C <- N.tree.pop()   `expand`; a node without constraints leaves the stack
        add constraints for the next unit    `constrain_next`
        C_new <- PIBT under C                `generate`
        C_new is known: it is the top again, else a new node, a child of N    `meet`

The real-time part: the tree stays from tick to tick. Every tick makes the first step on the way from the root to the
latest node, and the node there becomes the root: its parent is now its child, because every joint move can be undone.
So there is always a way to every known node, and the search goes on wherever the units are. Each configuration is met
once, and each has finitely many constraints: in the end one where all are at their goals is met, or the stack is empty,
and there is none.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..compiled.clock import NEVER, now
from ..compiled.interrupts import interrupted
from ..core.integers import Int
from ..core.memory import untouched
from ..worlds.interface import NO_STATE, number_of, successors
from .distances import RANDOM, SEED
from .guidance import without_traffic
from .h_tables import hashed
from .moving import decide
from .pibt import IMAGINED, JointStep, Moves, joint_step, make_wish, new_moves, put_wish, resolve_all
from .units import ARRIVED, BLOCKED, NO_UNIT, UNDECIDED

NO_NODE = -1
MOST_NODES = 1 << 20
_BITS = 20  # of the hash table
CONSTRAINTS = 8  # room for each node, on average
GENERATED = 256  # configurations in a tick that has no limit
CALM = 6  # ticks without a new goal or unit before units follow the search

IDLE, SEARCHING, SOLVED, IMPOSSIBLE, FULL = range(5)
OUTCOMES = ("idle", "searching", "solved", "impossible", "memory")
"""What is known of the joint search: see `Fleet.joint_search`."""


class Nodes(NamedTuple):
    """The tree of configurations, and how it grows."""

    units: np.ndarray  # the units, in the order of `Fleet.units`
    place_of: np.ndarray  # and for every unit its place there
    goals: np.ndarray  # their goals; NO_STATE if a unit may be anywhere
    states: np.ndarray  # for every node: where each unit is
    orders: np.ndarray  # and the places of units, those first that are not at their goals
    parent: np.ndarray
    after: np.ndarray  # the next node on the way from the root to the aim
    above: np.ndarray  # on the stack
    below: np.ndarray
    chains: np.ndarray  # the hash table: the first node of each chain, plus 1
    chained: np.ndarray  # the next one, plus 1
    first: np.ndarray  # for every node: its next constraint, and the last one, or NO_NODE
    last: np.ndarray
    before: np.ndarray  # for every constraint: the one that it extends, or NO_NODE
    following: np.ndarray  # the next in the queue of the same node
    who: np.ndarray  # the place of the unit; -1 in the first constraint, which is none
    where: np.ndarray
    depth: np.ndarray  # how many units are constrained
    next_order: np.ndarray  # room for the units, in the order in which they decide
    moves: Moves
    tally: np.ndarray  # see below


# How many units, nodes and constraints there are; the root; the top of the stack; the node to which units go; what is
# known (see OUTCOMES); the ticks since something changed.
SIZE, COUNT, CONSTRAINED, ROOT, TOP, AIM, OUTCOME, SINCE = range(8)


def new_nodes(units: np.ndarray, room: int, now_: np.ndarray, following: np.ndarray, most_bytes: int) -> Nodes:
    """Make an empty tree for these units; `room` is how many numbers of units there are."""
    count = len(units)
    most = int(max(16, min(MOST_NODES, most_bytes // (8 * count + 32 + 20 * CONSTRAINTS))))
    place_of = np.zeros(room, np.int64)
    place_of[units] = np.arange(count)
    sizes = count * most, count * most, *[most] * 4, 1 << _BITS, *[most] * 3, *[CONSTRAINTS * most] * 5
    made = [untouched(size, np.int32) for size in sizes]
    tally = np.zeros(8, np.int64)
    tally[SIZE] = count
    order, moves = np.zeros(count, np.int64), new_moves(room, now_, following)
    goals = np.zeros(count, np.int64)
    return Nodes._make([units.copy(), place_of, goals, *made, order, moves, tally])


def bytes_of(nodes: Nodes | None) -> int:
    """Return the memory that the tree uses."""
    if nodes is None:
        return 0
    count, constraints = int(nodes.tally[COUNT]), int(nodes.tally[CONSTRAINED])
    return count * (8 * len(nodes.units) + 32) + 20 * constraints + 4 * len(nodes.chains)


# ------------------------------------------------------------------ what has changed


@compiled
def take_in(data: Any, given: Any, order: np.ndarray) -> bool:
    """Note where the units are, and whether they have other goals; return whether the search can go on.

    With other goals it starts again. A configuration that the units have reached in another way becomes the root.
    """
    step, nodes = joint_step(data), borrow(given)
    tally, changed = nodes.tally, False
    for i in range(tally[SIZE]):
        row = step.units[nodes.units[i]]
        if row.buried:
            tally[SINCE] = 0
            return False
        goal = row.goal if row.reason <= BLOCKED or row.reason == ARRIVED else NO_STATE
        changed = changed or nodes.goals[i] != goal
        nodes.goals[i] = goal
    if changed:
        clear(nodes)
    tally[SINCE] += 1
    if tally[SINCE] < CALM:
        return False
    if tally[COUNT] == 0:
        return begin(step, nodes, order)
    if not is_at(step, nodes, tally[ROOT]):
        for i in range(tally[SIZE]):
            nodes.moves.following[nodes.units[i]] = step.units[nodes.units[i]].position
        node = find(nodes)
        if node == NO_NODE:
            for i in range(tally[SIZE]):
                nodes.next_order[i] = nodes.orders[tally[ROOT] * tally[SIZE] + i]
            node = add(nodes, tally[ROOT])
        if node == NO_NODE:
            tally[OUTCOME] = FULL
            return False
        set_root(nodes, node)
    return True


@compiled
def clear(nodes: Any) -> None:
    """Forget the tree."""
    tally = nodes.tally
    for node in range(tally[COUNT]):
        nodes.chains[chain_of(nodes, node)] = 0
    tally[COUNT] = tally[CONSTRAINED] = tally[SINCE] = 0
    tally[OUTCOME], tally[TOP], tally[AIM], tally[ROOT] = IDLE, NO_NODE, NO_NODE, NO_NODE


@compiled
def begin(step: Any, nodes: Any, order: np.ndarray) -> bool:
    """Begin a tree where the units are, if no two have the same goal."""
    tally, seen = nodes.tally, nodes.moves.occupied_next
    shared = False
    for i in range(tally[SIZE]):
        if nodes.goals[i] != NO_STATE:
            shared = shared or seen[nodes.goals[i]] != 0
            seen[nodes.goals[i]] = 1
    for i in range(tally[SIZE]):
        if nodes.goals[i] != NO_STATE:
            seen[nodes.goals[i]] = 0
    if shared:
        return False
    for i in range(tally[SIZE]):
        nodes.moves.following[nodes.units[i]] = step.units[nodes.units[i]].position
        nodes.next_order[i] = nodes.place_of[order[i]]
    node = add(nodes, NO_NODE)
    tally[ROOT] = tally[AIM] = node
    put_on_top(nodes, node)
    tally[OUTCOME] = SOLVED if is_home(nodes, node) else SEARCHING
    return True


@compiled
def is_at(step: Any, nodes: Any, node: Int) -> bool:
    """Are the units where a node says?"""
    first, there = node * nodes.tally[SIZE], True
    for i in range(nodes.tally[SIZE]):
        there = there and nodes.states[first + i] == step.units[nodes.units[i]].position
    return there


@compiled
def is_home(nodes: Any, node: Int) -> bool:
    """Are all units at their goals?"""
    first = node * nodes.tally[SIZE]
    for i in range(nodes.tally[SIZE]):
        if nodes.goals[i] != NO_STATE and nodes.states[first + i] != nodes.goals[i]:
            return False
    return True


@inlined
def set_root(nodes: Any, node: Int) -> None:
    """Make a node the root, from which one joint move leads to the former one."""
    tally = nodes.tally
    if nodes.after[tally[ROOT]] != node:  # the way to the aim is another one now
        nodes.after[node] = NO_NODE
    nodes.parent[tally[ROOT]], nodes.parent[node] = node, NO_NODE
    tally[ROOT] = node


# ------------------------------------------------------------------ the search


@compiled
def grow_tree(data: Any, given: Any, expansions: int, end: int) -> Int:
    """Search on within the budget; return the expansions: one for each unit in each configuration.

    With a deadline, at least one configuration is generated.
    """
    step, nodes = joint_step(data), borrow(given)
    tally, spent, longest, last = nodes.tally, 0, 0, now()
    imagined = JointStep(step.world, IMAGINED, step.distances, step.allocator, step.units, nodes.moves)
    while tally[OUTCOME] == SEARCHING:
        time = now()
        longest, last = max(longest, time - last), time
        late = end != NEVER and time + longest >= end
        if (spent and (late or interrupted())) or spent + tally[SIZE] > expansions:
            break
        spent += tally[SIZE]
        if is_full(nodes):
            tally[OUTCOME] = FULL
        elif tally[TOP] == NO_NODE:
            tally[OUTCOME] = IMPOSSIBLE
        else:
            expand(imagined, nodes)
    if tally[OUTCOME] in (SEARCHING, SOLVED):
        find_way(nodes)
    return spent


@inlined
def leads(nodes: Any) -> bool:
    """Is there a next step on the way to the aim?"""
    tally = nodes.tally
    return bool(tally[OUTCOME] in (SEARCHING, SOLVED) and nodes.after[tally[ROOT]] != NO_NODE)


@inlined
def is_full(nodes: Any) -> bool:
    """Is there no room for another node and its constraints?"""
    return nodes.tally[COUNT] + 2 > len(nodes.parent) or nodes.tally[CONSTRAINED] + 64 > len(nodes.who)


@compiled
def expand(step: Any, nodes: Any) -> None:
    """Generate one successor of the node on top of the stack."""
    tally = nodes.tally
    node = tally[TOP]
    constraint = nodes.first[node]
    if constraint == NO_NODE:
        take_off(nodes, node)
        return
    nodes.first[node] = nodes.following[constraint]
    constrain_next(step, nodes, node, constraint)
    if not generate(step, nodes, node, constraint):
        return
    known = find(nodes)
    if known == NO_NODE:
        known = add(nodes, node)
        nodes.after[node if tally[AIM] == node else tally[ROOT]] = known if tally[AIM] == node else NO_NODE
        tally[AIM] = known
        if is_home(nodes, known):
            tally[OUTCOME] = SOLVED
    put_on_top(nodes, known)


@compiled
def constrain_next(step: Any, nodes: Any, node: Int, constraint: Int) -> None:
    """Add constraints for the next unit: it stays, or makes one of its moves."""
    depth, size = nodes.depth[constraint], nodes.tally[SIZE]
    if depth >= size:
        return
    who = nodes.orders[node * size + depth]
    state = np.int64(nodes.states[node * size + who])
    for given, price in successors(without_traffic(step.world), state):
        successor = number_of(step.world, given, state, price)
        if successor == NO_STATE:
            break
        add_constraint(nodes, node, constraint, who, successor)
    add_constraint(nodes, node, constraint, who, state)


@inlined
def add_constraint(nodes: Any, node: Int, before: Int, who: Int, where: Int) -> None:
    """Add a constraint to the queue of a node."""
    new = nodes.tally[CONSTRAINED]
    nodes.tally[CONSTRAINED] += 1
    nodes.before[new], nodes.who[new], nodes.where[new], nodes.following[new] = before, who, where, NO_NODE
    nodes.depth[new] = nodes.depth[before] + 1 if before != NO_NODE else 0
    if nodes.first[node] == NO_NODE:
        nodes.first[node] = new
    else:
        nodes.following[nodes.last[node]] = new
    nodes.last[node] = new


@compiled
def generate(step: Any, nodes: Any, node: Int, constraint: Int) -> bool:
    """Let PIBT decide the next configuration under constraints; return False if they allow none."""
    moves, size = nodes.moves, nodes.tally[SIZE]
    first, fits = node * size, True
    for i in range(size):
        unit = nodes.units[i]
        state = np.int64(nodes.states[first + i])
        moves.occupied_now[state] = unit + 1
        put_wish(moves, unit, state, 0, state if nodes.goals[i] == NO_STATE else NO_STATE)
        nodes.next_order[i] = nodes.units[nodes.orders[first + i]]
    while fits and constraint != NO_NODE and nodes.before[constraint] != NO_NODE:
        unit, target = nodes.units[nodes.who[constraint]], np.int64(nodes.where[constraint])
        other = np.int64(moves.occupied_now[target]) - 1
        swaps = other not in (NO_UNIT, unit) and moves.following[other] == moves.origin[unit]
        fits = moves.occupied_next[target] == 0 and not swaps
        if fits:
            moves.following[unit], moves.occupied_next[target] = target, unit + 1
        constraint = nodes.before[constraint]
    if fits:
        resolve_all(step, nodes.next_order)
        for i in range(size):
            unit = nodes.units[i]
            fits = fits and moves.occupied_next[moves.following[unit]] == unit + 1
    for i in range(size):
        unit = nodes.units[i]
        moves.occupied_now[moves.origin[unit]] = 0
        if moves.following[unit] != UNDECIDED:
            moves.occupied_next[moves.following[unit]] = 0
    if fits:
        order_units(nodes, node)
    return fits


@inlined
def order_units(nodes: Any, node: Int) -> None:
    """Order units for the next configuration: those first that are not at their goals; else as they were."""
    size, count, moves = nodes.tally[SIZE], 0, nodes.moves
    for i in range(size):
        moves.place[i] = nodes.place_of[nodes.next_order[i]]
    for home in range(2):
        for j in range(size):
            i = moves.place[j]
            if (moves.following[nodes.units[i]] == nodes.goals[i]) == (home == 1):
                nodes.next_order[count] = i
                count += 1


# ------------------------------------------------------------------ a shorter way


@compiled
def shorten_way(data: Any, given: Any, most: int, expansions: int, end: int) -> Int:
    """Look for shorter ways to the goals, in at most `most` attempts; return the expansions.

    An attempt lets units go on from a node of the way as PIBT decides, with ties broken at random. If they arrive
    earlier in sum, that is the way from then on.
    """
    step, nodes = joint_step(data), borrow(given)
    tally, random, spent, longest, last = nodes.tally, step.distances.tally, 0, 0, now()
    imagined = JointStep(step.world, IMAGINED, step.distances, step.allocator, step.units, nodes.moves)
    random[RANDOM] = max(1, random[SEED])
    for _ in range(most):
        time = now()
        longest, last = max(longest, time - last), time
        late = end != NEVER and time + longest >= end
        if late or spent >= expansions or interrupted() or tally[ROOT] == tally[AIM]:
            break
        length, losses = measure(nodes)
        node, left, lost = tally[ROOT], chance(random, length), losses
        for _ in range(left):
            lost -= loss_at(nodes, node)
            node = np.int64(nodes.after[node])
        steps = roll_out(imagined, nodes, node, length - left, lost)
        spent += tally[SIZE] * max(1, steps, -steps)
        if steps > 0:
            keep_way(nodes, node, steps)
    random[SEED], random[RANDOM] = random[RANDOM], 0
    return spent


@inlined
def chance(tally: Any, count: Int) -> Int:
    """Return a random number below `count`, the same in every run: Lehmer's generator."""
    tally[RANDOM] = tally[RANDOM] * 48271 % 2147483647
    return tally[RANDOM] % count


@compiled
def measure(nodes: Any) -> tuple[Int, Int]:
    """Return the steps on the way to the aim, and the sum of the units that are not at their goals on it."""
    node, steps, losses = nodes.tally[ROOT], 0, 0
    while node != nodes.tally[AIM]:
        losses += loss_at(nodes, node)
        node, steps = np.int64(nodes.after[node]), steps + 1
    return steps, losses


@compiled
def loss_at(nodes: Any, node: Int) -> Int:
    """Return how many units are not at their goals."""
    first, count = node * nodes.tally[SIZE], 0
    for i in range(nodes.tally[SIZE]):
        count += nodes.goals[i] != NO_STATE and nodes.states[first + i] != nodes.goals[i]
    return count


@compiled
def roll_out(step: Any, nodes: Any, start: Int, most: Int, losses: Int) -> Int:
    """Let units go on by PIBT, in nodes behind all others; return the steps until all are at their goals.

    If that takes more than `most` steps, or no less losses, return how many steps were tried, negative.
    """
    tally = nodes.tally
    node, steps = start, 0
    while steps < most and tally[COUNT] + steps + 2 < len(nodes.parent):
        losses -= loss_at(nodes, node)
        if losses <= 0:
            break
        generate(step, nodes, node, NO_NODE)
        node, steps = tally[COUNT] + steps, steps + 1
        put_configuration(nodes, node)
        if is_home(nodes, node):
            return steps
    return -steps


@compiled
def keep_way(nodes: Any, node: Int, steps: Int) -> None:
    """Add the configurations that were tried to the tree, the first as a child of a node on the way."""
    tally = nodes.tally
    first = tally[COUNT]
    for i in range(first, first + steps):
        if is_full(nodes):
            return
        for j in range(tally[SIZE]):
            nodes.moves.following[nodes.units[j]] = nodes.states[i * tally[SIZE] + j]
            nodes.next_order[j] = nodes.orders[i * tally[SIZE] + j]
        known = find(nodes)
        if known == NO_NODE:
            known = add(nodes, node)
        elif not is_behind(nodes, known, node):
            nodes.parent[known] = node
        node = known
    tally[AIM] = node
    nodes.after[tally[ROOT]] = NO_NODE
    find_way(nodes)


@compiled
def is_behind(nodes: Any, node: Int, other: Int) -> bool:
    """Is a node on the way from the root to another one?"""
    while other != NO_NODE and other != node:
        other = np.int64(nodes.parent[other])
    return bool(other == node)


# ------------------------------------------------------------------ nodes, the stack, and ways


@compiled
def add(nodes: Any, parent: Int) -> Int:
    """Add the configuration that was generated; NO_NODE if there is no room."""
    tally = nodes.tally
    if is_full(nodes):
        return NO_NODE
    node = tally[COUNT]
    tally[COUNT] += 1
    put_configuration(nodes, node)
    nodes.parent[node], nodes.after[node], nodes.above[node], nodes.below[node] = parent, NO_NODE, NO_NODE, NO_NODE
    nodes.first[node] = NO_NODE
    add_constraint(nodes, node, NO_NODE, 0, 0)
    chain = chain_of(nodes, node)
    nodes.chained[node], nodes.chains[chain] = nodes.chains[chain], node + 1
    return node


@inlined
def put_configuration(nodes: Any, node: Int) -> None:
    """Write the configuration that was generated into a node."""
    size = nodes.tally[SIZE]
    for i in range(size):
        nodes.states[node * size + i] = nodes.moves.following[nodes.units[i]]
        nodes.orders[node * size + i] = nodes.next_order[i]


@compiled
def chain_of(nodes: Any, node: Int) -> Int:
    """Return the chain of a node."""
    key: Int = 0
    for i in range(nodes.tally[SIZE]):
        key = mixed(key, np.int64(nodes.states[node * nodes.tally[SIZE] + i]))
    return hashed(key, _BITS)


@inlined
def mixed(key: Int, state: Int) -> Int:
    """Return the key of one more state."""
    return ((key ^ (key >> 15)) * 31 + state + 1) & 0x7FFFFFFF


@compiled
def find(nodes: Any) -> Int:
    """Return the node with the configuration that was generated, or NO_NODE."""
    size = nodes.tally[SIZE]
    key: Int = 0
    for i in range(size):
        key = mixed(key, np.int64(nodes.moves.following[nodes.units[i]]))
    node = nodes.chains[hashed(key, _BITS)] - 1
    while node >= 0:
        same = True
        for i in range(size):
            if nodes.states[node * size + i] != nodes.moves.following[nodes.units[i]]:
                same = False
                break
        if same:
            return node
        node = nodes.chained[node] - 1
    return NO_NODE


@inlined
def put_on_top(nodes: Any, node: Int) -> None:
    """Put a node on top of the stack, wherever it was."""
    tally = nodes.tally
    if tally[TOP] != node:
        take_off(nodes, node)
        nodes.below[node] = tally[TOP]
        if tally[TOP] != NO_NODE:
            nodes.above[tally[TOP]] = node
        tally[TOP] = node


@inlined
def take_off(nodes: Any, node: Int) -> None:
    """Take a node off the stack, if it is on it."""
    above, below = nodes.above[node], nodes.below[node]
    if above != NO_NODE:
        nodes.below[above] = below
    if below != NO_NODE:
        nodes.above[below] = above
    if nodes.tally[TOP] == node:
        nodes.tally[TOP] = below
    nodes.above[node] = nodes.below[node] = NO_NODE


@compiled
def find_way(nodes: Any) -> None:
    """Find the way from the root to the aim, if it is not known (the root has no next node)."""
    node, tally = nodes.tally[AIM], nodes.tally
    if nodes.after[tally[ROOT]] != NO_NODE or node == tally[ROOT]:
        return
    while node != tally[ROOT]:
        parent = nodes.parent[node]
        nodes.after[parent] = node
        node = parent


@decide.of(Nodes)
def _decide(nodes: Any, step: Any, order: np.ndarray) -> None:
    """Let all units make the next step on the way to the aim."""
    size, node = nodes.tally[SIZE], np.int64(nodes.after[nodes.tally[ROOT]])
    for i in range(size):
        make_wish(step, nodes.units[i])
        step.moves.following[nodes.units[i]] = nodes.states[node * size + i]
    set_root(nodes, node)
