"""Nothing that a page asks for is trusted."""

import base64
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studio.settings import KINDS, asked

from timebound.core.errors import TimeboundError
from timebound.studio.client_limits import MOST_CELLS, MOST_UPLOAD
from timebound.studio.ground import cells_of, dropped, ground_of
from timebound.studio.setting import setting_of

AGENT = {"name": "rtaa"}
REFUSED = {
    "nothing": (None, "object"),
    "a list": ([], "object"),
    "no agents": (asked(agents=[]), "1 to 4"),
    "five agents": (asked(agents=[AGENT] * 5), "1 to 4"),
    "an agent by an import path": (asked(agents=[{"name": "os:system"}]), "in this studio"),
    "an agent that is a list": (asked(agents=[{"name": ["rtaa"]}]), "in this studio"),
    "a file as parameter": (
        asked(agents=[{"name": "knn-lrta", "parameters": {"cases": "x"}}], terrain="known"),
        "may set",
    ),
    "a module as parameter": (asked(agents=[{"name": "rtaa", "parameters": {"learning": "os:system"}}]), "word"),
    "a path as parameter": (asked(agents=[{"name": "rtaa", "parameters": {"learning": "../x"}}]), "word"),
    "a nested parameter": (asked(agents=[{"name": "rtaa", "parameters": {"lookahead": [1]}}]), "number"),
    "a parameter of another agent": (
        asked(agents=[{"name": "rtaa", "parameters": {"trace_ratio": 1}}]),
        "no parameter",
    ),
    "too many records": (
        asked(agents=[{"name": "knn-lrta", "parameters": {"records": 10**9}}], terrain="known"),
        "at most",
    ),
    "terrain it does not take": (asked(agents=[{"name": "astar"}]), "only known terrain"),
    "no budget": (asked(budget={}), "budget"),
    "two budgets": (asked(budget={"ms": 1, "expansions": 1}), "budget"),
    "an endless budget": (asked(budget={"expansions": 1e12}), "at most"),
    "a long budget": (asked(budget={"ms": 1e6}), "at most"),
    "no limit": (asked(budget={"expansions": None}), "above 0"),
    "a budget of nothing": (asked(budget={"virtual_ms": 0}), "above 0"),
    "a negative budget": (asked(budget={"ms": -1}), "above 0"),
    "a start of floats": (asked(start=[0.5, 1]), "position"),
    "too many intervals": (asked(intervals=10**9), "intervals"),
    "a seed below 0": (asked(seed=-1), "seed"),
    "unknown terrain": (asked(terrain="fog"), "terrain"),
    "edits outside": (asked(edits={"@": [60, 100]}), "outside"),
    "edits of another character": (asked(edits={"W": [0, 1]}), "a brush is"),
    "edits that are odd": (asked(edits={"@": [1]}), "cells"),
    "a map by its path": (asked(map={"kind": "built-in", "name": "/etc/passwd"}), "built in"),
    "a map file": (asked(map={"kind": "file", "name": "/etc/passwd"}), "one of"),
    "a huge map": (asked(map={"kind": "caves", "width": 4000, "height": 4000}), "too many"),
    "a long map": (asked(map={"kind": "maze", "width": 10**9, "height": 1}), "at most"),
    "rows of two lengths": (asked(map={"kind": "rows", "rows": ["..", "."]}), "the same length"),
    "rows of nonsense": (asked(map={"kind": "rows", "rows": ["x"]}), "not terrain"),
    "rows beyond Latin": (asked(map={"kind": "rows", "rows": ["猫"]}), "not terrain"),
    "cells that are not base64": (asked(map={"kind": "cells", "width": 2, "height": 2, "cells": "?"}), "damaged"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    setting, why = REFUSED[case]
    with pytest.raises(TimeboundError, match=why) as refused:
        setting_of(setting, KINDS)
    assert "\n" not in str(refused.value)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def refusal(call: Callable[[], object]) -> str:
    """The message of a refusal; empty if there is none."""
    try:
        call()
    except TimeboundError as error:
        return str(error)
    return ""


@given(st.sampled_from(sorted(asked())), anything)
def test_any_value_in_any_place_is_taken_or_refused(place: str, value: Any) -> None:
    assert "\n" not in refusal(lambda: setting_of(asked(**{place: value}), KINDS))


@given(st.dictionaries(st.sampled_from(["kind", "name", "rows", "width", "height", "seed", "cells"]), anything))
def test_any_map_is_taken_or_refused(description: dict[str, Any]) -> None:
    assert "\n" not in refusal(lambda: ground_of(description))


def test_a_small_text_that_unfolds_to_much() -> None:
    bomb = base64.b64encode(zlib.compress(bytes(100 * 2**20))).decode()
    with pytest.raises(TimeboundError, match="more than"):
        ground_of({"kind": "cells", "width": 2048, "height": 2048, "cells": bomb})


def test_packing() -> None:
    ground = ground_of({"kind": "rows", "rows": [".@m", "WTS"]})
    again = ground_of({"kind": "cells", **ground.packed()})
    assert again.codes.tolist() == ground.codes.tolist()


@given(st.lists(st.integers(-5, 40), max_size=8))
def test_runs(runs: list[int]) -> None:
    try:
        cells = cells_of(runs, 30)
    except TimeboundError:
        return
    assert all(0 <= cell < 30 for cell in cells.tolist())


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "x.yaml", "x", "", ".map", None, 7, "a\0.map", "x" * 5000 + ".map"]
)
def test_names_of_dropped_files(name: Any) -> None:
    with pytest.raises(TimeboundError) as refused:
        dropped(name, b"type octile\nheight 1\nwidth 1\nmap\nx\n")
    assert "tmp" not in str(refused.value)


def test_dropped_files_are_read() -> None:
    ground = dropped("../../house.map", b"type octile\nheight 1\nwidth 3\nmap\n.@.\n")
    assert (ground.name, ground.codes.tobytes()) == ("house", b".@.")


@given(st.binary(max_size=200), st.sampled_from([".map", ".npy", ".png", ".gif", ".track", ".jpg"]))
def test_any_file_is_read_or_refused(content: bytes, suffix: str) -> None:
    assert "timebound-" not in refusal(lambda: dropped(f"x{suffix}", content))


def test_dropped_files_have_a_limit() -> None:
    with pytest.raises(TimeboundError, match="limit is"):
        dropped("x.map", bytes(MOST_UPLOAD + 1))
    assert MOST_CELLS == 2**22
