"""The library as WebAssembly, in Node and in a browser, plays what Python plays."""

import hashlib
import importlib.util
import json
import math
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded_episodes import PROBLEMS, RECORD, problem

import timebound as tb
from timebound.cli import main

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package for the web is, with 32-bit memory."""
    for needed, there in {
        "ziglang": importlib.util.find_spec("ziglang"),
        "wasm-opt (npm install binaryen)": shutil.which("wasm-opt"),
    }.items():
        if not there:
            pytest.skip(f"WebAssembly is not made without {needed}")
    made: Path = tmp_path_factory.mktemp("web")
    assert main(["export", "--target", "wasm", "--agents", "rtaa", "--output", str(made)]) == 0
    shutil.copy(HERE / "play.mjs", made)
    return made


def problems(terrain: str) -> list[dict[str, Any]]:
    told = []
    for number in range(PROBLEMS):
        world, start, goal, budget = problem(number)
        rules = {"neighbors": world.neighbors} | ({"diagonal": 1.4} if world.diagonal == 1.4 else {})
        told.append(
            {
                **{"kind": "rtaa", "terrain": terrain, "rules": rules, "width": world.width, "height": world.height},
                **{"cells": world.passable.ravel().tolist(), "start": start, "goal": goal, "intervals": 400},
                "budget": {name: None if value == math.inf else value for name, value in budget.items()},
            }
        )
    return told


def check(played: list[dict[str, Any]], terrain: str) -> None:
    told = []
    for each in played:
        path, record = each["trail"], each["record"]
        back = sum(one == other for one, other in zip(path, path[2:], strict=False))
        counts = [record["moves"], record["intervals"], record["expansions"], record["searches"], back]
        stop = "intervals" if each["status"] == "going" else each["status"]
        told.append((stop, path, [*counts, record["traceSteps"], record["updates"]]))
    digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
    assert digest == json.loads(RECORD.read_text())[f"rtaa {terrain}"]


@pytest.mark.parametrize("terrain", ["known", "unknown"])
def test_node_plays_the_recorded_episodes(package: Path, terrain: str):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node")
    (package / "problems.json").write_text(json.dumps(problems(terrain)))
    code = """import { readFileSync } from "node:fs"; import { load } from "./timebound.js";
        import { play } from "./play.mjs";
        const library = await load(readFileSync("timebound.wasm"));
        console.log(JSON.stringify(play(library, JSON.parse(readFileSync("problems.json", "utf8")))));"""
    command = [node, "--input-type=module", "--eval", code]
    check(json.loads(subprocess.run(command, cwd=package, capture_output=True, check=True).stdout), terrain)


def test_errors_are_those_of_the_library(package: Path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node")
    code = """import { readFileSync } from "node:fs"; import { load } from "./timebound.js";
        const library = await load(readFileSync("timebound.wasm"));
        const grid = library.grid(new Uint8Array(6).fill(1), 3, 2), said = [];
        for (const wrong of [() => grid.agent("rtaa", [0, 0], [3, 0]),
            () => grid.agent("rtaa", [0, 0], [2, 0], { lookahead: 0 }),
            () => library.grid([1], 1, 1, { corners: "round" }), () => grid.block([[9, 9]])])
          try { wrong(); said.push("fine"); } catch (error) { said.push(error.message); }
        console.log(said.join("\\n"));"""
    command = [node, "--input-type=module", "--eval", code]
    assert subprocess.run(command, cwd=package, capture_output=True, text=True, check=True).stdout.splitlines() == [
        "(3, 0) is outside the map, which is 3 wide and 2 high",
        "lookahead is a whole number above 0 (or inf), not 0",
        "corners are 'strict' or 'cut', not 'round'",
        "(9, 9) is outside the map, which is 3 wide and 2 high",
    ]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *told: object) -> None:
        pass


def test_a_browser_plays_the_recorded_episodes(package: Path):
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium")
    (package / "index.html").write_text("<!doctype html><title>timebound</title>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(package)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
            played = page.evaluate(
                """async (problems) => {
                    const [{ load }, { play }] = await Promise.all([import("./timebound.js"), import("./play.mjs")]);
                    return play(await load(), problems);
                }""",
                problems("unknown"),
            )
            browser.close()
    finally:
        server.shutdown()
        server.server_close()
    check(played, "unknown")


def test_a_fleet_in_node(package: Path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node")
    code = """import { readFileSync } from "node:fs"; import { load } from "./timebound.js";
        const library = await load(readFileSync("timebound.wasm"));
        const grid = library.grid(new Uint8Array(900).fill(1), 30, 30), fleet = grid.fleet({ collisions: "push" });
        const starts = Array.from({ length: 100 }, (_, i) => [i % 30, Math.floor(i / 30)]);
        const units = fleet.add("rtaa", starts, starts.map(([x, y]) => [29 - x, 29 - y]), { lookahead: 20 });
        const told = [];
        for (let tick = 0; tick < 60; tick++)
          told.push([fleet.tick({ expansions: 300 }), Array.from(fleet.positions(units))]);
        fleet.retarget([3], [[5, 5]]);
        fleet.remove([7]);
        try { fleet.positions([7]); } catch (error) { told.push(error.message); }
        console.log(JSON.stringify(told));"""
    command = [node, "--input-type=module", "--eval", code]
    *told, said = json.loads(subprocess.run(command, cwd=package, capture_output=True, check=True).stdout)
    assert said == "there is no unit 7 in this fleet"
    fleet = tb.Fleet(tb.Grid(np.ones((30, 30), bool)), collisions="push")
    starts = [(i % 30, i // 30) for i in range(100)]
    fleet.add("rtaa", start=starts, goal=[(29 - x, 29 - y) for x, y in starts], lookahead=20)
    for moved, places in told:
        tick = fleet.tick(expansions=300)
        states = [y * 30 + x for x, y in zip(places[::2], places[1::2], strict=True)]
        assert (moved, states) == (tick.moved, tick.positions[:100].tolist())


@pytest.mark.parametrize(("width", "height"), [(1200, 900), (390, 800)])
def test_the_playground_runs_from_a_file(package: Path, width: int, height: int):
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page, wrong = browser.new_page(viewport={"width": width, "height": height}), []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto((package / "playground.html").as_uri())
        page.wait_for_function("window.playground?.frames > 20")
        page.mouse.click(width / 2, 400)
        page.select_option("#what", "race")
        page.wait_for_function("document.querySelector('#said').textContent.includes('rtaa: goal')")
        page.select_option("#what", "crowd")
        page.select_option("#units", "3000")
        page.wait_for_function("document.querySelector('#said').textContent.startsWith('3000 units')")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert wrong == []
        browser.close()
