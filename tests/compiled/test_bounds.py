"""`TIMEBOUND_CHECK_BOUNDS=1`: an index beyond an array is an error. `make bounds` runs agents and fleets so."""

import pytest
from compiled_helpers import run_python

PROGRAM = """
import numpy as np
from timebound.compiled import borrow, compiled, inlined, store

@inlined
def element(lent, i): return lent[i]

@compiled
def borrowed(array, i): return element(borrow(array), i)

@compiled
def written(array, i):
    borrow(array)[i] = 3
    return 3

@compiled
def plain(array, i): return array[i]

for call, name in ((borrowed, "element"), (written, "written"), (plain, "bounds")):
    for i in (4, 5, -6):
        try:
            print(call(np.arange(5), i))
        except IndexError as error:
            print(name in str(error))
print(store.counts["compiled"])
"""


@pytest.mark.parametrize("again", [False, True])
def test_an_index_beyond_an_array_is_an_error(tmp_path_factory: pytest.TempPathFactory, again: bool) -> None:
    place = tmp_path_factory.getbasetemp() / "bounds"
    told = run_python(PROGRAM, TIMEBOUND_CACHE=str(place), TIMEBOUND_CHECK_BOUNDS="1").split()
    assert told == ["4", "True", "True", "3", "True", "True", "4", "True", "True", "0" if again else "6"]
    unchecked = PROGRAM.replace("(4, 5, -6)", "(4,)")
    assert run_python(unchecked, TIMEBOUND_CACHE=str(place)).split() == ["4", "3", "4", "0" if again else "6"]
