"""Access to all agents, wherever they come from.

A name is that of an agent of the library, of one that a program registered, or of one that an installed package
provides (entry points of the group `timebound.agents`); or it is the import path of an agent, `package.module:name`.
Code outside the library is imported only when it is used: a broken package breaks only its own agents.
"""

import functools
import importlib
import inspect
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import ProblemError
from ..core.values import flag, one_of
from ..core.wording import nearest, shown
from .catalogue import EVERYWHERE, KINDS, Kind, mix

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "timebound.agents"
_NAME = re.compile(r"\w[\w.-]{,99}")  # commas separate names, colons mark import paths

_registered: dict[str, Kind | str | ProblemError] = {}  # a path is imported when it is used
_modules: set[str] = set()  # outside the library, in which agents were looked up


@dataclass(frozen=True, eq=False)
class FunctionKind(Kind):
    """An agent made by a function, which takes what `make` takes after the name. Its parts are unknown.

    What it returns has at least `run`; everything works with it if it has the methods of `Agent`.
    """

    function: Callable[..., Any] = field(default=lambda *_, **__: None, repr=False)
    own_parts = ()
    learning = "as its function decides"
    needs_grid = needs_reversible_moves = False
    guarantees = ()

    def part(self, role: str) -> str:
        """Return nothing: its parts are unknown."""
        return ""

    @property
    def _signature(self) -> inspect.Signature | None:
        try:
            return inspect.signature(self.function)
        except (TypeError, ValueError):  # functions that are not written in Python may have none
            return None

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters that the function names, beyond those of all such functions; None without a default."""
        taken = [] if self._signature is None else list(self._signature.parameters.values())[3:]
        by_name = [one for one in taken if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
        own = [one for one in by_name if one.name not in ("terrain", "seed")]
        return {one.name: None if one.default is one.empty else one.default for one in own}

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Reject parameters that the function does not take."""
        if self._signature is None:
            return
        try:
            self._signature.bind(None, None, None, terrain="known", seed=0, **parameters)
        except TypeError as error:
            raise ProblemError(f"the function of agent {self.name!r} cannot be called like this: {error}") from None

    def make(self, world: Any, start: Any, goal: Any, **rules: Any) -> Any:
        """Make the agent, under the requested name."""
        agent = self.function(world, start, goal, **rules)
        if not hasattr(agent, "run"):
            raise ProblemError(f"the function of agent {self.name!r} returned {shown(agent)}, which has no `run`")
        kind = getattr(agent, "kind", None)
        if isinstance(kind, Kind):
            agent.kind = _called(kind, self.name)
        return agent


# ------------------------------------------------------------------ finding


def catalogue() -> list[Kind]:
    """Return every agent, with its paper, its parameters and defaults, and the terrain that it supports.

    First those of the library, then registered ones, then those of installed packages. What cannot
    be loaded is left out: see `unavailable`.

    Examples
    --------
    >>> [kind.name for kind in catalogue()][:3]
    ['astar', 'wastar', 'gbfs']
    """
    return [*KINDS.values(), *(kind for _, kind in _from_outside() if isinstance(kind, Kind))]


def unavailable() -> dict[str, str]:
    """Return the registered or installed agents that cannot be loaded, and why."""
    return {name: str(error) for name, error in _from_outside() if not isinstance(error, Kind)}


def _from_outside() -> Iterator[tuple[str, Kind | ProblemError]]:
    for name in dict.fromkeys([*_registered, *_installed()]):
        try:
            yield name, find_kind(name)
        except ProblemError as error:
            yield name, error


def exists(name: str) -> bool:
    """Is there an agent of that name, or may there be, as it is an import path? Nothing is imported."""
    return name in KINDS or ":" in name or name in _registered or name in _installed()


def names() -> list[str]:
    """Return the names of all agents. Nothing is imported."""
    return list(dict.fromkeys([*KINDS, *_registered, *_installed()]))


def find_kind(agent: str | Kind, terrain: str | None = None) -> Kind:
    """Return the agent of that name or import path, if there is one and it supports the terrain.

    It keeps the requested name, so that a record names an agent that can be found again.
    """
    kind = agent if isinstance(agent, Kind) else KINDS.get(agent) if isinstance(agent, str) else None
    kind = kind or _elsewhere(agent)
    if terrain is None:
        return kind
    one_of(terrain, EVERYWHERE, "terrain is known, unknown or partial")
    if terrain not in kind.terrain:
        others = ", ".join(other.name for other in KINDS.values() if terrain in other.terrain)
        raise ProblemError(
            f"agent {kind.name!r} supports only {' or '.join(kind.terrain)} terrain; for {terrain}: {others}"
        )
    return kind


def _elsewhere(name: Any) -> Kind:
    """Return an agent from outside the library."""
    agent = _registered.get(name) if isinstance(name, str) else None
    if isinstance(agent, ProblemError):
        raise agent
    if agent is not None:
        return agent if isinstance(agent, Kind) else as_kind(imported(agent), name, shown(agent))
    if isinstance(name, str) and ":" in name:
        return as_kind(imported(name), name)
    if not (isinstance(name, str) and name in _installed()):
        raise ProblemError(f"there is no agent {shown(name)}; {nearest(shown(name), names())}")
    entry, *others = _installed()[name]
    if others:
        packages = " and ".join(_package(each) for each in (entry, *others))
        raise ProblemError(f"agent {name!r} is provided by {packages}; choose one by its path, module:name")
    thing = _loaded(entry.load, entry.module, f"agent {name!r} of {_package(entry)} cannot be loaded")
    return as_kind(thing, name, f"{entry.value!r} of {_package(entry)}")


