"""MovingAI's text formats: `.map` files, and `.scen` files with problems on them."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..core.disk import StrPath, Wanted, read_bytes, write_files
from ..core.errors import MapError
from .model import LEGEND, MAX_CELLS, Map, check_size, find_stranger, show

_MAP = Wanted("a map file", 2 * MAX_CELLS)  # bytes: too few for the largest map in rows of one cell with CRLF line ends
_SCENARIO = Wanted("a scenario file", 2**25)  # bytes; MovingAI's files have less than a megabyte
_MOST_LINES = 2**24
_NUMBER = re.compile(r"[0-9]{1,9}")
_LENGTH = re.compile(r"[0-9]*\.?[0-9]+([eE][-+]?[0-9]{1,3})?")
_VERSION = re.compile(r"version\s+1(\.0*)?")
_FIELDS = "bucket, map, width, height, start x, start y, goal x, goal y, length"


def read_map(path: Path) -> Map:
    """Read a `.map` file; line ends may be LF or CRLF."""
    lines = lines_of(path, _MAP)
    width, height, first = _header(path, lines)
    rows = lines[first : first + height]
    for number, row in enumerate(rows, first + 1):
        if len(row) != width:
            hint = "the file may be cut off" if first + len(rows) == len(lines) == number else "correct the row"
            raise MapError(f"{path}, line {number}: {len(row)} cells in a row of width {width}; {hint}")
    if len(rows) < height:
        raise MapError(
            f"{path}, line {len(lines)}: the file ends after {len(rows)} of {height} rows; it may be cut off"
        )
    if len(lines) > first + height:
        raise MapError(f"{path}, line {first + height + 1}: more rows than the height {height}; correct line 2 or 3")
    terrain = np.frombuffer(b"".join(rows), np.uint8).reshape(height, width)
    stranger = find_stranger(terrain)
    if stranger is not None:
        x, y = stranger
        where = f"line {first + y + 1}, column {x + 1}"
        raise MapError(f"{path}, {where}: unknown character {show(int(terrain[y, x]))} ({LEGEND})")
    return Map(terrain, path.stem)


def lines_of(path: Path, wanted: Wanted) -> list[bytes]:
    """Return the lines without line ends; empty lines at the end of the file do not count."""
    content = read_bytes(path, wanted).removeprefix(b"\xef\xbb\xbf")  # some Windows editors mark UTF-8
    if content.count(b"\n") > _MOST_LINES:  # each uses about fifty bytes of memory
        raise MapError(f"{path}: more than {_MOST_LINES} lines; is this really {wanted.what}?")
    lines = [line.removesuffix(b"\r") for line in content.rstrip(b"\r\n").split(b"\n")]
    return lines if lines != [b""] else []


def _header(path: Path, lines: list[bytes]) -> tuple[int, int, int]:
    """Return width, height, and the index of the first row."""
    _expect(path, lines, 0, "type octile", "type octile-corner")  # the latter in old WarCraft maps, with the same rows
    sizes: dict[str, int] = {}
    for index, (name, other) in enumerate((("height", "width"), ("width", "height")), 1):
        words = _words(lines, index)
        if len(words) != 2 or words[0] not in {name, other} - sizes.keys() or not _NUMBER.fullmatch(words[1]):
            raise MapError(f"{path}, line {index + 1}: expected '{name} NUMBER', found {_quote(lines, index)}")
        sizes[words[0]] = int(words[1])
    try:
        check_size(sizes["width"], sizes["height"])
    except MapError as error:
        raise MapError(f"{path}, line 3: {error}") from None
    _expect(path, lines, 3, "map")
    return sizes["width"], sizes["height"], 4


def _expect(path: Path, lines: list[bytes], index: int, *texts: str) -> None:
    if " ".join(_words(lines, index)) not in texts:
        raise MapError(f"{path}, line {index + 1}: expected '{texts[0]}', found {_quote(lines, index)}")


def _words(lines: list[bytes], index: int) -> list[str]:
    return lines[index].decode("latin-1").split() if index < len(lines) else []


def _quote(lines: list[bytes], index: int) -> str:
    """Quote a line for an error message: short, printable, on one line."""
    if index >= len(lines):
        return "the end of the file"
    text = lines[index][:41].decode("ascii", "backslashreplace")
    return repr(text[:40] + "..." if len(text) > 40 else text)


def map_bytes(map_: Map) -> bytes:
    """Return the text of a `.map` file."""
    rows = np.full((map_.height, map_.width + 1), ord("\n"), np.uint8)
    rows[:, :-1] = map_.terrain
    return f"type octile\nheight {map_.height}\nwidth {map_.width}\nmap\n".encode() + rows.tobytes()


@dataclass(frozen=True)
class Problem:
    """One line of a scenario: from `start` to `goal`, both `(x, y)`, with the length of the shortest path.

    Attributes:
        bucket: the group of similar lengths it belongs to.
        map: a label of the map; often a path on another computer.
        width: the width of the map.
        height: the height of the map.
        start: where the agent begins.
        goal: where it must go.
        length: the published optimal length (straight moves cost 1, diagonal ones sqrt 2, no corner is cut).

    >>> Problem(0, "arena.map", 49, 49, start=(1, 11), goal=(1, 12), length=1.0).goal
    (1, 12)
    """

    bucket: int
    map: str
    width: int
    height: int
    start: tuple[int, int]
    goal: tuple[int, int]
    length: float

    def __post_init__(self) -> None:
        if self.bucket < 0:
            raise MapError(f"the bucket {self.bucket} is negative")
        if not self.map or self.map != self.map.strip() or not self.map.isprintable():
            raise MapError(f"the map's name {self.map!r} is empty, has blanks around it, or has invisible characters")
        check_size(self.width, self.height)
        for what, (x, y) in (("start", self.start), ("goal", self.goal)):
            if not (0 <= x < self.width and 0 <= y < self.height):
                raise MapError(f"the {what} ({x}, {y}) lies outside the map of {self.width} x {self.height} cells")
        if not (math.isfinite(self.length) and self.length >= 0):
            raise MapError(f"the length {self.length} is not a finite number of 0 or more")


def read_scenario(path: StrPath) -> list[Problem]:
    """Read the problems of a `.scen` file, version 1 (also written 1.0), separated by tabs or blanks.

    If tabs separate the fields, a map's name may contain blanks.
    """
    path = Path(path)
    lines = lines_of(path, _SCENARIO)
    if not lines or not _VERSION.fullmatch(" ".join(_words(lines, 0))):
        raise MapError(f"{path}, line 1: expected 'version 1', found {_quote(lines, 0)}")
    problems = []
    for index in range(1, len(lines)):
        if not lines[index].strip():
            continue
        try:
            problems.append(_problem(lines[index].decode()))
        except UnicodeDecodeError as error:
            raise MapError(f"{path}, line {index + 1}, column {error.start + 1}: not UTF-8 text") from None
        except MapError as error:
            raise MapError(f"{path}, line {index + 1}: {error}") from None
    return problems


def _problem(line: str) -> Problem:
    fields = [field.strip() for field in line.strip("\t ").split("\t")] if "\t" in line.strip() else line.split()
    if len(fields) != 9:
        raise MapError(f"{len(fields)} fields instead of 9 ({_FIELDS}); the file may be cut off")
    names = _FIELDS.split(", ")
    for index in (0, 2, 3, 4, 5, 6, 7):
        if not _NUMBER.fullmatch(fields[index]):
            raise MapError(f"the {names[index]} {fields[index][:40]!a} is not a whole number of 0 or more")
    if not _LENGTH.fullmatch(fields[8]):
        raise MapError(f"the length {fields[8][:40]!a} is not a number of 0 or more")
    bucket, width, height, *ends = (int(fields[index]) for index in (0, 2, 3, 4, 5, 6, 7))
    return Problem(bucket, fields[1], width, height, (ends[0], ends[1]), (ends[2], ends[3]), float(fields[8]))


def write_scenario(problems: Iterable[Problem], path: StrPath) -> None:
    """Write a `.scen` file, version 1, separated by tabs. Lengths are exact."""
    lines = ["version 1"]
    for problem in problems:
        numbers = (problem.width, problem.height, *problem.start, *problem.goal)
        usual = f"{problem.length:.8f}"  # like MovingAI; with more decimals if that would change the number
        length = usual if float(usual) == problem.length else repr(float(problem.length))
        lines.append("\t".join([str(problem.bucket), problem.map, *map(str, numbers), length]))
    write_files({Path(path): ("\n".join(lines) + "\n").encode()})
