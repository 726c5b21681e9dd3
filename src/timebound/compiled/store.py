"""The store of machine code: in memory, in the pack that comes with the package, and on disk.

A unit is kept with the keys of the units that it calls. They are loaded before it: machine code with a missing symbol
would crash the process. Whatever else goes wrong here, a full disk, a damaged file, a read-only folder, only means that
something is compiled again.
"""

import contextlib
import functools
import hashlib
import io
import logging
import os
import pickle
import re
import secrets
import stat
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite import binding

from ..core.disk import reason
from ..core.errors import TimeboundError
from . import notice
from . import numba_internals as internals
from .byte_locks import claim, let_go
from .fingerprint import digest, look_at_code
from .keys import Key, key_of
from .notice import counts
from .settings import PLAIN

if PLAIN:
    raise TimeboundError("with TIMEBOUND_PLAIN set, no machine code is kept or shipped: unset it first")

SYMBOL = "timebound/"  # what the symbols of units begin with; their keys follow
PACK = Path(__file__).parents[1] / "machine_code.pack"
MOST = 1 << 30  # bytes on disk; all agents on grids, once, take 94 million
_OURS = re.compile(r"[0-9a-f]{16}/([0-9a-f]{32}|\.[0-9a-f]{16})")  # folder and key; or an unfinished file
_OLD = 3600.0  # seconds; younger files may still be being written
_CHECK = 32  # bytes
_log = logging.getLogger("timebound")
_loaded: dict[str, tuple[internals.Loaded, internals.Code]] = {}
_made: dict[str, Any] = {}  # libraries of what was compiled here: others call their code


_only_loading: list[bool] = []  # not empty: nothing may be compiled


class NotThereError(Exception):
    """Something would have to be compiled."""


@contextlib.contextmanager
def only_what_is_there() -> Iterator[None]:
    """Compile nothing in this block: raise `NotThereError` instead."""
    _only_loading.append(True)
    try:
        yield
    finally:
        _only_loading.pop()


