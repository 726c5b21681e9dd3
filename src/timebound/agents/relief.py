"""Relief: a move became possible or cheaper, so learned values may be too high now."""

from typing import Any

from ..compiled import borrow_field, compiled, optional
from ..knowledge import News
from ..knowledge.graph import GraphKnowledge
from ..knowledge.grid import GridKnowledge
from ..search.consistency import restore_consistency
from ..search.learning import without_learned
from .roles import unlearned_yet


@optional
def relieve(knowledge: Any, rule: Any, body: Any, news: News, half_learned: bool, most: int) -> None:
    """Lower h-values that are now too high. (For an agent that knows everything, nothing is ever news.)"""


def _relieve(knowledge: Any, rule: Any, body: Any, news: News, half_learned: bool, most: int) -> None:
    if len(borrow_field(body, "world").h):
        lower_learned(body, unlearned_yet(rule, body), news, 0 if half_learned else most)


relieve.of(GridKnowledge)(_relieve)
relieve.of(GraphKnowledge)(_relieve)


@compiled
def lower_learned(body: Any, nodes: Any, news: News, most: int) -> None:
    """Make h consistent again; or forget all of it, if that takes too long or is impossible."""
    certain = body.steepness > 0 and most > 0
    if not (certain and restore_consistency(body.world, nodes, news.states, news.count, body.steepness, most)):
        body.world = without_learned(body.world)
