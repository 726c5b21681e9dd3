"""Building the library: `python -m timebound.export.building TARGET FOLDER AGENT...`, as `timebound export` calls it.

It is a process of its own, since Numba must be told what to compile for before it is loaded.
"""

import base64
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numba import typeof, types

from ..agents.catalogue import Kind
from ..agents.registry import FunctionKind, catalogue, find_kind
from ..compiled.interrupts import interrupted
from ..compiled.kept import compiled_for
from ..compiled.lent import Lent
from ..core.errors import ProblemError, TimeboundError
from ..core.version import __version__
from ..search.types import NODE
from . import doors, fleet_doors
from .casting import Shape
from .fleet_moulds import mould_of_fleet, mould_of_units
from .moulds import TERRAINS, Mould, mould_of_paths, moulds
from .tables import Part, row_of_unit, tables
from .targets import TARGETS, Target
from .units import SYMBOL, object_file, reached

SOURCES = Path(__file__).parent / "c"
_I, _B = types.int64, types.boolean
_NODES = Shape(types.Tuple([typeof(np.empty(0, NODE))]))
_PASSABLE = Shape(types.Tuple([typeof(np.empty(0, np.bool_))]))
_PREPARED = "what it prepares for a map is made by Python"
NOT_YET = dict.fromkeys(("knn-lrta", "d-lrta", "pr-lrta"), _PREPARED) | {"late-astar": "its chance is NumPy's"}


def build(target: str, folder: Path, names: Sequence[str]) -> list[Path]:
    """Make the library in a folder; return the files."""
    found = _described(names)
    agents = [_agent_part(mould) for mould in chain(*found.values())]
    units, paths, fleet = unit_parts([*found]), path_part(), fleet_part()
    parts = [*agents, *units, paths, fleet]
    keys = reached([key for part in parts for key in part.doors.values()], [_stub()])
    chosen = TARGETS[target]
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        place = Path(scratch)
        for key in keys:
            (place / f"{key}.o").write_bytes(object_file(key, chosen.platform))
        stub = f"int32_t {SYMBOL}{_stub()}(int8_t *result, void **error) {{ *result = 0; return 0; }}\n"
        (place / "tables.c").write_text(tables(agents, units, paths, fleet) + stub)
        (place / "row.h").write_text(row_of_unit())
        return _linked(target, chosen, place, folder)


def _described(names: Sequence[str]) -> dict[Kind, list[Mould]]:
    """Return the moulds of these kinds; without names, of all that have any: the others are listed."""
    found: dict[Kind, list[Mould]] = {}
    for kind in dict.fromkeys(map(find_kind, names) if names else catalogue()):
        reason = "it is made by a function" if isinstance(kind, FunctionKind) else NOT_YET.get(kind.name, "")
        try:
            if reason:
                raise ProblemError(f"agent {kind.name!r} cannot be exported: {reason}")
            found[kind] = moulds(kind)
        except ProblemError as error:
            if names:
                raise
            print(f"left out: {error}")
    return found


def _agent_part(mould: Mould) -> Part:
    shape = Shape(mould.type, mould.same)
    key, mind = compiled_for(doors.agent_made, (shape, _I))
    lent = Lent(mind)
    rest = {
        **{"turn": (lent, _I, _I, _I, _B), "left": (lent, _I), "put": (lent, _I, _I)},
        **{"changed": (lent, _I, _I, _B, _I), "told": (lent, _I, _I, _B, _I), "mark": (lent,)},
        **{"path": (lent, _I, _I), "trail": (lent, _I, _I), "record": (lent, _I)},
        **{"aimed": (lent, _I, _NODES, _I), "sent": (lent, shape, _I, _I)},
    }
    return Part(mould, {"made": key, **_compiled(doors, "agent", rest)})


def _compiled(module: Any, prefix: str, rest: Mapping[str, tuple[Any, ...]]) -> dict[str, str]:
    return {name: compiled_for(getattr(module, f"{prefix}_{name}"), kinds)[0] for name, kinds in rest.items()}


def path_part() -> Part:
    """Compile what C calls for cheapest paths."""
    mould = mould_of_paths()
    key, search = compiled_for(doors.search_made, (Shape(mould.type), _I, _I))
    rest = _compiled(doors, "search", {"run": (Lent(search), _I, _I), "path": (Lent(search), _I, _I)})
    return Part(mould, {"tb_search_made": key, **{f"tb_search_{name}": each for name, each in rest.items()}})


def fleet_part() -> Part:
    """Compile what C calls for fleets."""
    mould, data = _fleet()
    lent, some = Lent(data), (_I, _I)
    rest = {
        **{"requeued": (lent, lent), "moved": (lent, *some, _I), "queued": (lent, *some, _I), "waiting": (lent,)},
        **{"forgot": (lent, *some), "withdrew": (lent, *some), "waits": (lent, _I, *some)},
        "dug": (lent, _PASSABLE, _I, _I, *some),
    }
    keys = {"made": compiled_for(fleet_doors.fleet_made, (Shape(mould.type, mould.same), _I))[0]}
    keys |= _compiled(fleet_doors, "fleet", rest)
    return Part(mould, {f"tb_data_{name}": key for name, key in keys.items()})


@functools.cache
def _fleet() -> tuple[Mould, Any]:
    mould = mould_of_fleet()
    return mould, mould.type[0]


def unit_parts(kinds: Sequence[Any]) -> list[Part]:
    """Compile what C calls for units of these kinds, if they can be in a fleet."""
    found = (mould_of_units(kind, terrain) for kind in kinds for terrain in TERRAINS)
    return [_unit_part(mould) for mould in found if mould]


