"""The budget of an interval: expansions, milliseconds, or virtual milliseconds.

In compiled code it is an `Allowance`, one value, which shrinks as it is spent.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from ..compiled import inlined
from ..compiled.clock import NEVER, now, passed
from ..core.errors import ProblemError
from ..core.values import number, whole


class Allowance(NamedTuple):
    """What may still be spent; `NEVER` means no limit."""

    expansions: int
    deadline: int  # of the clock, in nanoseconds
    virtual: int  # nanoseconds


@dataclass(frozen=True)
class Budget:
    """What an interval may spend: at most one of the three; none means no limit, as `math.inf` does.

    Parameters
    ----------
    expansions
        A number of states, which is the same on every machine.
    ms
        Milliseconds, by the clock of the machine.
    virtual_ms
        Milliseconds of a virtual clock, on which every operation has a fixed price.

    Raises
    ------
    ProblemError
        If two are given, or one is not a number above 0.

    Examples
    --------
    >>> Budget(expansions=100).limit()
    Allowance(expansions=100, deadline=9223372036854775807, virtual=9223372036854775807)
    """

    expansions: float | None = None
    ms: float | None = None
    virtual_ms: float | None = None

    def __post_init__(self) -> None:
        given = {name: value for name, value in vars(self).items() if value is not None}
        if len(given) > 1:
            raise ProblemError(f"one budget at a time: {' or '.join(given)}, not both")
        for name, value in given.items():
            plain = number(value, f"the budget {name} must be a number above 0 (or inf)", lambda given: given > 0)
            if name == "expansions":
                whole_or_inf = "the budget expansions must be a whole number (or inf)"
                number(plain, whole_or_inf, lambda given: given == math.inf or given == int(given))
            object.__setattr__(self, name, plain)

    def limit(self) -> Allowance:
        """Return the allowance of an interval that begins now."""
        expansions, nanoseconds, virtual = self.durations()
        return Allowance(expansions, now() + nanoseconds if nanoseconds < NEVER else NEVER, virtual)

    def durations(self) -> tuple[int, int, int]:
        """Return the expansions, nanoseconds and virtual nanoseconds of an interval; `NEVER` means no limit."""
        return _whole(self.expansions, 1), _whole(self.ms, 1e6), _whole(self.virtual_ms, 1e6)


def durations(expansions: float | None, ms: float | None, virtual_ms: float | None) -> tuple[int, int, int]:
    """Return `Budget(...).durations()`, cached: a loop asks for the same budget in every interval."""
    try:
        return _remembered(expansions, ms, virtual_ms)
    except TypeError:  # not hashable, a list for example: `Budget` raises the proper error
        return Budget(expansions, ms, virtual_ms).durations()


@lru_cache(maxsize=256, typed=True)  # typed: True is not 1
def _remembered(expansions: float | None, ms: float | None, virtual_ms: float | None) -> tuple[int, int, int]:
    return Budget(expansions, ms, virtual_ms).durations()


def interval_limit(intervals: Any) -> int:
    """Return the limit on intervals of an episode, `NEVER` if there is none."""
    return int(NEVER) if intervals is None else whole(intervals, "intervals is a whole number above 0")


def _whole(value: float | None, factor: float) -> int:
    """Convert to whole units; anything beyond two centuries of nanoseconds counts as no limit."""
    return NEVER if value is None or value * factor >= 2.0**62 else max(1, round(value * factor))


# ------------------------------------------------------------------ in compiled code

UNLIMITED = Allowance(NEVER, NEVER, NEVER)


@inlined
def clocked(allowance: Allowance) -> bool:
    """Is time limited, or only the number of expansions?"""
    return allowance.deadline != NEVER or allowance.virtual != NEVER


@inlined
def late(allowance: Allowance) -> bool:
    """Has the clock reached the deadline?"""
    return passed(allowance.deadline)


@inlined
def after(allowance: Allowance, expansions: int, nanoseconds: int) -> Allowance:
    """Return what is left after these expansions and virtual nanoseconds: at least 1 of the latter."""
    most, virtual = allowance.expansions, allowance.virtual
    return Allowance(
        most if most == NEVER else max(0, most - expansions),
        allowance.deadline,
        virtual if virtual == NEVER else max(1, virtual - nanoseconds),
    )


@inlined
def at_most(allowance: Allowance, expansions: int) -> Allowance:
    """Return the same with at most `expansions` expansions."""
    return Allowance(min(allowance.expansions, expansions), allowance.deadline, allowance.virtual)
