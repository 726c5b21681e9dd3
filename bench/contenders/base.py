"""The interface of contenders."""

from abc import ABC, abstractmethod
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

import numpy as np

from ..rules import STRICT, Position, Rule


class Contender(ABC):
    """One way to find shortest paths on a grid. Making one is its preparation, timed separately from queries."""

    package: ClassVar[str]
    """Its name for pip."""
    method: ClassVar[str] = "A*"
    remark: ClassVar[str] = ""
    """What a reader of the table should know."""
    most_cells: ClassVar[int] = 2_000_000
    """The most free cells for which its preparation takes acceptable time and memory."""
    rule: Rule = STRICT

    @abstractmethod
    def __init__(self, passable: np.ndarray) -> None: ...

    @abstractmethod
    def find(self, start: Position, goal: Position) -> Any:
        """Answer one query in the package's own form, including the path. Only this is timed."""

    def states(self, answer: Any) -> Any:
        """Return the path of an answer as (x, y) positions, including start and goal."""
        return answer

    def expansions(self, answer: Any) -> int | None:
        """Return how many states were expanded, if the package reports it."""
        return None

    @classmethod
    def version(cls) -> str | None:
        """Return the installed version, or None."""
        try:
            return version(cls.package)
        except PackageNotFoundError:
            return None
