"""When machine code may be reused: if everything that it was made from is the same.

The key of a function, compiled for some types, is a digest of what it reaches: its own code and that of every function
that it calls, directly or not, the values of the constants that they name, and the types. Where a generic function is
called, the implementations that count are those for the types in play: the types of the arguments, and the classes that
the code names. So an edited plug-in never runs its old code, and a new colour in a picture compiles nothing.

What is reached is numbered, in the same order wherever the key is the same. So machine code can name a class of a
script or notebook, which no other process could import, by its number.
"""

import builtins
import enum
import functools
import hashlib
import inspect
import os
import secrets
import sys
import time
import types as python
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import types

from .borrowed import Lent
from .numba_internals import Dispatcher, Intrinsic

# The versions of these packages stand for their code.
_FOREIGN = {"numpy", "numba", "llvmlite", "scipy"}


_LIBRARY = Path(os.__file__).parent
_STARTED = time.time()


class Key(NamedTuple):
    """The key of a function, and the classes from outside the library that it reaches."""

    text: str
    classes: tuple[type, ...]

    def number_of(self, kind: type) -> int | None:
        """Return the number of a class, the same for all functions with this key; None if every process can import it.

        A ValueError says that nothing names the class.
        """
        return self.classes.index(kind) if from_outside(kind) else None


def key_of(function: Any, arguments: tuple[types.Type, ...], purpose: str = "") -> Key:
    """Return the key of a function that is compiled for arguments of these types.

    It describes its parts when they were first visited, since they were compiled from that.
    """
    return _key(function, arguments, purpose, _place_of_code)


def is_outdated(key: Key, function: Any, arguments: tuple[types.Type, ...], purpose: str = "") -> bool:
    """Has a name that the function reaches got another value since its key was made?"""
    return key.text != _key(function, arguments, purpose, _look_at_code).text


def _key(function: Any, arguments: tuple[types.Type, ...], purpose: str, look: "Look") -> Key:
    walk = _walked(function, arguments, look)
    told = [purpose, machinery(), *map(described, arguments), *walk.told]
    return Key(digest("\n".join(told)), walk.classes())


def from_outside(kind: type) -> bool:
    """Is a class from outside the library? Then another process may not find it by its name."""
    return not (_foreign(kind.__module__) or kind.__module__.partition(".")[0] == __name__.partition(".")[0])


def digest(told: str | bytes) -> str:
    """Return a short name for something long."""
    return hashlib.sha256(told.encode() if isinstance(told, str) else told).hexdigest()[:32]


@functools.cache
def machinery() -> str:
    """Return a digest of this package: it decides how everything is compiled."""
    return digest("".join(_as_loaded(file) for file in sorted(Path(__file__).parent.glob("*.py"))))


def _as_loaded(path: Path) -> str:
    """Return a digest of a source file; or, if it changed after it was loaded, a value that no other process has."""
    status = path.stat()
    changed = max(status.st_mtime, status.st_ctime)
    return _no_other() if _STARTED < changed <= time.time() else digest(path.read_bytes())


def _no_other() -> str:
    """Return a value for keys whose machine code no other process may use."""
    return secrets.token_hex(16)


# ------------------------------------------------------------------ types


@functools.cache
def described(kind: types.Type) -> str:
    """Return a unique name of a type, the same in every process."""
    if isinstance(kind, types.BaseTuple):
        named = _name(kind.instance_class) if hasattr(kind, "instance_class") else ""
        return f"{named}({', '.join(map(described, kind))})"
    if isinstance(kind, types.StructRef):
        fields = ", ".join(f"{name}: {described(member)}" for name, member in kind._fields)
        return f"{_name(type(kind))}({fields})"
    if isinstance(kind, Lent):
        return f"lent {described(kind.struct)}"
    if isinstance(kind, types.Dispatcher):
        told = _walked(kind.dispatcher, (), _place_of_code).told
        return f"{_name(kind.dispatcher.py_func)} {digest(' '.join(told))}"
    if isinstance(kind, types.ClassInstanceType | types.ClassType):
        return _no_other()  # a jitclass: its methods may be anything
    return f"{_name(type(kind))} {kind} {' '.join(map(described, _members(kind)))}"


@functools.cache
def _parts(kind: types.Type) -> tuple[Any, ...]:
    """Return the classes and functions that a type is made of."""
    own = [getattr(kind, name) for name in ("instance_class", "handle", "dispatcher") if hasattr(kind, name)]
    return tuple(dict.fromkeys([*own, *(part for member in _members(kind) for part in _parts(member))]))


