"""The options of the benchmarks."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """How much to measure, and on what."""

    quick: bool
    data: Path | None
    seed: int
    others: tuple[str, ...] = ()
    """Packages to compare with; empty means all."""

    @property
    def queries(self) -> int:
        """Problems per map."""
        return 20 if self.quick else 60

    @property
    def rounds(self) -> int:
        """How many times each is timed."""
        return 5 if self.quick else 9

    @property
    def box(self) -> float:
        """Seconds that one contender may spend on one map."""
        return 0.3 if self.quick else 1.0
