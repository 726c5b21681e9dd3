"""The budget of an interval in compiled code: one value, which shrinks as it is spent."""

from typing import NamedTuple

from ..compiled import inlined
from ..compiled.clock import NEVER, passed


class Allowance(NamedTuple):
    """What may still be spent; `NEVER` means no limit."""

    expansions: int
    deadline: int  # of the clock, in nanoseconds
    virtual: int  # nanoseconds


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


@inlined
def until(allowance: Allowance, deadline: int) -> Allowance:
    """Return the same with another deadline."""
    return Allowance(allowance.expansions, deadline, allowance.virtual)
