"""Rows of an array."""

import numpy as np


def distinct(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows of a two-dimensional array, in order, and for each row which of them it is.

    `np.unique(rows, axis=0)` does the same, but turns an interrupt into a TypeError.

    >>> distinct(np.array([[2, 1], [1, 5], [2, 1]]))
    (array([[1, 5], [2, 1]]), array([1, 0, 1]))
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.ones(len(rows), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    which = np.empty(len(rows), np.intp)
    which[order] = np.cumsum(new) - 1
    return ordered[new], which
