"""Files that hold what an agent or a fleet was doing: some JSON and arrays, with a checksum, and nothing that runs."""

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from .disk import StrPath, Wanted, path_of, read_bytes, reason, write_files
from .errors import MapError
from .memory import untouched

MAGIC, VERSION = b"timebound state\n", 1
_START = struct.Struct("<16sI32s")  # magic, version, SHA-256 of the rest
_LENGTH = struct.Struct("<Q")
_PAGE = 4096  # bytes; of large arrays, only pages with something in them are written
_FILE = Wanted("a saved agent or fleet", 2**36, MapError)


class Arrays:
    """The arrays of a file; each is known by a number."""

    def __init__(self) -> None:
        self.contents: list[bytes] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._kept: list[np.ndarray] = []  # so that no other gets its address

    def number(self, array: np.ndarray) -> dict[str, Any]:
        """Return the description of an array; those that share their memory are written once."""
        plain = np.ascontiguousarray(array)
        place = plain.ctypes.data, plain.nbytes
        if plain.nbytes == 0 or place not in self._numbers:
            self._numbers[place] = len(self.contents)
            self.contents.append(_packed(plain))
            self._kept.append(plain)
        kind = np.lib.format.dtype_to_descr(plain.dtype), plain.dtype.isalignedstruct
        return {"array": self._numbers[place], "shape": list(plain.shape), "dtype": kind}


def _packed(array: np.ndarray) -> bytes:
    """Return the pages of an array that are not empty: how many, their numbers, their contents."""
    raw = array.reshape(-1).view(np.uint8)
    whole = len(raw) // _PAGE * _PAGE
    words = raw[:whole].view(np.int64).reshape(-1, _PAGE // 8)
    pages = np.flatnonzero(words.any(axis=1)).astype(np.int64)
    rest = raw[whole:].tobytes()
    return zlib.compress(_LENGTH.pack(len(pages)) + pages.tobytes() + words[pages].tobytes() + rest, 1)


def dtype_of(saved: Any) -> np.dtype:
    """Return the type of an array."""
    described, aligned = saved
    kind = np.lib.format.descr_to_dtype(_with_tuples(described))
    if not aligned:
        return kind
    fields: dict[str, Any] = dict(kind.fields or {})
    names = list(fields)
    formats, offsets = ([fields[name][i] for name in names] for i in (0, 1))
    whole = {"names": names, "formats": formats, "offsets": offsets, "itemsize": kind.itemsize}
    return np.dtype(whole, align=True)  # type: ignore[call-overload,no-any-return]


def _with_tuples(described: Any) -> Any:
    """JSON has no tuples."""
    if isinstance(described, str):
        return described
    return [(name, _with_tuples(kind), *map(tuple, shape)) for name, kind, *shape in described]


def unpacked(content: bytes, shape: list[int], dtype: np.dtype) -> np.ndarray:
    """Return an array, of which only the pages take memory that are not empty."""
    array = untouched(int(np.prod(shape, dtype=np.int64)), dtype)
    raw, data = array.view(np.uint8), zlib.decompress(content)
    (count,), begin = _LENGTH.unpack(data[: _LENGTH.size]), _LENGTH.size
    pages = np.frombuffer(data, np.int64, count, begin)
    begin += 8 * count
    whole = len(raw) // _PAGE * _PAGE
    raw[:whole].reshape(-1, _PAGE)[pages] = np.frombuffer(data, np.uint8, count * _PAGE, begin).reshape(-1, _PAGE)
    raw[whole:] = np.frombuffer(data, np.uint8, -1, begin + count * _PAGE)
    return array.reshape(shape)


def write(file: StrPath, about: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file: all of it, or nothing."""
    header = json.dumps({**about, "lengths": [len(content) for content in arrays.contents]}).encode()
    body = b"".join([_LENGTH.pack(len(header)), header, *arrays.contents])
    start = _START.pack(MAGIC, VERSION, hashlib.sha256(body).digest())
    write_files({path_of(file): start + body})


def read(file: StrPath) -> tuple[dict[str, Any], list[bytes]]:
    """Return the JSON and the packed arrays of a file; damaged and foreign ones raise an error."""
    path = path_of(file)
    content = read_bytes(path, _FILE)
    if len(content) < _START.size or content[:16] != MAGIC:
        raise MapError(f"{path}: not a saved agent or fleet; `save` writes one")
    _, version, checksum = _START.unpack_from(content)
    body = memoryview(content)[_START.size :]
    if version != VERSION:
        raise MapError(f"{path}: saved in format {version}, but this version of timebound reads format {VERSION}")
    if hashlib.sha256(body).digest() != checksum:
        raise MapError(f"{path}: damaged or cut off (its checksum is wrong)")
    try:
        (length,), begin = _LENGTH.unpack_from(body), _LENGTH.size
        about = json.loads(bytes(body[begin : begin + length]))
        ends = (begin + length + np.cumsum([0, *about["lengths"]])).tolist()
        return about, [bytes(body[first:last]) for first, last in pairwise(ends)]
    except (ValueError, KeyError, TypeError, struct.error, RecursionError) as error:
        raise MapError(f"{path}: not a saved agent or fleet, although its checksum is right: {reason(error)}") from None
