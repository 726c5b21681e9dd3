"""What the lab measures: figures of an episode, and ratios of their totals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..episode import Episode

FIGURES: Mapping[str, Callable[[Episode], float]] = {
    "cost": lambda episode: episode.cost,
    "moves": lambda episode: episode.moves,
    "intervals": lambda episode: episode.intervals,
    "expansions": lambda episode: episode.expansions,
    "searches": lambda episode: episode.searches,
    "back_moves": lambda episode: episode.back_moves,
    "waits": lambda episode: episode.intervals - episode.moves,
    "planning_us": lambda episode: episode.planning_us,
    "longest_us": lambda episode: episode.time_per_move_us["max"],
    "memory_kb": lambda episode: episode.memory_bytes / 1024,
    "states_in_memory": lambda episode: episode.states_in_memory,
    "updates": lambda episode: episode.updates,
    "raised": lambda episode: episode.updates * episode.raise_per_update,
    "optimal_cost": lambda episode: episode.optimal_cost,
    "suboptimality": lambda episode: episode.suboptimality,
    "excess": lambda episode: 100 * (episode.suboptimality - 1),  # percent
}
TIMES = ("planning_us", "longest_us")
"""The figures that depend on the machine."""
DEAR = ("optimal_cost", "suboptimality", "excess")
"""The figures that take another search: measured only where an experiment asks for them."""


@dataclass(frozen=True)
class Measure:
    """A figure, in the mean over problems, or one figure's total over another's, as in `planning_us / searches`.

    >>> Measure.parse("planning_us / searches")
    Measure(figure='planning_us', per='searches')
    >>> str(Measure.parse("cost"))
    'cost'
    """

    figure: str
    per: str = ""

    @classmethod
    def parse(cls, text: str) -> "Measure":
        """From its text; a figure that does not exist is a `KeyError` with its name."""
        figure, _, per = (part.strip() for part in text.partition("/"))
        for name in (figure, per) if "/" in text else (figure,):
            if name not in FIGURES:
                raise KeyError(name)
        return cls(figure, per)

    @property
    def figures(self) -> tuple[str, ...]:
        """The figures that it is made of."""
        return (self.figure, self.per) if self.per else (self.figure,)

    def __str__(self) -> str:
        return " / ".join(self.figures)