def _members(kind: types.Type) -> list[types.Type]:
    """Return the types that a type is made of."""
    if isinstance(kind, types.BaseTuple):
        return list(kind)
    if isinstance(kind, types.StructRef):
        return [member for _, member in kind._fields]
    if isinstance(kind, Lent):
        return [kind.struct]
    inner = getattr(kind, "dtype", getattr(kind, "type", None))  # of an array, a list, an optional value
    return [inner] if isinstance(inner, types.Type) and inner is not kind else []


# ------------------------------------------------------------------ what a function reaches


class _Place(NamedTuple):
    """One function: its own text, and what it names."""

    told: str
    named: tuple[Any, ...]


Look = Callable[[Any], _Place]


class _Walk:
    """Visits everything that can be reached, and numbers it in the order in which it is found.

    So the same code gives the same texts in every process, and calls are described without names, which may not be
    unique: closures, lambdas.
    """

    def __init__(self, look: Look):
        self.told: list[str] = []
        self._look = look
        self._found: list[tuple[Any, bool]] = []  # and keep it, or another object may get its address
        self._numbers: dict[tuple[int, bool], int] = {}
        self._kinds: list[type] = []
        self._generics: list[Any] = []

    def number(self, value: Any, is_code: bool = False) -> int:
        """Return the number of something to visit. A plain function `is_code` if it is known to be compiled."""
        mark = id(value), is_code
        if mark not in self._numbers:
            self._numbers[mark] = len(self._found)
            self._found.append((value, is_code))
        return self._numbers[mark]

    def classes(self) -> tuple[type, ...]:
        """Return the classes from outside the library: the visited ones, and the compiled types of structs."""
        visited = [value for value, _ in self._found if isinstance(value, type) and from_outside(value)]
        return tuple(part for value in visited for part in (value, getattr(value, "_compiled_type_", None)) if part)

    def go(self) -> None:
        """Visit everything. More is found on the way."""
        for value, is_code in self._found:
            if hasattr(value, "choices"):
                self._visit_generic(value)
            elif isinstance(value, type):
                self._visit_class(value)
            else:
                place = self._look(value) if is_code else _place(value, self._look)
                self.told.append(f"{place.told}\nnames {[self.number(named) for named in place.named]}")

    def _visit_generic(self, generic: Any) -> None:
        self._generics.append(generic)
        _, default, _ = generic.choices
        chosen = None if default is None else self.number(default, True)
        self.told.append(f"generic {_name(generic)}, otherwise {chosen}")
        for kind in self._kinds:
            self._choose(generic, kind)

    def _visit_class(self, kind: type) -> None:
        self._kinds.append(kind)
        self.told.append(_class(kind))
        for generic in self._generics:
            self._choose(generic, kind)

    def _choose(self, generic: Any, kind: type) -> None:
        implementations, _, decided = generic.choices
        decided.add(kind)
        if kind in implementations:
            numbers = self.number(generic), self.number(kind), self.number(implementations[kind], True)
            self.told.append("generic {} for {} is {}".format(*numbers))


def _walked(function: Any, arguments: tuple[types.Type, ...], look: Look) -> _Walk:
    """Visit what can run when the function is called."""
    walk = _Walk(look)
    walk.number(function, True)
    for kind in arguments:
        walk.told.append(f"given {[walk.number(part) for part in _parts(kind)]}")
    walk.go()
    return walk


def _place(value: Any, look: Look) -> _Place:
    """Return the place of anything that compiled code names. A plain function stands for generated code."""
    if isinstance(value, python.FunctionType | Intrinsic):
        whole = _file(_python_function(value).__module__)
        if whole:
            return _Place(f"{_name(_python_function(value))} in {whole}", ())
    return look(value)


def _look_at_code(value: Any) -> _Place:
    """Return the place of a compiled function."""
    function = _python_function(value)
    if function is None:
        return _Place(_name(value), ())
    code = function.__code__
    named = _named(function)
    options = repr(sorted(getattr(value, "targetoptions", {}).items()))
    defaults = (function.__defaults__, *sorted((function.__kwdefaults__ or {}).items()))
    lines = [type(value).__name__, _name(function), _says(code), _value(defaults), options]
    lines += [f"{name} = {_value(value)}" for name, value in named]
    return _Place(
        "\n".join(lines), tuple(part for value in (*(v for _, v in named), defaults) for part in _code_in(value))
    )


