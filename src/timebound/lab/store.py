"""Where results are kept: a folder for each run, a Parquet file for each piece.

A file bears the checksum of its content in its name, and gets that name only when it is whole. So a piece is finished
if its file is there and the checksum holds; whatever happened to the run, nothing else needs to be known.
"""

import hashlib
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import __version__
from ..disk import lock, write_files
from ..errors import CaseError, TimeboundError
from ..subgoals.cases import CaseBase
from .measures import FIGURES, Prepared
from .preparation import Knowledge
from .reading import Source, SpecError
from .sources import sources
from .spec import Experiment, parse
from .worlds import Survey

FORMAT = 1
RUNS = "runs"
_ABOUT, _PIECES, _PREPARED, _LOCK = "run.json", "pieces", "prepared", "lock"
_METADATA = b"timebound"


class StoreError(TimeboundError):
    """Results that cannot be read or written."""


def parquet() -> ModuleType:
    """PyArrow's module for Parquet files, which only the lab needs."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise StoreError(
            "the lab needs PyArrow to store results; install it with: pip install 'timebound[lab]'"
        ) from None
    module: ModuleType = pyarrow.parquet
    return module


# ------------------------------------------------------------------ a run


class Run:
    """A run on disk."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.about: dict[str, Any] = _read_about(directory / _ABOUT)

    @cached_property
    def experiment(self) -> Experiment:
        """What was run, as its file says."""
        try:
            return parse(self.about["experiment"], Source(self.about["file"], self.about["text"]))
        except SpecError as error:
            raise StoreError(f"{self.directory}: of another version of timebound, remove it ({error})") from None

    @property
    def scale(self) -> str:
        """How large it is."""
        return str(self.about["scale"])

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else runs it meanwhile; the lock goes with the process, whatever ends it."""
        with (self.directory / _LOCK).open("a") as file:
            if not lock(file.fileno()):
                raise StoreError(f"{self.directory}: another process is working on this run; wait for it")
            yield

    def finished(self) -> dict[int, Path]:
        """The files of all finished pieces by their numbers; what is damaged is not among them."""
        pieces: dict[int, Path] = {}
        for file in sorted((self.directory / _PIECES).glob("*.parquet")):
            number, _, rest = file.name.partition("-")
            if number.isdigit() and rest == f"{checksum(file.read_bytes())}.parquet":
                pieces[int(number)] = file
        return pieces

    def tidy(self) -> dict[int, Path]:
        """Remove what is damaged or was cut off; return what is finished. Only who has the lock may do this."""
        pieces = self.finished()
        cut_off = (self.directory / _PREPARED).glob(".*.tmp")
        for file in {*(self.directory / _PIECES).iterdir(), *cut_off} - {*pieces.values()}:
            file.unlink()
        return pieces

    def write(self, number: int, rows: Sequence[Mapping[str, Any]], worker: Mapping[str, Any]) -> None:
        """Store a piece: all of it or nothing."""
        content = _encoded(rows, {**self.about, "worker": worker, "written": _now()})
        write_files({self.directory / _PIECES / f"{number:06d}-{checksum(content)}.parquet": content})

    def keep(self, key: str, known: Knowledge) -> None:
        """Store what was prepared. Its figures are written last: without them there is nothing."""
        folder = self.directory / _PREPARED
        for damaged in folder.glob(f"{key}*"):
            damaged.unlink()
        if known.cases is not None:
            known.cases.save(folder / f"{key}.cases")
        content = json.dumps({**known.figures._asdict(), "cases": known.cases is not None}).encode()
        write_files({folder / f"{key}-{checksum(content)}.json": content})

    def prepared(self, key: str) -> Knowledge | None:
        """What was prepared under that key; None if it is not there, or damaged."""
        folder = self.directory / _PREPARED
        contents = {file.name: file.read_bytes() for file in folder.glob(f"{key}-*.json")}
        sound = [content for name, content in contents.items() if name == f"{key}-{checksum(content)}.json"]
        if not sound:
            return None
        told = json.loads(sound[0])
        try:
            cases = CaseBase.load(folder / f"{key}.cases") if told.pop("cases") else None
        except CaseError:
            return None
        return Knowledge(Prepared(**told), cases)


def open_run(output: Path, experiment: Experiment, scale: str, found: Survey) -> Run:
    """The run of an experiment in an output folder: a new one, or the one that was begun."""
    identity = {
        "format": FORMAT,
        "sources": sources(),
        **experiment.what_decides(scale),
        "maps": [place.identity() for place in found.places],
    }
    key = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]
    directory = output / RUNS / f"{experiment.name}-{scale}-{key}"
    try:
        for part in (_PIECES, _PREPARED):
            (directory / part).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{directory}: cannot be made: {error.strerror}") from None
    about = {
        "experiment": experiment.name,
        "scale": scale,
        "key": key,
        "file": experiment.source.name,
        "text": experiment.source.text,
        "stand_ins": found.stand_ins,
        "started": _started(directory) or _now(),
        "versions": versions(),
        "machine": machine(),
        "identity": identity,
    }
    write_files({directory / _ABOUT: json.dumps(about, indent=1).encode()})
    return Run(directory)


def runs_in(output: Path) -> list[Run]:
    """Every run in an output folder, the latest of each experiment and scale last."""
    folder = output / RUNS
    directories = [file.parent for file in sorted(folder.glob(f"*/{_ABOUT}"))]
    return sorted((Run(directory) for directory in directories), key=lambda run: str(run.about["started"]))


def others(run: Run) -> list[tuple[Run, list[str]]]:
    """Runs of the same experiment and scale that are not to be mixed with this one, and what differs."""
    mine = run.about["identity"]
    return [
        (other, [name for name in mine if other.about["identity"].get(name) != mine[name]])
        for other in runs_in(run.directory.parent.parent)
        if other.about["experiment"] == run.about["experiment"]
        and other.scale == run.scale
        and other.directory != run.directory
    ]


def _started(directory: Path) -> str:
    file = directory / _ABOUT
    return str(_read_about(file)["started"]) if file.is_file() else ""


def _read_about(file: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise StoreError(f"{file}: cannot be read: {error.strerror}; give the folder of a run") from None
    except ValueError:
        raise StoreError(f"{file}: damaged; remove its folder, or run the experiment again") from None
    return about


# ------------------------------------------------------------------ files


def checksum(content: bytes) -> str:
    """A fingerprint of a file's content."""
    return hashlib.sha256(content).hexdigest()[:24]


