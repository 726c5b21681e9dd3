"""The budget of a tick: what planning may spend, and what is left for repairs."""

from ..compiled.clock import NEVER, now
from ..compiled.prices import EXPANSION, PUSH, SUCCESSOR
from ..core.errors import ProblemError
from ..search.budget import durations
from ..worlds import World

REPAIRS = 4  # repairs get 1 / REPAIRS of the budget, and what planning leaves
RESERVE = 20  # a 20th of a tick is reserved for what cannot be interrupted: a search, a growing table, a page fault


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
