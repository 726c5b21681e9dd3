"""The store of results: a folder per run, a Parquet file per piece, or one file for many that were packed.

A file has the checksum of its content in its name, and gets that name only when it is complete. So a piece is finished
if its file exists and the checksum is right; whatever happened to the run, nothing else matters. A run that was being
packed may have a piece in two files. The rows are the same, so one of them is ignored.
"""

import hashlib
import json
import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct, defstruct

from ..core.disk import Wanted, lock, read_bytes, size_of, write_files
from ..core.errors import CaseError
from ..core.version import __version__
from ..core.wording import shown
from ..subgoals.cases import CaseBase
from .experiment import MOST_WORLDS, Batch, Configuration, Experiment, batches
from .files import MOST_LIKE, SpecError, as_stored, can_name_files, from_stored
from .measures import Preparation
from .parquet import StoreError, decoded, encoded, packed, unpacked
from .preparation import Knowledge
from .sources import own_code, sources, sources_of
from .spec import parse
from .worlds import Survey

_SHOWN = 3  # damaged files that a message names
FORMAT = 1
RUNS, ABOUT = "runs", "run.json"
_PIECES, _PREPARED, _LOCK = "pieces", "prepared", "lock"
_NAME = re.compile(r"([0-9]{6,9})-([0-9a-f]{24})\.parquet")
_PACK = re.compile(r"packed-([0-9a-f]{24})\.parquet")
_PIECE = Wanted("a piece of a run", 2**26, StoreError)
_PIECES_PACKED = Wanted("packed pieces of a run", 2**29, StoreError)
_FIGURES = Wanted("what was prepared", 2**16, StoreError)
_LOCK_FILE = Wanted("the folder of a run", 2**16, StoreError)
_ABOUT_FILE = Wanted("the folder of a run", 2**26, StoreError)


_Maps = Annotated[list[str], Meta(min_length=1, max_length=MOST_WORLDS)]
_Versions: Any = defstruct("_Versions", [("timebound", str), ("numba", str), ("python", str)])
_Machine: Any = defstruct("_Machine", [("processor", str), ("system", str), ("cores", int | None, None)])
_Identity: Any = defstruct("_Identity", [("maps", _Maps)])


class _Other(Struct, forbid_unknown_fields=True):
    file: str
    text: str


class _About(Struct):
    experiment: str
    scale: Literal["quick", "full"]
    key: str
    file: str
    text: str
    stand_ins: bool
    started: str
    versions: _Versions
    machine: _Machine
    identity: _Identity
    like: Annotated[list[_Other], Meta(max_length=MOST_LIKE)] = []


def read_about(directory: Path) -> dict[str, Any]:
    """Read the description of a run, and check it: anybody may have written it."""
    file = directory / ABOUT
    if not file.exists():
        raise StoreError(f"{directory}: it has no {ABOUT}; give the folder of a run")
    content = read_bytes(file, _ABOUT_FILE)
    try:
        about: dict[str, Any] = json.loads(content)
        said = msgspec.convert(about, _About)
        if not can_name_files(said.experiment):
            raise StoreError(f"no experiment is called {shown(said.experiment)}")
        for text in (said.key, said.file, said.started, *(other.file for other in said.like)):
            if not text.isprintable():  # a terminal might obey it
                raise StoreError(f"it has an unprintable character: {shown(text)}")
    except (StoreError, msgspec.ValidationError) as error:
        raise StoreError(f"{file}: not the description of a run: {error}; remove its folder") from None
    except (ValueError, RecursionError):
        raise StoreError(f"{file}: damaged; remove its folder, or run the experiment again") from None
    return {"like": [], **about}


class Contents(NamedTuple):
    """The contents of a run."""

    tables: Mapping[int, Any]  # the rows of all complete and sound pieces, by number
    files: Mapping[int, Path]
    damaged: Mapping[str, str]  # the names of all other files, and what is wrong with them


