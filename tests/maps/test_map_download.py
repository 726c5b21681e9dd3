"""Benchmark maps from a site; here, a local server."""

import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from timebound import maps
from timebound.cli import main
from timebound.maps import download
from timebound.maps.movingai import map_bytes

LEVELS = {name: maps.caves(40, 30, seed=seed) for seed, name in enumerate(("Enigma", "Other"))}
SCENARIO = b"version 1\n0\tEnigma.map\t40\t30\t1\t1\t2\t2\t1.41421356\n"


def archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as content:
        for name, data in files.items():
            content.writestr(name, data)
    return buffer.getvalue()


def served_files() -> dict[str, bytes]:
    level = {f"sc1-map/{name}.map": map_bytes(map_) for name, map_ in LEVELS.items()}
    return {
        "/sc1/sc1-map.zip": archive({**level, "readme.txt": b"maps"}),
        "/sc1/sc1-scen.zip": archive({"sc1-scen/Enigma.map.scen": SCENARIO}),
    }


class Site:
    """A site whose files tests can change; `short` bytes of every answer are missing."""

    def __init__(self) -> None:
        self.files, self.short = served_files(), 0
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                content = site.files.get(self.path)
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                self.wfile.write((content or b"")[: len(content or b"") - site.short])

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(download, "KNOWN", {"sc1/Enigma": LEVELS["Enigma"].fingerprint})
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running = Site()
    yield running
    running.server.shutdown()
    running.server.server_close()


def fetch(site: Site, output: Path, name: str = "sc1") -> int:
    return main(["maps", "download", name, "--output", str(output), "--site", site.url])


def test_maps_and_scenarios_are_where_the_lab_looks(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch(site, tmp_path) == 0
    said = capsys.readouterr().out
    assert "2 maps, 1 scenarios" in said
    assert "Open Data Commons Attribution License" in said
    assert "1 maps have a fingerprint that timebound knows" in said
    files = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file())
    assert files == ["maps/sc1/Enigma.map", "maps/sc1/Other.map", "scens/sc1/Enigma.map.scen"]
    assert maps.read(tmp_path / "maps" / "sc1" / "Enigma.map").fingerprint == LEVELS["Enigma"].fingerprint


def test_another_map_of_that_name_is_told_of(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site.files["/sc1/sc1-map.zip"] = archive({"Enigma.map": map_bytes(LEVELS["Other"])})
    assert fetch(site, tmp_path) == 1
    assert "sc1/Enigma differs from the map that timebound knows by this name" in capsys.readouterr().out


def damaged(content: bytes) -> bytes:
    flipped = bytearray(content)
    flipped[len(flipped) // 3] ^= 255
    return bytes(flipped)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "sc1-map.zip: cannot be fetched: Not Found"),
        (b"<html>busy</html>", "damaged, or not a ZIP archive"),
        (damaged(served_files()["/sc1/sc1-map.zip"]), "damaged, or not a ZIP archive"),
        (archive({"readme.txt": b"nothing"}), "has no .map file in it"),
        (archive({"a.map": b"no map"}), "a.map, line 1: expected 'type octile'"),
    ],
)
def test_what_is_damaged_leaves_nothing(
    content: bytes | None, complaint: str, site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is None:
        del site.files["/sc1/sc1-map.zip"]
    else:
        site.files["/sc1/sc1-map.zip"] = content
    assert fetch(site, tmp_path) == 2
    message = capsys.readouterr().err
    assert complaint in message
    assert message.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_answer_that_is_cut_off(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site.short = 10
    assert fetch(site, tmp_path) == 2
    assert "sc1-map.zip: cannot be fetched: " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_archives_cannot_write_elsewhere(site: Site, tmp_path: Path) -> None:
    site.files["/sc1/sc1-map.zip"] = archive({"../../../escaped.map": map_bytes(LEVELS["Other"])})
    assert fetch(site, tmp_path / "in") == 0
    assert [file.name for file in tmp_path.rglob("escaped.map")] == ["escaped.map"]
    assert (tmp_path / "in" / "maps" / "sc1" / "escaped.map").is_file()


def test_bad_input(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fetch(site, tmp_path, "sc2") == 2
    assert "there is no set 'sc2'; choose from: bg512" in capsys.readouterr().err
    assert main(["maps", "download", "sc1", "--output", str(tmp_path), "--site", "file:///etc"]) == 2
    assert "an address must begin with http" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert fetch(site, tmp_path / "file") == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_known_maps_are_known(shared_data: Path) -> None:
    for name, fingerprint in download.KNOWN.items():
        assert maps.read(shared_data / "maps" / f"{name}.map").fingerprint == fingerprint
