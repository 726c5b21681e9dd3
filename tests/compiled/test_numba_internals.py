"""Everything that `numba_internals` relies on, tested with the installed Numba."""

import ast
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core import types

from timebound.compiled import compiled, for_types_of, inlined, kind_of, numba_internals, store
from timebound.compiled.kept import ENTRY, INLINED, UNIT


def test_the_declared_versions_of_numba_hold_this_one():
    from importlib.metadata import PackageNotFoundError, requires

    from packaging.requirements import Requirement

    try:
        needed = [Requirement(text) for text in requires("timebound") or ()]
    except PackageNotFoundError:
        pytest.skip("timebound runs from its sources")
    (numba_needed,) = [one for one in needed if one.name == "numba"]
    assert numba.__version__ in numba_needed.specifier


def test_a_dispatcher_compiles_for_types_not_for_constants():
    dispatcher = numba_internals.new_dispatcher(lambda x: x + 1, ENTRY)
    caller = numba_internals.new_dispatcher(lambda: dispatcher(1) + dispatcher(2), ENTRY)
    assert caller() == 5
    assert list(dispatcher.overloads) == [(types.int64,)]


@pytest.mark.compiled
def test_a_call_for_known_types_gives_the_same_and_is_checked_in_tests(own_store):
    @compiled
    def total(numbers, pair):
        return numbers.sum() + pair[0] * pair[1]

    numbers = np.arange(5)
    call = for_types_of(total, numbers, (1, 2))
    assert call(numbers, (3, 4)) == total(numbers, (3, 4)) == 22
    with pytest.raises(TypeError, match="total was called with"):
        call(numbers, (3.0, 4))
    assert for_types_of(len, numbers) is len


def test_equal_kinds_have_equal_types():
    class Pair(NamedTuple):
        first: Any
        second: Any

    values = [1, True, 1.5, None, (1, 2), (1, 2.0), Pair(1, 2), Pair(1, Pair(True, 2)), np.int32(1), np.zeros(2)]
    values += [np.zeros(2, np.int32), np.zeros((2, 2)), np.zeros(4)[::2], (np.zeros(2), 1), 2, False, Pair(3, 4)]
    for one in values:
        for two in values:
            assert kind_of(one) != kind_of(two) or numba.typeof(one) == numba.typeof(two), (one, two)
    assert kind_of(Pair(1, 2)) == kind_of(Pair(3, 4)) != kind_of((1, 2))
    assert kind_of(Pair(object(), 1)) == kind_of(Pair(object(), 2))  # which has no compiled type


# Modules, and their names; None for all.
STABLE = {
    "numba": {"config", "errors", "extending", "njit", "typeof", "types"},
    "numba.extending": None,
    "numba.experimental": {"structref"},
    "llvmlite": {"binding", "ir"},
}
SOURCES = Path(numba_internals.__file__).parents[1]


