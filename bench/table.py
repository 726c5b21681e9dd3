"""Tables that read well in a terminal and in Markdown alike."""

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"(\d[\d.]*( \(.*\))?)?")


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table with aligned columns: the first to the left, numbers to the right."""
    cells = [[_show(cell) for cell in row] for row in rows]
    columns = list(zip(headers, *cells, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [index > 0 and _numeric(column[1:]) for index, column in enumerate(columns)]
    rule = ["-" * (width - 1) + ":" if flush else "-" * width for width, flush in zip(widths, right, strict=True)]
    return "\n".join(_line(line, widths, right) for line in (headers, rule, *cells))


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        cell.rjust(width) if flush else cell.ljust(width)
        for cell, width, flush in zip(cells, widths, right, strict=True)
    ]
    return "| " + " | ".join(padded) + " |"


def _numeric(cells: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(cell) for cell in cells)


def _show(cell: object) -> str:
    if cell is None:
        return ""
    if not isinstance(cell, float):
        return str(cell)
    return (
        f"{cell:.0f}" if cell >= 100 else f"{cell:.1f}" if cell >= 10 else f"{cell:.2f}" if cell >= 1 else f"{cell:.3f}"
    )
