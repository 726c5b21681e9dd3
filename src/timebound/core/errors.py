"""The errors that timebound raises for bad input: one line that says what, where, and what to do about it."""

from .wording import one_line


class TimeboundError(ValueError):
    """Bad input of any kind; the base of every error that timebound raises on purpose.

    It is a `ValueError`, so code that knows nothing about timebound handles it like any other bad value.
    Its text is one line, whatever it quotes. The command line prints it and exits with status 2.
    """

    def __init__(self, text: object = "") -> None:
        super().__init__(one_line(str(text)))


class MapError(TimeboundError):
    """A file that cannot be read or written in its format: a map, scenario, picture, or saved agent."""


class WorldError(TimeboundError):
    """An invalid world: a negative cost, an empty graph, an inconsistent heuristic, an unknown rule."""


class ProblemError(TimeboundError):
    """A start, goal or budget that is invalid in its world."""


class CaseError(TimeboundError):
    """A case base that cannot be built, read or written, or that belongs to another map."""


class CompilationError(TimeboundError):
    """Code of your own that does not compile, such as a part of an agent. `report` is all that the compiler says."""

    def __init__(self, text: object = "", report: str = "") -> None:
        super().__init__(text)
        self.report = report
