"""Worlds as data, for files: what a saved agent or fleet walks in."""

from typing import Any

import numpy as np

from ..compiled import fields_of, is_struct, set_fields
from ..core.errors import ProblemError
from ..core.snapshots import Arrays, dtype_of, unpacked
from .bodies import BodyGrid, Disc
from .graph import Graph
from .graph_input import Labels
from .grid import Grid
from .ground import Ground
from .world import World

_PLAIN = (type(None), bool, int, float, str)
_OBJECTS = {kind.__name__: kind for kind in (Disc, Grid, Graph, Ground, Labels)}
_NOT_SAVED = ("compiled_map", "_highest_costs")  # made from the rest


def is_plain(value: Any) -> bool:
    """Is it a value that a file can hold without naming a class?"""
    return isinstance(value, _PLAIN) or (isinstance(value, (tuple, list)) and all(map(is_plain, value)))


class Saving:
    """Turns values into JSON and arrays."""

    def __init__(self) -> None:
        self.arrays = Arrays()
        self._worlds: dict[int, int] = {}  # numbers of worlds, by their id

    def taken(self, value: Any) -> Any:
        """Return a value as JSON."""
        if isinstance(value, np.ndarray):
            return self.arrays.number(value)
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, _PLAIN):
            return value
        if is_struct(value):
            return {"struct": [self.taken(field) for field in fields_of(value)]}
        if isinstance(value, tuple):
            return {"tuple": [self.taken(member) for member in value]}
        if isinstance(value, list):
            return [self.taken(member) for member in value]
        if isinstance(value, range):
            return {"range": value.stop}
        if isinstance(value, dict):
            return {"dict": [[self.taken(key), self.taken(member)] for key, member in value.items()]}
        if isinstance(value, World):
            if id(value) in self._worlds:
                return {"same": self._worlds[id(value)]}
            self._worlds[id(value)] = len(self._worlds)
            return {**self._object(value), "world": self._worlds[id(value)]}
        return self._object(value)

    def _object(self, value: Any) -> Any:
        if isinstance(value, BodyGrid):
            state = {name: given for name, given in Grid.__getstate__(value).items() if name not in _OF_BODY}
            body = [self.taken(given) for given in (value.whole, value.mobility, value.size)]
            return {"body": body, "state": self.taken(state)}
        kind = type(value).__name__
        if _OBJECTS.get(kind) is not type(value):
            raise ProblemError(f"a {kind} cannot be saved; maps and graphs can, whose labels are numbers or words")
        state = value.__getstate__() if isinstance(value, World) else vars(value)
        return {"object": kind, "state": self.taken({k: v for k, v in state.items() if k not in _NOT_SAVED})}


_OF_BODY = ("whole", "body", "_reach", "mobility", "size")


class Restoring:
    """Turns JSON and arrays into values; those that are the same array in the file are one array again."""

    def __init__(self, contents: list[bytes]):
        self._contents = contents
        self._placed: dict[int, np.ndarray] = {}
        self._worlds: dict[int, Any] = {}

    def made(self, saved: Any) -> Any:
        """Return a value of plain data, or a world."""
        if isinstance(saved, list):
            return [self.made(member) for member in saved]
        if not isinstance(saved, dict):
            return saved
        if "array" in saved:
            return self._placed.setdefault(saved["array"], self._array(saved)).reshape(saved["shape"])
        if "tuple" in saved:
            return tuple(self.made(member) for member in saved["tuple"])
        if "range" in saved:
            return range(saved["range"])
        if "dict" in saved:
            return {self.made(key): self.made(member) for key, member in saved["dict"]}
        if "same" in saved:
            return self._worlds[saved["same"]]
        return self._object(saved)

    def _object(self, saved: Any) -> Any:
        state = self.made(saved["state"])
        if "body" in saved:
            whole, mobility, size = map(self.made, saved["body"])
            made = whole.for_body(mobility, size)
            Grid.__setstate__(made, state)
        else:
            kind: Any = _OBJECTS[saved["object"]]
            made = kind.__new__(kind)
            made.__setstate__(state) if issubclass(kind, World) else made.__dict__.update(state)
        self._place(saved["state"], vars(made))
        if "world" in saved:
            self._worlds[saved["world"]] = made
        return made

    def _place(self, saved: Any, value: Any) -> None:
        """Note which arrays the world has now, which may be copies."""
        if isinstance(value, np.ndarray) and value.flags.writeable:
            self._placed[saved["array"]] = value
        elif isinstance(value, dict) and "dict" in saved:
            for name, member in saved["dict"]:
                self._place(member, value[self.made(name)])
        elif isinstance(value, tuple) and isinstance(saved, dict) and "tuple" in saved:
            for pair in zip(saved["tuple"], value, strict=True):
                self._place(*pair)

    def poured(self, target: Any, saved: Any) -> Any:
        """Return what takes the place of a value of the same type; structs are changed in place."""
        if isinstance(target, np.ndarray):
            return self._array_like(target, saved)
        if is_struct(target):
            fields = fields_of(target)
            set_fields(target, [self.poured(*pair) for pair in zip(fields, saved["struct"], strict=True)])
            return target
        if isinstance(target, tuple):
            members = [self.poured(*pair) for pair in zip(target, saved["tuple"], strict=True)]
            return type(target)._make(members) if hasattr(target, "_make") else tuple(members)
        return self.made(saved)

    def _array_like(self, target: np.ndarray, saved: Any) -> np.ndarray:
        number, kind = saved["array"], dtype_of(saved["dtype"])
        array = (self._placed[number] if number in self._placed else self._array(saved)).reshape(saved["shape"])
        same = array.shape == target.shape and array.dtype == target.dtype and np.array_equal(array, target)
        if kind != target.dtype or not (same or target.flags.writeable):
            raise ValueError("it is not what an agent of that kind has")
        if not target.flags.writeable:
            return target
        return self._placed.setdefault(number, target if same else array).reshape(saved["shape"])

    def _array(self, saved: Any) -> np.ndarray:
        return unpacked(self._contents[saved["array"]], saved["shape"], dtype_of(saved["dtype"]))
