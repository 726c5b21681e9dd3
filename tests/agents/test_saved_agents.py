"""Saved agents make the same moves as those that were not saved, whatever happens."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agent_drills import drill
from shares import share_of

import timebound as tb
from timebound.core import snapshots

SEEDS, CHUNKS = share_of(240, 40), 4


@pytest.mark.uncompiled
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_saved_agent_goes_on_as_if_nothing_had_happened(chunk: int, tmp_path: Path) -> None:
    for seed in range(chunk, SEEDS, CHUNKS):
        plain, saved = drill(seed, file=""), drill(seed, file=tmp_path / "agent")
        assert (plain and plain.log) == (saved and saved.log), f"drill({seed})"


def saved(tmp_path: Path, **parameters: Any) -> Path:
    """A file with an agent on its way."""
    agent = tb.make("tbaa", tb.Grid(np.ones((9, 9), bool)), (0, 0), (8, 8), **parameters)
    agent.step(expansions=5)
    agent.save(tmp_path / "agent")
    return tmp_path / "agent"


@pytest.mark.parametrize("place", [0, 20, 60, 400, -1])
def test_a_damaged_file_is_refused_in_one_line(place: int, tmp_path: Path) -> None:
    file = saved(tmp_path)
    content = bytearray(file.read_bytes())
    content[place] ^= 4
    file.write_bytes(bytes(content))
    with pytest.raises(tb.MapError, match=r"not a saved|damaged|format"):
        tb.Agent.load(file)
    file.write_bytes(bytes(content[:50]))
    with pytest.raises(tb.MapError, match="damaged"):
        tb.Agent.load(file)


def forged(file: Path, change: Any) -> None:
    """Change the state in a file, with a checksum that fits."""
    about, contents = snapshots.read(file)
    about.pop("lengths")
    change(about, contents)
    arrays = snapshots.Arrays()
    arrays.contents = contents
    snapshots.write(file, about, arrays)


@pytest.mark.parametrize(
    "change",
    [
        lambda about, contents: about.update(what="fleet"),
        lambda about, contents: about.update(version="0.0"),
        lambda about, contents: about["state"].update(mind={"struct": []}),
        lambda about, contents: about["state"].update(mind=5),
        lambda about, contents: about["state"].pop("world"),
        lambda about, contents: about["state"].update(world={"object": "Path", "state": {"dict": []}}),
        lambda about, contents: about["state"].update(kind="os:system"),
        lambda about, contents: contents.__setitem__(0, b"junk"),
        lambda about, contents: contents.clear(),
    ],
)
def test_a_foreign_file_is_refused_in_one_line(change: Any, tmp_path: Path) -> None:
    file = saved(tmp_path)
    forged(file, change)
    with pytest.raises(tb.TimeboundError) as error:
        tb.Agent.load(file)
    assert "\n" not in str(error.value)


def test_what_cannot_be_saved_says_so_and_leaves_no_file(tmp_path: Path) -> None:
    agent = tb.make("rtaa", tb.Grid(np.ones((5, 5), bool)), (0, 0), (4, 4))
    agent.listen(lambda events: None)
    with pytest.raises(tb.ProblemError, match="remove it first"):
        agent.save(tmp_path / "file")
    puzzle = tb.make("rtaa", tb.Tiles(3), (1, 0, 2, 3, 4, 5, 6, 7, 8), tuple(range(9)))
    with pytest.raises(tb.ProblemError, match="a Tiles cannot be saved"):
        puzzle.save(tmp_path / "file")
    assert not list(tmp_path.iterdir())
