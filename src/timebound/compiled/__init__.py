"""How Python becomes machine code here: the tools of the compiled core.

`compiled`
    makes a function a unit: separate machine code, optimised once for its types, called by its symbol, and
    kept on disk. `inlined` is for the parts of a hot loop, which become part of their callers.
`generic`
    makes a function whose implementation depends on the type of its first argument, so that one search works for every
    world: ``@successors.of(CompiledGrid)`` registers the grid's.
`borrow`
    lends arrays to a hot loop without reference counts. Numba counts references to every array passed through a
    function or a tuple, which costs more than the search itself; a borrowed array is only an address and a length.
`mutable`
    makes a class whose instances compiled code keeps and changes between calls.

With ``NUMBA_DISABLE_JIT=1`` all of it runs as ordinary Python, for debuggers and coverage.

`keys` decides when machine code may be reused, `store` keeps it, `numba_internals` holds everything that depends on
names that Numba does not promise to keep.
"""

from .basics import lowest_bit, resized
from .borrowed import borrow, borrow_field
from .calls import CALLBACK, call_back
from .functions import Interrupted, compiled, for_types_of, inlined, kind_of
from .generics import Generic, generic, is_own, optional
from .notice import purpose
from .settings import COMPILING
from .structs import fields_of, is_struct, making, mutable, reading, replacing, set_fields, struct, writing
from .undivided import undivided
