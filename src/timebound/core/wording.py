"""How messages show a user's values: in one short line."""

import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np

_LONGEST = 80  # characters
_FEW = 9  # arrays with up to this many elements are shown whole
_DIGITS = 40
_HINTS = 60  # names in a hint


class _Short(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = 36
        self.maxstring = self.maxother = _LONGEST

    def repr_int(self, value: int, level: int) -> str:
        """Describe huge numbers: Python raises an error for more than a few thousand digits."""
        return repr(value) if abs(value) < 10**_DIGITS else f"a whole number of {_digits(abs(value))} digits"

    def repr_ndarray(self, value: np.ndarray, level: int) -> str:
        return repr(value) if value.size <= _FEW else f"an array of {value.dtype}, shape {value.shape}"

    def repr_instance(self, value: Any, level: int) -> str:
        return self.repr1(value.item(), level) if isinstance(value, np.generic) else super().repr_instance(value, level)


_short = _Short()


def shown(value: Any) -> str:
    """Return the form in which a message shows a value, whatever it is and however large.

    >>> shown((3, "a")), shown("two\\nlines"), shown(np.float64(0.5))
    ("(3, 'a')", "'two\\\\nlines'", '0.5')
    >>> shown(np.zeros((300, 300))), shown(10**400)
    ('an array of float64, shape (300, 300)', 'a whole number of 401 digits')
    """
    try:
        text = _short.repr(value)
    except Exception:  # a user's repr() may raise anything
        text = f"a {type(value).__name__} that cannot be shown"
    text = one_line(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def nearest(word: str, names: Iterable[str], otherwise: str = "choose from:") -> str:
    """Return a hint about what was meant by a name that does not exist.

    >>> nearest("expansion", ["expansions", "moves"]), nearest("x", ["cost", "moves"])
    ("did you mean 'expansions'?", 'choose from: cost, moves')
    """
    from difflib import get_close_matches

    known = list(names)
    near = get_close_matches(word, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"{otherwise} {', '.join(known[:_HINTS])}"


def _digits(number: int) -> int:
    """Return the number of digits, without printing the number."""
    least = (number.bit_length() - 1) * 30103 // 100000
    return least + (2 if number >= 10 ** (least + 1) else 1)


def one_line(text: str, longest: int = 600) -> str:
    """Put a text on one line: escape invisible characters, and cut out the middle if it is long.

    >>> one_line("two\\n  lines, \\x1b[2J")
    'two lines, \\\\x1b[2J'
    """
    text = " ".join(text.split())
    if len(text) > longest:
        text = f"{text[: longest // 2]} ... {text[-longest // 2 + 5 :]}"
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
