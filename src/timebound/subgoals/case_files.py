"""The file of a case base: sixteen bytes of magic, the version, a checksum of all the rest, a header in JSON, arrays.

The header says what the base is for and where its arrays are. They begin at multiples of 64 bytes, so that they can be
mapped into memory directly. Everything is little-endian.
"""

import hashlib
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.disk import Wanted, reason, size_of, write_files
from ..core.errors import CaseError, MapError
from .cases import ARRAYS
from .soundness import check_contents, check_header

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
