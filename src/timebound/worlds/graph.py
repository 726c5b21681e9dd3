"""Directed weighted graphs (being built)."""
from .world import World
class Graph(World):
    """x"""
