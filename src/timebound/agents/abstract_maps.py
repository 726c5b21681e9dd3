"""What agents on abstract maps have in common."""

from ..subgoals.abstraction import Abstraction
from ..worlds import Grid
from .parts import Setting


def abstraction_for(setting: Setting) -> Abstraction:
    """Return the abstraction of the agent's world."""
    return Abstraction.of(setting.world)


def needs_a_grid(setting: Setting) -> str | None:
    """Refuse worlds that cannot be abstracted: all except grids."""
    if isinstance(setting.world, Grid):
        return None
    return f"agent {setting.name!r} needs a grid, which can be abstracted, not a {type(setting.world).__name__}"
