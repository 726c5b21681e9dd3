"""The budget of an interval as compiled code takes it: one value, which gets smaller as it is spent."""

from typing import Any, NamedTuple

from ..compiled import inlined
from .clock import NEVER, passed


class Allowance(NamedTuple):
    """What may still be spent; each of the three may be `NEVER`."""

    expansions: int
    deadline: int  # of the clock, in nanoseconds
    virtual: int  # nanoseconds


UNLIMITED = Allowance(NEVER, NEVER, NEVER)


@inlined
def clocked(allowance: Any) -> bool:
    """Is time limited, or only the number of expansions?"""
    return allowance.deadline != NEVER or allowance.virtual != NEVER


@inlined
def late(allowance: Any) -> bool:
    """Has the clock come to the deadline?"""
    return passed(allowance.deadline)


@inlined
def after(allowance: Any, expansions: int, nanoseconds: int) -> Allowance:
    """What is left after so many expansions and virtual nanoseconds: never less than 1 of these."""
    most, virtual = allowance.expansions, allowance.virtual
    return Allowance(
        most if most == NEVER else max(0, most - expansions),
        allowance.deadline,
        virtual if virtual == NEVER else max(1, virtual - nanoseconds),
    )


@inlined
def at_most(allowance: Any, expansions: int) -> Allowance:
    """The same, with no more than so many expansions."""
    return Allowance(min(allowance.expansions, expansions), allowance.deadline, allowance.virtual)


@inlined
def until(allowance: Any, deadline: int) -> Allowance:
    """The same, with another deadline."""
    return Allowance(allowance.expansions, deadline, allowance.virtual)
