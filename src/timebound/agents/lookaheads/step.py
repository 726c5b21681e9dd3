"""A lookahead of one move: the neighbour with the least cost + h. It needs no search and no memory."""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, inlined, optional
from ...core.integers import Int
from ...search.learning import FULL
from ...search.listener import EXPAND, SEARCH
from ...search.one_step import best_choice
from ...search.open_list import NOBODY
from ...search.ties import in_search
from ...worlds.interface import NO_STATE, heuristic, hopeless, tell
from ..parts import Part, always, learns_from_positive_costs
from ..roles import (
    circles,
    decided,
    farthest,
    learns_first,
    look,
    missed,
    path_ahead,
    search_bytes,
    search_costs,
    search_number,
    search_states,
    take_news,
    take_news_of_target,
    teach,
    view,
)
from ..walk import OUT_OF_MEMORY, STUCK, forget_news, one_move


class Step(NamedTuple):
    """Look at the neighbours."""

    tag: int = 0


@take_news.of(Step)
def _take_news(lookahead: Any, parts: Any, body: Any) -> None:
    take_news_of_target(parts.target, body)
    forget_news(borrow_field(body, "walk"))


@look.of(Step)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> bool:
    return make_one_move(lookahead, parts, body, allowance)


@optional
def best_move(lookahead: Any, parts: Any, body: Any, world: Any, allowance: Any) -> Any:
    """Return the best neighbour, as an entry; the current state's h may be raised to its f."""
    return best_neighbor(parts, body, world)


@inlined
def best_neighbor(parts: Any, body: Any, world: Any) -> Any:
    """Return the neighbour with the least cost + h."""
    if not learns_first(parts.learning):
        tell(borrow_field(body, "world"), SEARCH, body.position, NO_STATE, 1, 1)
        tell(borrow_field(body, "world"), EXPAND, body.position, NO_STATE, 0, 0)
    body.expansions += 1
    return best_choice(world, body.position, in_search(parts.order, body.searches))[0]


@inlined
def make_one_move(lookahead: Any, parts: Any, body: Any, allowance: Any) -> bool:
    """Move toward the target: the kNN LRTA* paper, Figure 1, lines 4 to 7."""
    going = not circles(parts.learning, body)
    if not going:
        body.stop = STUCK
    while going:
        world = view(parts.target, body)
        proved = hopeless(world, body.position) or heuristic(world, body.position) > farthest(parts.target, body)
        if proved and not learns_first(parts.learning):
            going = missed(parts.target, body)
            continue
        body.searches += 1
        best = best_move(lookahead, parts, body, world, allowance)
        if best.state == NOBODY:
            going = missed(parts.target, body)
            continue
        teach(parts.learning, world, body.position, best.f)
        if borrow_field(body, "world").tally[FULL]:
            body.stop = OUT_OF_MEMORY
            break
        body.decision = np.int64(best.state)
        decided(parts.target, body)
        break
    return False


@path_ahead.of(Step)
def _path_ahead(lookahead: Any, body: Any) -> np.ndarray:
    return one_move(borrow_field(body, "walk"))


@search_bytes.of(Step)
def _search_bytes(lookahead: Any, body: Any) -> int:
    return 0


@search_states.of(Step)
def _search_states(lookahead: Any, body: Any) -> int:
    return 0


@search_costs.of(Step)
def _search_costs(lookahead: Any, body: Any) -> np.ndarray:
    return np.empty(0, np.int64)


@search_number.of(Step)
def _search_number(lookahead: Any, body: Any) -> Int:
    return 0


STEP = Part(
    "lookahead",
    "step",
    "the neighbours of the current state",
    lambda setting: Step(),
    objection=learns_from_positive_costs,
    starts_over=always,
    paper="Korf 1990",
)
