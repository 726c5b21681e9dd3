"""What users give to a fleet: its options, and the budget of a tick."""

from typing import Any, NamedTuple

from ..compiled.clock import NEVER, now
from ..compiled.prices import EXPANSION, PUSH, SUCCESSOR
from ..core.errors import ProblemError
from ..core.values import items, number, one_of, whole
from ..core.wording import shown
from ..search.budget import durations
from ..worlds import Grid, World
from .allocator import STRIPES
from .guidance import NoTraffic, Traffic, traffic_of
from .pibt import COLLISIONS, COMPLETE
from .pibt import PUSH as PUSHING

REPAIRS = 4  # repairs get 1 / REPAIRS of the budget, and what planning leaves
RESERVE = 20  # a 20th of a tick is reserved for what cannot be interrupted: a search, a growing table, a page fault


class Options(NamedTuple):
    """How the units of a fleet move and plan together."""

    collisions: str
    traffic: Traffic | NoTraffic
    threads: int
    attempts: int  # to improve the plan of the next steps, in a tick; 0 without repair, NEVER until the budget ends
    most_bytes: int  # that units may use


def checked_options(world: World, collisions: Any, guidance: Any, repair: Any, threads: Any, memory_mb: Any) -> Options:
    """Return the options of a fleet."""
    rule = "memory_mb is a number above 0, up to a million"
    most_bytes = int(number(memory_mb, rule, lambda given: 0 < given <= 1e6) * 2**20)
    collisions, traffic = checked_collisions(collisions), _traffic(world, guidance)
    if COLLISIONS[collisions] == COMPLETE and not isinstance(world, Grid):
        raise ProblemError(f"collisions={collisions!r} is for grids, where every move can be undone")
    threads = whole(threads, f"threads is a whole number from 1 to {STRIPES}", most=STRIPES)
    if threads > 1 and guidance is not False:
        raise ProblemError("with guidance, units plan one after the other: use threads=1")
    return Options(collisions, traffic, threads, _attempts(repair, collisions), most_bytes)


def checked_collisions(collisions: Any) -> str:
    """Return how units treat each other."""
    return one_of(collisions, tuple(COLLISIONS), "collisions is 'none', 'wait', 'push' or 'complete'")


def _traffic(world: World, guidance: Any) -> Traffic | NoTraffic:
    if guidance is False:
        return NoTraffic()
    if not isinstance(world, Grid):
        raise ProblemError("guidance is for grids")
    rule = "guidance is True, False, or two numbers from 0 to 1000: extra costs of crowded cells and of opposed moves"
    pair = (0.1, 0.5) if guidance is True else items(guidance, rule)
    if len(pair) != 2:
        raise ProblemError(f"{rule}, not {shown(guidance)}")
    crowded, against = (number(value, rule, lambda given: 0 <= given <= 1000) for value in pair)
    return traffic_of(world, crowded, against)


def _attempts(repair: Any, collisions: str) -> int:
    if repair is False:
        return 0
    if COLLISIONS[collisions] < PUSHING:
        raise ProblemError(f"repair is for units that push each other: use collisions='push', not {collisions!r}")
    rule = "repair is True, False, or a whole number from 1 to 1000000: the attempts per tick"
    return NEVER if repair is True else whole(repair, rule, most=1_000_000)


def check_group(name: Any, terrain: str) -> None:
    """Raise an error if units cannot be in a group of that name."""
    if name is None:
        return
    if not isinstance(name, str) or not name:
        raise ProblemError(f"group must be a name, for units that share the search from their goal, not {shown(name)}")
    if terrain != "known":
        raise ProblemError("group needs known terrain: elsewhere no unit knows the way from the goal")


# ------------------------------------------------------------------ the budget of a tick


def for_plans(expansions: int) -> int:
    """Return the part of a budget for the paths of single units; repairs get the rest."""
    return expansions if expansions == NEVER else max(1, expansions - max(1, expansions // REPAIRS))


def limits_of(world: World, ms: float | None, expansions: float | None, virtual_ms: float | None) -> tuple[int, int]:
    """Return the expansions that a tick may take, and when planning must end."""
    if ms is None and expansions is None and virtual_ms is None:
        raise ProblemError("a fleet needs a budget: give ms, expansions or virtual_ms (expansions=math.inf: no limit)")
    most, nanoseconds, virtual = durations(expansions, ms, virtual_ms)
    if virtual != NEVER:
        most = max(1, virtual // price_of_expansion(world))
    return most, now() + nanoseconds - nanoseconds // RESERVE if nanoseconds != NEVER else NEVER


def price_of_expansion(world: World) -> int:
    """Return the price of an expansion on the virtual clock, in nanoseconds: all its moves, and two pushes.

    >>> import timebound as tb
    >>> price_of_expansion(tb.Grid.load("harbour"))
    67
    """
    return EXPANSION + SUCCESSOR * world.branching + 2 * PUSH
