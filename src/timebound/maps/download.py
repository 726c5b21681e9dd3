"""Benchmark maps from the MovingAI site: fetched, checked, and put where the lab finds them."""

import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path, PurePosixPath

from ..core.disk import check_target, new_folders, note_written, reason
from ..core.errors import MapError
from ..core.wording import shown
from .formats import read

SITE = "https://movingai.com/benchmarks"
LICENCE = (
    "The maps are those of the MovingAI benchmarks, under the Open Data Commons Attribution License (ODC-By); see "
    f"{SITE}. Cite: N. R. Sturtevant, Benchmarks for grid-based pathfinding, "
    "IEEE Transactions on Computational Intelligence and AI in Games 4(2), 2012."
)

# The folder in which the lab looks, and the name of the set on the site.
SETS = {
    "bg512": "bg512",
    "bgmaps": "bgmaps",
    "cities": "street",
    "dao": "dao",
    "mazes": "maze",
    "random": "random",
    "rooms": "room",
    "sc1": "sc1",
    "wc3maps512": "wc3maps512",
}
KINDS = {"maps": ("map", ".map"), "scens": ("scen", ".scen")}  # folder, part of the archive's name, suffix of its files

# Fingerprints of maps that experiments use: on other maps their numbers would differ.
KNOWN = {
    "sc1/Enigma": "f39ecf5c4c9508e8aee5e361d14581caed04192c374f6d820cd2b1d38cdb7af2",
    "sc1/Inferno": "e462c6cbff17ae883182ce8ca2218d48d3fed9b78753d7ae0ee5166f63d07574",
    "sc1/WheelofWar": "fa730748a8753d411d3a6d2141b05450ad57ce82eb476fb1cc9721549285ad25",
    "dao/orz103d": "b00d116a2c0ee88783947ae84cec6faf671c296fa749326e4ad8d65d50080f09",
    "dao/orz702d": "a24d61b93a229b01a1f97d8b43182c9f9630ecf13c95b74f2a9b47c6b038708d",
    "dao/orz703d": "12d6e1da175708a49666116ea1270fcdc60ea11a503870dee09a3f445b2b1519",
    "wc3maps512/darkforest": "85163fc6a38109cec2870f66369f4bcb0592bc181dabac44e194ad38f9914988",
    "wc3maps512/divideandconquer": "fca7f4ee814e5cb41bcfaeebc478cb5e8d0dd6f1c673db6569d0a92d2baee4d1",
    "wc3maps512/thecrucible": "50922a2cde548bafd969ddda801c4575ee7971f6a1590756ae0d0b9c3015bdbe",
}

_LARGEST = 2**31  # bytes of an archive, packed or unpacked
_BLOCK = 2**20
_SECONDS = 60  # without a byte from the site


@dataclass(frozen=True)
class Downloaded:
    """The result of a download."""

    maps: int
    scenarios: int
    known: int  # maps with a fingerprint that timebound knows
    strangers: tuple[str, ...]  # maps that have the name of a known one, but another fingerprint


def download(name: str, output: Path, site: str = SITE) -> Downloaded:
    """Fetch a set of maps and its scenarios into `output/maps/NAME` and `output/scens/NAME`: all of it or nothing."""
    if name not in SETS:
        raise MapError(f"there is no set {shown(name)}; choose from: {', '.join(SETS)}")
    if not site.startswith(("http://", "https://")):
        raise MapError(f"{site}: an address must begin with http:// or https://")
    if not site.isascii():
        raise MapError(f"{site}: an address may have only ASCII characters; write others like %C3%A9")
    homes = {kind: output / kind / name for kind in KINDS}
    try:
        with (
            new_folders(output, *homes.values()),
            tempfile.TemporaryDirectory(prefix=".download-", dir=output) as folder,
        ):
            files = {kind: _fetch(name, kind, site, Path(folder)) for kind in KINDS}
            known, strangers = _recognised(name, files["maps"])
            moves = {file: check_target(homes[kind] / file.name) for kind in KINDS for file in files[kind]}
            for file, target in moves.items():
                file.replace(target)
                note_written(target)
    except OSError as error:
        raise MapError(f"{output}: cannot be written: {reason(error)}") from None
    return Downloaded(len(files["maps"]), len(files["scens"]), known, strangers)


def _fetch(name: str, kind: str, site: str, folder: Path) -> list[Path]:
    part, suffix = KINDS[kind]
    url = f"{site.rstrip('/')}/{SETS[name]}/{SETS[name]}-{part}.zip"
    archive, target = folder / f"{part}.zip", folder / kind
    with archive.open("wb") as file:
        for block in _blocks(url):
            file.write(block)
    target.mkdir()
    try:
        files = _unpacked(archive, target, suffix)
    except OSError:
        raise
    except Exception as error:  # unpackers may raise anything
        raise MapError(f"{url}: damaged, or not a ZIP archive: {reason(error)}; try again") from None
    if not files:
        raise MapError(f"{url}: the archive has no {suffix} file in it")
    return files


def _blocks(url: str) -> Iterator[bytes]:
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            size, promised = 0, answer.headers.get("Content-Length")
            while block := answer.read(_BLOCK):
                size += len(block)
                if size > _LARGEST:
                    raise OSError(f"more than {_LARGEST} bytes cannot be a set of maps")
                yield block
            if promised is not None and str(size) != promised:
                raise OSError(f"received {size} bytes instead of {promised[:20]}; try again")
    except urllib.error.URLError as error:
        raise MapError(f"{url}: cannot be fetched: {error.reason}") from None
    except (OSError, HTTPException, ValueError) as error:  # ValueError: not an address
        raise MapError(f"{url}: cannot be fetched: {reason(error)}") from None


def _unpacked(archive: Path, target: Path, suffix: str) -> list[Path]:
    """Return the files with the suffix in an archive, without their folders, after testing every checksum."""
    with zipfile.ZipFile(archive) as content:
        members = [member for member in content.infolist() if member.filename.endswith(suffix)]
        if sum(member.file_size for member in members) > _LARGEST:
            raise zipfile.BadZipFile(f"it unpacks to more than {_LARGEST} bytes")
        files = []
        for member in members:
            file = target / PurePosixPath(member.filename).name
            if file in files:
                raise zipfile.BadZipFile(f"it has two files named {file.name}")
            file.write_bytes(content.read(member))
            files.append(file)
    return files


def _recognised(name: str, files: list[Path]) -> tuple[int, tuple[str, ...]]:
    """Read every map; return how many are the known ones, and which only have their names."""
    same = {}
    for file in files:
        fingerprint, expected = read(file).fingerprint, KNOWN.get(f"{name}/{file.stem}")
        if expected is not None:
            same[f"{name}/{file.stem}"] = fingerprint == expected
    return sum(same.values()), tuple(name for name, right in same.items() if not right)
