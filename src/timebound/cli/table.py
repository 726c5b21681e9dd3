"""Tables of text."""

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], words: int) -> str:
    """Rows of equal length as a table: the first columns are words, the others numbers.

    >>> print(aligned([("agent", "moves"), ("rtaa", "7")], words=1))
    agent  moves
    rtaa       7
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:<{width}}" if place < words else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def shortened(rows: Sequence[Sequence[str]], ends: int) -> list[Sequence[str]]:
    """Shorten a long table: keep `ends` rows at each end.

    >>> shortened([(str(i),) for i in range(9)], 2)
    [('0',), ('1',), ('...',), ('7',), ('8',)]
    """
    if len(rows) <= 2 * ends + 1:
        return list(rows)
    return [*rows[:ends], ("...",) * len(rows[0]), *rows[-ends:]]
