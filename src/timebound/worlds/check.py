"""Find what is wrong with a world, and report it in words."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..compiled import borrow
from ..core.errors import ProblemError, TimeboundError
from ..core.values import seed_number, whole
from ..core.wording import shown
from .custom import CustomWorld
from .interface import heuristic, is_goal, number_of, predecessors, prices_of, successors
from .sight import first_moves, probe, python
from .world import World, a_world

Moves = list[tuple[Any, int]]

MOST = 10_000_000  # states to look at: they are kept in memory


def check_world(world: World, start: Any = None, goal: Any = None, *, states: int = 1000, seed: int = 0) -> list[str]:
    """Test a world, and return what is wrong with it: one line per problem, an empty list if there is none.

    Looks at `states` states, near the start and far from it: do the functions raise, are their results repeatable,
    do costs, states and numbers of moves stay within the promised limits, is the heuristic consistent, can moves be
    undone as promised, does everything compile, and do the compiled functions agree with plain Python?

    You may leave out `start` if states are numbers from 0 on, and `goal` if any state will do or the world has its own.

    Examples
    --------
    >>> import timebound as tb
    >>> def successors(world, state):
    ...     yield state + 1, 1
    ...     yield state - 1, 1
    >>> def heuristic(world, state):
    ...     return 2 * abs(world.goal - state)
    >>> world = tb.CustomWorld(successors, heuristic, compile=False)
    >>> print("\\n".join(tb.check_world(world, start=0, goal=9)))
    heuristic is not consistent: 18 at 0, but a move to 1 costs 1, where it is 16
    """
    a_world(world)
    most = whole(states, "states, the number of states to look at, is a whole number above 0", most=MOST)
    generator = random.Random(seed_number(seed))
    try:
        sample = _Sample(world, start, goal, most, generator)
    except TimeboundError as error:
        return [str(error)]
    first: dict[str, str] = {}  # of every kind
    for line in _faults(sample):
        first.setdefault(line.split(":")[0], line)
    return list(first.values())


class _Sample:
    """Some states of a world, with their moves, computed by plain Python."""

    def __init__(self, world: World, start: Any, goal: Any, states: int, generator: random.Random):
        self.world, self.generator = world, generator
        start = self._any_place() if start is None else start
        if goal is None and getattr(world, "goal_is_a_state", True):
            goal = self._somewhere(start)
        self.look = look_at(world, goal)
        self.aimed = self.look.world
        self.start = self.look.first(start)
        self.moves: dict[Any, Moves] = {}
        self.complete = self._explore(states)

    def name(self, state: Any) -> str:
        return shown(self.look.place(state))

    def _any_place(self) -> Any:
        world = self.world
        if isinstance(world, CustomWorld) and not world.dense:
            raise ProblemError("give a start: check_world(world, start=...)")
        for state in self.generator.sample(range(world.states), min(world.states, 10_000)):
            try:
                place = world.label(state) if isinstance(world, CustomWorld) else world.place(state)
                (world.key if isinstance(world, CustomWorld) else world.state)(place)
            except TimeboundError:
                continue
            return place
        raise ProblemError("found no state to begin with; give one: check_world(world, start=...)")

    def _somewhere(self, start: Any) -> Any:
        """Return a state some moves away, as a goal."""
        look = look_at(self.world, start)
        state = look.first(start)
        for _ in range(20):
            moves = look.moves(state)
            if not moves:
                break
            state = self.generator.choice(moves)[0]
        return look.place(state)

    def _explore(self, most: int) -> bool:
        """Take half of the states by their distance, the others from random walks; return whether these are all."""
        waiting, met = [self.start], {self.start}
        while waiting and len(self.moves) < most // 2:
            state = waiting.pop(0)
            self.moves[state] = self.look.moves(state)
            new = [after for after, _ in self.moves[state] if after not in met]
            met.update(new)
            waiting += dict.fromkeys(new)
        state, walks = self.start, 0
        while waiting and len(self.moves) < most and walks < 10 * most:
            moves = self.moves.get(state) or self.look.moves(state)
            self.moves.setdefault(state, moves)
            state = self.generator.choice(moves)[0] if moves and walks % 100 else self.start
            walks += 1
        return not waiting


def look_at(world: World, goal: Any) -> "_Own | _BuiltIn":
    """Return the world with its goal, for plain Python."""
    aimed, number = world.aim(goal)
    return _Own(aimed) if isinstance(aimed, CustomWorld) else _BuiltIn(aimed, number)


class _Own:
    """The functions of a custom world, called as plain Python."""

    def __init__(self, world: CustomWorld):
        self.world, self.data = world, world._sight().data
        self.first, self.place = world.key, world.label

    def moves(self, state: Any) -> Moves:
        return probe(self.world, self.data, state)

    def back(self, state: Any) -> Moves | None:
        function = self.world.functions.predecessors
        return None if function is None else first_moves(self.world, "predecessors", function, self.data, state)

    def h(self, state: Any) -> int:
        return int(python(self.world.functions.heuristic)(self.data, state))

    def at_goal(self, state: Any) -> bool:
        return bool(python(self.world.functions.is_goal)(self.data, state))


class _BuiltIn:
    """A world of the library, called as plain Python."""

    def __init__(self, world: World, goal: int):
        self.world, self.form = world, borrow(world.compiled(goal))
        self.first, self.place = world.state, world.place

    def moves(self, state: int) -> list[tuple[int, int]]:
        form = self.form
        return [(int(number_of(form, given, state, cost)), int(cost)) for given, cost in successors(form, state)]

    def back(self, state: int) -> list[tuple[int, int]]:
        return [(int(given), int(cost)) for given, cost in predecessors(self.form, state)]

    def h(self, state: int) -> int:
        return int(heuristic(self.form, state))

    def at_goal(self, state: int) -> bool:
        return bool(is_goal(self.form, state))


def _faults(sample: _Sample) -> Iterator[str]:
    for check in (_keeps_promises, _is_repeatable, _estimates_well, _steps_well, _can_be_undone, _knows_predecessors):
        for state, moves in sample.moves.items():
            yield from check(sample, state, moves)
    if sample.complete and not any(map(sample.look.at_goal, sample.moves)):
        yield f"no goal can be reached: none of the {len(sample.moves)} reachable states is a goal"
    yield from _runs_compiled(sample)


def _keeps_promises(sample: _Sample, state: Any, moves: Moves) -> Iterator[str]:
    world, name = sample.world, sample.name
    here = name(state)
    if len(moves) > world.branching:
        yield f"too many moves: at least {len(moves)} from {here}, but branching is {world.branching}"
    for after, cost in moves:
        if isinstance(world, CustomWorld) and world.dense and not 0 <= after < world.states:
            yield f"a state out of range: {after} after {here}; the states are 0 to {world.states - 1}"
        if cost < 0:
            yield f"a negative cost: {cost} from {here} to {name(after)}"
        if cost > world.highest_cost:
            yield f"a move costs too much: {cost} from {here} to {name(after)}, above {world.highest_cost}"


def _is_repeatable(sample: _Sample, state: Any, moves: Moves) -> Iterator[str]:
    if sample.look.moves(state) != moves:
        yield f"successors is not repeatable: two calls at {sample.name(state)} differ"


def _estimates_well(sample: _Sample, state: Any, moves: Moves) -> Iterator[str]:
    look, name = sample.look, sample.name
    h, here = look.h(state), name(state)
    if h < 0:
        yield f"heuristic is negative: {h} at {here}"
    if look.at_goal(state) and h != 0:
        yield f"heuristic is not 0 at a goal: {h} at {here}"
    for after, cost in moves:
        if h > cost + look.h(after):
            there = f"a move to {name(after)} costs {cost}, where it is {look.h(after)}"
            yield f"heuristic is not consistent: {h} at {here}, but {there}"


def _steps_well(sample: _Sample, state: Any, moves: Moves) -> Iterator[str]:
    look, name = sample.look, sample.name
    if not isinstance(look, _Own) or look.world.functions.step_heuristic is None:
        return
    for after, _ in moves:
        stepped = python(look.world.functions.step_heuristic)(look.data, state, look.h(state), after)
        if stepped != look.h(after):
            move = f"a move from {name(state)} to {name(after)}"
            yield f"step_heuristic differs: it gives {stepped} after {move}, heuristic gives {look.h(after)}"


def _can_be_undone(sample: _Sample, state: Any, moves: Moves) -> Iterator[str]:
    if isinstance(sample.world, CustomWorld) and sample.world.reversible:
        for after, cost in moves:
            if after in sample.moves and (state, cost) not in sample.moves[after]:
                back = f"from {sample.name(after)} to {sample.name(state)}"
                yield f"not reversible: no move of cost {cost} leads back {back}"


def _knows_predecessors(sample: _Sample, state: Any, moves: Moves) -> Iterator[str]:
    look, name = sample.look, sample.name
    before = look.back(state)
    if before is None:
        return
    for earlier, cost in before:
        if earlier in sample.moves and (state, cost) not in sample.moves[earlier]:
            yield f"predecessors is wrong: no move leads from {name(earlier)} to {name(state)}"
    for after, cost in moves:
        if after in sample.moves and (state, cost) not in (look.back(after) or ()):
            yield f"predecessors is incomplete: a move leads from {name(state)} to {name(after)}"


def _runs_compiled(sample: _Sample) -> Iterator[str]:
    """Walk a little, and let compiled code compute the costs."""
    walk, costs, state = [sample.start], [], sample.start
    while len(walk) < 50 and sample.moves.get(state):
        state, cost = sample.generator.choice(sample.moves[state])
        walk.append(state)
        costs.append(cost)
    try:
        numbers = np.array([sample.aimed.state(sample.look.place(state)) for state in walk])
        prices = sample.aimed.guarded(prices_of)(sample.aimed.compiled(int(numbers[-1])), numbers)
    except TimeboundError as error:
        yield str(error)
        return
    for i, cost in enumerate(costs):
        if prices[i] > cost or prices[i] < 0:
            here, there = sample.name(walk[i]), sample.name(walk[i + 1])
            yield f"compiled, successors differs: a move from {here} to {there} costs {prices[i]}, not {cost}"
