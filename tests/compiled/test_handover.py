"""Results of compiled code as Python objects: types, reference counts, and errors."""

import collections
import copy
import ctypes
import gc
import pickle
import sys
import weakref
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from numba.core import types
from numba.core.runtime import _nrt_python, rtsys

from timebound.compiled import borrow, borrow_field, call_back, compiled, inlined, lowest_bit, mutable, resized
from timebound.compiled.calls import CALLBACK
from timebound.compiled.handover import HandedOver
from timebound.core.errors import CompilationError


@pytest.fixture(autouse=True, scope="module")
def _quick_collections() -> Iterator[None]:
    """Collect garbage among new objects only, not among the million that Numba and earlier tests have made."""
    gc.freeze()
    yield
    gc.unfreeze()


class Pair(NamedTuple):
    a: int
    b: float


class Nested(NamedTuple):
    pair: Pair
    values: np.ndarray
    rest: tuple


Counter = mutable(__name__, "Counter", ["count", "values", "pair"])


@compiled
def everything(x):
    values = np.arange(x)
    pair = Pair(x, x / 2)
    counter = Counter(x, values, pair)
    return 1, 2.5, True, None, values, (x, values), pair, Nested(pair, values, (counter, x == 7)), counter


@compiled
def count_on(counter):
    counter.count += 1
    counter.values = resized(counter.values, counter.count)
    return counter


@compiled
def nothing(x):
    pass


@compiled
def one_of_each(x):
    return x, Pair(x, 0.5), (np.zeros(x), np.ones(x))


@pytest.fixture
def held():
    """Return how many more allocations Numba's runtime holds than before."""
    _nrt_python.memsys_enable_stats()
    gc.collect()
    before = rtsys.get_allocation_stats()

    def held() -> int:
        gc.collect()
        now = rtsys.get_allocation_stats()
        return (now.mi_alloc - before.mi_alloc) - (now.mi_free - before.mi_free)

    return held


def test_results_of_every_kind_arrive():
    one, half, yes, none, values, both, pair, nested, counter = everything(7)
    assert [type(x) for x in (one, half, yes, none)] == [int, float, bool, type(None)]
    assert (one, half, yes, none) == (1, 2.5, True, None)
    assert values.tolist() == list(range(7))
    assert type(both) is tuple
    assert both[0] == 7
    assert both[1].tolist() == list(range(7))
    assert (type(pair), pair) == (Pair, (7, 3.5))
    assert (type(nested), type(nested.pair), nested.pair) == (Nested, Pair, (7, 3.5))
    assert type(nested.rest[0]) is Counter
    assert nested.rest[1] is True
    assert type(counter) is Counter
    assert nothing(1) is None


def test_a_struct_is_kept_between_calls(held):
    counter = everything(3)[-1]
    for _ in range(5):
        assert type(count_on(counter)) is Counter
    assert count_on(counter).__class__ is Counter
    assert sum_of(counter) == (9, 9)
    del counter
    assert held() == 0


@compiled
def sum_of(counter):
    return counter.count, len(borrow_field(counter, "values"))


def test_memory_is_freed_when_the_last_holder_is_gone(held):
    results = [everything(7) for _ in range(10)]
    assert held() == 20  # an array and a struct each
    counters = [result[-1] for result in results]
    del results
    assert held() == 20  # a struct holds its array
    del counters
    assert held() == 0


def test_arrays_outlive_the_struct_that_held_them(held):
    values = everything(7)[4]
    assert held() == 1
    assert values.tolist() == list(range(7))
    del values
    assert held() == 0


def test_python_objects_are_counted_right():
    """Reference counts of classes, None and booleans stay as they are."""
    arrays, classes = np.zeros(3), (Pair, Nested, Counter, tuple, None, True, np.ndarray)
    everything(3), give_back(arrays)  # is compiled
    gc.collect()
    before = [sys.getrefcount(one) for one in (*classes, arrays)]
    for _ in range(1000):
        everything(3)
        give_back(arrays)
    gc.collect()
    after = [sys.getrefcount(one) for one in (*classes, arrays)]
    assert all(abs(x - y) < 100 for x, y in zip(before, after, strict=True))


@compiled
def give_back(array):
    return array


def test_an_array_that_is_given_comes_back_with_its_memory(held):
    array = np.arange(5.0)
    back = give_back(array)
    back[0] = 7.0
    assert array[0] == 7.0
    known = weakref.ref(array)
    del array
    gc.collect()
    assert back.tolist() == [7.0, 1.0, 2.0, 3.0, 4.0]
    del back
    gc.collect()
    assert known() is None
    assert held() == 0


def test_classes_of_one_name_are_two_types():
    other = collections.namedtuple("Pair", "a b")
    kinds = [types.NamedTuple((types.int64, types.float64), one) for one in (Pair, other)]
    assert str(kinds[0]) == str(kinds[1])
    assert HandedOver(kinds[0]) != HandedOver(kinds[1])
    structs = [sys.modules[__name__].CounterType([("count", kind)]) for kind in kinds]
    assert structs[0] != structs[1]


def test_handles_are_not_copied_nor_sent():
    counter = everything(3)[-1]
    for refuse in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied"):
            refuse(counter)


def test_default_values_and_names_of_arguments():
    assert with_default(1) == 11
    assert with_default(1, 2) == 3
    assert with_default(x=1, step=3) == 4


@compiled
def with_default(x, step=10):
    return x + step


# ------------------------------------------------------------------ errors


class OwnError(Exception):
    pass


@inlined
def check(x):
    if x == 1:
        raise ValueError("x is one")
    if x == 2:
        raise OwnError("x is", 2)
    if x == 3:
        raise OwnError
    return x


@compiled
def lowest(x, values):
    return check(x) + len(values)


@compiled
def middle(x):
    values = np.zeros(10)
    return lowest(x, values) + len(values)


@compiled
def caught(x):
    try:
        return middle(x)
    except Exception:
        return -1


@pytest.mark.parametrize(
    ("x", "kind", "arguments"), [(1, ValueError, ("x is one",)), (2, OwnError, ("x is", 2)), (3, OwnError, ())]
)
def test_errors_pass_through_units(x, kind, arguments):
    with pytest.raises(kind) as error:
        middle(x)
    assert error.value.args == arguments
    assert caught(x) == -1
    assert middle(4) == 24
    assert caught(4) == 24


def test_errors_can_be_caught_a_thousand_times():
    for _ in range(1000):
        with pytest.raises(ValueError, match="x is one"):
            lowest(1, np.zeros(3))
    assert lowest(0, np.zeros(3)) == 3


def test_an_argument_of_the_wrong_type_is_an_error_and_not_the_end():
    with pytest.raises(CompilationError, match="an argument is a object, which cannot be compiled"):
        give_back(object())
    with pytest.raises(TypeError):
        with_default()
    assert give_back(3) == 3


# ------------------------------------------------------------------ the other tools


@compiled
def by_loan(array):
    lent = borrow(array)
    lent[1] = lent[0] * 2
    return len(lent), lent[1]


def test_what_is_borrowed_is_the_array_itself(held):
    array = np.array([21, 0, 0])
    assert by_loan(array) == (3, 42)
    assert array.tolist() == [21, 42, 0]
    assert held() == 0


@compiled
def tools(word, address):
    call_back(address, lowest_bit(word))
    return resized(np.arange(4), 2)


def test_bits_and_calls_back_into_python():
    heard = []
    wrapped = CALLBACK(heard.append)
    assert tools(0b1000, ctypes.cast(wrapped, ctypes.c_void_p).value).tolist() == [0, 1]
    assert heard == [3]