def imported(file: Path) -> set[tuple[str, str]]:
    """What a file imports of Numba and llvmlite: modules and names; no name if it is a whole module."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {(node.module or "", name.name) for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {(name.name, "") for name in node.names}
    return {(module, name) for module, name in found if module.partition(".")[0] in ("numba", "llvmlite")}


def test_names_that_numba_may_change_are_imported_in_one_file_only():
    files = sorted(set(SOURCES.rglob("*.py")) - {Path(numba_internals.__file__)})
    private = [
        f"{file.relative_to(SOURCES)}: {module} {name}"
        for file in files
        for module, name in imported(file)
        if module not in STABLE or name.startswith("_") or name not in (STABLE[module] or {name}) or not name
    ]
    assert private == []
    assert len(imported(Path(numba_internals.__file__))) > 20  # the test finds imports


def no_number(kind):
    """No class is from outside."""


class Remembering:
    cache_path = None

    def __init__(self):
        self.asked, self.given = [], []

    def end(self, signature):
        assert signature

    def flush(self):
        """Numba may call it."""

    def load_overload(self, signature, target):
        self.asked.append(numba_internals.argument_types(signature))

    def save_overload(self, signature, made):
        self.given.append(made)


def test_a_keeper_is_asked_before_and_told_after_compiling():
    keeper = Remembering()
    dispatcher = numba_internals.new_dispatcher(lambda x: x + 1, ENTRY, keeper)
    assert [dispatcher(1), dispatcher(2), dispatcher(1.5)] == [2, 3, 2.5]
    assert keeper.asked == [(types.int64,), (types.float64,)]
    assert len(keeper.given) == 2
    assert all(numba_internals.address_of(made) for made in keeper.given)


def test_units_are_called_by_symbol_and_parts_are_linked_in(own_store):
    @inlined
    def part(x):
        return x * 2

    @compiled
    def unit(x):
        return part(x) + 1

    @compiled
    def caller(x):
        return unit(x)

    assert caller(20) == 41
    (made,) = caller.dispatcher.overloads.values()
    code = numba_internals.machine_code(made, no_number)
    (needed,) = store.needs(code)
    assert needed in store.in_use()
    assert not any("part" in name for name in code.declared)
    (made,) = unit.dispatcher.overloads.values()
    assert store.needs(numba_internals.machine_code(made, no_number)) == []


def test_no_wrappers_around_what_only_compiled_code_calls(own_store):
    @compiled
    def bare(x):
        return x

    assert bare(1) == 1
    (made,) = bare.dispatcher.overloads.values()
    names = [function.name for function in made.library._final_module.functions if not function.is_declaration]
    assert made.fndesc.llvm_func_name in names
    assert made.fndesc.llvm_cpython_wrapper_name not in names
    assert made.fndesc.llvm_cfunc_wrapper_name not in names
    (entry,) = bare.entry.overloads.values()
    assert entry.library.get_pointer_to_function(entry.fndesc.llvm_cpython_wrapper_name)


def test_machine_code_that_refers_to_this_process_is_not_kept():
    import ctypes

    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(abs)
    keeper = Remembering()
    dispatcher = numba_internals.new_dispatcher(lambda x: function(x), ENTRY, keeper)
    assert dispatcher(-1.5) == 1.5
    assert numba_internals.machine_code(keeper.given[0], no_number) is None


def test_code_of_the_same_name_or_without_what_it_calls_is_not_loaded():
    keeper = Remembering()
    numba_internals.new_dispatcher(lambda x: x + 7, ENTRY, keeper)(1)
    code = numba_internals.machine_code(keeper.given[0], no_number)
    with pytest.raises(ValueError, match="there is already a"):
        numba_internals.Loaded(code)
    with pytest.raises(ValueError, match="there is no stranger"):
        numba_internals.Loaded(code._replace(name="new", declared=("stranger",)))


def test_names_of_what_is_compiled_differ_from_those_of_what_was_loaded(monkeypatch):
    identity = numba_internals.FunctionIdentity
    monkeypatch.setattr(identity, "_unique_ids", itertools.count(next(identity._unique_ids)))
    loaded = next(identity._unique_ids) + 1_000_000
    numba_internals._number_from(loaded)
    keeper = Remembering()
    numba_internals.new_dispatcher(lambda x: x + 8, ENTRY, keeper)(1)
    assert re.search(rf"v({loaded}|{loaded + 1})\D", keeper.given[0].fndesc.llvm_func_name)
    numba_internals._number_from(10)
    assert numba_internals.machine_code(keeper.given[0], no_number).number > loaded


def test_what_machine_code_depends_on_is_told():
    told = " ".join(numba_internals.platform())
    assert numba.__version__ in told


def test_the_processor_that_is_compiled_for_is_told():
    """In every process alike: machine code is kept in a folder of this name."""
    ask = "from timebound.compiled.numba_internals import processor; print(processor())"

    def told(**chosen):
        environment = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", **chosen}
        done = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    plain = told()
    assert plain.startswith("generic")
    assert told() == plain
    assert "+fma" in told(NUMBA_CPU_FEATURES="+fma")


def test_options_are_known_to_numba():
    for options in (UNIT, INLINED, ENTRY):
        dispatcher = numba_internals.new_dispatcher(lambda x: x, options)
        assert options.items() <= dispatcher.targetoptions.items()
        dispatcher.compile((types.int64,))