class Run:
    """A run on disk. Nothing in its folder is trusted: it may come from anybody."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.about: dict[str, Any] = read_about(directory)
        try:
            source = from_stored(self.about["file"], self.about["text"], self.about["like"])
            self.experiment = parse(self.about["experiment"], source)
        except SpecError as error:
            raise StoreError(f"{directory}: written by another version of timebound; remove it ({error})") from None

    @property
    def scale(self) -> str:
        """Its scale."""
        return str(self.about["scale"])

    @property
    def problems(self) -> int:
        """The number of problems per configuration."""
        return len(self.about["identity"]["maps"]) * self.experiment.scales[self.scale].problems

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the run, so that no other process runs it; the lock ends with the process, whatever ends it."""
        path = self.directory / _LOCK
        if path.exists():
            size_of(path, _LOCK_FILE)
        with path.open("a") as file:
            if not lock(file.fileno()):
                raise StoreError(f"{self.directory}: another process is working on this run; wait for it")
            yield

    def contents(self) -> Contents:
        """Return all pieces, each verified: its checksum, and that its rows belong to it."""
        layout = self._layout()
        tables, files, damaged = dict[int, Any](), dict[int, Path](), dict[str, str]()
        folder = self.directory / _PIECES
        for file in sorted(_files_in(folder), key=lambda file: (_PACK.fullmatch(file.name) is None, file.name)):
            try:
                found = self._read(file, layout)
                for number in found.keys() & tables.keys():
                    if repr(found[number].to_pylist()) != repr(tables[number].to_pylist()):  # NaN is equal to itself
                        raise StoreError(f"piece {number} exists twice")
            except StoreError as error:
                damaged[file.name] = str(error)
            else:
                new = found.keys() - tables.keys()
                tables.update((number, found[number]) for number in new)
                files.update(dict.fromkeys(new, file))
        columns = {number: {*table.column_names} for number, table in tables.items()}
        everything = set[str]().union(*columns.values())
        for number in [number for number, names in columns.items() if names < everything]:
            del tables[number]
            damaged[files.pop(number).name] = "it has fewer figures than other pieces"
        return Contents(tables, files, damaged)

    def _layout(self) -> list[tuple[Batch, Configuration]]:
        """Return which piece a file is, after checking it."""
        places, per_place = len(self.about["identity"]["maps"]), self.experiment.scales[self.scale].problems
        return [
            (batch, configuration)
            for batch in batches(places, per_place)
            for configuration in self.experiment.configurations() * self.experiment.rounds
        ]

    def _read(self, file: Path, layout: Sequence[tuple[Batch, Configuration]]) -> dict[int, Any]:
        """Return the rows of the pieces in a file, by number."""
        if name := _PACK.fullmatch(file.name):
            return unpacked(_verified(file, _PIECES_PACKED, name[1]), layout, self.experiment.measured)
        name = _NAME.fullmatch(file.name)
        if name is None or int(name[1]) >= len(layout):
            raise StoreError("this run has no piece of that name")
        batch, configuration = layout[int(name[1])]
        content = _verified(file, _PIECE, name[2])
        return {int(name[1]): decoded(content, configuration, batch, self.experiment.measured)}

    def missing(self, contents: Contents) -> str:
        """Return what is missing of the configurations that were started; empty if they are complete."""
        layout = self._layout()
        numbers = [int(name[1]) for file in contents.damaged if (name := _NAME.fullmatch(file)) is not None]
        begun = {layout[number][1] for number in (*contents.tables, *numbers) if number < len(layout)}
        there = sum(layout[number][0].size for number in contents.tables)
        wanted = self.problems * len(begun) * self.experiment.rounds
        faults = [f"{name} is damaged ({fault})" for name, fault in contents.damaged.items()]
        if len(faults) > _SHOWN:
            faults = [*faults[:_SHOWN], f"and {len(faults) - _SHOWN} more files"]
        if there < wanted:
            faults.append(f"{wanted - there} of {wanted} episodes are missing")
        return f"incomplete: {'; '.join(faults)}; run the experiment again to complete it" if faults else ""

    def finished(self) -> Mapping[int, Path]:
        """Return the files of all finished pieces by number, without damaged ones."""
        return self.contents().files

    def tidy(self) -> Mapping[int, Path]:
        """Remove what is damaged or unfinished; return what is finished. The caller must hold the lock."""
        pieces = self.finished()
        cut_off = (self.directory / _PREPARED).glob(".*.tmp")
        for file in {*(self.directory / _PIECES).iterdir(), *cut_off} - {*pieces.values()}:
            file.unlink()
        return pieces

    def write(self, number: int, rows: Sequence[Mapping[str, Any]], worker: Mapping[str, Any]) -> None:
        """Store a piece: all of it or nothing."""
        content = encoded(rows, {**self._provenance(), "worker": worker, "written": _now()})
        write_files({self.directory / _PIECES / f"{number:06d}-{checksum(content)}.parquet": content})

    def size(self) -> int:
        """Return how many bytes its pieces take on disk."""
        return sum(file.stat().st_size for file in (self.directory / _PIECES).glob("*.parquet"))

    def pack(self) -> int:
        """Put all finished pieces into one file; return how many there are. Nothing is lost if that is interrupted."""
        with self.locked():
            contents, folder = self.contents(), self.directory / _PIECES
            sound = {file for file in _files_in(folder) if file.name not in contents.damaged}
            if contents.tables and (len(sound) > 1 or not all(_PACK.fullmatch(file.name) for file in sound)):
                content = packed(contents.tables, {**self._provenance(), "written": _now()})
                pack = folder / f"packed-{checksum(content)}.parquet"
                write_files({pack: content})
                for file in sound - {pack}:
                    file.unlink()
            return len(contents.tables)

    def _provenance(self) -> dict[str, Any]:
        """Return what a file says about its run. The maps are in its rows: all of them may be thousands."""
        return {name: known for name, known in self.about.items() if name != "identity"}

    def keep(self, key: str, known: Knowledge) -> None:
        """Store what was prepared. Its figures are written last: without them it does not count."""
        folder = self.directory / _PREPARED
        for damaged in folder.glob(f"{key}*"):
            damaged.unlink()
        if known.cases is not None:
            known.cases.save(folder / f"{key}.cases")
        content = json.dumps({**known.figures._asdict(), "cases": known.cases is not None}).encode()
        write_files({folder / f"{key}-{checksum(content)}.json": content})

    def prepared(self, key: str) -> Knowledge | None:
        """Return what was prepared under that key; None if it is missing or damaged."""
        folder = self.directory / _PREPARED
        contents = {file.name: read_bytes(file, _FIGURES) for file in folder.glob(f"{key}-*.json")}
        sound = [content for name, content in contents.items() if name == f"{key}-{checksum(content)}.json"]
        if not sound:
            return None
        try:
            told = json.loads(sound[0])
            cases = CaseBase.load(folder / f"{key}.cases") if told["cases"] else None
            return Knowledge(Preparation(*(float(told[name]) for name in Preparation._fields)), cases)
        except (CaseError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return None


def _files_in(folder: Path) -> list[Path]:
    """Return what is in a folder, if it exists, except what is still being written."""
    return [file for file in folder.glob("*") if not file.name.startswith(".")]


def _verified(file: Path, wanted: Wanted, expected: str) -> bytes:
    """Return the content of a file, if it has that checksum."""
    content = read_bytes(file, wanted)
    if checksum(content) != expected:
        raise StoreError("its checksum is wrong")
    return content


@contextmanager
def opened(output: Path, experiment: Experiment, scale: str, found: Survey) -> Iterator[Run]:
    """Open the run of an experiment in an output folder, locked: a new one, or the one that was started.

    However the work ends, new folders without results are removed again.
    """
    identity = {
        "format": FORMAT,
        "sources": {entry.label: sources_of(entry) for entry in experiment.entries},
        **experiment.what_decides(scale),
        **({"own code": code} if (code := own_code(experiment)) else {}),
        "maps": [place.identity() for place in found.places],
    }
    key = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]
    directory = output / RUNS / f"{experiment.name}-{scale}-{key}"
    new = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    try:
        for part in (_PIECES, _PREPARED):
            (directory / part).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{directory}: cannot be made: {error.strerror}") from None
    try:
        about = {
            "experiment": experiment.name,
            "scale": scale,
            "key": key,
            "file": experiment.source.name,
            "text": experiment.source.text,
            "like": as_stored(experiment.source),
            "stand_ins": found.stand_ins,
            "started": read_about(directory)["started"] if (directory / ABOUT).exists() else _now(),
            "versions": versions(),
            "machine": machine(),
            "identity": identity,
        }
        write_files({directory / ABOUT: json.dumps(about, indent=1).encode()})
        run = Run(directory)
        with run.locked():
            _adopt(run)
            yield run
    finally:
        if directory in new:
            _remove_empty(directory, new)


