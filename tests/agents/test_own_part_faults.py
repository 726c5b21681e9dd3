"""Parts of one's own that are wrong: one line says so, and the process goes on."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import timebound as tb
from timebound.agents.catalogue import Kind
from timebound.agents.making import ARRAYS
from timebound.agents.parts import MEMORY
from timebound.compiled import compiled
from timebound.parts import Part, best_open, borrow_field, choose, look, search_for

WORLD = tb.Grid(np.ones((9, 9), bool))


class Jump(NamedTuple):
    """A lookahead that decides on a state some numbers ahead, whatever is there."""

    states: int


@look.of(Jump)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> None:
    body.decision = body.position + lookahead.states


class Fixed(NamedTuple):
    """A target that is always the same."""

    state: Any


@choose.of(Fixed)
def _choose(target: Any, search: Any) -> Any:
    return target.state


class Best(NamedTuple):
    """A target that is chosen well."""

    tag: int = 0


@choose.of(Best)
def _choose_best(target: Any, search: Any) -> Any:
    return best_open(search)


def jumping(states: int) -> Kind:
    part = Part("lookahead", "jump", "", lambda setting: Jump(states), memory=("nodes",), search=search_for)
    return tb.variant("jumping", like="repeated-astar", lookahead=part)


def going_to(target: Any) -> Kind:
    return tb.variant("going", like="rtaa", target=Part("target", "fixed", "", lambda setting: target))


def made(kind: Kind) -> Any:
    return tb.make(kind, WORLD, (0, 0), (8, 8), terrain="unknown")


@pytest.mark.uncompiled
@pytest.mark.parametrize("states", [7, 2, -5, 10**9, -(10**9)])
def test_a_move_that_is_none_is_an_error(states: int) -> None:
    agent = made(jumping(states))
    error = "agent 'jumping' decided an illegal move at (0, 0); check its part lookahead 'jump'"
    with pytest.raises(tb.ProblemError) as raised:
        agent.run(expansions=5)
    assert str(raised.value) == error
    assert (agent.position, agent.stop, agent.done, agent.episode().moves) == ((0, 0), "illegal", True, 0)
    with pytest.raises(tb.ProblemError, match="illegal"):
        made(jumping(states)).plan(expansions=5)


@pytest.mark.uncompiled
def test_moves_that_are_some_are_made() -> None:
    assert made(jumping(1)).step(expansions=5) == (0, 0)
    assert made(jumping(10)).run(expansions=5).cost == pytest.approx(8 * 2**0.5)


@pytest.mark.uncompiled
@pytest.mark.parametrize("state", [80, -2, 10**9])
def test_a_target_that_the_search_has_not_reached_is_an_error(state: int) -> None:
    with pytest.raises(tb.ProblemError, match=r"decided an illegal move at .*; check its part target 'fixed'"):
        made(going_to(Fixed(state))).run(expansions=1)


@pytest.mark.uncompiled
def test_a_target_that_is_no_whole_number_is_an_error() -> None:
    with pytest.raises(tb.ProblemError, match=r"a state is a whole number, but Fixed gives 5\.5"):
        made(going_to(Fixed(5.5))).run(expansions=5)
    assert made(going_to(Best())).run(expansions=5).solved


@pytest.mark.uncompiled
@pytest.mark.parametrize("kind", [jumping(7), going_to(Fixed(80))])
def test_a_unit_that_decides_on_an_illegal_move_is_stuck(kind: Kind) -> None:
    fleet = tb.Fleet(WORLD)
    fleet.add(kind, start=(0, 0), goal=(8, 8))
    for _ in range(3):
        fleet.tick(expansions=5)
    assert (fleet.status(), fleet.positions.tolist()) == (["stuck"], [[0, 0]])


@pytest.mark.uncompiled
def test_the_check_finds_illegal_moves() -> None:
    line, *_ = tb.check_agent(jumping(7), problems=2)
    assert line.startswith("it raised ProblemError: agent 'jumping' decided an illegal move at ")


@pytest.mark.compiled
def test_machine_code_makes_no_illegal_move() -> None:
    """One type of each, so that little is compiled."""
    with pytest.raises(tb.ProblemError, match="agent 'jumping' decided an illegal move"):
        made(jumping(10**9)).run(expansions=5)
    assert made(jumping(10)).run(expansions=5).solved
    with pytest.raises(tb.CompilationError, match="a state is a whole number, but Fixed gives float64"):
        made(going_to(Fixed(5.5)))


def test_memory_has_names() -> None:
    with pytest.raises(tb.ProblemError, match="part 'x': its memory is 'mine'; choose from: nodes, "):
        Part("learning", "x", "", lambda setting: Best(), memory=("mine",))
    assert (*ARRAYS,) == MEMORY


# ------------------------------------------------------------------ what does not compile


class Misspelt(NamedTuple):
    rule: Any


@compiled
def misspelt(pair: Any) -> int:
    return pair.ruel  # type: ignore[no-any-return]


@compiled
def nameless(x: int) -> int:
    return nobody(x)  # type: ignore[name-defined]  # noqa: F821


@compiled
def lending(body: Any) -> Any:
    return borrow_field(body, "nothing")


@pytest.mark.compiled
def test_the_error_says_in_one_line_what_does_not_compile() -> None:
    file = "test_own_part_faults.py"
    with pytest.raises(tb.CompilationError) as raised:
        misspelt(Misspelt(np.zeros(3)))
    line = misspelt.py_func.__code__.co_firstlineno + 2
    assert str(raised.value) == (
        f"misspelt does not compile ({file}, line {line}): Unknown attribute 'ruel' of type Misspelt(...)"
    )
    assert raised.value.__suppress_context__  # the traceback shows no more than that line
    assert "During: typing of get attribute" in raised.value.report
    with pytest.raises(tb.CompilationError, match="NameError: name 'nobody' is not defined"):
        nameless(3)
    with pytest.raises(tb.CompilationError, match=r"^lending does not compile \(.*: No implementation of"):
        lending(3)
    with pytest.raises(tb.CompilationError, match=r"^Misspelt\.rule is a dict, which cannot be compiled$"):
        misspelt((Misspelt({"a": 1}), 2))
