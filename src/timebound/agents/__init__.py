"""The agents, one family a file."""

from .complete import AGENTS, run

__all__ = ["AGENTS", "run"]
