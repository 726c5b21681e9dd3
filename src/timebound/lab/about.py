"""The description of a run, in the file run.json of its folder; it is not trusted, as anybody may have written it."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, defstruct

from ..core.disk import Wanted, read_bytes
from ..core.wording import shown
from .experiment import MOST_WORLDS
from .files import MOST_LIKE, can_name_files
from .parquet import StoreError

ABOUT = "run.json"
_FILE = Wanted("the folder of a run", 2**26, StoreError)


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
    """Read the description of a run, and check it."""
    file = directory / ABOUT
    if not file.exists():
        raise StoreError(f"{directory}: it has no {ABOUT}; give the folder of a run")
    content = read_bytes(file, _FILE)
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