def _adopt(run: Run) -> None:
    """Take over, from runs that differ in nothing but code, the pieces of agents whose code is the same."""
    mine, there = run.about["identity"], run.finished()
    layout = run._layout()
    for other, differing in others(run):
        if differing != ["sources"] or not isinstance(other.about["identity"]["sources"], dict):
            continue
        same = {
            label for label, code in mine["sources"].items() if other.about["identity"]["sources"].get(label) == code
        }
        for number, table in other.contents().tables.items() if same else ():
            if number not in there and layout[number][1].label in same:
                content = packed({number: table}, {**other._provenance(), "written": _now()})
                write_files({run.directory / _PIECES / f"packed-{checksum(content)}.parquet": content})
        there = run.finished()


def _remove_empty(directory: Path, new: Sequence[Path]) -> None:
    """Remove a run without results, and the folders that were made for it."""
    parts = [directory / part for part in (_PIECES, _PREPARED)]
    if any(not file.name.startswith(".") for part in parts for file in part.iterdir()):
        return
    for file in (directory / ABOUT, directory / _LOCK):
        file.unlink(missing_ok=True)
    for folder in (*parts, *new):
        with suppress(OSError):  # another process has put something into it
            folder.rmdir()


class Found(NamedTuple):
    """The runs in an output folder."""

    runs: list[Run]  # readable runs, the latest of each experiment and scale last
    refused: list[StoreError]


