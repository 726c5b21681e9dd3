"""The worked example of the RTAA* paper (section 7, Figures 3 to 7), as far as complete agents go."""

import pytest
from rtaa_example import EXAMPLE, GOAL, START, TRAJECTORY

import timebound as tb
from timebound.compiled import compiled
from timebound.search.learning import learned_values


@compiled
def learned(body):  # type: ignore[no-untyped-def]
    return learned_values(body.world)


def test_forward_astar_expands_23_states_in_two_searches() -> None:
    episode = tb.make("repeated-astar", EXAMPLE, START, GOAL, terrain="unknown").run()
    assert (episode.expansions, episode.searches, episode.cost) == (23, 2, 10)
    assert episode.path == TRAJECTORY


def test_adaptive_astar_expands_20_states_on_the_same_trajectory() -> None:
    episode = tb.make("adaptive-astar", EXAMPLE, START, GOAL, terrain="unknown").run()
    assert (episode.expansions, episode.searches, episode.cost) == (20, 2, 10)
    assert episode.path == TRAJECTORY


def test_dstar_lite_expands_16_states() -> None:
    episode = tb.make("dstar-lite", EXAMPLE, START, GOAL, terrain="unknown").run()
    assert (episode.expansions, episode.searches, episode.cost) == (16, 2, 10)
    assert episode.path == TRAJECTORY


@pytest.mark.parametrize(("name", "total"), [("repeated-astar", 23), ("adaptive-astar", 20)])
def test_the_second_search_begins_where_the_path_turns_out_to_be_blocked(name: str, total: int) -> None:
    agent = tb.make(name, EXAMPLE, START, GOAL, terrain="unknown")
    seen = [(agent.step(), agent.episode().expansions) for _ in range(4)]
    assert seen == [((2, 4), 10), ((1, 4), 10), ((1, 3), 10), ((1, 2), total)]


def test_the_printed_costs_of_both_searches() -> None:
    """The g-values of Figures 4 and 5; -1 where no state was generated."""
    agent = tb.make("repeated-astar", EXAMPLE, START, GOAL, terrain="unknown")
    agent.step()
    assert agent.reached().reshape(5, 5).tolist() == [
        [-1, -1, -1, -1, -1],
        [-1, 4, 5, 6, 7],
        [4, 3, 4, 5, 6],
        [3, 2, -1, 6, 7],
        [2, 1, 0, -1, 8],
    ]
    agent.run()
    second = [[-1, 2, 3, 4, 5], [2, 1, 2, 3, 4], [1, 0, -1, 4, 5], [2, 1, -1, 7, 6], [3, 2, 3, -1, 7]]
    assert agent.reached().reshape(5, 5).tolist() == second
    adaptive = tb.make("adaptive-astar", EXAMPLE, START, GOAL, terrain="unknown")
    adaptive.run()
    second[4][2] = -1  # the learned h keeps it from going back to the start
    assert adaptive.reached().reshape(5, 5).tolist() == second


def test_what_adaptive_astar_learns_from_the_first_search() -> None:
    """Fact 3.7, as far as the second search needs it: h is raised when that search reaches a state."""
    agent = tb.make("adaptive-astar", EXAMPLE, START, GOAL, terrain="unknown")
    agent.step()
    assert not learned(agent._body).any()
    episode = agent.run()
    assert learned(agent._body).reshape(5, 5).tolist() == [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 6, 0, 0, 0],  # the 5 of the first is what the world itself says
        [6, 7, 0, 0, 0],
    ]
    assert (episode.updates, episode.raise_per_update) == (3, (2 + 2 + 4) / 3)
