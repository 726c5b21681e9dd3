"""The two ways to compile, which offer the same: `kept` with Numba's internals and a store, `plain_numba` without."""

from .settings import PLAIN

if PLAIN:
    from .plain_numba import *  # noqa: F403
else:
    from .kept import *  # noqa: F403
