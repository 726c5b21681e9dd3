"""The worked example of the RTAA* paper (section 7, Figures 3 to 7)."""

from agent_worlds import grid

EXAMPLE = grid(
    ".....",
    ".....",
    "..#..",
    "..#..",
    "...#.",
    neighbors=4,
)
START, GOAL = (2, 4), (4, 4)
TRAJECTORY = [(2, 4), (1, 4), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1), (4, 1), (4, 2), (4, 3), (4, 4)]
