"""The colours of the page: those of the library's pictures."""

from typing import Any

from ..maps.crowds import UNIT_COLOURS
from ..maps.drawing import FAINT, GOAL_COLOUR, HEAT, HEAT_STRENGTH, INK, PAPER, START_COLOUR, TERRAIN_COLOURS
from ..maps.plots import LITTLE_TO_MUCH, SELDOM_TO_OFTEN
from ..maps.trails import COLOURS, DENSITY, FOG, RUBBLE


def palette() -> dict[str, Any]:
    """Return every colour as red, green and blue, by its purpose.

    >>> palette()["agents"][0]
    (213, 94, 0)
    """
    return {
        "terrain": {str(ord(character)): colour for character, colour in TERRAIN_COLOURS.items()},
        "agents": COLOURS,
        "units": UNIT_COLOURS,
        "start": START_COLOUR,
        "goal": GOAL_COLOUR,
        "fog": FOG,
        "fog_density": DENSITY,
        "hidden": RUBBLE,
        "open": COLOURS[5],
        "expanded": HEAT,
        "expanded_strength": HEAT_STRENGTH,
        "learned": LITTLE_TO_MUCH,
        "visits": SELDOM_TO_OFTEN,
        "paper": PAPER,
        "ink": INK,
        "faint": FAINT,
    }
