"""Targets: where an agent goes among the states that its lookahead has found; or what it looks for at all."""
