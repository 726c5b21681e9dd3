"""What happens to the store in other processes. ``python -m store_drills FOLDER`` prints how each drill went.

Python and Numba are loaded once; every drill, and every process in it, is a fork that has compiled nothing yet.
"""

import contextlib
import hashlib
import io
import logging
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from timebound.applications.shipping import packed
from timebound.compiled import byte_locks, keys, notice, store

SOURCE = """
from typing import NamedTuple
import numpy as np
from timebound.compiled import compiled
class Pair(NamedTuple):
    a: int
    b: float
@compiled
def inner(x): return Pair(x, x / 2)
@compiled
def outer(x): return inner(x * 2)
"""
FUNCTIONS = 3  # the two, and what Python calls


def use() -> int:
    """Compile or load, and check the result; return how many functions were compiled."""
    module = types.ModuleType("drilled_plugin")
    sys.modules["drilled_plugin"] = module
    exec(SOURCE, vars(module))
    assert module.outer(21) == module.Pair(42, 21.0)
    return store.counts["compiled"]


def child(work: Callable[[], Any]) -> int:
    """Start something in a fork."""
    process = os.fork()
    if process:
        return process
    try:
        work()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def ended(process: int) -> int:
    """Return the exit status: 0 means success."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def done(work: Callable[[], Any]) -> None:
    assert ended(child(work)) == 0


def compiles(number: int, lines: int = 0) -> Callable[[], None]:
    """Work that compiles this many functions and shows the user that many lines."""

    def work() -> None:
        notice.PATIENCE = math.inf  # however slow the machine is, its lines are not counted
        shown = io.StringIO()
        logging.getLogger("timebound").addHandler(logging.StreamHandler(shown))
        compiled = use()
        assert compiled == number, f"compiled {compiled}, not {number}"
        assert shown.getvalue().count("\n") == lines, shown.getvalue()

    return work


def files() -> list[Path]:
    found = Path(os.environ["TIMEBOUND_CACHE"]).rglob("*")
    return sorted(file for file in found if file.is_file() and file.name != byte_locks.FILE)


def whole(file: Path) -> bool:
    content = file.read_bytes()
    return hashlib.sha256(content[32:]).digest() == content[:32]


# ------------------------------------------------------------------ the drills


def damage() -> None:
    """Files that are empty, cut, garbage, changed, of another format, or directories."""
    done(compiles(FUNCTIONS))
    done(compiles(0))
    kept = {file: file.read_bytes() for file in files()}
    assert len(kept) == FUNCTIONS
    harm: dict[str, Callable[[bytes], bytes]] = {
        "empty": lambda content: b"",
        "cut": lambda content: content[: len(content) // 2],
        "garbage": lambda content: bytes(len(content)),
        "one bit": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        "checked garbage": lambda content: hashlib.sha256(b"garbage").digest() + b"garbage",
        "another format": lambda content: hashlib.sha256(b"\x80\x05N.").digest() + b"\x80\x05N.",
    }
    for change in harm.values():
        for file, content in kept.items():
            file.write_bytes(change(content))
        done(compiles(FUNCTIONS))
        assert all(map(whole, files()))
        done(compiles(0))
    for file in kept:  # one at a time: the others are used, with a new one among them
        file.write_bytes(b"")
        done(lambda: use() and None)
        done(compiles(0))
    for file in kept:
        file.unlink()
        file.mkdir()
    done(compiles(FUNCTIONS, lines=1))


def missing_symbol() -> None:
    """Machine code that calls missing functions would crash the process if it were loaded."""
    done(compiles(FUNCTIONS))
    for file in files():
        file.write_bytes(b"")
        content = file.read_bytes()
        assert not content
    original = store.internals.machine_code

    def with_a_stranger(made: Any, number_of: Any) -> Any:
        code = original(made, number_of)
        return code._replace(declared=(*code.declared, "nobody_has_this")) if code else None

    def keep_strange() -> None:
        store.internals.machine_code = with_a_stranger
        assert use() == FUNCTIONS

    done(keep_strange)
    done(compiles(FUNCTIONS))
    done(compiles(0))


def together() -> None:
    """Several processes need the same functions at once: each is compiled by only one of them."""
    start, told = time.time() + 0.2, Path(os.environ["TIMEBOUND_CACHE"]).with_suffix(".counts")

    def work() -> None:
        time.sleep(max(0.0, start - time.time()))
        compiled = use()
        with told.open("a") as file:
            file.write(f"{compiled}\n")

    processes = [child(work) for _ in range(4)]
    assert [ended(process) for process in processes] == [0] * 4
    assert sum(map(int, told.read_text().split())) == FUNCTIONS
    assert len(files()) == FUNCTIONS
    assert all(map(whole, files()))
    done(compiles(0))


def begun() -> int:
    """A process that has begun to compile the innermost function, and never ends."""
    ready, told = os.pipe()

    def work() -> None:
        def stay(code: Any, number_of: Any) -> None:
            os.write(told, b"x")
            time.sleep(1000)

        store.internals.machine_code = stay
        use()

    process = child(work)
    assert os.read(ready, 1) == b"x"
    return process


def waiting() -> None:
    """The process that others wait for is killed, or stopped for a long time."""
    process = begun()
    waiter = child(compiles(FUNCTIONS))
    time.sleep(0.3)
    assert os.waitpid(waiter, os.WNOHANG) == (0, 0)
    os.kill(process, signal.SIGKILL)
    assert ended(process) == -signal.SIGKILL
    assert ended(waiter) == 0
    shutil.rmtree(os.environ["TIMEBOUND_CACHE"])
    process = begun()
    try:
        byte_locks.PATIENCE = 0.3
        done(compiles(FUNCTIONS))
    finally:
        os.kill(process, signal.SIGKILL)


def interrupted_waiting() -> None:
    """Ctrl-C works while another process compiles, and the user is told what the wait is for."""
    process = begun()

    def work() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        notice.PATIENCE = 0.1
        shown = io.StringIO()
        logging.getLogger("timebound").addHandler(logging.StreamHandler(shown))
        try:
            use()
        except KeyboardInterrupt:
            assert shown.getvalue().startswith("compiling outer")
        else:
            raise AssertionError("Ctrl-C was lost")

    try:
        waiter = child(work)
        time.sleep(0.5)
        os.kill(waiter, signal.SIGINT)
        began = time.monotonic()
        assert ended(waiter) == 0
        assert time.monotonic() - began < 5
    finally:
        os.kill(process, signal.SIGKILL)


def killed() -> None:
    """Processes are killed while they compile and write."""
    chance = random.Random(1)
    folder = Path(os.environ["TIMEBOUND_CACHE"])
    for _ in range(14):
        shutil.rmtree(folder, ignore_errors=True)
        process = child(use)
        time.sleep(chance.uniform(0, 0.4))
        os.kill(process, signal.SIGKILL)
        assert ended(process) in (0, -signal.SIGKILL)
        assert all(whole(file) for file in files() if not file.name.startswith("."))
    done(lambda: use() and None)
    done(compiles(0))


def killed_while_writing() -> None:
    """A process ends in the middle of a file; what it leaves behind is not used, and removed when it is old."""

    def work() -> None:
        def half(self: Path, content: bytes) -> None:
            with self.open("wb") as file:
                file.write(content[: len(content) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

        Path.write_bytes = half  # type: ignore[method-assign,assignment]
        use()

    assert ended(child(work)) == -signal.SIGKILL
    (left,) = files()
    assert left.name.startswith(".")
    done(compiles(FUNCTIONS))
    assert left in files()
    os.utime(left, (0, 0))
    shutil.rmtree(left.parent / "none", ignore_errors=True)
    for file in files():
        if file != left:
            file.unlink()
    done(compiles(FUNCTIONS))
    assert left not in files()


def refused() -> None:
    """Folders that cannot be used: another user's, one that others can write to, one that cannot be made or written."""
    os.environ["TIMEBOUND_CACHE"] = tempfile.mkdtemp()  # which other users can get to, when we let them
    done(compiles(FUNCTIONS))
    folder = files()[0].parent

    def as_nobody(work: Callable[[], None]) -> Callable[[], None]:
        def changed() -> None:
            os.setuid(65534)
            work()

        return changed

    for mode in (0o770, 0o707):
        folder.chmod(mode)
        done(compiles(FUNCTIONS, lines=1))
    folder.chmod(0o700)
    done(compiles(0))
    if os.getuid() == 0:
        for path in (folder, *folder.parents[:2]):
            path.chmod(0o755)
        done(as_nobody(compiles(FUNCTIONS, lines=1)))  # the folder is root's
        os.chown(folder, 65534, 65534)
        done(compiles(FUNCTIONS, lines=1))  # and now it is not
        done(as_nobody(compiles(FUNCTIONS)))  # it is, but not the files
        done(as_nobody(compiles(0)))
        for file in files():
            file.unlink()
        folder.chmod(0o500)
        done(as_nobody(compiles(FUNCTIONS, lines=1)))
        os.environ["TIMEBOUND_CACHE"] = "/proc/nothing"
        done(compiles(FUNCTIONS, lines=1))
    os.environ["TIMEBOUND_CACHE"] = os.fspath(__file__)  # a file
    done(compiles(FUNCTIONS, lines=1))
    shutil.rmtree(folder.parents[1])


