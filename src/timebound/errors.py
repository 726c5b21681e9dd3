"""What timebound raises when the input is wrong: one line that says what, where, and what to do about it."""

from .wording import one_line


class TimeboundError(ValueError):
    """Bad input of any kind; the base of every error that timebound raises on purpose.

    It is a `ValueError`, so that code which knows nothing of timebound handles it as it handles other bad values.
    Its text is one line, whatever names and values it quotes. The command line prints it and exits with status 2.
    """

    def __init__(self, text: object = "") -> None:
        super().__init__(one_line(str(text)))


class MapError(TimeboundError):
    """A map, scenario or image file that cannot be read or written as what it claims to be."""


class WorldError(TimeboundError):
    """A world that cannot be: a negative cost, an empty graph, an inconsistent heuristic, an unknown rule."""


class ProblemError(TimeboundError):
    """A start, a goal or a budget that makes no sense in its world."""


class CaseError(TimeboundError):
    """A base of cases that cannot be built, read or written, or that is for another map."""