def as_kind(thing: Any, name: str, what: str = "") -> Kind:
    """Return a kind of agents, or a function that makes agents, as a kind of that name."""
    if isinstance(thing, Kind):
        return _called(thing, name)
    if not callable(thing):
        wanted = "a Kind, or a function that makes agents"
        raise ProblemError(f"{what or shown(name)} is {shown(thing)}, but an agent must be {wanted}")
    about = (inspect.getdoc(thing) or "an agent from outside the library").partition("\n")[0]
    return FunctionKind(name, about, "", function=thing)


# What is known about a kind is computed once, so that the next agent is made quickly.
@functools.lru_cache(maxsize=1024)
def _called(kind: Kind, name: str) -> Kind:
    return kind if kind.name == name else changed(kind, name=name)


def home(name: str) -> str:
    """Return the module that defines an agent from outside the library, as far as known."""
    agent = _registered.get(name, name)
    if isinstance(agent, FunctionKind):
        return getattr(agent.function, "__module__", None) or ""
    if isinstance(agent, str) and ":" in agent:
        return agent.partition(":")[0]
    return _installed()[name][0].module if agent == name and name in _installed() else ""


def fill_in(kind: Kind, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return all parameters of an agent: the given ones, in their plain form, and defaults."""
    if isinstance(kind, FunctionKind):
        kind.check(given)
        return {**kind.parameters, **given}
    return mix(kind, given).parameters


# ------------------------------------------------------------------ import paths


def imported(path: str) -> Any:
    """Import what a path `package.module:name` stands for."""
    module, name = _parted(path)
    return _loaded(lambda: getattr(importlib.import_module(module), name), module, f"{shown(path)} cannot be imported")


def _loaded(load: Callable[[], Any], module: str, trouble: str) -> Any:
    _modules.add(module)
    try:
        return load()
    except (Exception, SystemExit) as error:  # importing a module may do anything
        raise ProblemError(f"{trouble}: {_reason(error)}") from None


def _parted(path: str) -> tuple[str, str]:
    module, _, name = path.partition(":")
    if not (name.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise ProblemError(f"{shown(path)} is not an import path; write module:name")
    return module, name


def look_in(folder: str) -> None:
    """Look for modules in that folder first."""
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def blamed(error: BaseException) -> str:
    """Return which error code outside the library raised, and where; empty if it did not."""
    trace, line = error.__traceback__, ""
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module in _modules:
            file = Path(trace.tb_frame.f_code.co_filename).name
            line = f"{file}, line {trace.tb_lineno}: {_reason(error)}"
        trace = trace.tb_next
    return line


# ------------------------------------------------------------------ packages


@functools.cache
def _installed() -> "dict[str, list[EntryPoint]]":
    """Return the entry points of all installed packages, on first use: it takes about 80 ms."""
    from importlib.metadata import entry_points

    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        if entry.name not in KINDS:
            found.setdefault(entry.name, []).append(entry)
    return found


def _package(entry: "EntryPoint") -> str:
    return f"the package {entry.dist.name!r}" if entry.dist else "a package"


# ------------------------------------------------------------------ registering


def register(name: str | Kind, agent: Kind | Callable[..., Any] | str | None = None, *, replace: bool = False) -> None:
    """Register an agent under a name, which then works everywhere, in this process and in those that it starts.

    Parameters
    ----------
    name
        A name of letters, digits, `-`, `_` and `.`; a kind that is given alone uses its own name.
    agent
        A kind, a function that makes agents (it takes what `make` takes after the name), or the import path
        `"package.module:name"` of one of them. A path is imported when the agent is used for the first time.
    replace
        Whether to replace an agent that is registered or installed under that name. Those of the library cannot be.

    Examples
    --------
    >>> import timebound as tb
    >>> tb.register(tb.variant("short-sighted", like="rtaa", lookahead=5))
    >>> tb.make("short-sighted", tb.Grid.load("harbour"), (12, 100), (60, 70)).run().solved
    True
    >>> unregister("short-sighted")
    """
    agent = name if agent is None else agent
    name = name.name if isinstance(name, Kind) else name
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise ProblemError(f"the name of an agent has letters, digits, '-', '_' and '.', unlike {shown(name)}")
    if name in KINDS:
        raise ProblemError(f"{name!r} is an agent of the library; choose another name")
    if not flag(replace, "replace") and name in names():
        raise ProblemError(f"agent {name!r} already exists; choose another name, or use replace=True")
    if isinstance(agent, str):
        _parted(agent)
    _registered[name] = agent if isinstance(agent, str) else as_kind(agent, name, f"what is registered as {name!r}")


def unregister(name: str) -> None:
    """Remove a registered agent."""
    if not isinstance(name, str) or name not in _registered:
        raise ProblemError(f"no agent was registered as {shown(name)}")
    del _registered[name]


# ------------------------------------------------------------------ other processes


def knowing_agents(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same work for another process: what is registered here is also registered there."""
    return functools.partial(_registered_first, _sendable(), work) if _registered else work


def _registered_first(agents: Mapping[str, Any], work: Callable[..., Any], *given: Any) -> Any:
    _registered.update(agents)
    return work(*given)


def _sendable() -> dict[str, Any]:
    """Return what is registered; in place of what cannot be sent, the error for its users."""
    sendable: dict[str, Any] = {}
    for name, agent in _registered.items():
        sendable[name] = changed(agent) if isinstance(agent, Kind) else agent  # without what it has computed
        try:
            pickle.dumps(sendable[name])
        except Exception as error:
            why = f"agent {name!r} cannot be sent to another process ({error}); register its path, 'module:name'"
            sendable[name] = ProblemError(why)
    return sendable
