"""Walks: how an agent moves along what its lookahead has found, and what it does while it has found nothing."""
