"""Valid files of every kind, and what a stranger may make of them: checksums are right, contents are not.

Run as a program, `python forgeries.py SEED ROUNDS`, it throws that many forgeries of every kind at their readers, and
prints those that were not taken, or refused in one line, within two seconds. `test_readers` runs it in a process of its
own, without compiled code: what would crash that, an index that is out of range, is an exception then.
"""

import copy
import faulthandler
import hashlib
import io
import json
import math
import random
import resource
import struct
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from forged_runs import EXPERIMENT, FIGURE, add_piece, row_of, run_folder

import timebound as tb
from timebound import maps
from timebound.core.errors import TimeboundError
from timebound.lab import parquet, store
from timebound.lab.report import write_report
from timebound.lab.results import compared
from timebound.lab.run import prepare
from timebound.lab.spec import load
from timebound.subgoals import case_files
from timebound.subgoals.cases import ARRAYS, CaseBase

SECONDS = 2.0  # for any one file
MEGABYTES = 400  # of memory, beyond what the valid files take
MARKUP = "<script>alert('x')</script>"
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 20, 2**31, -(2**31), 2**63, -(2**63), 10**30, 10**400, 0.5, -0.5, 1e300, math.inf,
    -math.inf, math.nan, "", "x", "../../escaped", "/tmp/escaped", "..", "a/b", "\0", "\n", MARKUP, "'><b>", "x" * 5000,
    "é\ud800"[:1], [], {}, [[]], [0] * 50, {"a": 1}, ["x"], [None], [1, 1],
]  # fmt: skip
TOKENS = [
    b"9", b"-", b"\n", b"\t", b".", b"[", b"]", b"{", b"}", b'"', b"'", b"#", b"=", b":", b"&a ", b"*a", b"\0", b"\xff",
    b"9" * 20, b"9" * 5000, b"[" * 3000, b"a." * 999, b"inf", b"nan", b"1e400", b"true", b"''''''", b"../",
    b" " * 4000, b"1979-05-27", b'":"', b'"..:x"', b'"../x:y"', b"0x" + b"f" * 9000, b"{a=" * 1200,
]  # fmt: skip

Reader = Callable[[Path], Any]


