"""The whole numbers of compiled code."""

from typing import Any, TypeAlias

import numpy as np

# What a compiled function takes or gives where a number may come from an array: to Numba it is the same as an int.
Int: TypeAlias = int | np.integer[Any]
