"""Limits that the command line needs before it loads anything heavy."""

MOST_RECORDS = 10_000_000  # of a case base
MOST_WORKERS = 1024
SPARE = 16  # costs may rise, or be weighted, by this factor: the sum along the longest path still fits
