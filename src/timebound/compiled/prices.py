"""The prices of operations on the virtual clock, in nanoseconds.

They are the same on every machine, so a run with `virtual_ms` is repeatable to the last digit. Measured on
15 November 2026 on one core of an AMD EPYC; `timebound calibrate` measures them on yours, for comparison.
"""

EXPANSION = 25  # taking a state out of the open list
SUCCESSOR = 4  # looking at one move from it
PUSH = 5  # into the open list
TRACE_STEP = 12  # from a state to its parent
UPDATE = 4  # of one heuristic value
