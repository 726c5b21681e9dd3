"""The file of a case base: sixteen bytes of magic, the version, a checksum of all the rest, a header in JSON, arrays.

The header says what the base is for and where its arrays are. They begin at multiples of 64 bytes, so that they can be
mapped into memory directly. Everything is little-endian.

Compiled code trusts a base blindly, and a checksum only shows that a file was not damaged by accident. So everything is
checked first. The index, which follows from the rest of a base, is recomputed and compared; everything else must lie
within the map.
"""

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.disk import Wanted, reason, size_of, write_files
from ..core.errors import CaseError, MapError
from ..core.wording import shown
from ..maps.model import MAX_CELLS
from ..worlds import Grid
from .cases import ARRAYS, COVERAGES, ends_of, index_of, records_in, unpacked
from .coverage import BLOCKED, GREATEST_SIDE
from .records import Records

MAGIC, VERSION = b"timebound cases\n", 2
_START = struct.Struct("<16sII32s")  # magic, version, length of the header, SHA-256 of that length and of what follows
_ALIGNMENT = 64
_AGAIN = "build the base again"
_FILE = Wanted("a file of cases", 2**34, CaseError)
_LONGEST_HEADER = 2**16


def write(file: Path, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a base: all of it, or nothing."""
    table = {name: len(arrays[name]) for name in ARRAYS}
    header = json.dumps({**about, "arrays": table}).encode()
    header += b" " * (-(_START.size + len(header)) % _ALIGNMENT)
    contents = [arrays[name].astype(_little(kind)).tobytes() for name, kind in ARRAYS.items()]
    body = b"".join([header, *(content + bytes(-len(content) % _ALIGNMENT) for content in contents)])
    start = _START.pack(MAGIC, VERSION, len(header), _checksum(len(header), body))
    try:
        write_files({file: start + body})
    except MapError as error:
        raise CaseError(str(error)) from None


def read(file: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and the arrays of a base, mapped into memory; damaged or incomplete files are refused."""
    try:
        size = size_of(file, _FILE)
        mapped = np.memmap(file, np.uint8, "c") if size else np.empty(0, np.uint8)
    except OSError as error:
        raise CaseError(f"{file}: cannot be read: {reason(error)}") from None
    if size < _START.size or bytes(mapped[:16]) != MAGIC:
        raise CaseError(f"{file}: not a case base; make one with: timebound build-cases MAP --records N")
    _, version, length, checksum = _START.unpack(mapped[: _START.size].tobytes())
    if version != VERSION:
        raise CaseError(
            f"{file}: cases of format {version}, but this version of timebound reads format {VERSION}; {_AGAIN}"
        )
    if _checksum(length, mapped[_START.size :].data) != checksum:
        raise CaseError(f"{file}: damaged or cut off (its checksum is wrong); {_AGAIN}")
    try:
        about = _header(mapped[_START.size :], length)
        arrays = _arrays(mapped[_START.size + length :], about["arrays"])
        check_contents(about, arrays)
    except CaseError as error:
        raise CaseError(f"{file}: not a case base, although its checksum is right: {error}; {_AGAIN}") from None
    return about, arrays


def _header(body: np.ndarray, length: int) -> dict[str, Any]:
    if length > min(_LONGEST_HEADER, len(body)) or (_START.size + length) % _ALIGNMENT:
        raise CaseError(f"a header of {length} bytes")
    try:
        about: dict[str, Any] = json.loads(body[:length].tobytes())
    except (ValueError, RecursionError) as error:
        raise CaseError(f"its header is not JSON: {reason(error)[:100]}") from None
    check_header(about, len(body) - length)
    return about


def _arrays(content: np.ndarray, lengths: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Return the arrays, one after the other; they must fill the file."""
    arrays, offset = {}, 0
    for name, kind in ARRAYS.items():
        bytes_ = lengths[name] * np.dtype(kind).itemsize
        # Not read-only, which would compile everything once more. Changes would stay in this process.
        arrays[name] = np.asarray(content[offset : offset + bytes_])
        offset += bytes_ + -bytes_ % _ALIGNMENT
    if offset != len(content):
        raise CaseError("its arrays do not fill the file")
    return {name: array.view(_little(ARRAYS[name])).astype(ARRAYS[name], copy=False) for name, array in arrays.items()}


def _checksum(length: int, body: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(struct.pack("<I", length))
    digest.update(body)
    return digest.digest()


def _little(kind: Any) -> np.dtype[Any]:
    return np.dtype(kind).newbyteorder("<")


# ------------------------------------------------------------------ is it a valid base?

_SIZES = range(1, MAX_CELLS + 1)
# What a field may be: a type, or some values.
_HEADER = {
    "name": str,
    "coverage": COVERAGES,
    "seed": range(2**63),
    "width": _SIZES,
    "height": _SIZES,
    "side": range(GREATEST_SIDE + 1),
    "least": range(2**62 + 1),
    "world": dict,
    "arrays": dict,
}
_WORLD = {
    "width": _SIZES,
    "height": _SIZES,
    "neighbours": (4, 8, 16),
    "corners": str,
    "diagonal": float,
    "heuristic": str,
    "travel": str,
    "map": str,
}


def check_header(about: Any, room: int) -> None:
    """Reject a header that does not describe a base; its arrays must fit into `room` bytes."""
    _check_fields("the header", about, _HEADER)
    _check_fields("the header's world", about["world"], _WORLD)
    _check_fields("the header's arrays", about["arrays"], {name: range(room + 1) for name in ARRAYS})
    if (about["width"], about["height"]) != (about["world"]["width"], about["world"]["height"]):
        raise CaseError("the header gives two sizes of the map")
    if about["width"] * about["height"] > MAX_CELLS:
        raise CaseError(f"its map has more than {MAX_CELLS} cells")


def _check_fields(where: str, given: Any, fields: Mapping[str, Any]) -> None:
    if not isinstance(given, dict):
        raise CaseError(f"{where} is not a table")
    for name, allowed in fields.items():
        value = given.get(name)
        if isinstance(allowed, type):
            sound = isinstance(value, (int, float) if allowed is float else allowed)
        else:
            sound = type(value) is type(allowed[0]) and value in allowed  # a range would scan itself for a word
        if not sound:
            raise CaseError(f"{name} in {where} cannot be {shown(value)}")


def check_contents(about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Reject arrays that are not those of a base."""
    even, cells = about["coverage"] == "even", about["width"] * about["height"]
    passable, fingerprint = unpacked(arrays["map"], cells)
    if fingerprint != about["world"]["map"]:
        raise CaseError("its map is not the one that its header names")
    _check_records(records_in(arrays), passable)
    if not _are_free(arrays["seeds"], passable):
        raise CaseError("the centre of one of its regions is not a free cell of the map")
    if not even and any(len(arrays[name]) for name in ("seeds", "leaving", "arriving")):
        raise CaseError("it has regions, but its coverage is random")
    if even:
        _check_regions(arrays, bool(about["side"]))
    index = index_of(about["coverage"], about["width"], records_in(arrays), arrays["seeds"])
    for name, values in index.items():
        if not np.array_equal(arrays[name], values):
            raise CaseError(f"its index ({name}) is not that of its records")


def _check_records(records: Records, passable: np.ndarray) -> None:
    states, first, costs = records
    if not (len(first) == len(costs) + 1 and first[0] == 0 and first[-1] == len(states)):
        raise CaseError("its records do not fill its states")
    if not (first[1:] > first[:-1]).all():
        raise CaseError("one of its records is empty")
    if (costs < 0).any():
        raise CaseError("one of its records has a cost below 0")
    if not _are_free(states, passable):
        raise CaseError("one of its states is not a free cell of the map")


def _are_free(cells: np.ndarray, passable: np.ndarray) -> bool:
    return bool(((cells >= 0) & (cells < len(passable))).all() and passable[cells].all())


def _check_regions(arrays: Mapping[str, np.ndarray], sized: bool) -> None:
    """Check that records lead from the centre of one region to that of another."""
    seeds, arriving = arrays["seeds"], arrays["arriving"]
    if not (seeds[1:] > seeds[:-1]).all() or (len(seeds) and not sized):
        raise CaseError("its regions are not in order")
    if len(arriving) != len(arrays["costs"]) or not ((arriving >= 0) & (arriving < len(seeds))).all():
        raise CaseError("one of its records does not end at a region")
    starts, ends = ends_of(records_in(arrays)).T
    if not np.isin(starts, seeds).all() or not np.array_equal(seeds[arriving], ends):
        raise CaseError("one of its records does not begin and end at the centres of its regions")
    if not (starts[1:] >= starts[:-1]).all():
        raise CaseError("its records are not in the order of the regions that they leave")


def are_records(world: Grid, pairs: np.ndarray, arrays: Sequence[np.ndarray]) -> bool:
    """Can these be the records between those pairs of cells?"""
    if not _are_rows(arrays, np.int32, np.int64, np.int64):
        return False
    records = Records(*arrays)
    try:
        _check_records(records, world.passable.ravel())
    except CaseError:
        return False
    return np.array_equal(ends_of(records), pairs) and bool((records.costs <= world.states * world.highest_cost).all())


def is_row_of_regions(world: Grid, piece: tuple[int, int], arrays: Sequence[np.ndarray]) -> bool:
    """Can these be the labels and the centres of a row of squares?"""
    if not _are_rows(arrays, np.int32, np.int32):
        return False
    labels, seeds = arrays
    side, row = piece
    passable, before = world.passable[row * side : (row + 1) * side].ravel(), row * side * world.width
    if len(labels) != len(passable) or not _are_free(seeds - before, passable):
        return False
    regions = labels[passable]
    return bool(
        (labels[~passable] == BLOCKED).all()
        and ((regions >= 0) & (regions < len(seeds))).all()
        and np.array_equal(labels[seeds - before], np.arange(len(seeds)))
    )


def _are_rows(arrays: Sequence[np.ndarray], *kinds: Any) -> bool:
    return [(array.dtype, array.ndim) for array in arrays] == [(np.dtype(kind), 1) for kind in kinds]
