"""When machine code may be used again: everything that changes it changes its key, and nothing else does."""

import functools
import os
import sys
from pathlib import Path

import pytest
from compiled_helpers import run_python
from numba.core import types

from timebound.compiled import fingerprint, keys

HEAD = """
import enum
from typing import NamedTuple
import numpy as np
from timebound.compiled import compiled, generic, inlined, optional
"""


def key_in(module, name="f", arguments=(types.int64,)):
    return keys.key_of(getattr(module, name).py_func, arguments).text


CONSTANT = """
STEP = 1
@compiled
def f(x): return x + STEP
"""
CALLEE = """
@compiled
def callee(x): return x + 1
@compiled
def f(x): return callee(x)
"""
INLINED = CALLEE.replace("compiled\ndef callee", "inlined\ndef callee")
DEEP = """
STEP = 1
@inlined
def deepest(x): return x + STEP
@inlined
def deeper(x): return deepest(x)
@compiled
def f(x): return deeper(x)
"""
CLOSURE = """
def adder(step):
    @inlined
    def add(x): return x + step
    return add
first, second = adder(1), adder(2)
@compiled
def f(x): return first(x) - second(x)
"""
GENERIC = """
class World(NamedTuple):
    size: int
@generic
def ahead(world, x): ...
@ahead.of(World)
@inlined
def _ahead(world, x): return x + 1
@compiled
def f(x): return ahead(World(x), x)
"""
OPTIONAL = """
class World(NamedTuple):
    size: int
@optional
def ahead(world, x): return x + 1
@compiled
def f(x): return ahead(World(x), x)
"""
FIELDS = """
class Pair(NamedTuple):
    a: int
    b: int
@compiled
def f(x): return Pair(x, 1).a
"""
ENUM = """
class Way(enum.IntEnum):
    LEFT = 1
    RIGHT = 2
@compiled
def f(x): return x + Way.LEFT
"""
TUPLE = """
STEPS = (1, 2)
@compiled
def f(x): return x + STEPS[0]
"""
TUPLE_OF_FUNCTIONS = """
STEP = 1
@inlined
def helper(x): return x + STEP
@inlined
def add(x): return helper(x)
WAYS = (add,)
@compiled
def f(x): return WAYS[0](x)
"""
ARRAY = """
TABLE = np.arange(5000)
TABLE[3000] = 7
@compiled
def f(x): return TABLE[x]
"""
DEFAULT = """
@compiled
def f(x, step=1): return x + step
"""
ALIAS = """
from math import sin as wave
@compiled
def f(x): return wave(x)
"""
UFUNC = """
from numpy import sin as wave
@compiled
def f(x): return wave(x)
"""
TRY = """
@inlined
def g(x): return x
@compiled
def f(x):
    try:
        g(x)
    except Exception:
        return 1
    return 2
"""
STRING = """
@compiled
def f(x): return [len("one") for _ in range(x)]
"""
NJIT = """
import numba
@numba.njit(fastmath=True)
def callee(x): return x + 1
@compiled
def f(x): return callee(x)
"""