def find_runs(output: Path) -> Found:
    """Every run in an output folder."""
    runs, refused = [], []
    for file in sorted((output / RUNS).glob(f"*/{ABOUT}")):
        try:
            runs.append(Run(file.parent))
        except StoreError as error:
            refused.append(error)
    return Found(sorted(runs, key=lambda run: str(run.about["started"])), refused)


def runs_in(output: Path) -> list[Run]:
    """Return every run in an output folder, the latest of each experiment and scale last; damaged ones raise."""
    runs, refused = find_runs(output)
    if refused:
        raise refused[0]
    return runs


def others(run: Run) -> list[tuple[Run, list[str]]]:
    """Return runs of the same experiment and scale that must not be mixed with this one, and what differs."""
    mine = run.about["identity"]
    return [
        (other, [name for name in mine if other.about["identity"].get(name) != mine[name]])
        for other in find_runs(run.directory.parent.parent).runs
        if other.about["experiment"] == run.about["experiment"]
        and other.scale == run.scale
        and other.directory != run.directory
    ]


def checksum(content: bytes) -> str:
    """Return a fingerprint of a file's content."""
    return hashlib.sha256(content).hexdigest()[:24]


def read_rows(run: Run) -> Any:
    """Return all rows of a run so far, as a PyArrow table (`.to_pandas()` makes it a data frame)."""
    return joined(run, run.contents())


def joined(run: Run, contents: Contents) -> Any:
    """Return the rows of all pieces as one table."""
    if not contents.tables:
        raise StoreError(f"{run.directory}: {run.missing(contents) or 'nothing has been run yet'}")
    import pyarrow

    return pyarrow.concat_tables(contents.tables.values())


def versions() -> dict[str, str]:
    """Return the versions of everything that results may depend on."""
    found = {"timebound": __version__, "sources": sources(), "python": platform.python_version()}
    return found | {name: version(name) for name in ("numpy", "numba", "llvmlite", "pyarrow")}


def machine() -> dict[str, Any]:
    """Describe the machine, for figures of time: its processor as well as the system knows it."""
    processor = platform.processor()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        processor = next(names, processor)
    return {"system": platform.platform(), "processor": processor, "cores": os.cpu_count()}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
