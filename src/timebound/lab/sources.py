"""The code that the results of an agent depend on: what runs it, and nothing else.

Only the same code resumes a run. That is the code of every module that the work of a piece imports, directly or not,
and of the agent's parts; comments, docstrings, the command line and the pictures do not count. So neither a new colour
in a picture nor another agent voids a piece. Of the lab itself only what makes problems and drives agents counts: its
experiments are compared directly.
"""

import ast
import functools
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from ..agents.catalogue import KINDS
from ..agents.parts import PARTS
from ..agents.registry import exists, find_kind, home, look_in
from ..compiled.fingerprint import digest, fingerprint_of_source
from .experiment import Entrant, Experiment, Made

_PACKAGE = Path(__file__).parents[1]
_NAME = __name__.partition(".")[0]
_EPISODES = ("lab.preparation", "lab.puzzles", "lab.watching", "lab.worlds")
_WORK = ("lab.pieces", *_EPISODES)
_LENGTH = 12  # of a fingerprint


@functools.cache
def sources(agent: str | None = None, parts: frozenset[str] = frozenset()) -> str:
    """Return a fingerprint of the code of an agent, with other parts that were chosen; without one, of all agents."""
    needed = sorted({*modules(agent, parts), *_EPISODES})
    told = [f"{module} {fingerprint_of_source(_text(module))}" for module in needed]
    kind = KINDS.get(agent or "")
    return digest("\n".join([*told, repr(kind and (kind.parts, kind.defaults))]))[:_LENGTH]


def sources_of(entry: Entrant) -> str:
    """Return a fingerprint of the code of an agent of an experiment."""
    return sources(entry.agent, frozenset(value for value in entry.parameters.values() if isinstance(value, str)))


def own_code(experiment: Experiment) -> dict[str, str]:
    """Return fingerprints of the modules with the user's own agents and worlds, by their names in the experiment."""
    agents = [entry.agent for entry in experiment.entries if entry.agent not in KINDS]
    made = experiment.worlds if isinstance(experiment.worlds, Made) else None
    functions = [path for path in ((made.make, made.draw) if made else ()) if not path.startswith(f"{_NAME}.")]
    if any(":" in path for path in (*agents, *functions)):
        look_in(experiment.folder)
    found = {path: _digest_of(path.partition(":")[0]) for path in functions}
    for agent in agents:
        if module := home(agent):
            found[agent] = _digest_of(module)
        else:  # the code of a registered kind is unknown
            found[agent] = repr(dict(find_kind(agent).parameters)) if exists(agent) else ""
    return found


def _digest_of(module: str) -> str:
    """Return the fingerprint of a module's file, which may not have been imported: perhaps other agents run."""
    try:
        found = importlib.util.find_spec(module)
        return digest(Path(found.origin).read_bytes())[:_LENGTH] if found and found.origin else ""
    except (ImportError, ValueError, AttributeError, OSError):  # there is no file, or it is in an archive
        return ""


def modules(agent: str | None = None, chosen: frozenset[str] = frozenset()) -> set[str]:
    """Return the modules of this package that an agent's episodes run, or those of all agents, without the lab's own.

    They never draw or record. Of the catalogue, its own entry counts for an agent; nobody listens to it in the lab.

    >>> "agents.algorithms.rtaa" in modules("rtaa"), "agents.algorithms.d_lrta" in modules("rtaa")
    (True, False)
    """
    without = {"agents.catalogue", "agents.listening"} if agent in KINDS else set()
    found = set(without)
    waiting = [module for work in _WORK for module in _imports(work, _tree(work))]
    if agent in KINDS:  # what is prepared for an agent is imported by its parts, too
        waiting = [module for module in waiting if not module.startswith("subgoals")]
    parts = [part for role in PARTS.values() for part in role.items()]
    names = {*KINDS[agent].parts.values(), *chosen} if agent in KINDS else {name for name, _ in parts}
    waiting += [f"agents.algorithms.{path.partition(':')[0]}" for name, path in parts if name in names]
    while waiting:
        module = waiting.pop()
        if module and module not in found and not module.startswith(("lab", "cli", "studio")):
            found.add(module)
            waiting += _imports(module, _tree(module))
    return found - without


def _imports(module: str, node: ast.AST) -> Iterator[str]:
    """Return what a module imports from this package, anywhere, except for type checkers."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.ImportFrom) and node.level:
        yield from _named(module, node)
    for inner in ast.iter_child_nodes(node):
        yield from _imports(module, inner)


def _named(module: str, node: ast.ImportFrom) -> Iterator[str]:
    parts = module.split(".") if _is_package(module) else module.split(".")[:-1]
    origin = ".".join([*parts[: len(parts) - node.level + 1], *(node.module.split(".") if node.module else [])])
    for alias in node.names:
        inner = f"{origin}.{alias.name}".lstrip(".")
        if _file(inner).is_file():
            yield inner
        else:
            yield _home(origin, alias.name) if _is_package(origin) else origin


def _home(package: str, name: str) -> str:
    """Return the module that a package takes a name from: it may not need the whole package."""
    for node in ast.walk(_tree(package)):
        if isinstance(node, ast.ImportFrom) and node.level == 1 and name in {alias.name for alias in node.names}:
            return f"{package}.{node.module}".lstrip(".")
    return package


def _file(module: str) -> Path:
    path = _PACKAGE.joinpath(*module.split(".")) if module else _PACKAGE
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _is_package(module: str) -> bool:
    return _file(module).name == "__init__.py"


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_text(module))


def _text(module: str) -> str:
    return _file(module).read_text("utf-8")
