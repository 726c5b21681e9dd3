"""Pictures of learning: h before and after, its rise, and the visits to every cell."""

import sys

import numpy as np
import pytest

import timebound as tb
from timebound import maps
from timebound.applications.trials import surface, trials, visits
from timebound.maps.plots import learning_picture, panels, pooled

FREE = np.ones((6, 10), bool)
FREE[1:5, 6] = False
BLOCKED = (44, 46, 56)


def colours(image: object) -> set:
    return {colour for _, colour in image.getcolors(1 << 24)}  # type: ignore[attr-defined]


def test_the_picture_of_an_agent_that_learned() -> None:
    world = tb.Grid(FREE)
    agent = tb.make("rtaa", world, (1, 2), (9, 2), terrain="unknown")
    before = surface(agent)
    episodes = list(trials(agent, 30, expansions=2))
    after = surface(agent)
    assert (after >= before).all()
    assert before[2, 1] == 8
    assert after[2, 5] > before[2, 5] == 4
    image = maps.learning_picture(FREE, before, after, visits(world, episodes), (1, 2), (9, 2), "learned")
    assert image.size == (1260, 48 + 2 * (26 + 360 + 52))
    assert BLOCKED in colours(image)
    assert len(colours(image)) > 60
    left, top, scale = 20, 48 + 26, 60
    wall, ground = (left + 6 * scale + 30, top + 2 * scale + 30), (left + 3 * scale + 30, top + 5 * scale + 30)
    assert image.getpixel(wall) == BLOCKED
    assert image.getpixel(ground) != BLOCKED


def test_the_same_h_has_the_same_colour_before_and_after() -> None:
    before = np.arange(60.0).reshape(6, 10)
    after = before.copy()
    after[0, 0] = 100
    image = learning_picture(np.ones((6, 10), bool), before, after, np.zeros((6, 10)))
    cell = lambda panel, x, y: image.getpixel((20 + panel * 620 + x * 60 + 30, 74 + y * 60 + 30))  # noqa: E731
    assert [cell(0, x, y) for x, y in ((3, 1), (9, 5))] == [cell(1, x, y) for x, y in ((3, 1), (9, 5))]
    assert cell(0, 0, 0) != cell(1, 0, 0)


def test_values_without_end_get_the_colour_of_the_highest() -> None:
    after = np.full((6, 10), 7.0)
    after[0, 0] = np.inf
    image = learning_picture(np.ones((6, 10), bool), np.zeros((6, 10)), after, np.zeros((6, 10)))
    assert image.getpixel((640 + 30, 74 + 30)) == image.getpixel((640 + 90, 74 + 30))


def test_nothing_to_show() -> None:
    nothing = np.zeros((4, 4))
    assert learning_picture(np.zeros((4, 4), bool), nothing, nothing, nothing).size[0] == 1260
    assert learning_picture(np.ones((4, 4), bool), nothing, nothing, nothing).size[0] == 1260
    assert learning_picture(np.ones((1, 1), bool), np.full((1, 1), np.inf), np.full((1, 1), np.inf), [[3]]).size[0] > 0


def test_large_maps_are_reduced_and_keep_what_was_rare() -> None:
    visited = np.zeros((900, 2000))
    visited[100, 1000] = 5
    image = learning_picture(np.ones((900, 2000), bool), visited, visited, visited)
    assert image.width == 2 * (667 + 20) + 20
    values = pooled(np.where(visited > 0, visited, np.nan), 3)
    assert np.nansum(values) == 5
    assert values.shape == (300, 667)


def test_the_scale_of_visits_is_logarithmic() -> None:
    visited = np.ones((6, 10))
    visited[0, :3] = 10, 100, 1000
    *_, (_, _, _, norm) = panels(np.ones((6, 10), bool), visited, visited, visited)
    assert norm(visited[0, :4]).tolist() == pytest.approx([1 / 3, 2 / 3, 1, 0])


def test_without_matplotlib_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tb.MapError, match=r"is a plot, which needs Matplotlib: pip install matplotlib$"):
        learning_picture(FREE, FREE, FREE, FREE)


def test_values_of_another_shape_are_refused() -> None:
    with pytest.raises(tb.MapError, match=r"shape of the map, \(6, 10\), not \(3, 3\)"):
        learning_picture(FREE, np.zeros((3, 3)), np.zeros((6, 10)), np.zeros((6, 10)))


def test_a_graph_has_no_surface() -> None:
    world = tb.Graph.from_edges([("a", "b", 1.0), ("b", "c", 1.0)])
    with pytest.raises(tb.ProblemError, match="only be drawn on a grid"):
        surface(tb.make("rtaa", world, "a", "c"))