def _unit_part(mould: Mould) -> Part:
    key, planners = compiled_for(fleet_doors.unit_made, (Shape(mould.type, mould.same), _I))
    lent, data = Lent(planners), Lent(_fleet()[1])
    rest: dict[str, tuple[Any, ...]] = {
        **{"sensed": (lent, data, _I, _I, _I, _I), "served": (lent, data, *(7 * [_I]), _B), "mark": (lent,)},
        **({"outdated": (lent,)} if mould.terrain == "unknown" else {}),
    }
    return Part(mould, {"made": key, **_compiled(fleet_doors, "unit", rest)})


@functools.cache
def _stub() -> str:
    """Return the key of the unit that asks Python about Ctrl-C: C has another one in its place."""
    return compiled_for(interrupted, ())[0]


def _linked(target: str, chosen: Target, place: Path, folder: Path) -> list[Path]:
    compiler, library = chosen.compiler(target == native()), folder / chosen.library
    header = (SOURCES / "timebound.h").read_text().replace("@VERSION@", __version__)
    (folder / "timebound.h").write_text(header)
    flags = [
        "-O2",
        "-ffp-contract=off",
        "-Wall",
        f"-I{folder}",
        f"-I{SOURCES}",
        f"-I{place}",
        *os.environ.get("CFLAGS", "").split(),
    ]
    sources = [place / "tables.c", SOURCES / "timebound.c", SOURCES / "runtime.c", *sorted(place.glob("*.o"))]
    names = sorted({*re.findall(r"^[^/ ][^/]*?\b(tb_\w+)\(", header, re.M)})
    if target == "wasm":
        return _web_assembly([*compiler, *flags], sources, names, place, folder)
    if target.startswith("linux"):
        (place / "exports.map").write_text(f"{{ global: {'; '.join(names)}; local: *; }};\n")
        link = ["-fPIC", f"-Wl,--version-script={place / 'exports.map'}", "-Wl,--gc-sections", "-Wl,-s", "-lm"]
    elif target.startswith("windows"):
        (place / "exports.def").write_text("\n".join(["EXPORTS", *names]))
        link = [str(place / "exports.def"), "-s", f"-Wl,--out-implib,{folder / 'timebound.lib'}"]
    else:
        link = ["-fPIC", *(f"-Wl,-exported_symbol,_{name}" for name in names)]
    _run([*compiler, *flags, "-shared", "-o", library, *sources, *link])
    shutil.copy(SOURCES / "timebound.hpp", folder)
    (folder / "timebound.pc").write_text(_PC.format(folder.resolve(), __version__))
    (folder / "LICENSE.timebound").write_text(_LICENCE)
    return [library, *(folder / name for name in ("timebound.h", "timebound.hpp", "timebound.pc", "LICENSE.timebound"))]


def _web_assembly(compiler: list[Any], sources: list[Path], names: list[str], place: Path, folder: Path) -> list[Path]:
    """Link WebAssembly; with 32-bit addresses, which all browsers know, if Binaryen is there."""
    exports = [f"-Wl,--export={name}" for name in (*names, "malloc", "free")]
    libc = [f"-I{SOURCES / 'wasm'}", "-fno-builtin", "-mbulk-memory", SOURCES / "wasm" / "libc.c"]
    wide, library = place / "wide.wasm", folder / "timebound.wasm"
    link = ["-nostdlib", "-Wl,--no-entry", "-Wl,--strip-all", "-Wl,-z,stack-size=1048576", *exports]
    _run([*compiler, *libc, *sources, *link, "-o", wide])
    lower = shutil.which("wasm-opt")
    if lower:
        _run([lower, "--all-features", "--memory64-lowering", "-O2", wide, "-o", library])
    else:
        shutil.copyfile(wide, library)
        print("without wasm-opt (npm install binaryen), addresses have 64 bits, which some browsers do not know")
    for file in (SOURCES / "wasm").glob("timebound.*"):
        shutil.copy(file, folder)
    page, wasm = (SOURCES / "wasm" / "playground.html").read_text(), base64.b64encode(library.read_bytes()).decode()
    module = (SOURCES / "wasm" / "timebound.js").read_text()
    (folder / "playground.html").write_text(page.replace("@MODULE@", module).replace("@WASM@", wasm))
    (folder / "package.json").write_text(json.dumps(_PACKAGE, indent=2) + "\n")
    (folder / "timebound.h").unlink()
    return [library, *(folder / name for name in ("timebound.js", "timebound.d.ts", "package.json", "playground.html"))]


_PACKAGE = {
    **{"name": "timebound", "version": __version__, "description": "Real-time heuristic search", "license": "MIT"},
    **{"type": "module", "main": "timebound.js", "types": "timebound.d.ts"},
    "files": ["timebound.js", "timebound.d.ts", "timebound.wasm"],
}
_PC = """prefix={0}
Name: timebound
Description: Real-time heuristic search
Version: {1}
Cflags: -I${{prefix}}
Libs: -L${{prefix}} -ltimebound
"""
_LICENCE = """This library is timebound, compiled. timebound has the MIT license, whose text comes with its sources.
Numba and LLVM compiled it; none of their code is in it, apart from functions that every compiler provides.
"""


def _run(command: Iterable[Any]) -> None:
    ended = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    if ended.returncode:
        raise ProblemError(f"the C compiler failed: {ended.stderr or ended.stdout}")


def native() -> str:
    """Return the target that this process runs on, if it is one."""
    system = {"linux": "linux", "win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(sysconfig.get_platform().rpartition("-")[2], "")
    return f"{system}-{machine}"


def main() -> int:
    """Run the command."""
    target, folder, *names = sys.argv[1:]
    try:
        for file in build(target, Path(folder), names):
            print(f"{file} ({file.stat().st_size / 1e6:.2f} MB)" if file.stat().st_size > 1e5 else file)
    except TimeboundError as error:
        print(f"timebound: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
