"""Print which packages of timebound import which: `python tools/layers.py`. Imports go down only; a test checks it.

Imports inside functions and for types count like the others, and so does `import_module` of a name that is written out.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "timebound"

LAYERS = (
    ("core",),
    ("compiled",),
    ("maps",),
    ("worlds",),
    ("search",),
    ("knowledge",),
    ("subgoals",),
    ("agents",),
    ("fleet",),
    ("applications", "adapters", "export"),
    ("lab",),
    ("studio",),
    ("cli",),
    ("timebound",),  # the package itself, and what runs it
)
"""From the bottom to the top. Packages of one layer do not import each other."""

_HEIGHT = {package: height for height, layer in enumerate(LAYERS) for package in layer}


class Import(NamedTuple):
    """One import of one module by another, by their paths in the package."""

    importer: tuple[str, ...]
    imported: tuple[str, ...]
    line: int

    def packages(self) -> tuple[str, str]:
        """Return the packages of both."""
        return _package(self.importer), _package(self.imported)

    def goes_down(self) -> bool:
        """Return whether it stays in a package, or leads to a lower layer."""
        importer, imported = self.packages()
        return importer == imported or _HEIGHT[imported] < _HEIGHT[importer]

    def __str__(self) -> str:
        return f"{'/'.join(self.importer)}.py:{self.line} imports {'.'.join(self.imported) or 'timebound'}"


def _package(module: tuple[str, ...]) -> str:
    return module[0] if module and (SOURCE / module[0]).is_dir() else "timebound"


def imports() -> Iterator[Import]:
    """Yield every import of one part of the library by another."""
    for file in sorted(SOURCE.rglob("*.py")):
        importer = file.relative_to(SOURCE).with_suffix("").parts
        yield from imports_of(ast.parse(file.read_text()), importer)


def imports_of(code: ast.AST, importer: tuple[str, ...]) -> Iterator[Import]:
    """Yield the imports in the code of a module."""
    for node in ast.walk(code):
        for imported in _imported(node, importer):
            yield Import(importer, imported, getattr(node, "lineno", 0))


def _imported(node: ast.AST, importer: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    match node:
        case ast.Import():
            names = [name.name for name in node.names]
        case ast.ImportFrom():
            here = ("timebound", *importer)[: -node.level] if node.level else ()
            module = ".".join((*here, node.module) if node.module else here)
            names = [f"{module}.{name.name}" for name in node.names]
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(value=str(name)), *_]):
            up = len(name) - len(name.lstrip("."))
            names = [".".join((*("timebound", *importer)[:-up], name[up:])) if up else name]
            if called not in ("import_module", "__import__"):
                return
        case _:
            return
    for name in names:
        first, *rest = name.split(".")
        if first == "timebound":
            yield _module(tuple(rest))


def _module(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the module that a name is from."""
    while path and not (SOURCE.joinpath(*path).is_dir() or SOURCE.joinpath(*path).with_suffix(".py").is_file()):
        path = path[:-1]
    return path


def main() -> int:
    """Print the graph, from the bottom to the top, and imports that lead up."""
    found = list(imports())
    counts = Counter(one.packages() for one in found)
    for package in _HEIGHT:
        below = [
            f"{other} {counts[package, other]}" for other in _HEIGHT if other != package and counts[package, other]
        ]
        print(f"{package:13} {', '.join(below) or '-'}")
    upward = [one for one in found if not one.goes_down()]
    for one in upward:
        print(f"upward: {one}")
    return 1 if upward else 0


if __name__ == "__main__":
    sys.exit(main())
