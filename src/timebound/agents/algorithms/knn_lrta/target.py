"""kNN LRTA* (Bulitko, Björnsson, Lawrence 2010): subgoals of the most similar problem solved in advance.

An agent queries its base for subgoals that lead to its goal (`query`), and goes from one to the next (`guide`). If
the base has nothing to offer, it heads for the goal.

    Figure 1    3      select a subgoal                aim_at_subgoal, query.choose
                4-7    look ahead, update h, move      lrta.make_one_move
    Figure 5           solve problems in advance       subgoals.building
    Figure 6           compress their paths            subgoals.hill_climbing.compress
    Figure 7           is a state reachable?           subgoals.hill_climbing.climb
    Figure 8    1      the most similar records        query.query
                2-4    can one be used?                query.look_at_next
                5-6    take it                         guide.append_record, guide.set_out
                9      head for the goal               query.after_candidates, guide.fail
    Section 6.2        the enhancements                the fields of CaseSubgoal
"""

from fractions import Fraction
from typing import Any, NamedTuple

from ....compiled import borrow_field, compiled
from ....core.limits import MOST_RECORDS
from ....search.goal_tables import BYTES
from ....search.hot_queue import BUCKETS
from ....search.state import figures
from ....worlds import Grid
from ....worlds.moves import price_of
from ...journey import NOWHERE, UNREACHABLE
from ...making import limit
from ...parameters import Parameter, a_count, a_flag, a_number, a_word, endless, up_to
from ...parts import Part, Setting
from ...roles import Size, aim, decided, missed, size, take_news_of_target, view
from ..quest import forget_all, one_state_or_nothing, toward, values_learned
from .base import base_for, guide_for
from .guide import BEGINNING, FOLLOWING, FOREVER, fail, proceed
from .query import choose


class CaseSubgoal(NamedTuple):
    """The next subgoal of the most similar case."""

    guide: Any
    cases: Any
    cap: int  # steps of a climb
    candidates: int  # records, or regions, to check
    quota: tuple[int, int]  # how many times the distance to the goal the agent walks without subgoals, as a fraction
    # The enhancements of section 6.2, in their order; the fourth is `candidates`.
    goal_first: bool  # check whether the goal itself can be climbed to, before querying the base
    skip_start: bool  # skip the start of a record if the next subgoal can be climbed to
    skip_end: bool  # skip its end if the goal can be climbed to
    kd_tree: bool  # query the tree, instead of checking all records
    interrupt: bool  # query again when the quota is used up
    shortcuts: bool  # not in the paper: at every subgoal, skip the following ones that are not needed
    shift: int  # of the open list's buckets in a search over regions


@take_news_of_target.of(CaseSubgoal)
def _take_news(target: Any, body: Any) -> None:
    """Note that the map may differ from the one that the base was built for."""
    guide = target.guide
    guide.changed, guide.expected = True, NOWHERE
    if borrow_field(body, "news").relief:
        forget_all(guide.quest)


@aim.of(CaseSubgoal)
def _aim(target: Any, body: Any, allowance: Any) -> bool:
    return aim_at_subgoal(target, body, allowance)


@compiled
def aim_at_subgoal(target: Any, body: Any, allowance: Any) -> bool:
    """Choose a subgoal if necessary (Figure 1, line 3)."""
    guide, done = target.guide, body.expansions
    if body.position != guide.expected and (body.position != guide.left or guide.expected == NOWHERE):
        guide.stage, guide.failures, guide.expected = BEGINNING, 0, body.position  # the agent was put elsewhere
    if guide.stage == FOLLOWING and body.position == guide.quest.target:
        proceed(target, body)
    elif guide.stage == FOLLOWING and guide.quota == 0:
        if guide.quest.target == body.goal:
            guide.stage = BEGINNING
        else:
            fail(target, body)
    if guide.stage != FOLLOWING and not choose(target, body, allowance):
        return False
    return body.expansions - done < allowance.expansions


@view.of(CaseSubgoal)
def _view(target: Any, body: Any) -> Any:
    quest = target.guide.quest
    return toward(quest, borrow_field(quest, "world"), borrow_field(body, "world"))


@missed.of(CaseSubgoal)
def _missed(target: Any, body: Any) -> bool:
    if target.guide.quest.target == body.goal:
        body.stop = UNREACHABLE
    else:  # a subgoal of a map that has changed
        fail(target, body)
    return False


@decided.of(CaseSubgoal)
def _decided(target: Any, body: Any) -> None:
    guide = target.guide
    guide.left, guide.expected = body.position, body.decision
    if guide.quota != FOREVER:
        guide.quota = max(0, guide.quota - price_of(borrow_field(guide.quest, "world"), body.position, body.decision))


@size.of(CaseSubgoal)
def _size(target: Any, body: Any) -> Size:
    guide = target.guide
    search, learned = figures(guide.route)[3] if guide.route.reached else 0, values_learned(guide.quest)
    return Size(search + 4 * guide.count + 12 * guide.candidates + BYTES * learned, guide.count + learned)


def _make(setting: Setting) -> CaseSubgoal:
    world, parameters = setting.world, setting.parameters
    base = base_for(world, parameters)
    cases, most = base.compiled, min(max(len(base.compiled.tree.rows), 1), limit(parameters["candidates"]))
    # The most expensive move of the graph of regions: a record, or a climb, which has at most `cap` steps.
    cap = parameters["cap"]
    highest_cost = max(int(cases.costs.max(initial=0)), min(cap, world.states) * world.highest_cost)
    return CaseSubgoal(
        guide_for(setting, base, most),
        cases,
        cap,
        most,
        Fraction(repr(parameters["quota"])).limit_denominator(1000).as_integer_ratio(),
        parameters["goal_first"],
        parameters["skip_start"],
        parameters["skip_end"],
        parameters["kd_tree"],
        parameters["interrupt"],
        parameters["shortcuts"],
        (2 * highest_cost // (BUCKETS - 2)).bit_length(),
    )


def _objection(setting: Setting) -> str | None:
    if not isinstance(setting.world, Grid):
        kind = type(setting.world).__name__
        return f"agent {setting.name!r} uses cases, which are for grids, not for a {kind}"
    return one_state_or_nothing(setting)


_FLAG = Parameter(True, a_flag)
CASES = Part(
    "target",
    "cases",
    "go to the subgoals of the most similar problem solved in advance",
    _make,
    {
        "cases": Parameter(None, lambda name, value: value),  # a base, or its file: it is checked when it is read
        "records": Parameter(1000, up_to(MOST_RECORDS, "records, the size of a base that an agent makes itself,")),
        "coverage": Parameter("even", a_word("coverage", "even", "random")),
        "cap": Parameter(250, a_count),
        "candidates": Parameter(10, endless),
        "quota": Parameter(
            3,
            a_number(
                "the quota is a number from 1 to 1000 (times the distance to the goal)",
                lambda given: 1 <= given <= 1000,
            ),
        ),
        "goal_first": _FLAG,
        "skip_start": _FLAG,
        "skip_end": _FLAG,
        "kd_tree": _FLAG,
        "interrupt": _FLAG,
        "shortcuts": _FLAG,
    },
    lookaheads=("step",),
    needs="its subgoals are for a lookahead of one step",
    objection=_objection,
    keeps_values=True,
    paper="Bulitko, Björnsson, Lawrence 2010",
    needs_grid=True,
)
