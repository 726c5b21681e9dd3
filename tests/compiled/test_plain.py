"""`TIMEBOUND_PLAIN=1`: the library without Numba's internals. `make plain` runs this and its two neighbours so."""

from compiled_helpers import run_python

IMPORTS = """
import importlib, pkgutil, sys
import timebound
from timebound.compiled import settings
for module in pkgutil.walk_packages(timebound.__path__, "timebound.", lambda package: None):
    if module.name.split(".")[1] in ("worlds", "search", "knowledge", "subgoals", "agents", "fleet"):
        importlib.import_module(module.name)
print(settings.PLAIN, [name for name in sys.modules if name.endswith((".numba_internals", ".store"))])
"""


def test_internals_of_numba_are_not_even_imported() -> None:
    assert run_python(IMPORTS, TIMEBOUND_PLAIN="1") == "True []\n"


def test_there_is_nothing_to_compile_ahead() -> None:
    program = "import sys; from timebound.cli import main; sys.exit(main(['warmup', 'rtaa']))"
    run_python(program, status=2, TIMEBOUND_PLAIN="1")


CALLS = """
import numpy as np
from timebound.compiled import borrow, compiled, inlined

@inlined
def element(lent, i): return lent[i]

@compiled
def total(array): return element(borrow(array), 0) + element(borrow(array), 1)

try:
    print(total(np.array([3, 4])), total(np.array([0.5, 1])))
    total({})
except ValueError as error:
    print(error)
"""


def test_functions_are_compiled_for_their_types() -> None:
    said = run_python(CALLS, TIMEBOUND_PLAIN="1").splitlines()
    assert said == ["7 1.5", "an argument is a dict, which cannot be compiled"]
