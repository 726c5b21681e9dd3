"""Agents: they decide one move an interval, in a world that they know, or discover while they walk."""

from typing import TYPE_CHECKING

from ..lazy import attach
from .catalogue import Kind, catalogue, variant

if TYPE_CHECKING:
    from .agent import Agent, make

__getattr__, __dir__ = attach(__name__, {".agent": ("Agent", "make")})

__all__ = ["Agent", "Kind", "catalogue", "make", "variant"]
