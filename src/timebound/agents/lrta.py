"""LRTA* (Korf 1990): look ahead, raise the h of the present state to what was seen, make the first move."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field
from ..search.best_first import begin_again
from ..search.breadth_first import look_within
from ..search.clock import NEVER
from ..search.learning import learn
from ..search.open_list import NOBODY
from ..search.paths import begin_trace
from ..search.prices import TRACE_STEP
from .body import UNREACHABLE, decide, path_ahead
from .paths import rest_of_path, same_world, take_news, take_path
from .proof import proved_unreachable


class Lrta(NamedTuple):
    """How LRTA* decides."""

    depth: int  # moves; NEVER if the limit is one of cost
    cost_limit: int  # NEVER if the limit is one of moves
    shift: int  # of the open list's buckets
    longest: int  # no path on the map costs more: see `proof`


@path_ahead.of(Lrta)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return rest_of_path(borrow_field(body, "walk"))


@decide.of(Lrta)
def step_on(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """The kNN LRTA* paper, Figure 1, lines 4 to 7."""
    if virtual != NEVER:
        virtual = max(1, virtual - body.debt)
    if borrow_field(body, "news").count:
        take_news(body)
    search = body.search
    world = borrow_field(body, "world")
    body.length = 0
    if proved_unreachable(body, control.longest):
        body.stop = UNREACHABLE
        return
    same_world(body)
    begin_again(search, body.position, 1, 0, False, control.shift)
    body.searches += 1
    best = look_within(search, body.position, control.depth, control.cost_limit, expansions, deadline, virtual)
    body.expansions += search.expansions
    if best.state == NOBODY:
        body.stop = UNREACHABLE
        return
    begin_trace(search, best.state)
    body.progress = 0
    take_path(body, False, NEVER)
    learn(world, body.position, best.f)
    body.decision = np.int64(borrow_field(body, "path")[1])
    body.debt = TRACE_STEP * body.length
