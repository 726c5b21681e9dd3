"""Targets: where an agent goes, of all that its lookahead has found; or what it looks for in the first place."""
