"""Limits that commands state before anything heavy is loaded."""

MOST_RECORDS = 10_000_000  # of a case base
MOST_WORKERS = 1024
SPARE = 16  # costs may rise, or be weighted, that many times: sums of the longest path still fit
