"""Shortest paths that are prepared once for a map (`World.prepare`)."""
