"""One door to all agents, wherever they come from.

A name is that of an agent of the library, of one that a program registered, or of one that an installed package brings
(entry points of the group `timebound.agents`); or it is the import path of an agent, `package.module:name`. What is
outside the library is imported when it is used, and not before: a broken package breaks nothing but its own agents.
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
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ProblemError
from ..values import flag, one_of
from ..wording import shown
from .catalogue import EVERYWHERE, KINDS, Kind
from .catalogue import fill_in as fill_in_kind

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "timebound.agents"
_NAME = re.compile(r"\w[\w.-]{,99}")  # commas separate names, colons are of import paths

_registered: dict[str, Kind | str | ProblemError] = {}  # a path is imported when it is used
_modules: set[str] = set()  # from outside the library, that agents were looked for in


@dataclass(frozen=True, eq=False)
class Made(Kind):
    """An agent that a function makes, which takes what `make` takes after the name. Its parts are not known.

    What it returns has at least `run`; everything works with it if it has the methods of `Agent`.
    """

    function: Callable[..., Any] = field(default=lambda *_, **__: None, repr=False)
    own_parts = ()
    learning = "as its function decides"
    needs_grid = needs_reversible_moves = False

    def part(self, role: str) -> str:
        """Not known."""
        return ""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Those that the function names, beyond what all such functions take; None for those without a default."""
        try:
            taken = list(inspect.signature(self.function).parameters.values())[3:]
        except (TypeError, ValueError):  # functions that are not written in Python need not have a signature
            return {}
        by_name = [one for one in taken if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
        own = [one for one in by_name if one.name not in ("terrain", "seed")]
        return {one.name: None if one.default is one.empty else one.default for one in own}

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse parameters that the function does not take."""
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):  # as above
            return
        try:
            signature.bind(None, None, None, terrain="known", seed=0, **parameters)
        except TypeError as error:
            raise ProblemError(f"the function of agent {self.name!r} cannot be called like this: {error}") from None

    def make(self, world: Any, start: Any, goal: Any, **rules: Any) -> Any:
        """The agent, under the name that it was asked for."""
        agent = self.function(world, start, goal, **rules)
        if not hasattr(agent, "run"):
            raise ProblemError(f"the function of agent {self.name!r} returned {shown(agent)}, which has no `run`")
        kind = getattr(agent, "kind", None)
        if isinstance(kind, Kind):
            agent.kind = _called(kind, self.name)
        return agent


# ------------------------------------------------------------------ finding


def catalogue() -> list[Kind]:
    """Every agent, with its paper, its parameters and defaults, and the terrain that it takes.

    First those of the library, then those that were registered, then those that installed packages bring. What cannot
    be loaded is left out: see `unavailable`.

    Examples
    --------
    >>> [kind.name for kind in catalogue()][:3]
    ['astar', 'wastar', 'gbfs']
    """
    return [*KINDS.values(), *(kind for _, kind in _from_outside() if isinstance(kind, Kind))]


def unavailable() -> dict[str, str]:
    """The agents that were registered or installed and cannot be loaded, and why."""
    return {name: str(error) for name, error in _from_outside() if not isinstance(error, Kind)}


def _from_outside() -> Iterator[tuple[str, Kind | ProblemError]]:
    for name in dict.fromkeys([*_registered, *_installed()]):
        try:
            yield name, find_kind(name)
        except ProblemError as error:
            yield name, error


def exists(name: str) -> bool:
    """Is there an agent of that name, or may there be, because it is an import path? Nothing is imported."""
    return name in KINDS or ":" in name or name in _registered or name in _installed()


def names() -> list[str]:
    """The names of all agents. Nothing is imported."""
    return list(dict.fromkeys([*KINDS, *_registered, *_installed()]))


def find_kind(agent: str | Kind, terrain: str | None = None) -> Kind:
    """The agent of that name, or of that import path, if there is one and it takes the terrain.

    It is called what it was asked for, so that a record names an agent that can be found again.
    """
    kind = agent if isinstance(agent, Kind) else KINDS.get(agent) if isinstance(agent, str) else None
    kind = kind or _elsewhere(agent)
    if terrain is None:
        return kind
    one_of(terrain, EVERYWHERE, "terrain is known, unknown or partial")
    if terrain not in kind.terrain:
        others = ", ".join(other.name for other in KINDS.values() if terrain in other.terrain)
        raise ProblemError(
            f"agent {kind.name!r} takes {' or '.join(kind.terrain)} terrain only; for {terrain}: {others}"
        )
    return kind


def _elsewhere(name: Any) -> Kind:
    """The agent, which is not one of the library."""
    if not isinstance(name, str):
        raise _unknown(name)
    if name in _registered:
        return _as_registered(name)
    if ":" in name:
        return as_kind(imported(name), name)
    if name in _installed():
        return _plugged_in(name)
    raise _unknown(name)


def _as_registered(name: str) -> Kind:
    agent = _registered[name]
    if isinstance(agent, ProblemError):
        raise agent
    return agent if isinstance(agent, Kind) else as_kind(imported(agent), name, shown(agent))


def _unknown(name: Any) -> ProblemError:
    near = get_close_matches(shown(name), names(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"choose from: {', '.join(names())}"
    return ProblemError(f"there is no agent {shown(name)}; {hint}")


def as_kind(thing: Any, name: str, what: str = "") -> Kind:
    """A kind of agents, or a function that makes agents, as a kind of that name."""
    if isinstance(thing, Kind):
        return _called(thing, name)
    if not callable(thing):
        wanted = "a Kind, or a function that makes agents"
        raise ProblemError(f"{what or shown(name)} is {shown(thing)}, and an agent is {wanted}")
    about = (inspect.getdoc(thing) or "an agent from outside the library").partition("\n")[0]
    return Made(name, about, "", function=thing)


@functools.lru_cache(maxsize=1024)  # what is known of a kind is worked out once, so that another agent is made quickly
def _called(kind: Kind, name: str) -> Kind:
    return kind if kind.name == name else changed(kind, name=name)


def home(name: str) -> str:
    """The module that an agent from outside the library is defined in, as far as that is known."""
    agent = _registered.get(name, name)
    if isinstance(agent, Made):
        return getattr(agent.function, "__module__", None) or ""
    if isinstance(agent, str) and ":" in agent:
        return agent.partition(":")[0]
    return _installed()[name][0].module if agent == name and name in _installed() else ""


def fill_in(kind: Kind, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """All parameters of an agent: those given, in their plain form, and the defaults of the others."""
    if isinstance(kind, Made):
        kind.check(given)
        return {**kind.parameters, **given}
    return fill_in_kind(kind, given)


# ------------------------------------------------------------------ import paths


def imported(path: str) -> Any:
    """What an import path `package.module:name` stands for."""
    module, name = _parted(path)
    _modules.add(module)
    try:
        return getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as error:  # whatever that module does when it is imported
        raise ProblemError(f"{shown(path)} cannot be imported: {_reason(error)}") from None


def _parted(path: str) -> tuple[str, str]:
    module, _, name = path.partition(":")
    if not (name.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise ProblemError(f"{shown(path)} is not an import path; write module:name")
    return module, name


def look_in(folder: str) -> None:
    """Look for modules in that folder before any other."""
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def blamed(error: BaseException) -> str:
    """If code from outside the library raised an error: which, where; otherwise nothing."""
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
    """The entry points of all installed packages. Looked up when first needed: it takes some 80 ms."""
    from importlib.metadata import entry_points

    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        if entry.name not in KINDS:
            found.setdefault(entry.name, []).append(entry)
    return found


def _plugged_in(name: str) -> Kind:
    entry, *others = _installed()[name]
    if others:
        packages = " and ".join(_package(each) for each in (entry, *others))
        raise ProblemError(f"agent {name!r} is brought by {packages}; say which one you mean, as module:name")
    _modules.add(entry.module)
    try:
        thing = entry.load()
    except (Exception, SystemExit) as error:
        raise ProblemError(f"agent {name!r} of {_package(entry)} cannot be loaded: {_reason(error)}") from None
    return as_kind(thing, name, f"{entry.value!r} of {_package(entry)}")


def _package(entry: "EntryPoint") -> str:
    return f"the package {entry.dist.name!r}" if entry.dist else "a package"


# ------------------------------------------------------------------ registering


def register(name: str | Kind, agent: Kind | Callable[..., Any] | str | None = None, *, replace: bool = False) -> None:
    """Give an agent a name: it then works wherever a name does, in this process and in those that it starts.

    Parameters
    ----------
    name
        Of letters, digits, `-`, `_` and `.`; a kind that is given alone has a name of its own.
    agent
        A kind, a function that makes agents (it takes what `make` takes after the name), or the import path
        `"package.module:name"` of one of them. A path is imported when the agent is used for the first time.
    replace
        Another agent may have been registered or installed under that name. Those of the library keep their names.

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
    _check_name(name, flag(replace, "replace"))
    if isinstance(agent, str):
        _parted(agent)
    _registered[name] = agent if isinstance(agent, str) else as_kind(agent, name, f"what is registered as {name!r}")


def _check_name(name: Any, may_replace: bool) -> None:
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise ProblemError(f"a name of an agent is made of letters, digits, '-', '_' and '.', unlike {shown(name)}")
    if name in KINDS:
        raise ProblemError(f"{name!r} is an agent of the library; choose another name")
    if not may_replace and name in names():
        raise ProblemError(f"there is an agent {name!r} already; choose another name, or say replace=True")


def unregister(name: str) -> None:
    """Forget an agent that was registered."""
    if not isinstance(name, str) or name not in _registered:
        raise ProblemError(f"no agent was registered as {shown(name)}")
    del _registered[name]


# ------------------------------------------------------------------ other processes


def knowing_agents(work: Callable[..., Any]) -> Callable[..., Any]:
    """The same work, for another process: what is registered here is registered there, too."""
    return functools.partial(_registered_first, _sendable(), work) if _registered else work


def _registered_first(agents: Mapping[str, Any], work: Callable[..., Any], *given: Any) -> Any:
    _registered.update(agents)
    return work(*given)


def _sendable() -> dict[str, Any]:
    """What is registered; in place of what cannot be sent, the complaint of whoever uses it."""
    bare = {name: changed(agent) if isinstance(agent, Kind) else agent for name, agent in _registered.items()}
    return {name: _refusal(name, agent) or agent for name, agent in bare.items()}


def _refusal(name: str, agent: Any) -> ProblemError | None:
    try:
        pickle.dumps(agent)
    except Exception as error:
        why = f"agent {name!r} cannot be sent to another process ({error}); register its path, 'module:name'"
        return ProblemError(why)
    return None
