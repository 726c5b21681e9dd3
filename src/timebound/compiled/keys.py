"""When machine code may be used again: if everything that it was made from is the same.

The key of a function, compiled for some types, is a digest of what it reaches: its own code and that of every function
that it calls, directly or not, the values of the constants that they name, and the types. Where a generic function is
called, the implementations that count are those for the types in play: the types of the arguments, and the classes that
the code names. So an edited plug-in never runs its old code, and a new colour in a picture compiles nothing.
"""

import builtins
import functools
import hashlib
import sys
import types as python
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba.core import types

from .borrowed import Lent
from .numba_internals import Dispatcher, Intrinsic

# What these do is told by their versions.
_FOREIGN = {"builtins", "numpy", "numba", "llvmlite", "scipy", *sys.stdlib_module_names}


def key_of(function: Any, arguments: tuple[types.Type, ...], purpose: str = "") -> str:
    """The key of a function that is compiled for arguments of these types."""
    told = [purpose, machinery(), *map(described, arguments), *reached(function, arguments)]
    return digest("\n".join(told))


def digest(told: str | bytes) -> str:
    """A short name for something long."""
    return hashlib.sha256(told.encode() if isinstance(told, str) else told).hexdigest()[:32]


@functools.cache
def machinery() -> str:
    """This package: it decides how everything is compiled."""
    return digest(b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py"))))


# ------------------------------------------------------------------ types


@functools.cache
def described(kind: types.Type) -> str:
    """A name of a type that no other has, the same in every process."""
    if isinstance(kind, types.BaseTuple):
        named = _name(kind.instance_class) if hasattr(kind, "instance_class") else ""
        return f"{named}({', '.join(map(described, kind))})"
    if isinstance(kind, types.StructRef):
        fields = ", ".join(f"{name}: {described(member)}" for name, member in kind._fields)
        return f"{_name(type(kind))}({fields})"
    if isinstance(kind, Lent):
        return f"lent {described(kind.struct)}"
    if isinstance(kind, types.Dispatcher):
        return _name(kind.dispatcher.py_func)
    return f"{_name(type(kind))} {kind}"


@functools.cache
def _parts(kind: types.Type) -> frozenset[Any]:
    """The classes and functions that a type is made of."""
    members: Iterable[types.Type] = ()
    own = set()
    if isinstance(kind, types.BaseTuple):
        members = tuple(kind)
        own = {kind.instance_class} if hasattr(kind, "instance_class") else set()
    elif isinstance(kind, types.StructRef):
        members = [member for _, member in kind._fields]
    elif isinstance(kind, Lent):
        members = (kind.struct,)
    elif isinstance(kind, types.Dispatcher):
        own = {kind.dispatcher}
    return frozenset(own).union(*map(_parts, members))


# ------------------------------------------------------------------ what a function reaches


class _Place(NamedTuple):
    """One function: what it says itself, and what it names."""

    told: str
    named: tuple[Any, ...]


def reached(function: Any, arguments: tuple[types.Type, ...]) -> list[str]:
    """What can run when the function is called, as texts in an order of their own."""
    seen: dict[int, Any] = {}
    told: set[str] = set()
    kinds: set[type] = set()
    choices: list[Mapping[Any, Any]] = []
    waiting: list[Iterable[Any]] = [_place_of_code(function).named, frozenset[Any]().union(*map(_parts, arguments))]
    told.add(_place_of_code(function).told)
    while waiting:
        for value in waiting.pop():
            if id(value) in seen:
                continue
            seen[id(value)] = value  # and keep it, or another may get its number
            if hasattr(value, "choices"):
                implementations, default = value.choices
                choices.append(implementations)
                told.add(f"generic {_name(value)}")
                chosen = [default, *(implementations[kind] for kind in kinds if kind in implementations)]
                places = [_place_of_code(one) for one in chosen if one is not None]
            elif isinstance(value, type):
                kinds.add(value)
                told.add(_class(value))
                places = [_place_of_code(one[value]) for one in choices if value in one]
            else:
                places = [_place(value)]
            told.update(place.told for place in places)
            waiting += [place.named for place in places]
    return sorted(told)


def _place(value: Any) -> _Place:
    """Of whatever compiled code names. A plain function only stands for code that is generated: its file says how."""
    if isinstance(value, python.FunctionType | Intrinsic):
        whole = _file(_python_function(value).__module__)
        if whole:
            return _Place(f"{_name(_python_function(value))} in {whole}", ())
    return _place_of_code(value)


@functools.cache
def _place_of_code(value: Any) -> _Place:
    """Of a function that is compiled."""
    function = _python_function(value)
    if function is None:
        return _Place(_name(value), ())
    code, scope = function.__code__, _scope(function)
    names = sorted(set(_names(code)))
    named = [(name, scope[name]) for name in names if name in scope]
    named += [
        (f"{name}.{inner}", getattr(module, inner))
        for name, module in named
        if isinstance(module, python.ModuleType) and not _foreign(module.__name__)
        for inner in names
        if hasattr(module, inner)
    ]
    deeper = [value for _, value in named if _is_code(value)]
    options = repr(sorted(getattr(value, "targetoptions", {}).items()))
    lines = [_name(function), _says(code), repr(function.__defaults__), options]
    lines += [f"{name} = {_value(value)}" for name, value in named]
    return _Place("\n".join(lines), tuple(deeper))


def _python_function(value: Any) -> Any:
    """The Python code of whatever can be called from compiled code."""
    value = getattr(value, "_defn", value) if isinstance(value, Intrinsic) else value
    value = getattr(value, "py_func", value)
    return value if isinstance(value, python.FunctionType) else None


@functools.cache
def _file(module: str) -> str:
    path = getattr(sys.modules.get(module), "__file__", None)
    try:
        return digest(Path(path).read_bytes()) if path else ""
    except OSError:  # a console, a notebook, an archive
        return ""


def _scope(function: Any) -> dict[str, Any]:
    """The values that a function's names have, but for its own variables."""
    closure = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {**vars(builtins), **function.__globals__, **{name: _content(cell) for name, cell in closure}}


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing yet
        return None


def _names(code: Any) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, python.CodeType):
            yield from _names(constant)


