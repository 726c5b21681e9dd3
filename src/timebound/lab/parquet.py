"""The rows of a piece as a Parquet file, and back: a file that holds anything else is refused.

The right checksum only shows that a file was not damaged by accident. So its rows must be those of the piece: its
problems, one by one, its configuration, and figures that are numbers.
"""

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from ..core.disk import reason
from ..core.errors import TimeboundError
from .experiment import Batch, Configuration
from .files import LARGEST
from .measures import FIGURES

PIECE = "piece"
"""The column of packed rows with the number of their piece."""
_METADATA = b"timebound"
_MOST_BYTES = 2**22  # in a piece, unpacked
_MOST_PACKED = 2**31  # in several
_WORDS = ("world", "fingerprint", "start", "goal", "label", "agent", "parameters", "unit", "settings", "stop")


class StoreError(TimeboundError):
    """Results that cannot be read or written."""


def encoded(rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> bytes:
    """Return a file with these rows; notes about them go into its metadata."""
    import pyarrow

    return _file(pyarrow.table({name: [row[name] for row in rows] for name in rows[0]}), about)


def packed(tables: Mapping[int, Any], about: Mapping[str, Any]) -> bytes:
    """Return a file with the rows of several pieces, each with the number of its piece."""
    import pyarrow

    numbered = [
        tables[number].append_column(PIECE, pyarrow.array([number] * len(tables[number]), pyarrow.int64()))
        for number in sorted(tables)
    ]
    return _file(pyarrow.concat_tables(numbered), about)


def _file(table: Any, about: Mapping[str, Any]) -> bytes:
    from pyarrow import parquet

    buffer = BytesIO()
    table = table.replace_schema_metadata({_METADATA: json.dumps(about)})
    parquet.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def decoded(content: bytes, configuration: Configuration, batch: Batch, measured: set[str]) -> Any:
    """Read the rows of a piece as a PyArrow table; measures must be among their figures."""
    table = _read(content, batch.size, batch.size, 1)
    _check_types(table, measured)
    _check_rows(table, configuration, batch)
    return table


def unpacked(content: bytes, layout: Sequence[tuple[Batch, Configuration]], measured: set[str]) -> dict[int, Any]:
    """Read packed pieces as PyArrow tables, by number; `layout` has all pieces of the run."""
    rows = _read(content, 1, sum(batch.size for batch, _ in layout), len(layout), PIECE)
    if PIECE not in rows.column_names or str(rows.column(PIECE).type) != "int64" or rows.column(PIECE).null_count:
        raise StoreError("its rows do not say to which piece they belong")
    numbers, rows = rows.column(PIECE).to_numpy(), rows.drop_columns([PIECE]).combine_chunks()
    _check_types(rows, measured)
    tables, first = dict[int, Any](), 0
    while first < len(numbers):
        number = int(numbers[first])
        if not 0 <= number < len(layout) or number in tables:
            raise StoreError(f"this run has no piece {number}, or it is there twice")
        batch, configuration = layout[number]
        if not (numbers[first : first + batch.size] == number).all() or first + batch.size > len(numbers):
            raise StoreError(f"piece {number} is not complete")
        tables[number] = rows.slice(first, batch.size)
        _check_rows(tables[number], configuration, batch)
        first += batch.size
    return tables


def _check_rows(table: Any, configuration: Configuration, batch: Batch) -> None:
    rows: dict[str, list[Any]] = {
        "problem": list(range(batch.first, batch.first + batch.size)),
        "label": [configuration.label] * batch.size,
        "settings": [configuration.stored_settings] * batch.size,
    }
    for name, values in rows.items():
        if table.column(name).to_pylist() != values:
            raise StoreError(f"its rows belong to another piece or experiment (see {name})")


def _read(content: bytes, fewest: int, most: int, pieces: int, *further: str) -> Any:
    """Return the known columns, if the number of rows is right and they do not unpack to more than pieces have."""
    import pyarrow.parquet

    known = {"problem", "seed", "solved", "budget", *further, *_WORDS, *FIGURES}
    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        about = file.metadata
        size = sum(about.row_group(n).total_byte_size for n in range(about.num_row_groups))
        if not (fewest <= about.num_rows <= most and 0 <= size <= min(pieces * _MOST_BYTES, _MOST_PACKED)):
            wanted = f"{most} rows" if fewest == most else f"{fewest} to {most} rows"
            raise StoreError(f"{about.num_rows} rows in {size} bytes, not {wanted}")
        table = file.read([name for name in file.schema_arrow.names if name in known], use_threads=False)
        table.validate(full=True)
        return table.replace_schema_metadata(None)
    except StoreError:
        raise
    except Exception as error:  # decoders may raise anything on junk
        raise StoreError(f"not a Parquet file: {reason(error)[:100]}") from None


def _check_types(table: Any, measured: set[str]) -> None:
    import pyarrow

    figures = [name for name in FIGURES if name in measured or name in table.column_names]
    wanted = dict.fromkeys(_WORDS, pyarrow.string()) | dict.fromkeys(("problem", "seed"), pyarrow.int64())
    wanted |= {"solved": pyarrow.bool_()} | dict.fromkeys(("budget", *figures), pyarrow.float64())
    if sorted(table.column_names) != sorted(wanted):
        missing = ", ".join(name for name in wanted if name not in table.column_names)
        what = f"{missing} missing" if missing else "some are duplicates"
        raise StoreError(f"its columns are not those of results: {what}")
    for name, kind in wanted.items():
        column = table.column(name)
        if column.type != kind or column.null_count:
            raise StoreError(f"{name} is not a column of {kind}")
    for name in figures:
        values = table.column(name).to_numpy()
        if (np.abs(values[np.isfinite(values)]) > LARGEST).any():
            raise StoreError(f"a figure in {name} is too large")