_place_of_code = functools.cache(_look_at_code)


def _named(function: Any) -> list[tuple[str, Any]]:
    """Return what the names in a function stand for, except its own variables."""
    scope, names = _scope(function), sorted(set(_names(function.__code__)))
    named = [(name, scope[name]) for name in names if name in scope]
    modules = set()
    for name, module in named:  # which grows
        if isinstance(module, python.ModuleType) and module not in modules and not _foreign(module.__name__):
            modules.add(module)
            named += [(f"{name}.{inner}", getattr(module, inner)) for inner in names if hasattr(module, inner)]
    return named


def _python_function(value: Any) -> Any:
    """Return the Python code of anything that compiled code can call."""
    value = getattr(value, "_defn", value) if isinstance(value, Intrinsic) else value
    value = getattr(value, "py_func", value)
    return value if isinstance(value, python.FunctionType) else None


@functools.cache
def _file(module: str) -> str:
    path = getattr(sys.modules.get(module), "__file__", None)
    try:
        return _as_loaded(Path(path)) if path else ""
    except OSError:  # a console, a notebook, an archive
        return ""


def _scope(function: Any) -> dict[str, Any]:
    """Return the values of a function's names, except its own variables."""
    closure = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {**vars(builtins), **function.__globals__, **{name: _content(cell) for name, cell in closure}}


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # no value yet
        return None


def _names(code: Any) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, python.CodeType):
            yield from _names(constant)


def _says(code: Any) -> str:
    """Return what code does: without comments, position and docstring."""
    constants = [_says(c) if isinstance(c, python.CodeType) else repr(c) for c in code.co_consts]
    if _has_docstring(code):
        constants[0] = ""
    shape = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return digest(repr((code.co_code, code.co_exceptiontable, shape, names, constants)))


def _has_docstring(code: Any) -> bool:
    if hasattr(inspect, "CO_HAS_DOCSTRING"):
        return bool(code.co_flags & inspect.CO_HAS_DOCSTRING)
    first = code.co_consts[0] if code.co_consts else None
    return isinstance(first, str) and not code.co_name.startswith("<")  # a comprehension has none


def _is_code(value: Any) -> bool:
    if isinstance(value, type):  # named tuples, structs, enumerations, jitclasses
        return any(hasattr(value, name) for name in ("_fields", "fields", "__members__", "class_type"))
    if isinstance(value, Dispatcher | Intrinsic) or hasattr(value, "choices") or hasattr(value, "py_func"):
        return True
    return isinstance(value, python.FunctionType) and not _foreign(value.__module__)


def _code_in(value: Any) -> Iterator[Any]:
    """Return the parts of a value that are visited separately."""
    if _is_code(value):
        yield value
    elif isinstance(value, tuple):
        yield from _code_in(type(value))
        for member in value:
            yield from _code_in(member)


def _value(value: Any) -> str:
    """Return what a name stands for: the number itself, or the name of something that is visited separately."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.flags.c_contiguous} {digest(value.tobytes())}"
    if isinstance(value, enum.Enum):
        return f"{_name(type(value))} {value.name}"
    if isinstance(value, bool | int | float | complex | str | bytes | type(None) | np.generic | np.dtype | types.Type):
        return repr(value)
    if isinstance(value, tuple):
        return f"{_name(type(value))}({', '.join(map(_value, value))})"
    return _name(_python_function(value) or value)


def _class(value: type) -> str:
    if hasattr(value, "class_type"):
        return _no_other()  # a jitclass: its methods may be anything
    fields = getattr(value, "_fields", getattr(value, "fields", ()))
    members = [(name, _value(member.value)) for name, member in getattr(value, "__members__", {}).items()]
    return f"class {_name(value)} {fields} {members} {getattr(value, 'checked', '')}"


def _name(value: Any) -> str:
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__} {getattr(value, '__name__', '')}"


@functools.cache
def _foreign(module: str | None) -> bool:
    first = (module or "builtins").partition(".")[0]
    path = getattr(sys.modules.get(first), "__file__", None)
    if first in sys.stdlib_module_names:
        # Elsewhere it is a user's file of the same name.
        return path is None or Path(path).parent in (_LIBRARY, _LIBRARY / first)
    return first in _FOREIGN
