"""Walks: how an agent follows what its lookahead has found, and what it does before that."""
