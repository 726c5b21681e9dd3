"""Agents: they decide one move per interval, in a world that they know, or discover as they walk."""

from typing import TYPE_CHECKING

from ..core.lazy import attach
from .catalogue import Kind, variant
from .registry import catalogue, find_kind, register, unregister

if TYPE_CHECKING:
    from .agent import Agent, make
    from .check import check_agent

__getattr__, __dir__ = attach(__name__, {".agent": ("Agent", "make"), ".check": ("check_agent",)})

__all__ = ["Agent", "Kind", "catalogue", "check_agent", "find_kind", "make", "register", "unregister", "variant"]
