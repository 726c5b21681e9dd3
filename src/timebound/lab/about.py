"""The description of a run, in the file run.json of its folder; it is not trusted, as anybody may have written it."""

import json
from pathlib import Path
from typing import Any

from ..core.disk import Wanted, read_bytes
from ..core.wording import shown
from .files import MOST_LIKE, can_name_files
from .rows import StoreError
from .spec import MOST_WORLDS, SCALES

ABOUT = "run.json"
_FILE = Wanted("the folder of a run", 2**26, StoreError)
_FIELDS = {
    "experiment": str,
    "scale": str,
    "key": str,
    "file": str,
    "text": str,
    "stand_ins": bool,
    "started": str,
    "versions": dict,
    "machine": dict,
    "identity": dict,
}


def read_about(directory: Path) -> dict[str, Any]:
    """Read the description of a run, and check it."""
    file = directory / ABOUT
    if not file.exists():
        raise StoreError(f"{directory}: it has no {ABOUT}; give the folder of a run")
    content = read_bytes(file, _FILE)
    try:
        about = json.loads(content)
        _check(about)
    except StoreError as error:
        raise StoreError(f"{file}: not the description of a run: {error}; remove its folder") from None
    except (ValueError, RecursionError):
        raise StoreError(f"{file}: damaged; remove its folder, or run the experiment again") from None
    checked: dict[str, Any] = about
    return checked


def _check(about: Any) -> None:
    if not isinstance(about, dict):
        raise StoreError("it is not a table")
    for name, kind in _FIELDS.items():
        if not isinstance(about.get(name), kind):
            raise StoreError(f"{name} cannot be {shown(about.get(name))}")
        if kind is str and name != "text" and not about[name].isprintable():
            raise StoreError(f"{name} cannot be {shown(about[name])}")
    if about["scale"] not in SCALES:
        raise StoreError(f"scale cannot be {shown(about['scale'])}")
    if not can_name_files(about["experiment"]):
        raise StoreError(f"no experiment is called {shown(about['experiment'])}")
    others = about.setdefault("like", [])  # runs of earlier versions do not have it
    if not (isinstance(others, list) and len(others) <= MOST_LIKE and all(map(_is_a_file, others))):
        raise StoreError(f"like cannot be {shown(others)}")
    for name, parts in (("versions", ("timebound", "numba", "python")), ("machine", ("processor", "system"))):
        if not all(isinstance(about[name].get(part), str) for part in parts):
            raise StoreError(f"{name} lacks {', '.join(parts)}")
    if not isinstance(about["machine"].get("cores", ""), (int, type(None))):
        raise StoreError("the number of cores is not a number")
    maps = about["identity"].get("maps")
    if not (isinstance(maps, list) and 1 <= len(maps) <= MOST_WORLDS and all(isinstance(one, str) for one in maps)):
        raise StoreError("its list of maps is invalid")


def _is_a_file(kept: Any) -> bool:
    parts = (kept.get("file"), kept.get("text")) if isinstance(kept, dict) and len(kept) == 2 else ()
    return bool(parts) and all(isinstance(part, str) for part in parts) and kept["file"].isprintable()
