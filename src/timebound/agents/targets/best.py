"""Go to the open state that is best in the order of the search: f is least."""

from typing import NamedTuple

from ..parts import Part


class Best(NamedTuple):
    """The state to be expanded next."""

    tag: int = 0


BEST = Part("target", "best", "go to the best open state", lambda setting: Best())
