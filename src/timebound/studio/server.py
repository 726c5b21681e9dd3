"""The studio's server: a page, and a socket for each open page."""

import asyncio
import errno
import json
import logging
import mimetypes
import os
import socket
import threading
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from ..agents.catalogue import Kind
from ..agents.registry import catalogue
from ..applications.crowd import fleet_kinds
from ..core.errors import ProblemError
from ..core.version import __version__
from ..fleet.pibt import COLLISIONS
from ..fleet.units import REASONS
from ..maps.formats import NAMES
from ..maps.generate import GENERATORS
from . import client_limits as limits
from .ground import SUFFIXES
from .guard import Guard, hosts_of
from .json_text import plain
from .palette import palette
from .session import GoneError, Hands, Notices, Session, TooFastError
from .setting import settable

PAGE = files(__package__) / "page"
POLICY, CROWDED = 1008, 1013  # why a socket is closed


class Studio:
    """What all clients share: the agents that may race, the page, and the list of clients."""

    def __init__(self, kinds: Mapping[str, Kind] | None = None):
        self.kinds = {kind.name: kind for kind in catalogue()} if kinds is None else dict(kinds)
        self.hello = greeting(self.kinds)
        self.content = {file.name: file.read_bytes() for file in PAGE.iterdir() if file.is_file()}
        self.clients: set[Session] = set()
        self._hands: Hands | None = None

    def app(self, hosts: set[str]) -> Guard:
        """Return the application, for requests to these hosts."""
        routes = [
            Route("/", self._file("index.html")),
            *(Route(f"/page/{name}", self._file(name)) for name in self.content),
            Route("/favicon.ico", self._file("icon.svg")),
            WebSocketRoute("/socket", self.socket),
        ]
        return Guard(Starlette(routes=routes), hosts)

    def _file(self, name: str) -> Any:
        """Return a file of the page, from memory: no request can name a file on disk."""
        kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
        kind = kind or "application/octet-stream"

        async def answer(request: Request) -> Response:
            return Response(self.content[name], media_type=kind)

        return answer

    async def socket(self, wire: WebSocket) -> None:
        """Serve one client from connection to disconnection."""
        await wire.accept()
        if len(self.clients) >= limits.MOST_CLIENTS:
            return await wire.close(CROWDED, f"{limits.MOST_CLIENTS} pages are already open; close one")
        self._hands = self._hands or Hands(max(1, os.cpu_count() or 1))
        session = Session(wire, self.kinds, self._hands)
        self.clients.add(session)
        work = asyncio.create_task(self._serve(session))
        try:
            await self._listen(wire, session)
        except TooFastError:
            with suppress(RuntimeError):
                await wire.close(POLICY, "too many messages")
        finally:
            self.clients.discard(session)
            session.leave()
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work

    async def _serve(self, session: Session) -> None:
        with suppress(GoneError):
            await session.greet(self.hello)
            await session.work()

    async def _listen(self, wire: WebSocket, session: Session) -> None:
        """Read messages until the client disconnects, is silent too long, or sends something other than text."""
        while True:
            try:
                message = await asyncio.wait_for(wire.receive(), limits.SILENCE)
            except TimeoutError:
                return await wire.close(POLICY, "the page was silent too long")
            if message["type"] == "websocket.disconnect":
                return
            if message.get("text") is None:
                return await wire.close(POLICY, "messages must be text")
            await session.hear(message["text"])


def greeting(kinds: Mapping[str, Kind]) -> str:
    """Return what a page must know: agents and their parameters, maps, colours, limits."""
    told = ("name", "about", "paper", "terrain")
    agents = [
        {name: getattr(kind, name) for name in told} | {"learns": bool(kind.learning), "parameters": settable(kind)}
        for kind in kinds.values()
    ]
    most = {name.lower(): value for name, value in vars(limits).items() if name.isupper()}
    maps = {"built_in": NAMES, "generators": {name: own for name, (_, own) in GENERATORS.items()}, "files": SUFFIXES}
    in_fleets = [kind.name for kind in fleet_kinds(kinds.values())]
    fleets = {"kinds": in_fleets, "collisions": tuple(COLLISIONS), "reasons": REASONS}
    more = {"version": __version__, "palette": palette(), "limits": most, "maps": maps, "fleets": fleets}
    return json.dumps(plain({"say": "hello", "agents": agents, **more}))


# ------------------------------------------------------------------ starting the server


def listening_socket(host: str, port: int | None) -> socket.socket:
    """Open a socket at that port; by default at the usual one, or at any free one."""
    family, dual = socket.AF_INET6 if ":" in host else socket.AF_INET, host == "::" and socket.has_dualstack_ipv6()
    for candidate in (port,) if port is not None else (8321, 0):
        try:
            return socket.create_server((host, candidate), family=family, backlog=64, dualstack_ipv6=dual)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and candidate != 0:
                refused = f"port {candidate} is in use; choose another one with --port"
            else:
                refused = f"cannot listen at {host}: {error.strerror or error}"
    raise ProblemError(refused)


def serve(
    host: str = "127.0.0.1", port: int | None = None, *, browser: bool = True, studio: Studio | None = None
) -> None:
    """Serve the studio until Ctrl-C."""
    listener = listening_socket(host, port)
    number = listener.getsockname()[1]
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::", "::1") else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{number}/"
    print(f"the studio is at {address} (Ctrl-C ends it)", flush=True)
    if browser:
        threading.Timer(0.8, webbrowser.open, [address]).start()
    run(studio or Studio(), listener, hosts_of(host, number, _own_names(host)))


def run(studio: Studio, listener: socket.socket, hosts: set[str]) -> None:
    """Serve on a socket that is already listening."""
    log, notices = logging.getLogger("timebound"), Notices(logging.WARNING)
    log.addHandler(notices)
    config = uvicorn.Config(
        studio.app(hosts),
        log_level="error",
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=limits.MOST_MESSAGE,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        log.removeHandler(notices)
        listener.close()


def _own_names(host: str) -> set[str]:
    """Return the names by which others may reach the studio."""
    if host not in ("0.0.0.0", "::"):
        return set()
    name = socket.gethostname()
    with suppress(OSError):
        return {name, socket.getfqdn(), *socket.gethostbyname_ex(name)[2]}
    return {name}
