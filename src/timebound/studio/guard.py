"""Access control of the studio: only its own page may connect.

A web page from elsewhere can make the browser connect to this machine. Its Origin header gives it away; if it has
pointed its own domain name at this machine (DNS rebinding), the Host header does.
"""

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}
_ADDED = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]


class Guard:
    """Accepts only requests that name one of these hosts, with the port."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]):
        self.app, self.hosts = app, frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        if not self._welcome(scope):
            return await _refuse(scope, receive, send)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_ADDED]
            await send(message)

        return await self.app(scope, receive, with_headers)

    def _welcome(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        hosts, origins = ([value.lower() for value in headers.getlist(name)] for name in ("host", "origin"))
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return False
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and not origins:
            return True
        return len(origins) == 1 and origins[0] == f"http://{hosts[0]}"


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        return await send({"type": "websocket.close", "code": 1008})
    text = "this studio only talks to its own page; open the address that it printed\n"
    await PlainTextResponse(text, 403, _HEADERS)(scope, receive, send)


def hosts_of(host: str, port: int, also: Iterable[str] = ()) -> set[str]:
    """Return the Host headers that a page of this studio may have.

    >>> sorted(hosts_of("127.0.0.1", 80))
    ['127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:80', 'localhost', 'localhost:80']
    """
    names = {"127.0.0.1", "localhost", "[::1]", *also}
    if host not in ("0.0.0.0", "::"):
        names.add(f"[{host}]" if ":" in host else host)
    return {f"{name}:{port}" for name in names} | (names if port == 80 else set())
