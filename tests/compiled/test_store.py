"""The store when things go wrong: everything still works, nothing half-written is used, one line of warning at most."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import store_drills

from timebound.applications.shipping import packed
from timebound.compiled import byte_locks, store


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the drills fork")
def test_drills(tmp_path):
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "store_drills", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.stdout.split("\n")[:-1] == [f"{drill.__name__} well" for drill in store_drills.DRILLS], done.stderr


# ------------------------------------------------------------------ in this process

TEXT = "from timebound.compiled import compiled\nSTEP = {}\n@compiled\ndef f(x): return x + STEP\n"


def test_what_is_kept_was_made_from_what_its_key_says(plugin, own_store):
    """A global changes after the key was made: Numba compiles the new value, and that code must not be stored."""
    module = plugin(TEXT.format(1))
    assert module.f(1) == 2
    kept = len([*own_store.rglob("*")])
    module.STEP = 2
    assert module.f(1.5) == 3.5
    assert len([*own_store.rglob("*")]) == kept


def test_what_cannot_be_pickled_is_not_kept(plugin, own_store, monkeypatch, warnings_logged):
    def refuse(made, number_of):
        raise TypeError("cannot pickle this")

    monkeypatch.setattr(store.internals, "machine_code", refuse)
    assert plugin(TEXT.format(3)).f(1) == 4
    assert [file.name for file in own_store.rglob("*") if file.is_file()] == [byte_locks.FILE]
    assert warnings_logged() == []


def test_nothing_is_compiled_where_that_is_not_wanted(plugin, own_store):
    module = plugin(TEXT.format(4))
    with store.only_what_is_there(), pytest.raises(store.NotThereError):
        module.f(1)
    assert module.f(1) == 5
    with store.only_what_is_there():
        assert module.f(1) == 5


def test_options_of_the_compiler_are_part_of_the_folder(monkeypatch):
    from numba.core import config

    before = store.made_for()
    monkeypatch.setattr(config, "BOUNDSCHECK", 1)
    assert store.made_for() != before


# ------------------------------------------------------------------ packs

PIECES = {"a": b"first", "b": b"", "c": bytes(5000)}


def read(path, monkeypatch):
    """Return what is found in this pack."""
    monkeypatch.setattr(store, "PACK", path)
    store.shipped_pack.cache_clear()
    return {key: found for key in [*PIECES, "d"] if (found := store.shipped_piece(key)) is not None}


@pytest.fixture(autouse=True)
def _usual_pack():
    yield
    store.shipped_pack.cache_clear()


def test_a_pack_gives_back_its_pieces(tmp_path, monkeypatch):
    path = tmp_path / "pack"
    path.write_bytes(packed(PIECES, store.made_for()))
    assert read(path, monkeypatch) == PIECES
    path.write_bytes(packed(PIECES, "something else"))
    assert read(path, monkeypatch) == {}
    path.unlink()
    assert read(path, monkeypatch) == read(tmp_path, monkeypatch) == {}


def test_whatever_is_damaged_in_a_pack_a_piece_is_right_or_absent(tmp_path, monkeypatch):
    path, good = tmp_path / "pack", packed(PIECES, store.made_for())
    for place in range(0, len(good), 3):
        changed = bytearray(good)
        changed[place] ^= 0x55
        for content in (bytes(changed), good[:place]):
            path.write_bytes(content)
            assert read(path, monkeypatch).items() <= PIECES.items()
