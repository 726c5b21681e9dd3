"""The hash table of states met, against a dictionary."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from timebound.compiled import borrow, compiled
from timebound.worlds.interface import NO_STATE
from timebound.worlds.numbering import BITS, CLEARED, COUNT, FIRST_BITS, key_of, new_numbering, number_for, with_word


@compiled
def number_all(numbering, words, width):  # type: ignore[no-untyped-def]
    lent, numbers, key = borrow(numbering), np.empty(len(words) // width, np.int64), numbering.example
    for i in range(len(numbers)):
        for j in range(width):
            key = with_word(key, j, words[width * i + j])
        numbers[i] = number_for(lent, key)[0]
    return numbers


@compiled
def keys_back(numbering, numbers):  # type: ignore[no-untyped-def]
    lent, words = borrow(numbering), np.empty(len(numbers), np.int64)
    for i in range(len(numbers)):
        words[i] = key_of(lent, numbers[i])[0]
    return words


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 50), max_size=300))
@settings(max_examples=50)
def test_numbers_are_given_in_the_order_of_arrival(words: list[int]) -> None:
    numbering = new_numbering(1000, 1)
    numbers = number_all(numbering, np.array(words, np.int64), 1)
    expected: dict[int, int] = {}
    assert numbers.tolist() == [expected.setdefault(word, len(expected)) for word in words]
    assert keys_back(numbering, numbers).tolist() == words
    assert numbering.counts[COUNT] == len(expected)


@pytest.mark.parametrize("stride", [1, 2**20, 2**32, 2**59, 0x1111])
def test_growth_loses_nothing_and_never_does_much_at_once(stride: int) -> None:
    """Keys that differ in few bits only; while entries move to a larger table, both are looked up."""
    count = 20 << FIRST_BITS if stride < 2**59 else 16
    words = np.arange(count, dtype=np.int64) * stride
    numbering = new_numbering(count, 1)
    half = count // 2
    assert number_all(numbering, words[:half], 1).tolist() == list(range(half))
    for _ in range(2):
        assert number_all(numbering, words[:half], 1).tolist() == list(range(half))
    assert number_all(numbering, words, 1).tolist() == list(range(count))
    table = 1 << numbering.counts[BITS]
    assert table // 4 < max(count, 256) <= table // 2 or count < 256
    assert numbering.counts[CLEARED] <= table // 2
    assert np.count_nonzero(numbering.places[table : 2 * table]) <= count


def test_a_full_table_says_so_and_still_finds_what_it_has() -> None:
    numbering = new_numbering(10, 1)
    words = np.arange(12, dtype=np.int64)
    assert number_all(numbering, words, 1).tolist() == [*range(10), NO_STATE, NO_STATE]
    assert number_all(numbering, words[:10], 1).tolist() == list(range(10))


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 2)), max_size=200))
@settings(max_examples=30)
def test_keys_of_several_words(keys: list[tuple[int, int, int]]) -> None:
    numbering = new_numbering(1000, 3)
    numbers = number_all(numbering, np.array(keys, np.int64).ravel(), 3)
    expected: dict[tuple[int, int, int], int] = {}
    assert numbers.tolist() == [expected.setdefault(key, len(expected)) for key in keys]
