"""Machine code that nobody needs any more is removed, and nothing else."""

import os
import time

import pytest

from timebound.cli import main
from timebound.compiled import store
from timebound.compiled.store import tidy

FOLDERS = "0123456789abcdef", "f" * 16


def put(path, age, size=100):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(bytes(size))
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    files = [put(tmp_path / FOLDERS[age % 2] / f"{age:032x}", age) for age in (0, 10, 20, 30, 40)]
    assert tidy(tmp_path, most=500) == 0
    os.utime(files[3], (time.time(), files[3].stat().st_mtime))  # it was read
    assert tidy(tmp_path, most=250) == 300
    assert [file.exists() for file in files] == [True, False, False, True, False]
    assert tidy(tmp_path, most=250) == 0


def test_half_written_files_go_when_they_are_old(tmp_path):
    new, old = (put(tmp_path / FOLDERS[0] / f".{age:016x}", age) for age in (10, 4000))
    assert tidy(tmp_path, most=0) == 100
    assert (new.exists(), old.exists()) == (True, False)


@pytest.mark.parametrize("name", ["claims", "a", "x" * 32, "A" * 32, ".hidden", "a" * 33])
def test_strange_files_stay(name, tmp_path):
    strange = put(tmp_path / FOLDERS[0] / name, 10_000), put(tmp_path / "elsewhere" / ("a" * 32), 10_000)
    (tmp_path / FOLDERS[1] / ("b" * 32)).mkdir(parents=True)
    assert tidy(tmp_path, most=0) == 0
    assert all(file.exists() for file in strange)


def test_no_folder(tmp_path):
    assert tidy(tmp_path / "none") == 0


TEXT = "from timebound.compiled import compiled\n@compiled\ndef f(x): return x + {}\n"


def test_a_process_that_compiles_tidies_up(plugin, own_store):
    assert plugin(TEXT.format(51)).f(1) == 52
    (folder,) = (own_store / "timebound").iterdir()
    old = put(folder / f".{0:016x}", 4000)
    store._tidy_once.cache_clear()  # as if this were another process
    assert plugin(TEXT.format(52)).f(1) == 53
    assert not old.exists()


def test_the_command_removes_everything(plugin, own_store, capsys):
    assert plugin(TEXT.format(53)).f(1) == 54
    assert len([*own_store.rglob("?" * 32)]) == 2
    assert main(["warmup", "--clean"]) == 0
    assert capsys.readouterr().out.endswith(" MB of machine code removed\n")
    assert [*own_store.rglob("?" * 32)] == []
    assert main(["warmup", "--clean"]) == 0
    assert capsys.readouterr().out == "0.0 MB of machine code removed\n"