def _says(code: Any) -> str:
    """What code does: not its comments, nor where it stands, nor, mostly, its docstring."""
    constants = [_says(c) if isinstance(c, python.CodeType) else repr(c) for c in code.co_consts[1:]]
    first = code.co_consts[0] if code.co_consts else None
    first = _says(first) if isinstance(first, python.CodeType) else "" if isinstance(first, str) else repr(first)
    return digest(repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, first, constants)))


def _is_code(value: Any) -> bool:
    if isinstance(value, type):
        return hasattr(value, "_fields") or hasattr(value, "fields")  # named tuples and structs
    if isinstance(value, Dispatcher | Intrinsic) or hasattr(value, "choices") or hasattr(value, "py_func"):
        return True
    return isinstance(value, python.FunctionType) and not _foreign(value.__module__)


def _value(value: Any) -> str:
    """What a name stands for: the number itself, or the name of something that is looked at by itself."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {digest(value.tobytes())}"
    if isinstance(value, bool | int | float | complex | str | bytes | type(None) | np.generic | np.dtype | types.Type):
        return repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))})"
    function = _python_function(value)
    if function is not None:
        return f"{_name(function)} {_says(function.__code__)}"  # two may have one name
    return _name(value)


def _class(value: type) -> str:
    fields = getattr(value, "_fields", getattr(value, "fields", ()))
    return f"{_name(value)} {fields} {getattr(value, 'checked', '')}"


def _name(value: Any) -> str:
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


def _foreign(module: str | None) -> bool:
    return (module or "builtins").partition(".")[0] in _FOREIGN
