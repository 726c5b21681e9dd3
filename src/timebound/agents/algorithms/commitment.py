"""Dynamic lookahead: make all moves of a path, and use their time for one larger search from its end.

Kiesel, Burns and Ruml 2015, section 3: an agent may commit to one move per search, or to all moves of the path; then
the lookahead may be as large as the time of these moves allows. In the first interval it searches from where it is.

The search's root is the end of the committed path. An observation that invalidates the path ends the search as well.
"""

from typing import NamedTuple

import numpy as np

from ...compiled import borrow_field
from ...compiled.clock import NEVER
from ...compiled.prices import TRACE_STEP
from ...search.budget import Allowance
from ...search.open_list import NOBODY
from ...search.paths import begin_trace
from ...search.state import begin_again
from ...worlds.interface import touch
from ..body import Body, place_on_path, proved_unreachable, same_world, search_on, take_path
from ..journey import NOWHERE, UNREACHABLE
from ..making import search_for
from ..parts import Part, Setting, learns_from_positive_costs
from ..roles import Parts, chosen, circles, look, outdated, prepare, search_ended


class SearchAhead(NamedTuple):
    """Best-first search from the end of the path that the agent follows."""

    tag: int = 3


outdated.of(SearchAhead)(lambda lookahead, body: True)


@look.of(SearchAhead)
def _look(lookahead: SearchAhead, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Search from the end of the path; once the agent is there, take the path that was found."""
    follows = place_on_path(body, body.position) != NOWHERE
    if not body.searching or not (follows or body.root == body.position):
        root = np.int64(borrow_field(body, "path")[body.length - 1]) if follows else body.position
        body.length = body.length if follows else 0
        prepare(parts.learning, body)
        node = borrow_field(body.search, "nodes")[root]
        touch(borrow_field(body, "world"), root, np.int64(node.search), node.g)
        circles(parts.learning, body)
        body.searching, body.root = True, root
        body.searches += 1
        same_world(body)
        begin_again(body.search, root, parts.order)
    search_on(body, allowance)
    if body.position != body.root:
        return
    body.searching = False
    target = chosen(parts.target, body)
    if target == NOBODY or proved_unreachable(body):
        body.stop = UNREACHABLE
        return
    begin_trace(body.search, target)
    body.progress, body.length = 0, 0
    search_ended(parts.learning, body)
    take_path(body, False, NEVER)
    body.debt += TRACE_STEP * body.length


def _objection(setting: Setting) -> str | None:
    if setting.parameters["movements"] not in (None, np.inf):
        return f"agent {setting.name!r} makes all moves of a path: leave out movements"
    if not setting.parts["learning"].when:
        return f"agent {setting.name!r} must learn, or it may walk in a circle; use learning='dijkstra'"
    return learns_from_positive_costs(setting)


AHEAD = Part(
    "lookahead",
    "ahead",
    "a best-first search from the end of the path, which lasts until the agent is there",
    lambda setting: SearchAhead(),
    memory=("nodes",),
    objection=_objection,
    search=search_for,
    starts_afresh=True,
    paper="Kiesel, Burns, Ruml 2015",
)
