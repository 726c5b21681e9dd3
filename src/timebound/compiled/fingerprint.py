"""The fingerprint of code: equal if it does the same, whatever its comments, docstrings and place in a file.

That of a function covers what it reaches: its own code and that of every function that it calls, directly or not, and
the values of the constants that they name. Where a generic function is called, the implementations that count are those
for the classes in play. So an edited plug-in never runs its old code, and a new colour in a picture compiles nothing.

What is reached is numbered, in the same order wherever the fingerprint is the same. So machine code can name a class of
a script or notebook, which no other process could import, by its number.
"""

import ast
import builtins
import enum
import functools
import hashlib
import inspect
import itertools
import os
import secrets
import sys
import time
import types as python
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

# The versions of these packages stand for their code.
_FOREIGN = {"numpy", "numba", "llvmlite", "scipy"}

_LIBRARY = Path(os.__file__).parent
_STARTED = time.time()
_NO_VALUE_YET = python.CellType()
_Intrinsic = type(intrinsic(lambda context: None))


def digest(told: str | bytes) -> str:
    """Return a short name for something long."""
    return hashlib.sha256(told.encode() if isinstance(told, str) else told).hexdigest()[:32]


def fingerprint(function: Any) -> str:
    """Return the fingerprint of a function, as it is now."""
    return digest("\n".join(Reach(function, [], look_at_code, precisely=True).told))


def fingerprint_of_source(text: str) -> str:
    """Return the fingerprint of the source of a module."""
    tree = ast.parse(text)  # compiled classes may know their lines
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):  # a docstring
            first.value.value = None
    return digest(ast.dump(tree))


def from_outside(kind: type) -> bool:
    """Is a class from outside the library? Then another process may not find it by its name."""
    return not (_foreign(kind.__module__) or kind.__module__.partition(".")[0] == __name__.partition(".")[0])


def as_loaded(path: Path) -> str:
    """Return a digest of a source file; or, if it changed after it was loaded, a value that no other process has."""
    status = path.stat()
    changed = max(status.st_mtime, status.st_ctime)
    return no_other() if _STARTED < changed <= time.time() else digest(path.read_bytes())


def no_other() -> str:
    """Return a value for keys whose machine code no other process may use."""
    return secrets.token_hex(16)


# ------------------------------------------------------------------ what a function reaches


class _Place(NamedTuple):
    """One function: its own text, and what it names."""

    told: str
    named: tuple[Any, ...]


Look = Callable[[Any], _Place]


class Reach:
    """Everything that a function and what it is given can reach, numbered in the order in which it is found.

    So the same code gives the same texts in every process, and calls are described without names, which may not be
    unique: closures, lambdas. Unless this is done `precisely`, a plain function stands for the whole file it is in: it
    generates code, and may read anything there.
    """

    def __init__(self, function: Any, given: Iterable[Iterable[Any]], look: Look, precisely: bool = False):
        self.told: list[str] = []
        self._look, self._precisely = look, precisely
        self._found: list[tuple[Any, bool]] = []  # and keep it, or another object may get its address
        self._numbers: dict[tuple[int, bool], int] = {}
        self._kinds: list[type] = []
        self._generics: list[Any] = []
        self._number(function, True)
        for parts in given:
            self.told.append(f"given {[self._number(part) for part in parts]}")
        self._visit_all()

    def _number(self, value: Any, is_code: bool = False) -> int:
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

    def _visit_all(self) -> None:
        for value, is_code in self._found:  # which grows
            if hasattr(value, "choices"):
                default = value.choices[1]
                chosen = None if default is None else self._number(default, True)
                self.told.append(f"generic {name_of(value)}, otherwise {chosen}")
                self._generics.append(value)
                self._choose([value], self._kinds)
            elif isinstance(value, type):
                self.told.append(_class(value))
                self._kinds.append(value)
                self._choose(self._generics, [value])
            else:
                place = self._look(value) if is_code or self._precisely else _place(value, self._look)
                self.told.append(f"{place.told}\nnames {[self._number(named) for named in place.named]}")

    def _choose(self, generics: list[Any], kinds: list[type]) -> None:
        for generic, kind in itertools.product(generics, kinds):
            implementations, _, decided = generic.choices
            decided.add(kind)
            if kind in implementations:
                numbers = self._number(generic), self._number(kind), self._number(implementations[kind], True)
                self.told.append("generic {} for {} is {}".format(*numbers))


