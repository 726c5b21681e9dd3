"""The library, called from Python by ctypes: for tests that play the same with both."""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_longlong, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

STOPS = {0: "going", 1: "goal", 2: "unreachable", 3: "stuck", 4: "memory"}


class LibraryError(Exception):
    """What the library complains about."""


class Library:
    def __init__(self, folder: Path):
        self.c = ctypes.CDLL(str(folder / "libtimebound.so"))
        self.c.tb_error.restype = self.c.tb_agent_kind.restype = c_char_p
        self.c.tb_grid_new.restype = self.c.tb_agent_new.restype = self.c.tb_fleet_new.restype = c_void_p
        self.c.tb_fleet_tick.argtypes = [c_void_p, c_double, c_longlong]
        self.c.tb_agent_step.argtypes = self.c.tb_agent_plan.argtypes = [c_void_p, c_longlong, *[POINTER(c_int)] * 2]

    @property
    def error(self) -> str:
        return str(self.c.tb_error().decode())

    def kinds(self) -> list[str]:
        names = iter(range(99))
        return [name.decode() for name in iter(lambda: self.c.tb_agent_kind(next(names)), None)]

    def checked(self, status: Any) -> Any:
        if status is None or status < 0:
            raise LibraryError(self.error)
        return status

    def grid(self, passable: np.ndarray, options: str = "") -> "CGrid":
        cells = np.ascontiguousarray(passable).astype(np.uint8)
        height, width = cells.shape
        made = self.c.tb_grid_new(cells.ctypes.data_as(c_void_p), width, height, options.encode())
        return CGrid(self, c_void_p(self.checked(made)))


def places(cells: Any) -> Any:
    flat = [number for cell in cells for number in cell]
    return (c_int * len(flat))(*flat)


class CGrid:
    def __init__(self, library: Library, handle: c_void_p):
        self.library, self.handle, self.c = library, handle, library.c

    def block(self, cells: Any) -> None:
        self.library.checked(self.c.tb_grid_block(self.handle, places(cells), len(cells)))

    def unblock(self, cells: Any) -> None:
        self.library.checked(self.c.tb_grid_unblock(self.handle, places(cells), len(cells)))

    def path(self, start: Any, goal: Any) -> tuple[float, list[Any]]:
        cost, room = c_double(), (c_int * 20000)()
        count = self.c.tb_shortest_path(self.handle, *start, *goal, byref(cost), room, 10000)
        return cost.value, list(zip(room[0 : 2 * count : 2], room[1 : 2 * count : 2], strict=True))

    def agent(self, kind: str, start: Any, goal: Any, options: str = "") -> "CAgent":
        made = self.c.tb_agent_new(self.handle, kind.encode(), *start, *goal, options.encode())
        return CAgent(self.library, c_void_p(self.library.checked(made)))

    def fleet(self, options: str = "") -> "CFleet":
        return CFleet(self.library, c_void_p(self.library.checked(self.c.tb_fleet_new(self.handle, options.encode()))))

    def __del__(self) -> None:
        self.c.tb_grid_free(self.handle)


class CAgent:
    def __init__(self, library: Library, handle: c_void_p):
        self.library, self.handle, self.c = library, handle, library.c
        self.x, self.y = c_int(), c_int()

    def step(self, expansions: int) -> tuple[str, Any]:
        status = self.c.tb_agent_step(self.handle, expansions, byref(self.x), byref(self.y))
        return STOPS[self.library.checked(status)], (self.x.value, self.y.value)

    def plan(self, expansions: int) -> tuple[str, Any]:
        status = self.c.tb_agent_plan(self.handle, expansions, byref(self.x), byref(self.y))
        return STOPS[self.library.checked(status)], (self.x.value, self.y.value)

    def moved(self, place: Any) -> None:
        self.library.checked(self.c.tb_agent_moved(self.handle, *place))

    def retarget(self, place: Any) -> None:
        self.library.checked(self.c.tb_agent_retarget(self.handle, *place))

    def observe(self, blocked: Any, free: Any) -> None:
        given = (places(blocked), len(blocked), places(free), len(free))
        self.library.checked(self.c.tb_agent_observe(self.handle, *given))

    @property
    def path(self) -> list[Any]:
        room = (c_int * 20000)()
        count = self.library.checked(self.c.tb_agent_path(self.handle, room, 10000))
        return list(zip(room[0 : 2 * count : 2], room[1 : 2 * count : 2], strict=True))

    def __del__(self) -> None:
        self.c.tb_agent_free(self.handle)


class CFleet:
    def __init__(self, library: Library, handle: c_void_p):
        self.library, self.handle, self.c = library, handle, library.c

    def add(self, kind: str, starts: Any, goals: Any, options: str = "") -> list[int]:
        units = (c_int * len(starts))()
        given = (kind.encode(), places(starts), places(goals), len(starts), options.encode(), units)
        self.library.checked(self.c.tb_fleet_add(self.handle, *given))
        return list(units)

    def retarget(self, units: list[int], goals: Any) -> None:
        numbers = (c_int * len(units))(*units)
        self.library.checked(self.c.tb_fleet_retarget(self.handle, numbers, places(goals), len(units)))

    def remove(self, units: list[int]) -> None:
        self.library.checked(self.c.tb_fleet_remove(self.handle, (c_int * len(units))(*units), len(units)))

    def tick(self, expansions: int) -> int:
        return int(self.library.checked(self.c.tb_fleet_tick(self.handle, 0.0, expansions)))

    def look(self, units: list[int]) -> tuple[list[Any], list[int]]:
        """Where units are, and what they are doing."""
        numbers, room, reasons = (c_int * len(units))(*units), (c_int * (2 * len(units)))(), (c_int * len(units))()
        self.library.checked(self.c.tb_fleet_positions(self.handle, numbers, len(units), room))
        self.library.checked(self.c.tb_fleet_reasons(self.handle, numbers, len(units), reasons))
        return list(zip(room[0::2], room[1::2], strict=True)), list(reasons)

    def __del__(self) -> None:
        self.c.tb_fleet_free(self.handle)
