"""Docstrings are true, as far as a program can see: names in backticks exist, `Return` means a result, and the
parameters that are described are those of the function.
"""

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import timebound as tb
from timebound.agents.journey import STOPS
from timebound.agents.parameters import COMMON
from timebound.agents.parts import PARTS, find_part
from timebound.lab.measures import NAMES

SOURCE = Path(__file__).parents[2] / "src" / "timebound"
FILES = sorted(SOURCE.rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = Function | ast.ClassDef | ast.Module

# In backticks, and neither a name of this library nor of Python.
ELSEWHERE = {
    *("tb", "np", "asarray", "unique", "ThreadPoolExecutor", "IPython", "display", "HTML", "PyGraph", "PyDiGraph"),
    "pyproject.toml",
    *("f", "inf", "O", "trinary"),  # a function without a name, a number, a character of maps, a mode of ROS maps
}

QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NAME = re.compile(r"[A-Za-z_]\w*")


def documented(node: Documented, *outer: Documented) -> Iterator[tuple[Documented, Sequence[Documented]]]:
    """Yield everything that may have a docstring, with what it is in, the module first."""
    yield node, outer
    for child in nearest(node):
        yield from documented(child, *outer, node)


def nearest(node: ast.AST) -> Iterator[Documented]:
    """Yield the functions and classes directly inside, also those in an `if` or a `try`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Documented):
            yield child
        else:
            yield from nearest(child)


def prose(node: Documented) -> str:
    """Return a docstring without its examples."""
    text = ast.get_docstring(node) or ""
    return re.sub(r"^\s*(>>>|\.\.\.).*(\n(?!\s*$).*)*", "", text, flags=re.MULTILINE)


def names_in(node: ast.AST, *, but: tuple[type[ast.FunctionDef], ...] = ()) -> set[str]:
    """Return all names in a piece of code: of variables, parameters, attributes, and words of its strings."""
    found: set[str] = set()
    docstring = None
    if isinstance(node, Documented) and ast.get_docstring(node) is not None:
        docstring = node.body[0].value  # type: ignore[attr-defined]
    for child in ast.iter_child_nodes(node):
        if isinstance(child, but):
            found.add(child.name)
            continue
        match child:
            case ast.Expr(value=value) if value is docstring:
                continue
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
                found |= {*name.split(".")}
            case ast.keyword(arg=str(name)):
                found.add(name)
            case ast.Constant(value=str(text)):
                found |= {*NAME.findall(text), text}
        if isinstance(child, ast.alias) and child.asname:
            found.add(child.asname)
        if isinstance(child, Function | ast.ClassDef):
            found.add(child.name)
        if isinstance(child, ast.ImportFrom) and child.module:
            found |= {*child.module.split(".")}
        found |= names_in(child)
    return found


@cache
def vocabulary() -> set[str]:
    """Return the names that are the same everywhere: of agents, parts, parameters and files, and those of modules."""
    words = {*dir(builtins), *tb.__all__, *COMMON, *NAMES, *STOPS.values(), "timebound"}
    for thing in (getattr(tb, name) for name in tb.__all__):
        words |= {*dir(thing)}
        if isinstance(thing, type):
            words |= {*getattr(thing, "__annotations__", {})}
    for kind in tb.catalogue():
        words |= {kind.name, *kind.parameters}
    for role, parts in PARTS.items():
        words |= {role, *parts, *(name for part in parts for name in find_part(role, part).parameters)}
    for path in SOURCE.rglob("*"):
        words |= {path.name, path.stem, str(path.relative_to(SOURCE))}
    for file in FILES:
        words |= set().union(*(defined(statement) for statement in read(file).body))
    return words


def defined(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of a module defines or imports."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {alias.asname or alias.name for alias in names}
        case ast.Assign() | ast.AnnAssign():
            return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return set()


def fields_of(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the fields of a record."""
    for statement in body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id


@cache
def attributes() -> set[str]:
    """Return what may follow a dot: the fields of all records, structs included, and all methods."""
    found: set[str] = set()
    for node in (node for file in FILES for node in ast.walk(read(file))):
        match node:
            case ast.ClassDef(body=body):
                found |= {*fields_of(body)} | {one.name for one in body if isinstance(one, Function)}
            case ast.Call(func=ast.Name(id="mutable"), args=[_, _, ast.List(elts=fields), *_]):
                found |= {field.value for field in fields if isinstance(field, ast.Constant)}
    return found


def strange(quoted: str, known: set[str]) -> bool:
    """Whether what is in backticks is a name, and not one that is known. Formulas and commands are not judged."""
    if quoted in known or quoted in ELSEWHERE:
        return False
    plain = re.sub(r"\(.*\)$|=.*$", "", quoted)
    if not re.fullmatch(r"[A-Za-z_][\w.]*", plain):
        return False
    first, *others = plain.split(".")
    return first not in known | ELSEWHERE or any(part not in known | ELSEWHERE | attributes() for part in others)


def strange_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names in docstrings that do not exist where they are written, with their lines."""
    for node, outer in documented(tree):
        quoted = [one for one in QUOTED.findall(prose(node)) if strange(one, vocabulary())]
        known = vocabulary() | known_in(node, outer) if quoted else set()
        for one in quoted:
            if strange(one, known):
                yield getattr(node, "lineno", 1), one


def known_in(node: Documented, outer: Sequence[Documented]) -> set[str]:
    """Return the names in a piece of code and in what it is in; of a module, a function knows what is not in others."""
    names = [names_in(around, but=(ast.FunctionDef,) if around is outer[0] else ()) for around in outer]
    return names_in(node).union(*names)


def results(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a function itself returns or yields, not what functions inside it do."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(child, ast.Yield | ast.YieldFrom) or (isinstance(child, ast.Return) and child.value):
            yield child
        yield from results(child)


def promises(node: Function) -> bool:
    """Whether its docstring begins with a result, although it has none."""
    text, annotation = ast.get_docstring(node) or "", ast.unparse(node.returns) if node.returns else ""
    abstract = len(node.body) == 1 or isinstance(node.body[-1], ast.Raise)  # its annotation says what others return
    if re.match(r"Yields?\b", text):
        return not annotation.startswith(("Iterator", "Iterable", "Generator"))
    if re.match(r"Returns?\b(?! to the )", text):
        return annotation == "None" or not (abstract or any(results(node)))
    return False


def described(node: Documented) -> list[str]:
    """Return the parameters that a section of the docstring describes, as NumPy writes them."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", prose(node), re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^(\S[^:\n]*?)(?: *:.*)?$", section[1], re.MULTILINE) if section else []
    return [name.strip().strip("*`") for head in heads for name in head.split(",")]


def parameters(node: Documented) -> set[str]:
    """Return the parameters of a function, of `__init__` of a class, or the fields of a record."""
    if isinstance(node, ast.ClassDef):
        makers = [one for one in node.body if isinstance(one, Function) and one.name == "__init__"]
        return {*fields_of(node.body)}.union(*map(parameters, makers))
    assert isinstance(node, Function)
    return {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}


@cache
def read(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def found(check: Callable[[ast.Module], Iterable[tuple[int, str]]]) -> list[str]:
    """Return what a check finds in all files, with their lines."""
    return [f"{file.relative_to(SOURCE)}:{line}: {what}" for file in FILES for line, what in check(read(file))]


def empty_promises(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the functions whose docstring begins with a result that they do not have."""
    for node, _ in documented(tree):
        if isinstance(node, Function) and promises(node):
            yield node.lineno, node.name


def strange_parameters(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the parameters that are described and do not exist."""
    for node, _ in documented(tree):
        for name in described(node):
            if isinstance(node, ast.Module) or name not in parameters(node):
                yield getattr(node, "lineno", 1), name


@cache
def modules() -> dict[str, set[str]]:
    """Return the names in every module, by its name."""
    return {file.stem: names_in(read(file)) for file in FILES if file.stem != "__init__"}


def strange_places(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield what the table in a module's header names as the code of a line of a paper, and what does not exist."""
    for row in re.findall(r"^    .*\S {2,}(\S.*)$", prose(tree), re.MULTILINE):
        for module, name in re.findall(r"(?:\b(\w+)\.)?\b(_?[a-z]{2,}\w*_\w+|_\w+|(?<=\.)\w+)\b", row):
            if name not in (modules().get(module) or modules().keys() | vocabulary() | names_in(tree)):
                yield 1, f"{module}.{name}".lstrip(".")


def test_names_in_backticks_exist() -> None:
    assert found(strange_names) == []


def test_headers_name_code_that_exists() -> None:
    assert found(strange_places) == []


def test_what_returns_returns_something() -> None:
    assert found(empty_promises) == []


def test_parameters_that_are_described_exist() -> None:
    assert found(strange_parameters) == []


def test_the_checks_find_what_is_wrong() -> None:
    tree = ast.parse(
        'def far(steps):\n    """Return whether `most` is above `steps` of `tbaa`: `walk.no_such_field`."""\n'
        'def near(steps):\n    """Return a place.\n\n    Parameters\n    ----------\n    moves, steps : int\n    """\n'
        "    def inner(): return steps\n    steps.sort()\n"
    )
    assert [*strange_names(tree)] == [(1, "most"), (1, "walk.no_such_field")]
    assert [*empty_promises(tree)] == [(3, "near")]
    assert [*strange_parameters(tree)] == [(3, "moves")]
    lines = (
        "A paper.",
        "",
        "    Figure 1   1-2   rtaa._look, rtaa.no_such",
        "    Figure 2   3     gone_too",
        "",
        "That is all.",
    )
    header = ast.parse(repr("\n".join(lines)))
    assert [*strange_places(header)] == [(1, "rtaa.no_such"), (1, "gone_too")]