def homeless() -> None:
    """No home folder, or a missing one; a working folder that was removed."""
    folder = Path(os.environ.pop("TIMEBOUND_CACHE"))
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        os.environ.pop(name, None)

    def nobody_at_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    def without_home() -> None:
        Path.home = nobody_at_home  # type: ignore[method-assign,assignment]
        compiles(FUNCTIONS, lines=1)()

    done(without_home)
    os.environ["HOME"] = "/proc/nobody"
    done(compiles(FUNCTIONS, lines=1))
    os.environ["TIMEBOUND_CACHE"] = "relative"

    def from_nowhere() -> None:
        folder.mkdir(exist_ok=True)
        os.chdir(folder)
        folder.rmdir()
        compiles(FUNCTIONS, lines=1)()

    done(from_nowhere)


def full_disk() -> None:
    """Nothing can be written, or only the first files."""
    chosen = Path(os.environ["TIMEBOUND_CACHE"])

    def onto_full_disk(room: int) -> Callable[[], None]:
        original = Path.write_bytes

        def write(self: Path, content: bytes) -> int:
            nonlocal room
            if room:
                room -= 1
                return original(self, content)
            with self.open("wb") as file, contextlib.ExitStack() as stack:
                file.write(content[:10])
                full = stack.enter_context(open("/dev/full", "wb", buffering=0))  # noqa: PTH123
                full.write(content)  # the real error of the system
            return 0

        def work() -> None:
            Path.write_bytes = write  # type: ignore[method-assign,assignment]
            compiles(FUNCTIONS, lines=1)()

        return work

    done(onto_full_disk(0))
    assert files() == []
    done(onto_full_disk(1))
    assert len(files()) == 1
    assert all(map(whole, files()))
    done(lambda: use() and None)
    done(compiles(0))
    assert chosen.is_dir()


