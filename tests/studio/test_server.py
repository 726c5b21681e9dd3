"""The server, with clients that are browsers, other programs, or hostile."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from studio.settings import asked

from timebound.studio.client_limits import MOST_CLIENTS, MOST_MESSAGE
from timebound.studio.guard import hosts_of

client = pytest.importorskip("websockets.sync.client")
from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402


def get(studio: str, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(studio).netloc, timeout=20)
    connection.putrequest(method, path, skip_host="host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    with closing(connection), connection.getresponse() as response:
        response.read()
        return response


@contextmanager
def connected(studio: str, **more: Any) -> Iterator[Any]:
    address = studio.replace("http", "ws") + "socket"
    with client.connect(address, origin=more.pop("origin", studio.rstrip("/")), max_size=None, **more) as wire:
        yield wire


def heard(wire: Any, word: str, seconds: float = 30) -> dict[str, Any]:
    """Wait for a word; records that come before are dropped."""
    end = time.monotonic() + seconds
    while True:
        message = wire.recv(timeout=max(0.01, end - time.monotonic()))
        if isinstance(message, str) and json.loads(message)["say"] == word:
            return dict(json.loads(message))


def raced(wire: Any, number: int = 1) -> dict[str, Any]:
    wire.send(json.dumps({"do": "race", "race": number, "setting": asked("rtaa")}))
    heard(wire, "ready")
    wire.send(json.dumps({"do": "want", "race": number, "interval": 4000}))
    return heard(wire, "result")["result"]


def test_the_page_and_its_headers(studio: str) -> None:
    response = get(studio, "/")
    assert response.status == 200
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert "server" not in response.headers
    assert get(studio, "/page/main.js").headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize(
    "path",
    [
        *("/page/../server.py", "/page/..%2fserver.py", "/page/%2e%2e/server.py", "//etc/passwd", "/page//etc/passwd"),
        *("/etc/passwd", "/page/", "/page", "/page/main.js/..", "/page/main.js%00", "/docs", "/openapi.json"),
    ],
)
def test_no_path_reaches_the_disk(studio: str, path: str) -> None:
    assert get(studio, path).status == 404


@pytest.mark.parametrize("host", ["evil.example", "localhost", "localhost:1", "127.0.0.1.evil.example:80", ""])
def test_foreign_hosts_are_refused(studio: str, host: str) -> None:
    assert get(studio, "/", host=host).status in (400, 403)


def test_foreign_origins_are_refused(studio: str) -> None:
    assert get(studio, "/", origin="http://evil.example").status == 403
    assert get(studio, "/", "POST").status == 403
    assert get(studio, "/", "POST", origin=studio.rstrip("/")).status == 405
    for origin in ("http://evil.example", "null", None, studio.replace("http", "https").rstrip("/")):
        with pytest.raises(InvalidStatus), connected(studio, origin=origin):
            pass


def test_hosts_of_other_addresses() -> None:
    assert "box.example:7" in hosts_of("0.0.0.0", 7, ["box.example"])
    assert "0.0.0.0:7" not in hosts_of("0.0.0.0", 7)
    assert "[fe80::1]:7" in hosts_of("fe80::1", 7)


def test_a_race(studio: str) -> None:
    with connected(studio) as wire:
        assert {agent["name"] for agent in heard(wire, "hello")["agents"]} >= {"astar", "tbaa"}
        assert raced(wire)["agents"][0]["episode"]["solved"]


def test_what_is_no_text_or_too_long_ends_the_connection(studio: str) -> None:
    for message in (b"\0\1\2", "x" * (MOST_MESSAGE + 1)):
        with connected(studio) as wire:
            heard(wire, "hello")
            with pytest.raises(ConnectionClosed):
                talk_until_it_ends(wire, message)
    test_a_race(studio)


def talk_until_it_ends(wire: Any, message: Any) -> None:
    wire.send(message)
    while True:
        wire.recv(timeout=20)


def test_messages_without_end_are_cut_off(studio: str) -> None:
    with connected(studio) as wire, pytest.raises(ConnectionClosed):
        flood(wire)


def flood(wire: Any) -> None:
    for _ in range(5000):
        wire.send('{"do": "stop"}')
    talk_until_it_ends(wire, "{}")


def test_too_many_clients(studio: str) -> None:
    with ExitStack() as stack:
        wires = [stack.enter_context(connected(studio)) for _ in range(MOST_CLIENTS)]
        for wire in wires:
            heard(wire, "hello")
        with connected(studio) as late, pytest.raises(ConnectionClosed, match="already open"):
            late.recv(timeout=20)
    eventually(lambda: test_a_race(studio))


def eventually(call: Any, seconds: float = 10) -> None:
    """Until it works: a client that has gone is noticed a moment later."""
    end = time.monotonic() + seconds
    while True:
        try:
            return call()
        except ConnectionClosed:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def test_many_clients_and_an_enemy(studio: str) -> None:
    results: list[int] = []
    over = threading.Event()

    def friend(number: int) -> None:
        with connected(studio) as wire:
            for _ in range(2):
                results.append(raced(wire, number)["agents"][0]["episode"]["moves"])

    def enemy() -> None:
        while not over.is_set():
            with connected(studio) as wire:
                wire.send("[" * 100_000)
                wire.send(json.dumps({"do": "race", "race": 1, "setting": asked("rtaa", "lrta", "plrta", "lss-lrta")}))
                wire.send(json.dumps({"do": "want", "race": 1, "interval": 10**9}))
                wire.send(json.dumps({"do": "map", "map": {"kind": "maze", "width": 200, "height": 200}}))
            # and it goes, without waiting for an answer

    threads = [threading.Thread(target=friend, args=(number,)) for number in range(10)]
    hostile = threading.Thread(target=enemy)
    for thread in (hostile, *threads):
        thread.start()
    for thread in threads:
        thread.join(60)
    over.set()
    hostile.join(20)
    assert len(results) == 20
    assert len(set(results)) == 1
