"""Lookaheads: how far an agent looks, and what it searches with."""