def packs() -> None:
    """Machine code that comes with the package: used, damaged, in part, or made for something else."""
    done(compiles(FUNCTIONS))
    pieces = {file.name: file.read_bytes()[32:] for file in files()}
    chosen = Path(os.environ["TIMEBOUND_CACHE"])
    shutil.rmtree(chosen)
    good = packed(pieces, store.made_for())
    path = chosen.with_name("machine_code.pack")

    def with_pack(content: bytes, compiled: int, shipped: int) -> None:
        shutil.rmtree(chosen, ignore_errors=True)
        path.write_bytes(content)

        def work() -> None:
            store.PACK = path
            compiles(compiled)()
            assert store.counts["shipped"] == shipped, store.counts

        done(work)

    with_pack(good, 0, FUNCTIONS)
    assert files() == []  # nothing is copied
    with_pack(packed(pieces, store.made_for() + " of another Numba"), FUNCTIONS, 0)
    for damaged in (b"", good[:20], good[: len(good) // 2], b"\0" * len(good), good.replace(b"PK\1\2", b"PK\1\3", 1)):
        shutil.rmtree(chosen, ignore_errors=True)
        path.write_bytes(damaged)

        def work() -> None:
            store.PACK = path
            use()

        done(work)
    for number in range(FUNCTIONS):  # one piece is missing
        some = [piece for place, piece in enumerate(sorted(pieces.items())) if place != number]
        shutil.rmtree(chosen, ignore_errors=True)
        path.write_bytes(packed(dict(some), store.made_for()))
        done(work)
    with_pack(packed(dict.fromkeys(pieces, b"garbage"), store.made_for()), FUNCTIONS, 0)


def reloaded() -> None:
    """A module that is edited and loaded again: the old machine code came from the disk, the new has the same names."""
    done(compiles(FUNCTIONS))

    def work() -> None:
        global SOURCE
        assert use() == 0
        old = sys.modules["drilled_plugin"]
        SOURCE = SOURCE.replace("b: float", "c: float")
        assert use() == FUNCTIONS
        new = sys.modules["drilled_plugin"]
        assert (type(old.outer(21)), type(new.outer(21))) == (old.Pair, new.Pair)
        assert (old.outer(21).b, new.outer(21).c) == (21.0, 21.0)
        names = {made.fndesc.llvm_func_name for one in (old, new) for made in one.outer.entry.overloads.values()}
        assert len(names) == 2

    done(work)


DRILLS = (
    *(damage, full_disk, homeless, interrupted_waiting, killed, killed_while_writing, missing_symbol, packs, refused),
    *(reloaded, together, waiting),
)

if __name__ == "__main__":
    numba.njit(lambda x: (x / 2, [x]))(1)  # Numba gets ready, once for all forks
    keys.machinery()  # and whoever may not read the sources needs them no more
    for drill in DRILLS:
        os.environ["TIMEBOUND_CACHE"] = str(Path(sys.argv[1]) / drill.__name__)
        print(drill.__name__, "well" if ended(child(drill)) == 0 else "badly", flush=True)
