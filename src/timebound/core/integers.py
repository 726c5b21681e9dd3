"""The whole numbers of compiled code."""

from typing import Any, TypeAlias

import numpy as np

# The number of a state, cell, region, ...: most come from arrays, and Numba treats an int64 as an int.
Int: TypeAlias = int | np.integer[Any]
