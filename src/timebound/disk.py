"""Files: reading no more than expected, and writing whole files or nothing."""

import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import MapError, TimeboundError
from .wording import shown

StrPath = str | os.PathLike[str]
# Without waiting: a pipe may have taken the place of the file since it was looked at.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Wanted:
    """The files that a reader takes: what messages call them, how long they may be, and what it raises for others."""

    what: str
    limit: int
    error: type[TimeboundError] = MapError


def size_of(path: Path, wanted: Wanted) -> int:
    """The size of a file that can be read; a directory, a pipe, a device or one that is too long is refused."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise wanted.error(f"{path}: cannot be read: {reason(error)}") from None
    if not stat.S_ISREG(status.st_mode):
        what = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise wanted.error(f"{path}: cannot be read: it is {what}; give {wanted.what}")
    if status.st_size > wanted.limit:
        too_many = f"{status.st_size} bytes are too many: the limit is {wanted.limit}"
        raise wanted.error(f"{path}: {too_many}; is this really {wanted.what}?")
    return status.st_size


def read_bytes(path: Path, wanted: Wanted) -> bytes:
    """All of a file. Every file that others may have written is read by this, or mapped after a look at `size_of`."""
    size = size_of(path, wanted)
    try:
        with os.fdopen(os.open(path, _READING), "rb") as file:
            content = file.read(size + 1)
    except OSError as error:
        raise wanted.error(f"{path}: cannot be read: {reason(error)}") from None
    if len(content) > size:
        raise wanted.error(f"{path}: it grew while it was read; try again")
    return content


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write every file, each of them whole or not at all, whatever interrupts.

    All contents first go to temporary files beside their targets; only when everything is on the disk are they renamed.
    """
    waiting: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            target = check_target(path)
            if target in waiting:
                raise MapError(f"{path}: cannot be two files at once")
            waiting[target] = target.with_name(f".{secrets.token_hex(8)}.tmp")
            _write_new(waiting[target], content)
        for target, temporary in waiting.items():
            temporary.replace(target)
    except MapError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        names = ", ".join(map(str, contents))
        raise MapError(f"{names}: cannot be written: {reason(error)}") from None
    finally:  # after a rename there is nothing left to remove
        for temporary in waiting.values():
            temporary.unlink(missing_ok=True)


def check_target(path: Path, error: type[TimeboundError] = MapError) -> Path:
    """The file to replace: a link stays a link; a directory, a device or a place that does not exist is refused."""
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            what = "a directory" if target.is_dir() else "not a regular file"
            raise error(f"{path}: cannot be written: it is {what}; give a file name")
        if not target.parent.is_dir():
            raise error(f"{path}: cannot be written: No such file or directory")
    except (OSError, ValueError) as failure:
        if isinstance(failure, TimeboundError):
            raise
        raise error(f"{path}: cannot be written: {reason(failure)}") from None  # ValueError: a null in the name
    return target


def path_of(given: Any, error: type[TimeboundError] = MapError) -> Path:
    """The path that a user gave."""
    try:
        return Path(given)
    except Exception:  # not a path; one of the user's own may raise anything
        raise error(f"a path is a text or a pathlib.Path, not {shown(given)}") from None


@contextmanager
def new_folders(*folders: Path) -> Iterator[None]:
    """Folders to work in, with their parents. If the work fails, those that were not there before are removed."""
    made: list[Path] = []
    try:
        for folder in folders:
            for step in reversed([folder, *folder.parents]):
                if not step.exists():
                    step.mkdir()
                    made.append(step)
            folder.mkdir(exist_ok=True)  # or say that a file is in the way
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):  # somebody else has put something there
                folder.rmdir()
        raise


def _write_new(path: Path, content: bytes) -> None:
    with path.open("xb") as file:  # `tempfile` would make it private to its owner; this way the user's umask holds
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def reason(error: BaseException) -> str:
    """What an exception has to say, in one line and without its file name."""
    text = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return " ".join(text.split())


def lock(descriptor: int) -> bool:
    """Take the lock of an open file if nobody has it; it goes with the process, whatever ends it."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
