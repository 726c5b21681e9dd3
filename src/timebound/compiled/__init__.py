"""How Python becomes machine code here: the tools that the compiled core is written with.

`compiled`
    makes a function a unit: machine code of its own, optimised once for its types, called by others by its symbol, and
    kept on disk. `inlined` is for the parts of a hot loop, which become part of whatever calls them.
`generic`
    makes a function whose implementation depends on the type of its first argument, so that one search serves every
    world: ``@successors.of(CompiledGrid)`` registers the grid's.
`borrow`
    lends arrays to a hot loop without reference counts. Numba counts references to every array that passes through a
    function or a tuple, which costs more than the search itself; a borrowed array is only an address and a length.
`mutable`
    makes a class whose instances compiled code keeps between two calls and changes.

With ``NUMBA_DISABLE_JIT=1`` all of it runs as ordinary Python, for debuggers and coverage.

`keys` says when machine code may be used again, `store` keeps it, `numba_internals` holds whatever leans on names that
Numba does not promise to keep.
"""

from .arrays import resized
from .bits import lowest_bit
from .borrowed import borrow, borrow_field
from .callbacks import CALLBACK, call_back
from .generics import Generic, generic, optional
from .notice import purpose
from .settings import COMPILING
from .structs import mutable, replacing
from .undivided import undivided
from .units import Interrupted, compiled, inlined

__all__ = [
    "CALLBACK",
    "COMPILING",
    "Generic",
    "Interrupted",
    "borrow",
    "borrow_field",
    "call_back",
    "compiled",
    "generic",
    "inlined",
    "lowest_bit",
    "mutable",
    "optional",
    "purpose",
    "replacing",
    "resized",
    "undivided",
]
