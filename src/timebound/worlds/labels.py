"""Users' names of the nodes of a graph."""

import difflib
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from ..core.errors import ProblemError, WorldError
from ..core.values import is_whole, items
from ..core.wording import shown


class Labels:
    """Users' names of the states: any hashable values, or the numbers of the states themselves."""

    def __init__(self, labels: Iterable[Hashable] | None, states: int):
        self.names = range(states) if labels is None else items(labels, "labels are a list of names", WorldError)
        if len(self.names) != states:
            raise WorldError(f"a graph of {states} nodes needs {states} labels, not {len(self.names)}")
        self.index = None if labels is None else _numbered(self.names)

    def __getitem__(self, state: int) -> Hashable:
        return self.names[state]

    def edge(self, source: int, target: int) -> str:
        """Return the name of an edge in error messages."""
        return f"{shown(self[source])} -> {shown(self[target])}"

    def find(self, label: Any) -> int:
        """Return the state of that name."""
        if self.index is None:
            if not (is_whole(label) and 0 <= label < len(self.names)):
                raise ProblemError(f"the graph has no node {shown(label)}; its nodes are 0 to {len(self.names) - 1}")
            return int(label)
        try:
            return self.index[label]
        except (TypeError, KeyError):
            raise ProblemError(f"the graph has no node {shown(label)}{self._similar(label)}") from None

    def _similar(self, label: Any) -> str:
        """Return a hint: the same name as a value of another type, or a similar one."""
        same = next((name for name in self.names if shown(name).strip("'") == shown(label).strip("'")), None)
        if same is not None:
            return f"; there is {shown(same)}, of type {type(same).__name__}"
        words = [name for name in self.names[:10_000] if isinstance(name, str)]
        near = difflib.get_close_matches(label, words, n=1) if isinstance(label, str) else []
        return f"; did you mean {shown(near[0])}?" if near else ""


def _numbered(names: Sequence[Hashable]) -> dict[Hashable, int]:
    index: dict[Hashable, int] = {}
    for state, name in enumerate(names):
        try:
            other = index.setdefault(name, state)
        except TypeError:
            raise WorldError(f"node {state} has the label {shown(name)}, which is not hashable") from None
        if other != state:
            raise WorldError(f"nodes {other} and {state} have the same label, {shown(name)}")
    return index