class Forger:
    """Changes valid things at random."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def bytes(self, content: bytes) -> bytes:
        """A text, or any file without a checksum: a few places changed."""
        changed = bytearray(content)
        for _ in range(self.random.randint(1, 4)):
            at = self.random.randint(0, len(changed))
            new = self.random.choice(TOKENS) if self.random.random() < 0.7 else self.random.randbytes(2)
            changed[at : at + self.random.choice((0, 1, 1, 3, 20))] = new
        return bytes(changed)

    def tree(self, value: Any) -> Any:
        """A tree of lists and tables: one or two of its values changed, left out, or put elsewhere."""
        changed = copy.deepcopy(value)
        for _ in range(self.random.choice((1, 1, 2))):
            places = list(_places(changed))
            if not places:
                return self.random.choice(VALUES)
            parent, key = self.random.choice(places)
            if self.random.random() < 0.2:
                del parent[key]
            elif self.random.random() < 0.2:
                parent[key] = copy.deepcopy(self.random.choice([other[place] for other, place in places]))
            else:
                parent[key] = copy.deepcopy(self.random.choice(VALUES))
        return changed

    def array(self, array: np.ndarray) -> np.ndarray:
        """An array of whole numbers: other values, or another length."""
        changed, how = array.copy(), self.random.randrange(6)
        if how == 0:
            return changed[: self.random.randint(0, len(changed))]
        if how == 1:
            return np.concatenate([changed, changed[: self.random.randint(0, len(changed))]])
        if how == 2 and len(changed):
            return self.random.choice([np.roll(changed, 1), changed[::-1].copy(), np.zeros_like(changed)])
        limits = np.iinfo(changed.dtype)
        for _ in range(self.random.randint(1, 3) if len(changed) else 0):
            values = (0, 1, -1, len(array), len(array) + 1, 143, 144, limits.min, limits.max, limits.max // 2)
            new = self.random.choice(values)
            changed[self.random.randrange(len(changed))] = max(limits.min, min(limits.max, new))
        return changed


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(entries):
        yield value, key
        yield from _places(inner)


# ------------------------------------------------------------------ files without a checksum

MAP = b"type octile\nheight 3\nwidth 4\nmap\n.@OT\nWSG.\n....\n"
YAML = (
    b"image: floor.pgm\nresolution: 0.05\norigin: [0.0, -1.5, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"
)


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _experiment(file: Path) -> None:
    prepare(load(file), code=False)


PLAIN: dict[str, tuple[bytes, Reader]] = {
    "a.map": (MAP, maps.read),
    "a.npy": (npy(np.eye(4, dtype=bool)), maps.read),
    "a.pgm": (b"P5 3 2 255\n\x00\xff\xff\x00\xff\xff", maps.read),
    "a.yaml": (YAML, maps.read),
    "a.scen": (b"version 1\n0\ta b.map\t49\t49\t1\t2\t3\t4\t2.5\n", maps.read_scenario),
    "a.plan": (b"goals=(1,0),(0,0),\nsolution=\n0:(0,0),(1,1),\n1:(1,0),(0,1),\n", maps.read_plan),
    "a.track": (b"dim: 2 3\nx.s\n.xg\n", tb.Racetrack.load),
    "a.racetrack": (b"speed 3\n---\n@ s\n @f\n", tb.Racetrack.load),
    "puzzles.txt": (b"# two\n7 31 1 0 2 3 4 5 6 7 8\n1,0,2,3,4,5,6,7,8\n", tb.Tiles.read),
    "experiment.toml": (EXPERIMENT.encode(), _experiment),
}


def plain(name: str) -> Callable[[Forger, Path], None]:
    """Forgeries of a file without a checksum."""
    content, read = PLAIN[name]

    def attempt(forger: Forger, folder: Path) -> None:
        (folder / "floor.pgm").write_bytes(PLAIN["a.pgm"][0])
        (folder / name).write_bytes(forger.bytes(content) if forger.random.random() < 0.98 else content)
        read(folder / name)

    return attempt


# ------------------------------------------------------------------ run folders


def read_run(run: Path, output: Path) -> None:
    """All that reads a run folder; nothing may land outside the output folder, or unescaped in a page."""
    try:
        write_report(run.parent.parent, output / "pages")
        compared(store.Run(run), store.Run(run))
    finally:
        for page in (output / "pages").glob("*.html"):
            assert MARKUP not in page.read_text("utf-8"), "markup in a page"
        strays = [file for file in output.iterdir() if file.name not in ("pages", "runs")]
        assert not strays, f"written outside the output folder: {strays}"


def described_run(forger: Forger, folder: Path) -> None:
    """Another run.json."""
    run = run_folder(folder, EXPERIMENT + FIGURE if forger.random.random() < 0.05 else EXPERIMENT)
    about = forger.tree(run.about)
    if forger.random.random() < 0.3 and isinstance(about, dict):
        about["text"] = forger.bytes(EXPERIMENT.encode()).decode("utf-8", "replace")
    (run.directory / "run.json").write_text(json.dumps(about))
    read_run(run.directory, folder)


def stored_run(forger: Forger, folder: Path) -> None:
    """Other rows in a piece, or other bytes."""
    run = run_folder(folder)
    number, file = forger.random.choice(sorted(run.finished().items()))
    content = file.read_bytes()
    if forger.random.random() < 0.4:
        add_piece(file, forger.bytes(content))
    else:
        batch, configuration = run._layout()[number]
        rows = forger.tree([row_of(configuration, batch.first + n) for n in range(batch.size)])
        try:
            content = parquet.encoded(rows, {})
        except Exception:  # not a table at all
            content = b"PAR1" + json.dumps(str(rows)).encode() + b"PAR1"
        add_piece(file, content)
    read_run(run.directory, folder)


def prepared(forger: Forger, folder: Path) -> None:
    """Other figures of what was prepared."""
    run = run_folder(folder)
    told = forger.tree({"seconds": 1.0, "bytes": 2.0, "records": 3.0, "states": 4.0, "cases": False})
    content = json.dumps(told).encode()
    (run.directory / "prepared" / f"key-{store.checksum(content)}.json").write_bytes(content)
    run.prepared("key")


# ------------------------------------------------------------------ case bases and their journals

WORLD = tb.Grid(maps.caves(12, 12, seed=5).passable)
FREE = [(int(x), int(y)) for y, x in np.argwhere(WORLD.passable)]
BASES = {coverage: CaseBase.build(WORLD, 12, seed=1, coverage=coverage) for coverage in ("even", "random")}


def case_file(about: Any, arrays: dict[str, np.ndarray]) -> bytes:
    """A file of cases with the right checksum."""
    header = json.dumps(about).encode()
    header += b" " * (-(case_files._START.size + len(header)) % 64)
    contents = [arrays[name].tobytes() for name in ARRAYS]
    body = header + b"".join(content + bytes(-len(content) % 64) for content in contents)
    digest = hashlib.sha256(struct.pack("<I", len(header)) + body).digest()
    return case_files._START.pack(case_files.MAGIC, case_files.VERSION, len(header), digest) + body


def case_base(forger: Forger, folder: Path) -> None:
    """Another header, or other arrays; what is taken has to serve an agent."""
    base = BASES[forger.random.choice(("even", "random"))]
    arrays = dict(base.arrays)
    if forger.random.random() < 0.7:
        for name in forger.random.sample(sorted(arrays), forger.random.choice((1, 1, 2))):
            arrays[name] = forger.array(arrays[name])
    about: Any = {**base.about, "arrays": {name: len(arrays[name]) for name in ARRAYS}}
    if arrays.keys() == base.arrays.keys() and forger.random.random() < 0.4:
        about = forger.tree(about)
    (folder / "a.cases").write_bytes(case_file(about, arrays))
    taken = CaseBase.load(folder / "a.cases")
    start, goal = forger.random.sample(FREE, 2)
    tb.make("knn-lrta", WORLD, start, goal, cases=taken).run(expansions=50, intervals=40)
    taken.repaired(WORLD)


def journal(forger: Forger, folder: Path) -> None:
    """Other results of pieces in a journal; whatever is built from it has to be a base."""

    class EnoughError(Exception):
        pass

    def stop(what: str, done: int, total: int) -> None:
        if what != "rows of regions" or done == total:
            raise EnoughError

    file, coverage = folder / "j.cases", forger.random.choice(("even", "random"))
    build = {"records": 12, "seed": 1, "coverage": coverage, "output": file}
    with suppress(EnoughError):
        CaseBase.build(WORLD, tell=stop, **build)
    path = folder / "j.cases.journal"
    (number, what), *entries = _journal_entries(path.read_bytes())
    changed = [(number, what)]
    for number, content in entries:
        with np.load(io.BytesIO(content)) as stored:
            arrays = [stored[name] for name in stored.files]
        place = forger.random.randrange(len(arrays))
        arrays[place] = forger.array(arrays[place])
        buffer = io.BytesIO()
        np.savez_compressed(buffer, *arrays)
        changed.append((number, forger.bytes(content) if forger.random.random() < 0.2 else buffer.getvalue()))
    path.write_bytes(b"".join(_journal_entry(*entry) for entry in changed))
    if forger.random.random() < 0.1:
        path.write_bytes(struct.pack("<qq16s", -1, 2**62, b"") + path.read_bytes())
    CaseBase.build(WORLD, resume=True, **build)
    CaseBase.load(file)


def _journal_entries(content: bytes) -> Iterator[tuple[int, bytes]]:
    while content:
        number, length, _ = struct.unpack("<qq16s", content[:32])
        yield number, content[32 : 32 + length]
        content = content[32 + length :]


def _journal_entry(number: int, content: bytes) -> bytes:
    return struct.pack("<qq16s", number, len(content), hashlib.sha256(content).digest()[:16]) + content


KINDS: dict[str, Callable[[Forger, Path], None]] = {
    **{name: plain(name) for name in PLAIN},
    "run.json": described_run,
    "pieces": stored_run,
    "prepared": prepared,
    "case bases": case_base,
    "journals": journal,
}


# ------------------------------------------------------------------ throwing them


def attempt(kind: str, seed: int) -> tuple[str, bool]:
    """What went wrong with one forgery, and whether it was refused."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()  # others may use the machine; who only waits is stopped by `main`
        try:
            KINDS[kind](Forger(seed), Path(folder))
            refused = False
        except TimeboundError as error:
            refused = True
            if "\n" in str(error) or len(str(error)) > 2000:
                return f"not one short line: {str(error)[:300]!r}", True
        except BaseException as error:
            import traceback

            return f"{type(error).__name__}: {str(error)[:200]} {traceback.format_exc()[-700:]}", False
        seconds = time.process_time() - began
        return (f"{seconds:.1f} s" if seconds > SECONDS else ""), refused


def main(seed: int, rounds: int) -> int:
    warnings.simplefilter("ignore")
    faulthandler.enable()
    for kind in KINDS:
        attempt(kind, 0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    failures = 0
    for kind in KINDS:
        refused = 0
        for number in range(rounds):
            faulthandler.dump_traceback_later(20 * SECONDS, exit=True)
            fault, was_refused = attempt(kind, seed * 1_000_000 + number)
            refused += was_refused
            if fault:
                failures += 1
                print(f"{kind}, seed {seed * 1_000_000 + number}: {fault}")
        print(f"{kind}: {rounds} forgeries, {refused} refused")
    faulthandler.cancel_dump_traceback_later()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{grown:.0f} MB of memory more than the valid files take")
    return 1 if failures or grown > MEGABYTES else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
