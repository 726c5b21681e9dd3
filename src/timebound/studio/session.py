"""One client: its messages, and the race or crowd that runs for it.

A message is a JSON object with a word in `do`. Answers are JSON objects with a word in `say`, and binary messages: the
number of the race, then records (see `frames` and `crowd_frames`).
"""

import asyncio
import base64
import binascii
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np

from ..agents.catalogue import Kind
from ..agents.registry import blamed
from ..compiled.notice import counts
from ..core.errors import ProblemError, TimeboundError
from ..core.values import whole
from ..core.wording import shown
from .client_limits import LOAD_OF_UNIT, MOST_AHEAD, MOST_LOAD, MOST_MESSAGES, MOST_TICKS_AHEAD, SLICE
from .contest import Contest
from .crowd_show import CrowdShow
from .ground import Ground, dropped, ground_of
from .json_text import text_of
from .setting import crowd_setting_of, position, setting_of
from .show import Show
from .threads import in_thread

_log = logging.getLogger("timebound.studio")
hearer: ContextVar[Callable[[str], None]] = ContextVar("hearer")
# What a message may ask for: a session has a method for each.
_WORDS = ("map", "file", "race", "crowd", "want", "change", "goal", "storm", "tune", "stop")


class GoneError(Exception):
    """The client has disconnected."""


async def _sent(message: Awaitable[None]) -> None:
    try:
        await message
    except Exception as error:  # each server raises its own
        raise GoneError from error


class Wire(Protocol):
    """Sends messages to a client."""

    async def send_text(self, text: str) -> None:
        """Send text."""

    async def send_bytes(self, content: bytes) -> None:
        """Send bytes."""


class Hands:
    """The workers for all clients: a few threads, so that no client starves the others, and room for their maps."""

    def __init__(self, count: int, room: int = MOST_LOAD):
        self.steps, self.preparations, self.room = asyncio.Semaphore(count), asyncio.Semaphore(count), room

    def claim(self, load: int) -> int:
        """Reserve room, if there is enough."""
        if load > self.room:
            raise ProblemError(
                "the studio is busy with large maps of other clients; try a smaller one, or fewer agents"
            )
        self.room -= load
        return load


