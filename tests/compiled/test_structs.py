"""Python makes, reads and changes single fields of structs; an implementation of a generic function may be compiled."""

from typing import Any, NamedTuple

from timebound.compiled import compiled, generic, making, optional, reading, struct, writing


@struct
class Tally:
    """What is counted."""

    count: int
    step: Any


new_tally = making(Tally)
count_of, set_count = reading("count"), writing("count")


class Double(NamedTuple):
    """Twice a number."""

    number: int


class Half(NamedTuple):
    """Half a number."""

    number: int


@generic
def result(rule: Any, tally: Any) -> int:  # type: ignore[empty-body]
    """Return what the rule makes of the count."""


@result.of(Double)
@compiled
def _doubled(rule: Double, tally: Tally) -> int:
    return 2 * rule.number + tally.count


result.of(Half)(lambda rule, tally: rule.number // 2 + tally.count)


@optional
def name_length(rule: Any) -> int:
    """Return a default."""
    return 0


name_length.of(Half)(lambda rule: 4)


@compiled
def all_results(double: Double, half: Half, tally: Tally) -> tuple[int, int, int, int]:
    return result(double, tally), result(half, tally), name_length(double), name_length(half)


def test_python_makes_reads_and_changes_single_fields() -> None:
    tally = new_tally(3, (1, 2))
    assert count_of(tally) == 3
    set_count(tally, 10)
    assert count_of(tally) == 10


def test_implementations_may_be_compiled_or_one_expression() -> None:
    tally = new_tally(10, (1, 2))
    assert all_results(Double(4), Half(8), tally) == (18, 14, 0, 4)
    assert result(Double(4), tally) == 18  # from Python, too
