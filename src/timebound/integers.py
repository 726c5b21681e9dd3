"""The whole numbers of compiled code."""

from typing import Any, TypeAlias

import numpy as np

# The number of a state, a cell, a region, ...: most come out of arrays, and to Numba an int64 is an int.
Int: TypeAlias = int | np.integer[Any]