def _encoded(rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> bytes:
    files = parquet()
    import pyarrow

    columns = {name: [row[name] for row in rows] for name in rows[0]}
    table = pyarrow.table(columns).replace_schema_metadata({_METADATA: json.dumps(about)})
    buffer = BytesIO()
    files.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_rows(run: Run) -> Any:
    """All rows of a run so far, as a PyArrow table (`.to_pandas()` makes a data frame of it)."""
    files = parquet()
    import pyarrow

    tables = [files.read_table(BytesIO(file.read_bytes())) for file in run.finished().values()]
    if not tables:
        raise StoreError(f"{run.directory}: nothing has been run yet")
    return pyarrow.concat_tables(table.replace_schema_metadata(None) for table in tables)


def read_columns(run: Run) -> dict[str, list[Any]]:
    """The same as plain lists, those of figures measured included."""
    table = read_rows(run)
    wanted = ("problem", "label", "settings", "solved", *(name for name in FIGURES if name in table.column_names))
    return {name: table.column(name).to_pylist() for name in wanted}


# ------------------------------------------------------------------ what is needed to repeat it


def versions() -> dict[str, str]:
    """Of everything that results may depend on."""
    return {
        "timebound": __version__,
        "sources": sources(),
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numpy", "numba", "llvmlite", "pyarrow")},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def machine() -> dict[str, Any]:
    """The machine, for figures of time."""
    return {"system": platform.platform(), "processor": _processor(), "cores": os.cpu_count()}


def _processor() -> str:
    """The processor's name, as well as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