class Session:
    """The state of one client."""

    def __init__(self, wire: Wire, kinds: Mapping[str, Kind], hands: Hands):
        self.wire, self.kinds, self.hands = wire, kinds, hands
        self.show: Show | None = None
        self.race, self.wanted, self.told, self.load = 0, 0, False, 0
        self.compiling = ""
        self._messages: asyncio.Queue[str] = asyncio.Queue(maxsize=64)
        self._pace = MessagePace(MOST_MESSAGES)

    async def hear(self, message: str) -> None:
        """Take a message from the client. One that sends too much at once must wait."""
        self._pace.count()
        await self._messages.put(message)

    async def greet(self, hello: str) -> None:
        """Send the first message."""
        await _sent(self.wire.send_text(hello))

    async def work(self) -> None:
        """Do what the client wants, until cancelled."""
        while True:
            if self._messages.empty() and self._is_under_way():
                await self._guarded(self._go_on())
            else:
                await self._guarded(self._obey(await self._messages.get()))

    def leave(self) -> None:
        """End the session: running work ends soon."""
        if self.show:
            self.show.stopped = True
        self.hands.room += self.load
        self.show, self.load = None, 0

    async def say(self, word: str, **more: Any) -> None:
        """Send a message to the client."""
        await _sent(self.wire.send_text(text_of({"say": word, **more})))

    # ---------------------------------------------------------------- messages

    async def _obey(self, text: str) -> None:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise ProblemError("the message is not JSON") from None
        word = message.get("do") if isinstance(message, dict) else None
        if not isinstance(word, str) or word not in _WORDS:
            raise ProblemError(f"a message must say what to do: {', '.join(_WORDS)}; not {shown(word)}")
        await getattr(self, f"_{word}")(message)

    async def _guarded(self, work: Awaitable[None]) -> None:
        """Report errors to the client; they end only the race concerned."""
        try:
            await work
        except TimeboundError as error:
            if not self.show:
                self.leave()  # a race that could not begin uses no room
            await self.say("problem", text=str(error))
        except MemoryError:
            self.leave()
            await self.say("problem", text="not enough memory; try a smaller map")
        except GoneError:
            raise
        except Exception as error:  # the user's own agents can raise anything
            self.leave()
            _log.exception("a race failed")
            await self.say("problem", text=blamed(error) or "an error in the studio ended the race")

    async def _map(self, message: Mapping[str, Any]) -> None:
        await self._send_map(message, await self._prepared(ground_of, message.get("map")))

    async def _send_map(self, message: Mapping[str, Any], ground: Ground) -> None:
        await self.say("map", ticket=message.get("ticket"), map=ground.packed())

    async def _file(self, message: Mapping[str, Any]) -> None:
        try:
            content = base64.b64decode(message.get("content", ""), validate=True)
        except (TypeError, ValueError, binascii.Error):
            raise ProblemError("a file must be sent in base64") from None
        await self._send_map(message, await self._prepared(dropped, message.get("name"), content))

    async def _race(self, message: Mapping[str, Any]) -> None:
        setting = await self._instead(message, setting_of)
        self.load = self.hands.claim(setting.ground.codes.size * len(setting.entrants))
        self.show = contest = await self._prepared(Contest, setting)
        hidden = setting.ground.passable & ~contest.agents[0].truth.passable
        runs = _runs(hidden.reshape(-1)) if hidden.any() else []
        await self.say("ready", race=self.race, optimal_cost=contest.optimal_cost, hidden=runs)

    async def _crowd(self, message: Mapping[str, Any]) -> None:
        setting = await self._instead(message, crowd_setting_of)
        self.load = self.hands.claim(setting.ground.codes.size + LOAD_OF_UNIT * setting.units)
        self.show = await self._prepared(CrowdShow, setting)
        await self.say("ready", race=self.race)
        await self._deliver(self.show.advance(0))

    async def _instead(self, message: Mapping[str, Any], setting_for: Callable[..., Any]) -> Any:
        """End what is running, and return the setting of what begins, under the client's number."""
        self.leave()
        self.race = whole(message.get("race"), "race must be a whole number", least=0, most=2**32 - 1)
        self.wanted, self.told = 0, False
        return await self._prepared(setting_for, message.get("setting"), self.kinds)

    async def _want(self, message: Mapping[str, Any]) -> None:
        if self.show and message.get("race") == self.race:
            until = whole(message.get("interval"), "interval must be a whole number", least=0)
            ahead = MOST_TICKS_AHEAD if isinstance(self.show, CrowdShow) else MOST_AHEAD
            self.wanted = min(until, self.show.interval + ahead)

    async def _change(self, message: Mapping[str, Any]) -> None:
        if self.show:
            await self._done(self.show.change, message.get("edits"))
            self.told = False
            await self._deliver(self.show.advance(0))

    async def _goal(self, message: Mapping[str, Any]) -> None:
        if isinstance(self.show, Contest):
            await self._done(self.show.retarget, position(message.get("at")))
            self.told = False

    async def _storm(self, message: Mapping[str, Any]) -> None:
        if isinstance(self.show, CrowdShow):
            await self._done(self.show.storm)

    async def _tune(self, message: Mapping[str, Any]) -> None:
        if isinstance(self.show, CrowdShow):
            await self._done(self.show.tune, message.get("ms"), message.get("astar"))

    async def _stop(self, message: Mapping[str, Any]) -> None:
        self.leave()

    # ---------------------------------------------------------------- work

    def _is_under_way(self) -> bool:
        """Does the client wait for more intervals, or for the result?"""
        if self.show is None:
            return False
        return not self.told if self.show.over else self.show.interval < self.wanted

    async def _go_on(self) -> None:
        show = self.show
        assert show is not None
        await self._deliver(await self._done(show.advance, self.wanted, SLICE))
        if show.over:
            self.told = True
            await self.say("result", race=self.race, result=await self._done(show.result))

    async def _deliver(self, records: bytes) -> None:
        if records:
            await _sent(self.wire.send_bytes(self.race.to_bytes(4, "little") + records))

    async def _done(self, function: Callable[..., Any], *given: Any) -> Any:
        """Do a little work, when it is this client's turn."""
        async with self.hands.steps:
            return await in_thread(function, *given)

    async def _prepared(self, function: Callable[..., Any], *given: Any) -> Any:
        """Do work that may take long, such as generating a map or compiling agents, and report its progress."""
        self.compiling = ""
        hearer.set(lambda text: setattr(self, "compiling", text))  # called in the thread that does the work
        async with self.hands.preparations:
            telling = asyncio.create_task(self._tell_progress(counts["compiled"]))
            try:
                return await in_thread(function, *given)
            finally:
                telling.cancel()

    async def _tell_progress(self, before: int) -> None:
        """Report every second while something is compiled; `before` functions were compiled before."""
        began = time.monotonic()
        with suppress(GoneError):
            while True:
                await asyncio.sleep(1)
                done, doing = counts["compiled"] - before, self.compiling or "compiling; this happens once"
                if done:
                    await self.say("wait", text=f"{doing} ({done} functions, {time.monotonic() - began:.0f} s)")


def _runs(cells: np.ndarray) -> list[int]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], cells.astype(np.int8), [0]])))
    return [int(number) for first, end in edges.reshape(-1, 2).tolist() for number in (first, end - first)]


class TooFastError(Exception):
    """A client sends more than a person can click."""


class MessagePace:
    """A limit on messages per second, averaged over some seconds."""

    def __init__(self, rate: int, seconds: int = 5):
        self.rate, self.room, self.left, self.last = rate, rate * seconds, float(rate * seconds), time.monotonic()

    def count(self) -> None:
        """Count one more message."""
        now = time.monotonic()
        self.left = min(self.room, self.left + (now - self.last) * self.rate) - 1
        self.last = now
        if self.left < 0:
            raise TooFastError


class Notices(logging.Handler):
    """Sends a client what the library logs while it works for that client, such as that it compiles."""

    def emit(self, record: logging.LogRecord) -> None:
        """Run in the thread that does the work."""
        tell = hearer.get(None)
        if tell and record.name == "timebound":
            tell(record.getMessage())
