"""The rows of a piece as a Parquet file, and back: a file that holds anything else is refused.

The right checksum only shows that a file was not damaged by accident. So its rows must be those of the piece: its
problems, one by one, its configuration, and figures that are numbers.
"""

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from types import ModuleType
from typing import Any

import numpy as np

from ..disk import reason
from ..errors import TimeboundError
from .experiment import Configuration
from .layout import Batch
from .measures import FIGURES
from .spec import LARGEST

_METADATA = b"timebound"
_MOST_BYTES = 2**22  # in a piece, unpacked
_WORDS = ("world", "fingerprint", "start", "goal", "label", "agent", "parameters", "unit", "settings", "stop")


class StoreError(TimeboundError):
    """Results that cannot be read or written."""


def parquet() -> ModuleType:
    """Import PyArrow's module for Parquet files, which only the lab needs."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise StoreError(
            "the lab needs PyArrow to store results; install it with: pip install 'timebound[lab]'"
        ) from None
    module: ModuleType = pyarrow.parquet
    return module


def encoded(rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> bytes:
    """Return a file with these rows; notes about them go into its metadata."""
    files = parquet()
    import pyarrow

    columns = {name: [row[name] for row in rows] for name in rows[0]}
    table = pyarrow.table(columns).replace_schema_metadata({_METADATA: json.dumps(about)})
    buffer = BytesIO()
    files.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def decoded(content: bytes, configuration: Configuration, batch: Batch, measured: set[str]) -> Any:
    """Read the rows of a piece as a PyArrow table; measures must be among their figures."""
    try:
        table = _read(content, batch.size)
    except StoreError:
        raise
    except Exception as error:  # decoders may raise anything on junk
        raise StoreError(f"not a Parquet file: {reason(error)[:100]}") from None
    _check_types(table, measured)
    rows = {
        "problem": list(range(batch.first, batch.first + batch.size)),
        "label": [configuration.label] * batch.size,
        "settings": [settings_of(configuration)] * batch.size,
    }
    for name, values in rows.items():
        if table.column(name).to_pylist() != values:
            raise StoreError(f"its rows belong to another piece or experiment (see {name})")
    return table


def settings_of(configuration: Configuration) -> str:
    """Return what distinguishes a configuration from others of its agent, as it is stored."""
    return json.dumps(configuration.settings, sort_keys=True)


def _read(content: bytes, rows: int) -> Any:
    """Return the known columns, if the number of rows is right and they do not unpack to more than a piece has."""
    files = parquet()
    import pyarrow

    file = files.ParquetFile(pyarrow.BufferReader(content))
    about = file.metadata
    unpacked = sum(about.row_group(n).total_byte_size for n in range(about.num_row_groups))
    if about.num_rows != rows or not 0 <= unpacked <= _MOST_BYTES:
        raise StoreError(f"{about.num_rows} rows in {unpacked} bytes, not {rows} rows")
    known = {"problem", "seed", "solved", "budget", *_WORDS, *FIGURES}
    table = file.read([name for name in file.schema_arrow.names if name in known], use_threads=False)
    table.validate(full=True)
    return table.replace_schema_metadata(None)


def _check_types(table: Any, measured: set[str]) -> None:
    import pyarrow

    figures = [name for name in FIGURES if name in measured or name in table.column_names]
    wanted = dict.fromkeys(_WORDS, pyarrow.string()) | dict.fromkeys(("problem", "seed"), pyarrow.int64())
    wanted |= {"solved": pyarrow.bool_()} | dict.fromkeys(("budget", *figures), pyarrow.float64())
    if sorted(table.column_names) != sorted(wanted):
        raise StoreError(f"its columns are not those of results: {_difference(table.column_names, wanted)}")
    for name, kind in wanted.items():
        column = table.column(name)
        if column.type != kind or column.null_count:
            raise StoreError(f"{name} is not a column of {kind}")
    for name in figures:
        values = table.column(name).to_numpy()
        if (np.abs(values[np.isfinite(values)]) > LARGEST).any():
            raise StoreError(f"a figure in {name} is too large")


def _difference(names: Sequence[str], wanted: Mapping[str, Any]) -> str:
    missing = [name for name in wanted if name not in names]
    return f"{', '.join(missing)} missing" if missing else "some are duplicates"
