"""The types of arrays, which are Numba's."""

import numpy as np
import pytest
from compiled_helpers import run_python
from numba import typeof, types

PROGRAM = """if True:
    import sys, numpy as np, timebound as tb
    tb.shortest_path(tb.Grid(np.ones((3, 3), bool)), (0, 0), (2, 2))
    print("numpy.ma" in sys.modules)"""


def test_a_path_needs_no_masked_arrays() -> None:
    run_python(PROGRAM)  # compiles, which may need them
    assert run_python(PROGRAM) == "False\n"


@pytest.mark.parametrize("dtype", ["i8", "u1", "f8", [("g", "i8"), ("n", "i4")]])
def test_the_types_are_those_of_numba(dtype: object) -> None:
    array = np.zeros((2, 3), np.dtype(dtype))
    array.flags.writeable = False
    kinds = [typeof(given) for given in (array, array.T, array[:, ::2])]
    assert [kind.layout for kind in kinds] == ["C", "F", "A"]
    assert all(isinstance(kind, types.Array) and kind.ndim == 2 and not kind.mutable for kind in kinds)
