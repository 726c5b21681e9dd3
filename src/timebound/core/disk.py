"""Files: read no more than expected, and write whole files or nothing."""

import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import MapError, TimeboundError
from .wording import shown

StrPath = str | os.PathLike[str]
# Without blocking: a pipe may have replaced the file since we checked it.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Wanted:
    """The files that a reader accepts: their name in messages, their size limit, and the error for others."""

    what: str
    limit: int
    error: type[TimeboundError] = MapError


def size_of(path: Path, wanted: Wanted) -> int:
    """Return the size of a readable file; directories, pipes, devices and files that are too long are refused."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise wanted.error(f"{path}: cannot be read: {reason(error)}") from None
    if not stat.S_ISREG(status.st_mode):
        what = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise wanted.error(f"{path}: cannot be read: it is {what}; give {wanted.what}")
    if status.st_size > wanted.limit:
        too_many = f"{status.st_size} bytes exceed the limit of {wanted.limit}"
        raise wanted.error(f"{path}: {too_many}; is this really {wanted.what}?")
    return status.st_size


def read_bytes(path: Path, wanted: Wanted) -> bytes:
    """Read a whole file. Files from outside are read only by this function, or mapped after calling `size_of`."""
    size = size_of(path, wanted)
    try:
        with os.fdopen(os.open(path, _READING), "rb") as file:
            content = file.read(size + 1)
    except OSError as error:
        raise wanted.error(f"{path}: cannot be read: {reason(error)}") from None
    if len(content) > size:
        raise wanted.error(f"{path}: the file grew while it was read; try again")
    return content


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write every file, each of them whole or not at all, even if interrupted.

    All contents first go to temporary files next to their targets, which are renamed when everything is on the disk.
    """
    waiting: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            target = check_target(path)
            if target in waiting:
                raise MapError(f"{path}: named twice; give different files")
            waiting[target] = target.with_name(f".{secrets.token_hex(8)}.tmp")
            with waiting[target].open("xb") as file:  # `tempfile` would make it private; this respects the umask
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for target, temporary in waiting.items():
            temporary.replace(target)
        note_written(*contents)
    except MapError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        names = ", ".join(map(str, contents))
        raise MapError(f"{names}: cannot be written: {reason(error)}") from None
    finally:  # after a rename there is nothing left to remove
        for temporary in waiting.values():
            temporary.unlink(missing_ok=True)


_written: ContextVar[list[Path] | None] = ContextVar("written", default=None)


@contextmanager
def noting_written() -> Iterator[list[Path]]:
    """List the files that are written in this block: a command whose output is lost can still say what it wrote."""
    files: list[Path] = []
    before = _written.set(files)
    try:
        yield files
    finally:
        _written.reset(before)


def note_written(*files: Path) -> None:
    """Add files to the list, if somebody keeps one."""
    written = _written.get()
    if written is not None:
        written.extend(files)


def check_target(path: Path, error: type[TimeboundError] = MapError) -> Path:
    """Return the file to replace: a link stays a link; directories, devices and missing folders are refused."""
    try:
        target = Path(os.path.realpath(path))
        problem = "" if target.parent.is_dir() else "No such file or directory"
        if target.exists() and not target.is_file():
            problem = f"it is {'a directory' if target.is_dir() else 'not a regular file'}; give a file name"
    except (OSError, ValueError) as failure:  # ValueError: a null character in the name
        problem = reason(failure)
    if problem:
        raise error(f"{path}: cannot be written: {problem}")
    return target


def path_of(given: Any, error: type[TimeboundError] = MapError) -> Path:
    """Return a user's path."""
    try:
        return Path(given)
    except Exception:  # not a path; a user's object may raise anything
        raise error(f"a path must be a string or a pathlib.Path, not {shown(given)}") from None


@contextmanager
def new_folders(*folders: Path) -> Iterator[None]:
    """Make folders to work in, with their parents. If the work fails, remove those that are new."""
    made: list[Path] = []
    try:
        for folder in folders:
            for step in reversed([folder, *folder.parents]):
                if not step.exists():
                    step.mkdir()
                    made.append(step)
            folder.mkdir(exist_ok=True)  # raises if a file is in the way
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):  # another process has put something there
                folder.rmdir()
        raise


def reason(error: BaseException) -> str:
    """Return the message of an exception, in one line and without its file name."""
    text = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return " ".join(text.split())


def lock(descriptor: int) -> bool:
    """Lock an open file if nobody else has; the lock ends with the process, whatever ends it."""
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
