"""Functions whose implementation depends on the type of their first argument."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from ..core.errors import TimeboundError
from .backend import struct_in, tell_apart, when_compiled
from .calls import defined
from .fingerprint import fingerprint, from_outside
from .functions import Inlined

F = TypeVar("F", bound=Callable[..., Any])
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result", covariant=True)


class Generic(Protocol[Parameters, Result]):
    """A function that depends on the type of its first argument (see `generic`)."""

    def __call__(self, *arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        """Call the implementation for the type of the first argument."""

    def of(self, kind: type) -> Callable[[F], F]:
        """Register the decorated function as the implementation for first arguments of type `kind`."""


def generic(
    declaration: Callable[Parameters, Result], default: Callable[..., Any] | None = None
) -> Generic[Parameters, Result]:
    """Declare a generic function; ``@function.of(Type)`` then gives the implementation for one type of first argument.

    The types are `NamedTuple` classes. Inside compiled code a call costs nothing: Numba picks the implementation while
    it compiles, and LLVM inlines it; unless the implementation is itself `compiled`: then it is called. The `default`
    is for all other types.
    """
    implementations: dict[Any, Callable[..., Any]] = {}
    decided: set[Any] = set()  # types for which machine code exists: see `fingerprint`

    @functools.wraps(declaration)
    def dispatch(subject: Any, *arguments: Any) -> Any:
        return implementations.get(type(subject), default)(subject, *arguments)  # type: ignore[misc]

    @when_compiled(dispatch)
    def resolve(subject: Any, *arguments: Any) -> Callable[..., Any] | None:
        kind = getattr(subject, "instance_class", None)
        decided.add(kind)
        return implementations.get(kind, default)

    def of(kind: type) -> Callable[[F], F]:
        def register(implementation: F) -> F:
            plain, old = _callable_by_numba(implementation), implementations.get(kind, default)
            if kind in decided and old is not plain and (old is None or fingerprint(old) != fingerprint(plain)):
                what = f"{declaration.__name__} of {kind.__name__} is already compiled, so it cannot be changed"
                raise TimeboundError(f"{what}; define {kind.__name__} again, too (in a notebook: in the same cell)")
            implementations[kind] = plain
            tell_apart(kind)
            return implementation

        return register

    dispatch.of = of  # type: ignore[attr-defined]
    dispatch.choices = (implementations, default, decided)  # type: ignore[attr-defined]  # for fingerprints
    return cast(Generic[Parameters, Result], dispatch)


def optional(declaration: Callable[Parameters, Result]) -> Generic[Parameters, Result]:
    """Like `generic`, for what few types implement: the declaration itself is the default for all others."""
    return generic(declaration, declaration)


def _callable_by_numba(implementation: Any) -> Callable[..., Any]:
    """Return a plain function, which Numba requires: an implementation that is compiled is called by one."""
    if not isinstance(implementation, Inlined):
        return cast(Callable[..., Any], implementation)
    names = ", ".join(inspect.signature(implementation.py_func).parameters)
    text, module = f"def call({names}): return implementation({names})", implementation.py_func.__module__
    return cast(Callable[..., Any], defined(text, implementation=implementation, __name__=module))


def is_own(value: Any) -> bool:
    """Is it of a class from outside the library? Decided when code is compiled: it costs nothing."""
    return from_outside(type(value))


@when_compiled(is_own)
def _compiled_is_own(value: Any) -> Any:
    kind = getattr(value, "instance_class", getattr(struct_in(value), "handle", None))
    own = kind is not None and from_outside(kind)
    return (lambda value: True) if own else (lambda value: False)