class Kept:
    """The machine code of one function, for all types of arguments.

    Numba asks it before it compiles (load_overload), and tells it afterwards (save_overload).
    """

    cache_path = None

    def __init__(self, function: Callable[..., Any], purpose: str = ""):
        self.function, self.purpose = function, purpose
        self._keys: dict[tuple[Any, ...], Key] = {}

    def key(self, arguments: tuple[Any, ...]) -> Key:
        """Return the key of the function for arguments of these types."""
        if arguments not in self._keys:
            self._keys[arguments] = key_of(self.function, arguments, self.purpose)
        return self._keys[arguments]

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return what was compiled earlier, if it exists; if another process is compiling it, wait for it."""
        key = self.key(internals.argument_types(signature))
        found = load(*key)
        if found is None and _only_loading:
            raise NotThereError(self.function.__name__)
        if found is None and claim(folder(), key.text, notice.meanwhile):
            found = load(*key)
        return None if found is None else internals.compile_result(*found, key.classes)

    def save_overload(self, signature: Any, made: Any) -> None:
        """Save what was compiled, and let others call it."""
        counts["compiled"] += 1
        arguments = internals.argument_types(signature)
        key = self.key(arguments)
        _made[key.text] = made.library
        binding.add_symbol(SYMBOL + key.text, internals.address_of(made))
        if key_of(self.function, arguments, self.purpose, look_at_code).text == key.text:
            write(key, made)  # otherwise a name that it reaches has another value by now

    def end(self, signature: Any) -> None:
        """Release processes that wait for it: it was loaded, or compiled and saved, or neither was possible."""
        let_go(folder(), self.key(internals.argument_types(signature)).text)

    def flush(self) -> None:
        """Do nothing: machine code is found by its key."""


# ------------------------------------------------------------------ loading


def load(key: str, classes: tuple[type, ...] = ()) -> tuple[internals.Loaded, internals.Code] | None:
    """Load the machine code with this key, and all that it calls; None if it is not found.

    Its results are of these classes, if it makes objects of classes from outside the library.
    """
    for source, find in (("shipped", shipped_piece), ("loaded", content)):
        kept = None if key in _loaded else find(key)
        if kept is None:
            continue
        try:
            code = internals.Code(*pickle.loads(kept))
            if all(load(need) for need in needs(code)):
                _loaded[key] = internals.Loaded(code, classes), code
                binding.add_symbol(SYMBOL + key, _loaded[key][0].address)
                counts[source] += 1
        except Exception as error:  # a foreign file: whatever it is, we can compile
            _log.debug("machine code %s cannot be used: %s", key, error)
    found = _loaded.get(key)
    return found if found and found[0].classes in ((), classes) else None


def needs(code: internals.Code) -> list[str]:
    """Return the keys of the units that it calls."""
    return [name.removeprefix(SYMBOL) for name in code.declared if name.startswith(SYMBOL)]


def shipped_piece(key: str) -> bytes | None:
    """Return what came with the package under a key; None if nothing did, or if it is damaged."""
    try:
        return shipped_pack().read(key)
    except Exception:  # what is damaged may raise errors of many kinds
        return None


@functools.cache
def shipped_pack() -> zipfile.ZipFile:
    """Open the machine code that came with the package; an empty pack if there is none for this Python and this Numba.

    A pack is a zip file with many pieces, found by their keys; its comment says what they were made for. Only the index
    is read at first, so that takes a millisecond or two.
    """
    with contextlib.suppress(Exception):  # as above
        pack = zipfile.ZipFile(PACK)
        if pack.comment == made_for().encode():
            return pack
    return zipfile.ZipFile(io.BytesIO(), "w")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=shipped_pack.cache_clear)  # the open file has one position for both processes


def made_for() -> str:
    """Return what shipped machine code must be made for. It runs on any processor of the architecture."""
    return " ".join(internals.platform())


# ------------------------------------------------------------------ on disk


@functools.cache
def folder() -> Path | None:
    """Return the folder for machine code of this processor; None if none is ours and writable."""
    try:
        chosen = _chosen_folder() / digest(" ".join((*internals.platform(), internals.processor())))[:16]
        chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = chosen.stat()
    except (OSError, RuntimeError) as error:  # no home, for example
        _warn(f"no folder to keep machine code in ({reason(error)}), so it is compiled every time; {_ADVICE}")
        return None
    if not is_ours(status):  # anybody who can write there can run code as this user
        _warn(f"{chosen} belongs to another user, so machine code there is not used; {_ADVICE}")
        return None
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        _warn(f"others can write to {chosen}, so machine code there is not used; chmod go-w, or {_ADVICE}")
        return None
    return chosen


_ADVICE = "set TIMEBOUND_CACHE to your own folder"


def _chosen_folder() -> Path:
    for name in ("TIMEBOUND_CACHE", "NUMBA_CACHE_DIR"):
        if os.environ.get(name):
            return Path(os.environ[name]).absolute() / "timebound"
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root.absolute() / "timebound"


def in_use() -> set[str]:
    """Return the keys of all machine code in this process."""
    return {*_loaded, *_made}


def content(key: str) -> bytes | None:
    """Read what is kept on disk under a key."""
    place = folder()
    if place is None:
        return None
    try:
        with (place / key).open("rb") as file:
            whole = file.read() if is_ours(os.fstat(file.fileno())) else b""
    except OSError:
        return None
    check, kept = whole[:_CHECK], whole[_CHECK:]
    return kept if hashlib.sha256(kept).digest() == check else None


def write(key: Key, made: Any) -> None:
    """Save what was compiled on disk: all of it or nothing, even if interrupted."""
    place = folder()
    if place is None:
        return
    _tidy_once(place.parent)
    temporary = place / f".{secrets.token_hex(8)}"
    try:
        code = internals.machine_code(made, key.number_of)
        if code is None:
            return
        kept = pickle.dumps(tuple(code), protocol=5)
        temporary.write_bytes(hashlib.sha256(kept).digest() + kept)
        temporary.replace(place / key.text)
    except OSError as error:
        _warn(f"machine code cannot be kept in {place} ({reason(error)}), so it is compiled again next time")
    except Exception as error:  # an object that cannot be pickled
        _log.debug("machine code %s cannot be kept: %s", key.text, error)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


class _File(NamedTuple):
    used: float  # when it was last read or written, as far as the system records it
    size: int
    path: Path


def tidy(root: Path, most: int = MOST) -> int:
    """Keep the most recently used files, up to `most` bytes, of all versions; return the bytes removed.

    Sources change, Numba is upgraded, and the folder does not know. What is removed and needed after all is compiled
    again. Unfinished files of killed processes are removed, too.
    """
    now, seen, removed = time.time(), 0, 0
    for file in sorted(_files(root), reverse=True):
        seen += file.size
        if now - file.used > _OLD if file.path.name.startswith(".") else seen > most:
            with contextlib.suppress(OSError):
                file.path.unlink()
                removed += file.size
    return removed


def _files(root: Path) -> Iterator[_File]:
    with contextlib.suppress(OSError):
        for path in root.glob("*/*"):
            status = path.stat()
            if _OURS.fullmatch(f"{path.parent.name}/{path.name}") and is_ours(status):
                yield _File(max(status.st_atime, status.st_mtime), status.st_size, path)


def is_ours(status: os.stat_result) -> bool:
    """Does a file belong to this user?"""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


_tidy_once = functools.cache(tidy)  # per process that compiles


def clean() -> int:
    """Remove all machine code on disk; return how many bytes it had."""
    place = folder()
    return tidy(place.parent, most=0) if place else 0


_warned: list[str] = []


def _warn(text: str) -> None:
    """Warn only once per process, however much goes wrong."""
    if not _warned:
        _warned.append(text)
        _log.warning(text)
