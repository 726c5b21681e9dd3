"""The studio under load: frames per second on a large map, for races and crowds, and many clients at once.

One of the many clients is hostile.

python -m bench.studio            all of it, with a browser
python -m bench.studio --seconds 20
"""

import argparse
import base64
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

AGENTS = ("tbaa", "rtaa", "dstar-lite", "repeated-astar")
FRIENDS, OF_CROWDS = 19, 6  # the others race


def setting(kind: str, side: int, expansions: int, agents: tuple[str, ...] = AGENTS) -> dict[str, Any]:
    return {
        "map": {"kind": kind, "width": side, "height": side, "seed": 3},
        "start": None,
        "goal": None,
        "terrain": "unknown",
        "senses": {"radius": 10, "line_of_sight": True},
        "budget": {"expansions": expansions},
        "agents": [{"name": name} for name in agents],
    }


def crowd_setting(kind: str, side: int, units: int, **changed: Any) -> dict[str, Any]:
    crowd = {"units": units, "agent": {"name": "rtaa", "parameters": {"lookahead": 32}}, "ms": 2, **changed}
    return {"map": {"kind": kind, "width": side, "height": side, "seed": 3}, "seed": 1, "crowd": crowd}


@contextmanager
def studio() -> Iterator[tuple[str, int]]:
    command = [sys.executable, "-m", "timebound", "studio", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[4], process.pid
        process.terminate()


def memory_mb(pid: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


# ------------------------------------------------------------------ frames a second


@contextmanager
def playing(address: str, asked: dict[str, Any], speed: int) -> Iterator[Any]:
    """Open a page that plays the request, and record when it draws."""
    from playwright.sync_api import sync_playwright

    packed = base64.urlsafe_b64encode(zlib.compress(json.dumps(asked).encode())).decode().rstrip("=")
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{address}#s={packed}")
        while not page.evaluate("Boolean(window.studio?.race?.timeline)"):
            time.sleep(0.2)
        page.evaluate(
            f"""(() => {{ studio.player.speed = {speed}; studio.player.play(true); window.times = [];
            let last = performance.now();
            const tick = now => {{ times.push(now - last); last = now; requestAnimationFrame(tick); }};
            requestAnimationFrame(tick); }})()"""
        )
        time.sleep(3)
        yield page
        browser.close()


def frames(page: Any, seconds: float) -> str:
    """Return what a page achieves while it plays."""
    look = "[studio.player.at, performance.now(), studio.race.timeline.bytes, times.length]"
    at, began, had, first = page.evaluate(look)
    time.sleep(seconds)
    to, ended, has, last = page.evaluate(look)
    times, took = sorted(page.evaluate("times")[first:last]), (ended - began) / 1000
    return (
        f"{(to - at) / took:.0f} intervals/s, {(last - first) / took:.0f} frames/s, "
        f"95 % of frames within {times[int(0.95 * len(times))]:.0f} ms, "
        f"{(has - had) / max(1, to - at):,.0f} bytes/interval"
    )


def crowd_frames(address: str, asked: dict[str, Any], speed: int, seconds: float) -> str:
    """Do the same for a crowd. Halfway through, all units get new goals."""
    with playing(address, asked, speed) as page:
        found = frames(page, seconds / 2)
        page.evaluate("studio.storm()")
        after = frames(page, seconds / 2)
        ticks = page.evaluate("studio.race.timeline.troops.map(({ times, clock }) => [times, clock])")
    told = [
        f"ticks of {name}: {statistics.median(times):.2f} ms (median), {_p99(times):.2f} (p99), {max(times):.2f} (most)"
        for name, (times, _) in zip(("the fleet", "A*"), ticks, strict=False)
    ]
    return f"{found}; after new goals for all: {after}; {'; '.join(told)}; by the clock {_p99(ticks[0][1]):.2f} (p99)"


def _p99(values: list[float]) -> float:
    return sorted(values)[int(0.99 * len(values))]


# ------------------------------------------------------------------ many clients


def clients(address: str, pid: int, seconds: float) -> str:
    """Friends run races or crowds; an enemy sends nonsense, requests too much, and disconnects in the middle."""
    from websockets.sync.client import connect

    end, waits, races, crowds = time.monotonic() + seconds, list[float](), list[int](), list[int]()
    socket, origin = address.replace("http", "ws") + "socket", address.rstrip("/")
    friendly = {**setting("rooms", 100, 30, ("rtaa", "tbaa")), "start": [1, 1], "goal": [98, 98]}
    walking = crowd_setting("rooms", 100, 500, astar=True)

    def friend(number: int) -> None:
        with connect(socket, origin=origin, max_size=None) as wire:
            while time.monotonic() < end:
                wire.send(json.dumps({"do": "race", "race": number, "setting": friendly}))
                wire.send(json.dumps({"do": "want", "race": number, "interval": 4000}))
                said = time.monotonic()
                while '"ready"' not in str(wire.recv(timeout=60))[:40]:
                    pass
                waits.append(time.monotonic() - said)
                wire.send(json.dumps({"do": "want", "race": number, "interval": 4000}))
                while '"result"' not in str(wire.recv(timeout=60))[:40]:
                    pass
                races.append(number)

    def friend_of_crowds(number: int) -> None:
        with connect(socket, origin=origin, max_size=None) as wire:
            while time.monotonic() < end:
                wire.send(json.dumps({"do": "crowd", "race": number, "setting": walking}))
                said = time.monotonic()
                while '"ready"' not in str(wire.recv(timeout=60))[:40]:
                    pass
                waits.append(time.monotonic() - said)
                for tick in range(4, 120, 4):
                    wire.send(json.dumps({"do": "want", "race": number, "interval": tick}))
                    wire.send(json.dumps({"do": "change", "edits": {"@."[tick // 4 % 2]: [5050, 40]}}))
                    wire.recv(timeout=60)
                wire.send(json.dumps({"do": "storm"}))
                crowds.append(number)

    def enemy() -> None:
        rng, heavy = random.Random(1), setting("caves", 1024, 1_000_000)
        many = crowd_setting("caves", 1024, 10_000, ms=100, astar=True)
        while time.monotonic() < end:
            with connect(socket, origin=origin, max_size=None) as wire:
                wire.send("[" * 50_000)
                wire.send(
                    json.dumps(
                        {"do": "file", "name": "x.png", "content": base64.b64encode(rng.randbytes(10**6)).decode()}
                    )
                )
                wire.send(
                    json.dumps({"do": "race", "race": 1, "setting": {**heavy, "start": [9, 9], "goal": [1000, 1000]}})
                )
                wire.send(json.dumps({"do": "want", "race": 1, "interval": 10**9}))
                time.sleep(rng.random())
                wire.send(json.dumps({"do": "crowd", "race": 2, "setting": many}))
                wire.send(json.dumps({"do": "want", "race": 2, "interval": 10**9}))
                for _ in range(50):
                    wire.send(json.dumps({"do": "storm"}))
                time.sleep(rng.random())

    before = memory_mb(pid)
    roles = [friend_of_crowds if number < OF_CROWDS else friend for number in range(FRIENDS)]
    threads = [threading.Thread(target=role, args=(number,)) for number, role in enumerate(roles)]
    threads.append(threading.Thread(target=enemy))
    for thread in threads:
        thread.start()
    highest = before
    while any(thread.is_alive() for thread in threads):
        highest = max(highest, memory_mb(pid))
        time.sleep(0.2)
    time.sleep(5)
    waits.sort()
    return (
        f"{len(races)} races and {len(crowds)} crowds of {FRIENDS} clients beside a hostile one in {seconds:.0f} s; "
        "ready after "
        f"{1000 * statistics.median(waits):.0f} ms (median), {1000 * waits[int(0.95 * len(waits))]:.0f} ms (95 %); "
        f"memory {before:.0f} MB before, {highest:.0f} at most, {memory_mb(pid):.0f} after"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    with studio() as (address, pid):
        for kind, expansions, speed in (("caves", 100, 30), ("random", 2000, 60)):
            with playing(address, setting(kind, 1024, expansions), speed) as page:
                found = frames(page, min(10, seconds))
            print(f"1024 x 1024 {kind}, four agents, {expansions} expansions an interval: {found}", flush=True)
        for kind, units, speed, astar in (
            *(("caves", 10_000, 30, False), ("caves", 10_000, 60, False)),
            *(("caves", 10_000, 30, True), ("caves", 1_000, 60, True)),
        ):
            found = crowd_frames(address, crowd_setting(kind, 1024, units, astar=astar), speed, min(20, seconds))
            beside = ", A* beside it" if astar else ""
            print(f"1024 x 1024 {kind}, {units:,} units at {speed} ticks/s{beside}: {found}", flush=True)
        clients(address, pid, 3)  # compile, load
        print(clients(address, pid, seconds), flush=True)


if __name__ == "__main__":
    main()
