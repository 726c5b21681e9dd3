"""Where machine code is kept: in memory, in the pack that comes with the package, and on disk.

A unit is kept with the keys of the units that it calls. They are loaded before it: machine code that misses a symbol
would end the process. Whatever else goes wrong here, a full disk, a damaged file, a folder that cannot be written to,
only means that something is compiled again.
"""

import contextlib
import functools
import hashlib
import logging
import os
import pickle
import secrets
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .keys import digest, key_of
from .numba_internals import (
    Code,
    Keeper,
    Loaded,
    address_of,
    argument_types,
    compile_result,
    machine_code,
    platform,
    processor,
    publish,
)
from .pack import Pack

SYMBOL = "timebound/"  # what the symbols of units begin with; their keys follow
PACK = Path(__file__).parents[1] / "machine_code.pack"
counts: Counter[str] = Counter()
"""How many functions were `compiled`, and how many `loaded` or `shipped`, in this process."""

_log = logging.getLogger("timebound")
_loaded: dict[str, tuple[Loaded, Code]] = {}
_made: dict[str, Any] = {}  # libraries of what was compiled here: others call their code


_only_loading: list[bool] = []  # not empty: nothing may be compiled


class NotThereError(Exception):
    """Something would have to be compiled."""


@contextlib.contextmanager
def only_what_is_there() -> Iterator[None]:
    """Compile nothing meanwhile: raise `NotThereError`."""
    _only_loading.append(True)
    try:
        yield
    finally:
        _only_loading.pop()


class Kept(Keeper):
    """The machine code of one function, for all types of arguments."""

    def __init__(self, function: Callable[..., Any], purpose: str = ""):
        self.function, self.purpose = function, purpose
        self._keys: dict[tuple[Any, ...], str] = {}

    def key(self, arguments: tuple[Any, ...]) -> str:
        """The key of the function for arguments of these types."""
        if arguments not in self._keys:
            self._keys[arguments] = key_of(self.function, arguments, self.purpose)
        return self._keys[arguments]

    def load_overload(self, signature: Any, target: Any) -> Any:
        """What was compiled earlier, if it is there."""
        key = self.key(argument_types(signature))
        found = load(key)
        if found is None and _only_loading:
            raise NotThereError(self.function.__name__)
        return None if found is None else compile_result(*found)

    def save_overload(self, signature: Any, made: Any) -> None:
        """Keep what was compiled, and let others call it."""
        counts["compiled"] += 1
        key = self.key(argument_types(signature))
        _made[key] = made.library
        publish(SYMBOL + key, address_of(made))
        code = machine_code(made)
        if code is not None:
            write(key, code)


# ------------------------------------------------------------------ loading


def load(key: str) -> tuple[Loaded, Code] | None:
    """The machine code with this key, in memory together with all that it calls; None if it is nowhere to be found."""
    if key in _loaded:
        return _loaded[key]
    try:
        code = read(key)
        if code is None or not all(load(need) for need in needs(code)):
            return None
        loaded = Loaded(code)
    except Exception as error:  # a file from another world: whatever it is, we can compile
        _log.debug("machine code %s cannot be used: %s", key, error)
        return None
    publish(SYMBOL + key, loaded.address)
    _loaded[key] = loaded, code
    return _loaded[key]


def needs(code: Code) -> list[str]:
    """The keys of the units that it calls."""
    return [name.removeprefix(SYMBOL) for name in code.declared if name.startswith(SYMBOL)]


def read(key: str) -> Code | None:
    """From the pack, or from the disk."""
    shipped = shipped_pack()
    piece = shipped.get(key) if shipped else None
    if piece is not None:
        counts["shipped"] += 1
        return Code(*pickle.loads(piece))
    kept = content(key)
    if kept is None:
        return None
    counts["loaded"] += 1
    return Code(*pickle.loads(kept))


@functools.cache
def shipped_pack() -> Pack | None:
    """The machine code that came with the package, if it is for this Python and this Numba."""
    pack = Pack.open(PACK)
    return pack if pack and pack.made_for == made_for() else None


def made_for() -> str:
    """What shipped machine code must be made for. Any processor of the architecture will do: it uses what all have."""
    return " ".join(platform())


# ------------------------------------------------------------------ on disk


@functools.cache
def folder() -> Path | None:
    """The folder for machine code of this processor; None if there is none that is ours and can be written to."""
    chosen = _chosen_folder() / digest(" ".join((*platform(), processor())))[:16]
    try:
        chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = chosen.stat()
    except OSError as error:
        _warn(f"machine code cannot be kept in {chosen}: {error.strerror or error}; it is compiled again every time")
        return None
    if hasattr(os, "getuid") and status.st_uid != os.getuid():  # whoever can write there can run code as we do
        _warn(f"machine code in {chosen} belongs to another user and is not used; set TIMEBOUND_CACHE to a folder")
        return None
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        _warn(f"others can write to {chosen}: machine code there is not used; chmod go-w, or set TIMEBOUND_CACHE")
        return None
    return chosen


def _chosen_folder() -> Path:
    for name in ("TIMEBOUND_CACHE", "NUMBA_CACHE_DIR"):
        if os.environ.get(name):
            return Path(os.environ[name]).absolute() / "timebound"
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache")
    return root / "timebound"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # no name, no home
        return Path("/nonexistent")


def in_use() -> set[str]:
    """The keys of all machine code in this process."""
    return {*_loaded, *_made}


def content(key: str) -> bytes | None:
    """What is kept on disk under a key."""
    place = folder()
    if place is None:
        return None
    try:
        whole = (place / key).read_bytes()
    except OSError:
        return None
    check, kept = whole[:32], whole[32:]
    return kept if hashlib.sha256(kept).digest() == check else None


def write(key: str, code: Code) -> None:
    """Keep machine code on disk: all of it or nothing, whatever interrupts."""
    place = folder()
    if place is None:
        return
    kept = pickle.dumps(tuple(code), protocol=5)
    temporary = place / f".{secrets.token_hex(8)}"
    try:
        temporary.write_bytes(hashlib.sha256(kept).digest() + kept)
        temporary.replace(place / key)
    except OSError as error:
        _warn(f"machine code cannot be kept in {place}: {error.strerror or error}; it is compiled again next time")
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@functools.cache
def _warn(text: str) -> None:
    """Once."""
    _log.warning(text)