def _place(value: Any, look: Look) -> _Place:
    """Return the place of anything that compiled code names. A plain function stands for generated code."""
    if isinstance(value, python.FunctionType | _Intrinsic):
        whole = _file(_python_function(value).__module__)
        if whole:
            return _Place(f"{name_of(_python_function(value))} in {whole}", ())
    return look(value)


def look_at_code(value: Any) -> _Place:
    """Return the place of a compiled function."""
    function = _python_function(value)
    if function is None:
        return _Place(name_of(value), ())
    code = function.__code__
    named = _named(function)
    options = repr(sorted(getattr(value, "targetoptions", {}).items()))
    defaults = (function.__defaults__, *sorted((function.__kwdefaults__ or {}).items()))
    lines = [type(value).__name__, name_of(function), _says(code), _value(defaults), options]
    lines += [f"{name} = {_value(value)}" for name, value in named]
    return _Place(
        "\n".join(lines), tuple(part for value in (*(v for _, v in named), defaults) for part in _code_in(value))
    )


remembered_code = functools.cache(look_at_code)


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
    value = getattr(value, "_defn", value) if isinstance(value, _Intrinsic) else value
    value = getattr(value, "py_func", value)
    return value if isinstance(value, python.FunctionType) else None


@functools.cache
def _file(module: str) -> str:
    path = getattr(sys.modules.get(module), "__file__", None)
    try:
        return as_loaded(Path(path)) if path else ""
    except OSError:  # a console, a notebook, an archive
        return ""


def _scope(function: Any) -> dict[str, Any]:
    """Return the values of a function's names, except its own variables."""
    closure = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    own = {name: cell.cell_contents for name, cell in closure if cell != _NO_VALUE_YET}
    return {**vars(builtins), **function.__globals__, **own}


def _names(code: Any) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, python.CodeType):
            yield from _names(constant)


def _says(code: Any) -> str:
    """Return what code does: without comments, position and docstring."""
    constants = list(map(_constant, code.co_consts))
    if _has_docstring(code):
        constants[0] = ""
    shape = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return digest(repr((code.co_code, code.co_exceptiontable, shape, names, constants)))


def _constant(value: Any) -> str:
    if isinstance(value, frozenset):  # in no order
        return repr(sorted(map(repr, value)))
    return _says(value) if isinstance(value, python.CodeType) else repr(value)


def _has_docstring(code: Any) -> bool:
    if hasattr(inspect, "CO_HAS_DOCSTRING"):
        return bool(code.co_flags & inspect.CO_HAS_DOCSTRING)
    first = code.co_consts[0] if code.co_consts else None
    return isinstance(first, str) and not code.co_name.startswith("<")  # a comprehension has none


def _is_code(value: Any) -> bool:
    if isinstance(value, type):  # named tuples, structs, enumerations, jitclasses
        return any(hasattr(value, name) for name in ("_fields", "fields", "__members__", "class_type"))
    if isinstance(value, _Intrinsic) or hasattr(value, "choices") or hasattr(value, "py_func"):
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
        return f"{name_of(type(value))} {value.name}"
    if isinstance(value, int) and not isinstance(value, bool):
        return hex(value)  # Python prints no decimal numbers of thousands of digits
    if isinstance(value, bool | float | complex | str | bytes | type(None) | np.generic | np.dtype | types.Type):
        return repr(value)
    if isinstance(value, tuple):
        return f"{name_of(type(value))}({', '.join(map(_value, value))})"
    return name_of(_python_function(value) or value)


def _class(value: type) -> str:
    if hasattr(value, "class_type"):
        return no_other()  # a jitclass: its methods may be anything
    fields = getattr(value, "_fields", getattr(value, "fields", ()))
    members = [(name, _value(member.value)) for name, member in getattr(value, "__members__", {}).items()]
    return f"class {name_of(value)} {fields} {members} {getattr(value, 'checked', '')}"


def name_of(value: Any) -> str:
    """Return the full name of a function, a class, or the class of anything else."""
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
