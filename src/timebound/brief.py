"""Values in error messages: one short line, whatever they are."""

import reprlib

_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother, _SHORT.maxlong = 3, 60, 60, 40


def brief(value: object) -> str:
    """A value as a message can show it, however long it is and however deep it is nested.

    >>> brief([1, "two"]), brief("x" * 1000)
    ("[1, 'two']", "'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'")
    >>> brief(16**100_000)
    'a value of type int'
    """
    try:
        return " ".join(_SHORT.repr(value).split())
    except Exception:  # a number of more digits than Python prints, or somebody's broken __repr__
        return f"a value of type {type(value).__name__}"
