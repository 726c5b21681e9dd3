"""The agents, one family a file."""

from .agent import Agent, make
from .catalogue import Kind, catalogue

__all__ = ["Agent", "Kind", "catalogue", "make"]
