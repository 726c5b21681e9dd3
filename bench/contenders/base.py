"""What a contender is."""

from abc import ABC, abstractmethod
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

import numpy as np

from ..rules import STRICT, Position, Rule


class Contender(ABC):
    """One way to find shortest paths on a grid. Making one is its preparation, and is timed apart from the queries."""

    package: ClassVar[str]
    """What pip calls it."""
    method: ClassVar[str] = "A*"
    remark: ClassVar[str] = ""
    """What a reader of the table should know."""
    most_cells: ClassVar[int] = 2_000_000
    """Free cells above which the preparation takes more time or memory than a benchmark may ask for."""
    rule: Rule = STRICT

    @abstractmethod
    def __init__(self, passable: np.ndarray) -> None: ...

    @abstractmethod
    def find(self, start: Position, goal: Position) -> Any:
        """Answer one query in the package's own form, the path included. Only this is timed."""

    def states(self, answer: Any) -> Any:
        """The path of an answer as (x, y) positions, start and goal included."""
        return answer

    def expansions(self, answer: Any) -> int | None:
        """How many states were expanded, where the package tells."""
        return None

    @classmethod
    def version(cls) -> str | None:
        """The installed version, or None."""
        try:
            return version(cls.package)
        except PackageNotFoundError:
            return None
