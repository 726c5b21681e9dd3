"""Make a pack of machine code for distribution: `python -m timebound.applications.shipping OUTPUT`.

It is compiled for any processor of this architecture, which is at most a few percent slower than code for one. A wheel
with the pack (`make wheel`) needs no compilation where the versions of Python and Numba match; elsewhere everything is
compiled as usual. The same command makes a pack for the machines of a cluster.
"""

import argparse
import io
import os
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ANY_PROCESSOR = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m timebound.applications.shipping",
        description="Compile every agent for any processor of this architecture, into one file.",
        epilog="Example: python -m timebound.applications.shipping machine_code.pack --agents rtaa,tbaa --worlds grid",
    )
    parser.add_argument("output", metavar="OUTPUT", type=Path, help="the file to write")
    parser.add_argument("--agents", metavar="NAMES", default="", help="such as rtaa,tbaa (default: all)")
    parser.add_argument("--worlds", metavar="NAMES", default="", help="such as grid,graph (default: all)")
    parser.add_argument("--studio", action="store_true", help="also what the studio needs, on plain grids")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    chosen = parser.parse_args(arguments)
    os.environ.update(ANY_PROCESSOR)  # before Numba is loaded, here and in every worker
    from ..core.errors import TimeboundError

    try:
        agents, worlds = ([name for name in text.split(",") if name] for text in (chosen.agents, chosen.worlds))
        pieces = make_pack(chosen.output, agents, worlds, chosen.workers, studio=chosen.studio)
    except TimeboundError as error:
        print(f"timebound: {error}", file=sys.stderr)
        return 2
    print(f"{chosen.output}: {pieces} functions, {chosen.output.stat().st_size / 1e6:.1f} MB")
    return 0


def make_pack(output: Path, agents: Sequence[str], worlds: Sequence[str], workers: int, *, studio: bool = False) -> int:
    """Compile for these agents and worlds, by default all; write the pack, and return its number of functions."""
    from ..agents.catalogue import KINDS
    from ..compiled.store import content, made_for
    from ..core.disk import write_files
    from .warmup import WORLDS, combinations, compile_all, studio_combinations

    agents, worlds = agents or list(KINDS), worlds or list(WORLDS)
    wanted = combinations(agents, worlds) + (studio_combinations(agents, ["grid"]) if studio else [])
    pieces: dict[str, bytes] = {}
    for count, (place, _, keys) in enumerate(compile_all(wanted, workers), 1):
        print(f"{count} of {len(wanted)}: {place}", file=sys.stderr)
        pieces.update((key, found) for key in keys if (found := content(key)) is not None)
    write_files({output: packed(pieces, made_for())})
    return len(pieces)


def packed(pieces: Mapping[str, bytes], made_for: str) -> bytes:
    """Return the contents of a pack (see `store.shipped_pack`)."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.comment = made_for.encode()
        for key, content in sorted(pieces.items()):
            archive.writestr(zipfile.ZipInfo(key), content, zipfile.ZIP_DEFLATED, 9)
    return file.getvalue()


if __name__ == "__main__":
    sys.exit(main())
