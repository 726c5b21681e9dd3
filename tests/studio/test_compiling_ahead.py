"""What `timebound warmup --studio` uses, so that nothing is left to be compiled while somebody waits."""

import pytest

from timebound.cli import main
from timebound.warmup import _USES, IN_A_FLEET, LISTENED_TO, WORLDS, Place, studio_places

PLACES = studio_places()


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_everything_is_really_used(place: Place) -> None:
    _USES[place.use](place, *WORLDS[place.world]())  # whatever does not work is raised here, and not passed over


def test_which_they_are() -> None:
    assert studio_places(["rtaa", "tbaa"], ["grid", "graph"]) == [
        *(Place("rtaa", "grid", terrain, LISTENED_TO) for terrain in ("known", "unknown")),
        *(Place("tbaa", "grid", terrain, LISTENED_TO) for terrain in ("known", "unknown")),
        *(Place("rtaa", "graph", terrain, LISTENED_TO) for terrain in ("known", "partial")),
        *(Place("tbaa", "graph", terrain, LISTENED_TO) for terrain in ("known", "partial")),
        Place("rtaa", "grid", "known", IN_A_FLEET),
    ]


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warmup", "lrta", "--studio", "--workers", "1"]) == 0
    assert "6 of 6 ready" in capsys.readouterr().out
    assert main(["warmup", "lrta", "--studio", "--list"]) == 0
    assert "in a fleet" in capsys.readouterr().out