CHANGES = {
    "a constant": (CONSTANT, "STEP = 1", "STEP = 2"),
    "the type of a constant": (CONSTANT, "STEP = 1", "STEP = 1.0"),
    "an operator": (CONSTANT, "x + STEP", "x - STEP"),
    "a callee": (CALLEE, "x + 1", "x + 2"),
    "an inlined callee": (INLINED, "x + 1", "x + 2"),
    "a callee that becomes inlined": (CALLEE, "compiled\ndef callee", "inlined\ndef callee"),
    "a constant of a callee's callee": (DEEP, "STEP = 1", "STEP = 2"),
    "what a closure holds": (CLOSURE, "adder(2)", "adder(3)"),
    "which closure is which": (CLOSURE, "adder(1), adder(2)", "adder(2), adder(1)"),
    "an implementation": (GENERIC, "x + 1", "x + 2"),
    "a default implementation": (OPTIONAL, "x + 1", "x + 2"),
    "the order of fields": (FIELDS, "a: int\n    b: int", "b: int\n    a: int"),
    "a new field": (FIELDS, "    b: int\n", "    b: int\n    c: int = 0\n"),
    "a member of an enumeration": (ENUM, "LEFT = 1", "LEFT = 3"),
    "a tuple": (TUPLE, "(1, 2)", "(2, 2)"),
    "a function in a tuple": (TUPLE_OF_FUNCTIONS, "helper(x): return x + STEP", "helper(x): return x - STEP"),
    "a constant of a function in a tuple": (TUPLE_OF_FUNCTIONS, "STEP = 1", "STEP = 2"),
    "an element of an array": (ARRAY, "= 7", "= 8"),
    "a default value": (DEFAULT, "step=1", "step=2"),
    "what a name stands for": (ALIAS, "sin as", "cos as"),
    "which universal function a name stands for": (UFUNC, "sin as", "cos as"),
    "what is tried": (TRY, "        g(x)\n    except", "        pass\n    except"),
    "a text in a comprehension": (STRING, '"one"', '"three"'),
    "an option of Numba": (NJIT, "fastmath=True", "fastmath=False"),
    "a function of Numba": (NJIT, "x + 1", "x + 2"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_machine_code_changes_its_key(plugin, change):
    text, old, new = CHANGES[change]
    assert text.count(old) == 1
    before, after = key_in(plugin(HEAD + text)), key_in(plugin(HEAD + text.replace(old, new)))
    assert before != after


@pytest.mark.parametrize("text", dict.fromkeys(text for text, _, _ in CHANGES.values()))
def test_where_code_stands_and_what_is_said_about_it_do_not_matter(plugin, text):
    before = key_in(plugin(HEAD + text))
    assert key_in(plugin(HEAD + text)) == before
    moved = HEAD + "\n\n# A comment.\nUNUSED = 7\ndef unused(x): return x\n\n" + text.replace("return", "return  ")
    assert key_in(plugin(moved)) == before


def test_a_docstring_does_not_matter(plugin):
    text = '@compiled\ndef f(x):\n    """Says {}."""\n    return x\n'
    assert key_in(plugin(HEAD + text.format("one"))) == key_in(plugin(HEAD + text.format("another")))


def test_implementations_for_types_that_are_not_in_play_do_not_matter(plugin):
    other = """
class Other(NamedTuple):
    size: int
@ahead.of(Other)
@inlined
def _other(world, x): return x
"""
    assert key_in(plugin(HEAD + GENERIC)) == key_in(plugin(HEAD + GENERIC + other))


def test_implementations_for_the_types_of_arguments_count(plugin):
    text = GENERIC.replace("def f(x): return ahead(World(x), x)", "def f(world): return ahead(world, 1)")

    def key(text):
        module = plugin(HEAD + text)
        return key_in(module, arguments=(types.NamedUniTuple(types.int64, 1, module.World),))

    assert key(text) == key(text)
    assert key(text) != key(text.replace("x + 1", "x + 2"))


def test_another_type_is_another_key(plugin):
    f = plugin(HEAD + CONSTANT)
    kinds = [types.int64, types.int32, types.float64, types.boolean, types.Optional(types.int64)]
    kinds += [types.int64[::1], types.int64[:], types.Array(types.int64, 1, "C", readonly=True)]
    assert len({key_in(f, arguments=(kind,)) for kind in kinds}) == len(kinds)


def test_classes_of_one_name_in_two_modules_are_two_types(plugin):
    text = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: int\n    b: int\n"
    pairs = [types.NamedUniTuple(types.int64, 2, plugin(text, name).Pair) for name in ("one_plugin", "two_plugin")]
    assert str(pairs[0]) == str(pairs[1])
    for wrapped in (lambda kind: kind, types.Optional, lambda kind: types.Tuple((kind,)), types.List):
        assert keys.described(wrapped(pairs[0])) != keys.described(wrapped(pairs[1]))


def test_the_purpose_is_part_of_a_key(plugin):
    f = plugin(HEAD + CONSTANT).f.py_func
    assert keys.key_of(f, (types.int64,), "entry").text != keys.key_of(f, (types.int64,)).text


def test_functions_given_as_arguments_are_told_apart(plugin):
    text = CLOSURE.replace("def f(x): return first(x) - second(x)", "def f(g, h): return g(1) - h(1)")
    module = plugin(HEAD + text)
    first, second = module.first.dispatcher._numba_type_, module.second.dispatcher._numba_type_
    assert key_in(module, arguments=(first, second)) != key_in(module, arguments=(second, first))


def test_constants_of_another_module_count(plugin):
    def key(step, unrelated):
        plugin(f"STEP = {step}\nUNRELATED = {unrelated}", "constants_plugin")
        text = "import constants_plugin\n@compiled\ndef f(x): return x + constants_plugin.STEP"
        return key_in(plugin(HEAD + text))

    assert key(1, 1) == key(1, 2)
    assert key(1, 1) != key(2, 1)


def test_constants_of_a_module_in_a_package_count(plugin):
    def key(step):
        package = plugin("", "package_plugin")
        package.inner = plugin(f"STEP = {step}", "package_plugin.inner")
        text = "import package_plugin.inner\n@compiled\ndef f(x): return x + package_plugin.inner.STEP"
        return key_in(plugin(HEAD + text))

    assert key(1) != key(2)


def test_a_jitclass_is_used_by_nobody_else(plugin):
    text = """
import numba
@numba.experimental.jitclass([("a", numba.int64)])
class Counter:
    def __init__(self): self.a = 0
@compiled
def f(x): return Counter().a
"""
    module = plugin(HEAD + text)
    kind = module.Counter.class_type.instance_type
    assert key_in(module) != key_in(module)
    assert keys.described(kind) == keys.described(kind)


def test_a_file_that_changed_after_it_was_loaded_tells_nothing(tmp_path, monkeypatch):
    file = tmp_path / "changed.py"
    file.write_text("old")
    monkeypatch.setattr(fingerprint, "_STARTED", file.stat().st_mtime - 10)
    assert fingerprint.as_loaded(file) != fingerprint.as_loaded(file)
    monkeypatch.setattr(fingerprint, "_STARTED", file.stat().st_mtime + 10)
    assert fingerprint.as_loaded(file) == fingerprint.as_loaded(file)


def test_a_clock_that_was_set_back_does_not_matter(tmp_path, monkeypatch):
    file = tmp_path / "ahead.py"
    file.write_text("old")
    os.utime(file, (4e9, 4e9))
    monkeypatch.setattr(fingerprint, "_STARTED", 0.0)
    assert fingerprint.as_loaded(file) == fingerprint.as_loaded(file)


def test_a_module_that_is_named_like_one_of_python_is_not_foreign(plugin, monkeypatch):
    user = plugin("", "queue")
    user.__file__ = "queue.py"
    fingerprint._foreign.cache_clear()
    try:
        assert not fingerprint._foreign("queue")
        assert fingerprint._foreign("os")
        assert fingerprint._foreign("collections.abc")
        assert fingerprint._foreign("numpy.linalg")
        assert not fingerprint._foreign("timebound.search")
    finally:
        fingerprint._foreign.cache_clear()


def test_a_module_says_what_it_does_without_comments_and_docstrings():
    of = fingerprint.fingerprint_of_source
    told = '"""A module."""\nclass A:\n    """A."""\n    def f(self): return 1\n'
    assert of(told.replace("A.", "Another.").replace("\nclass", "\n# Now:\nclass")) == of(told)
    assert of(told.replace("1", "2")) != of(told)


# ------------------------------------------------------------------ the library itself

LIBRARY = """
import sys
from numba.core import types
from timebound.compiled.keys import key_of
from timebound.compiled.functions import Unit
import timebound.agents.agent, timebound.search.solver, timebound.subgoals.cases
modules = [m for n, m in sorted(sys.modules.items()) if n.startswith("timebound.")]
units = {f"{m.__name__}.{n}": u for m in modules for n, u in vars(m).items() if isinstance(u, Unit)}
for name, unit in sorted(units.items()):
    print(name, key_of(unit.py_func, ()).text)
"""


@functools.cache
def library_keys(**environment):
    return dict(line.split() for line in run_python(LIBRARY, **environment).splitlines())


def test_keys_are_the_same_in_every_process():
    one, two = library_keys(PYTHONHASHSEED="1"), library_keys()
    assert len(one) > 50
    assert one == two
    assert len(set(one.values())) > 50


def test_a_new_colour_compiles_nothing(tmp_path):
    """Neither do other changes in modules that compiled code does not reach."""
    source = Path(keys.__file__).parents[1]
    copy = tmp_path / "timebound"
    run_python("import shutil, sys; shutil.copytree(*sys.argv[1:])", str(source), str(copy))
    for name in ("maps/drawing.py", "race.py", "cli/solve.py", "lab/report.py"):
        with (copy / name).open("a") as file:
            file.write("\nNEW_COLOUR = (1, 2, 3)\n")
    assert library_keys(PYTHONPATH=str(tmp_path)) == library_keys()
    with (copy / "compiled/clock.py").open("a") as file:
        file.write("\nNEVER = 1\n")
    changed, before = library_keys(PYTHONPATH=str(tmp_path), EDITED="1"), library_keys()
    assert changed["timebound.compiled.interrupts.interrupted"] != before["timebound.compiled.interrupts.interrupted"]


PLUGIN = """
from timebound.compiled import compiled, inlined
@inlined
def part(x): return x + 1
@compiled
def f(x): return part(x) * 2
"""
USE = """
from timebound.compiled.store import counts
import user_plugin
print(user_plugin.f(20), counts["compiled"])
"""


def test_an_edited_plugin_never_runs_its_old_code(tmp_path):
    file = tmp_path / "user_plugin.py"
    environment = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "TIMEBOUND_CACHE": str(tmp_path / "c")}

    def run(text):
        file.write_text(text)
        return run_python(USE, **environment).split()

    first, compiled = run(PLUGIN)
    assert (first, int(compiled) > 0) == ("42", True)
    assert run("# A comment\n" + PLUGIN) == ["42", "0"]
    edited, compiled = run(PLUGIN.replace("x + 1", "x + 2"))
    assert (edited, int(compiled) > 0) == ("44", True)
    assert run(PLUGIN) == ["42", "0"]
