"""The studio as users see it, in a real browser."""

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from studio.settings import ROWS, asked

import timebound as tb
from timebound.applications.race import race
from timebound.studio.posthoc import posthoc_text
from timebound.studio.recording import Recorder, read
from timebound.studio.standalone import replay_html

AGENTS = ("tbaa", "rtaa", "lss-lrta")


def address(setting: dict[str, Any]) -> str:
    """As the page itself writes it."""
    packed = base64.urlsafe_b64encode(zlib.compress(json.dumps(setting).encode())).decode()
    return f"#s={packed.rstrip('=')}"


def library(**changed: Any) -> Any:
    world = tb.Grid(np.array([[c == "." for c in row] for row in ROWS]))
    return race(world, AGENTS, (0, 2), (9, 2), terrain="unknown", **{"expansions": 7, **changed})


def rows_of(visit: Any) -> list[list[str]]:
    return [row.split("\t") for row in visit.page.locator("#figures tbody").inner_text().splitlines()]


def to_the_end(visit: Any) -> None:
    visit.page.locator("#speed").select_option("1000")
    visit.wait("s && s.race && s.race.timeline")
    if not visit.state("s.player.playing || s.player.over"):
        visit.page.locator("#play").click()
    visit.wait("s.player.over && s.race.timeline.shown === s.race.timeline.last")
    visit.page.wait_for_selector("#figures[data-final=true]")


def test_a_race_by_clicking_has_the_figures_of_the_library(visit: Any) -> None:
    page = visit(address(asked(*AGENTS)))
    to_the_end(page)
    page.page.locator("#budget").fill("9")
    page.page.locator("#budget").press("Tab")
    page.page.get_by_role("button", name="Start the race").click()
    page.wait("s.race.setting.budget.expansions === 9 && s.race.timeline")
    to_the_end(page)
    wanted = library(expansions=9)
    for row, episode in zip(rows_of(page), wanted.episodes, strict=True):
        assert row[:8] == [
            *(episode.agent, "goal", f"{episode.intervals:,}", f"{episode.moves:,}", f"{episode.cost:,.2f}"),
            *(f"{wanted.suboptimality(episode):.3f}", f"{episode.expansions:,}", f"{episode.searches:,}"),
        ]
        assert row[9] == f"{episode.memory_bytes / 1024:,.0f} KiB"
    page.picture("race")


@pytest.mark.parametrize(
    ("link", "said"),
    [
        (address(asked(*AGENTS))[:-20], "this link is damaged, so nothing of it was opened"),
        ("#s=!", "this link is damaged"),
        ("#t=abc", "this link is damaged"),
        (address({}), "this link is damaged"),
        (address(asked("rtaa", "nobody")), "this link needs the agent nobody, which this studio does not have"),
    ],
)
def test_a_broken_link_is_told_and_starts_nothing(visit: Any, link: str, said: str) -> None:
    page = visit(link)
    page.wait("s && s.setting && !s.waiting")
    page.page.wait_for_timeout(300)
    assert said in page.page.locator("#notice").inner_text()
    assert page.state("s.race === null")
    page.page.get_by_role("button", name="Start the race").click()
    page.wait("s.race && s.race.timeline")


def test_a_link_pasted_into_an_open_page_is_opened(visit: Any) -> None:
    page = visit(address(asked(*AGENTS)))
    page.wait("s && s.race && s.race.timeline")
    page.page.evaluate(f"location.hash = {address(asked('rtaa', budget={'expansions': 3}))!r}")
    page.wait("s && s.race && s.race.setting.budget.expansions === 3 && s.race.setting.agents.length === 1")


@pytest.mark.parametrize("given", ["0", ""])
def test_a_budget_of_nothing_is_an_error(visit: Any, given: str) -> None:
    page = visit(address(asked(*AGENTS)))
    page.wait("s && s.race && s.race.timeline")
    page.page.locator("#budget").fill(given)
    page.page.locator("#budget").press("Tab")
    page.page.get_by_role("button", name="Start the race").click()
    page.page.wait_for_selector("#notice.problem")
    assert page.page.locator("#notice").inner_text().startswith("the budget expansions must be a number above 0")


def test_every_moment_can_be_seen_again(visit: Any) -> None:
    page = visit(address(asked(*AGENTS)))
    to_the_end(page)
    digest = """(() => {
        let sum = 0;
        for (const mind of s.race.timeline.minds) {
            const { stamp, g, count, rise, seen, visits, parent, path, trail } = mind;
            for (const array of [stamp, g, count, rise, seen, visits, parent, path, trail])
                for (let i = 0; i < array.length; i++) sum = (sum * 31 + array[i] * 8 + i) % 1000003;
            sum = (sum * 31 + mind.search + mind.position + mind.expansions) % 1000003;
        }
        return sum;
    })()"""
    last = page.state("s.race.timeline.last")
    page.state("(s.player.playing = false, s.player.go(0))")
    forward = [page.state(f"(s.player.go({i}), {digest})") for i in range(last + 1)]
    backward = [page.state(f"(s.player.go({i}), {digest})") for i in reversed(range(last + 1))]
    assert len(set(forward)) == last + 1
    assert backward == forward[::-1]
    slider = page.page.locator("#scrub")
    slider.fill("5")
    path = next(episode.path for episode in library().episodes if episode.agent == "tbaa")
    x, y = path[page.state("s.race.timeline.minds[0].moves")]
    assert page.state("s.race.timeline.shown") == 5
    assert page.state("s.race.timeline.minds[0].position") == y * 10 + x
    page.page.keyboard.press("ArrowRight")
    page.wait("s.race.timeline.shown === 6")
    page.page.get_by_role("button", name="One interval back").click()
    page.wait("s.race.timeline.shown === 5")


def test_what_is_painted_bit_by_bit_is_what_is_painted_at_once(visit: Any) -> None:
    page = visit(address(asked(*AGENTS)))
    page.wait("s && s.race && s.race.timeline")
    page.state("(s.layers.learned = s.layers.again = true)")
    to_the_end(page)
    page.state("(s.player.playing = false)")
    for interval in (0, 3, 9, 4, 12, 2, 15):
        page.state(f"s.player.go({interval})")
        same = page.state("""s.panels.list.every(({view}) => {
            view.painter.update();
            const before = view.painter.pixels.slice();
            view.painter.all();
            return before.every((pixel, i) => pixel === view.painter.pixels[i]);
        })""")
        assert same or interval in (4, 2), interval  # scales of colour may lag while one goes back


def test_a_dropped_map_and_a_new_race(visit: Any) -> None:
    page = visit(address(asked("rtaa")))
    page.wait("s && s.race && s.race.timeline")
    text = "type octile\nheight 3\nwidth 6\nmap\n......\n..@@..\n......\n"
    page.page.locator("#file").set_input_files({"name": "tiny.map", "mimeType": "text/plain", "buffer": text.encode()})
    page.wait("s.ground.name === 'tiny'")
    page.page.get_by_role("button", name="Start the race").click()
    page.wait("s.race && s.race.timeline && s.race.ground.width === 6")
    to_the_end(page)
    assert rows_of(page)[0][1] == "goal"
    transfer = page.page.evaluate_handle("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["no map at all"], "bad.map"));
        return data;
    }""")
    page.page.dispatch_event("body", "drop", {"dataTransfer": transfer})
    page.page.wait_for_selector("#notice.problem")
    assert "bad.map" in page.page.locator("#notice").inner_text()


def test_drawing_before_the_race(visit: Any) -> None:
    page = visit(
        address(
            asked("astar", terrain="known", map={"kind": "rows", "rows": ["." * 12] * 8}, start=[1, 4], goal=[10, 4])
        )
    )
    to_the_end(page)
    straight = rows_of(page)[0][4]
    page.page.locator("#map").select_option("empty")
    page.wait("s.ground.name === 'drawing' && !s.race")
    page.page.get_by_text("Wall", exact=True).click()
    draw(page, [(24, 0), (24, 28)])
    page.wait("s.ground.codes[10 * 48 + 24] === 64")
    page.page.get_by_role("button", name="Start the race").click()
    page.wait("s.race && s.race.timeline")
    to_the_end(page)
    assert rows_of(page)[0][1] == "goal"
    path = page.state("s.race.result.agents[0].episode.path")
    assert [24, 29] in path
    assert straight == "9.00"


def draw(page: Any, cells: list[tuple[int, int]], panel: int = 0) -> None:
    """Drag the pointer over cells."""
    box = page.page.locator("canvas.map").nth(panel).bounding_box()
    places = page.state(f"{json.dumps(cells)}.map(([x, y]) => s.camera.centre(y * s.ground.width + x, s.ground.width))")
    points = [(box["x"] + x, box["y"] + y) for x, y in places]
    page.page.mouse.move(*points[0])
    page.page.mouse.down()
    for point in points[1:]:
        page.page.mouse.move(*point, steps=8)
    page.page.mouse.up()


def open_field(*agents: str, **changed: Any) -> str:
    rows = ["." * 30] * 15
    return address(asked(*agents, map={"kind": "rows", "rows": rows}, start=[2, 7], goal=[27, 7], **changed))


def walk_slowly(page: Any) -> None:
    """Start again, slowly enough that there is time for a change even on a busy machine."""
    page.wait("s && s.race && s.race.timeline")
    page.page.locator("#speed").select_option("2")
    before = page.state("s.race.id")
    page.page.get_by_role("button", name="Start the race").click()
    page.wait(f"s.race.id > {before} && s.race.timeline && s.race.timeline.minds[0].moves >= 2")


@pytest.mark.parametrize("terrain", ["known", "unknown"])
def test_a_wall_in_the_way_of_agents_that_walk(visit: Any, terrain: str) -> None:
    page = visit(open_field("repeated-astar", "tbaa", "dstar-lite", terrain=terrain, budget={"expansions": 400}))
    walk_slowly(page)
    page.page.get_by_text("Wall", exact=True).click()
    moves = page.state("s.race.timeline.minds[0].moves")
    draw(page, [(16, 2), (16, 13)])
    assert page.state("s.race.timeline.minds[0].moves") <= moves + 4  # drawing does not hurry them
    page.wait("s.race.ground.codes[7 * 30 + 16] === 64")
    page.picture(f"wall-{terrain}")
    to_the_end(page)
    for result in page.state("s.race.result.agents"):
        path = result["episode"]["path"]
        assert result["episode"]["stop"] == "goal"
        assert any(y < 2 or y > 13 for x, y in path), result["agent"]
        assert result["suboptimality"] is None
        blocked = [place for place in path if place[0] == 16 and 2 <= place[1] <= 13]
        assert blocked == []
    assert rows_of(page)[0][5] == "–"


def test_a_door_opens_and_mud_dries(visit: Any) -> None:
    page = visit(
        open_field(
            "dstar-lite", terrain="known", edits={"@": [16 + 30 * y if i else 1 for y in range(15) for i in (1, 0)]}
        )
    )
    to_the_end(page)
    assert rows_of(page)[0][1] == "no path"
    page.page.get_by_text("Door", exact=True).click()
    draw(page, [(16, 7), (16, 8)])
    page.wait("s.race.ground.codes[7 * 30 + 16] === 46")
    page.page.get_by_text("Mud", exact=True).click()
    draw(page, [(16, 8), (16, 8)])
    page.wait("s.race.ground.codes[8 * 30 + 16] === 109")
    to_the_end(page)
    assert rows_of(page)[0][1] == "goal"
    assert [16, 7] in page.state("s.race.result.agents[0].episode.path")


def test_the_goal_is_dragged_while_they_walk(visit: Any) -> None:
    page = visit(open_field("rtaa", "dstar-lite", terrain="known", budget={"expansions": 400}))
    walk_slowly(page)
    draw(page, [(27, 7), (25, 3), (20, 13)], panel=1)
    page.wait("s.setting.goal[0] === 20")
    to_the_end(page)
    paths = [result["episode"]["path"] for result in page.state("s.race.result.agents")]
    assert [path[-1] for path in paths] == [[20, 13]] * 2
    draw(page, [(20, 13), (5, 2)])  # also when they are there already
    page.wait("s.setting.goal[0] === 5 && !s.player.over")
    to_the_end(page)
    assert page.state("s.race.result.agents[0].episode.path.at(-1)") == [5, 2]
    page.picture("goal")


def test_the_start_is_dragged(visit: Any) -> None:
    page = visit(open_field("rtaa"))
    to_the_end(page)
    race = page.state("s.race.id")
    draw(page, [(2, 7), (4, 12)])
    page.wait(f"s.race.id > {race} && s.race.timeline")
    to_the_end(page)
    assert page.state("s.race.result.agents[0].episode.path[0]") == [4, 12]


def test_the_address_has_the_whole_setting(visit: Any) -> None:
    page = visit(address(asked("rtaa", edits={"@": [3, 1]}, agents=[{"name": "rtaa", "parameters": {"lookahead": 5}}])))
    to_the_end(page)
    before = rows_of(page)
    page.page.locator("#share summary").click()
    page.page.get_by_role("button", name="Copy link").click()
    page.wait("location.hash.length > 20 && !document.getElementById('share').open")
    again = visit(page.page.url)
    to_the_end(again)
    figures = [row[:8] for row in rows_of(again)]
    assert figures == [row[:8] for row in before]
    assert again.state("s.ground.codes[3]") == 64


def test_files_of_what_is_shown(visit: Any, tmp_path: Path) -> None:
    page = visit(address(asked(*AGENTS)))
    to_the_end(page)
    for name, start in (("Picture (PNG)", b"\x89PNG"), ("Animation (GIF)", b"GIF89a"), ("Trace (JSON)", b"{")):
        page.page.locator("#share").evaluate("box => { box.open = true; }")
        with page.page.expect_download() as download:
            page.page.get_by_role("button", name=name).click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        assert file.read_bytes().startswith(start)
    from PIL import Image

    with Image.open(tmp_path / "timebound.gif") as film:
        assert film.n_frames > 10
        film.seek(film.n_frames - 1)
        film.load()
    recording = read(tmp_path / "timebound-trace.json")
    assert [agent["name"] for agent in recording.about["agents"]] == list(AGENTS)
    last = {int(head["agent"]): int(head["moves"]) for head, _ in recording}
    assert sorted(last.values()) == sorted(episode.moves for episode in library().episodes)


def test_a_trace_of_the_library_is_replayed(visit: Any, tmp_path: Path) -> None:
    world = tb.Grid(np.array([[c == "." for c in row] for row in ROWS]))
    recorder = Recorder(tb.make("tbaa", world, (0, 2), (9, 2), terrain="unknown"))
    episode = recorder.run(expansions=7)
    recorder.save(tmp_path / "walk.json")
    page = visit(address(asked("rtaa")))
    page.wait("s && s.race && s.race.timeline")
    page.page.locator("#file").set_input_files(tmp_path / "walk.json")
    page.wait("s.race.replayed")
    to_the_end(page)
    assert rows_of(page)[0][:4] == ["tbaa", "goal", f"{episode.intervals}", f"{episode.moves}"]
    file = tmp_path / "walk.html"
    file.write_text(replay_html(read(tmp_path / "walk.json")), encoding="utf-8")
    alone = visit(file.as_uri())
    to_the_end(alone)
    assert rows_of(alone)[0][:4] == rows_of(page)[0][:4]
    assert not alone.page.get_by_text("Wall", exact=True).is_visible()
    alone.picture("replay")
    assert len(file.read_bytes()) < 200_000


def test_lessons_play(visit: Any) -> None:
    page = visit(address(asked("rtaa")), height=860)
    page.wait("s && s.teacher")  # a click before the page is connected would be lost
    page.page.get_by_role("tab", name="Lessons").click()
    wanted = {
        "rtaa-figure": [("10.00", "23"), ("10.00", "20"), ("10.00", "19"), ("12.00", "17")],
        "tbaa-1": [("8.00", "8")],
        "tbaa-2": [("12.00", "16"), ("10.00", "14")],
    }
    for lesson, figures in wanted.items():
        page.page.locator(f"#lesson-{lesson}").click()
        page.wait(
            f"s.teacher.lesson.id === '{lesson}' && s.race?.timeline"
            " && s.race.setting.map.name === s.teacher.lesson.setting.map.name"
        )
        page.page.locator("#speed").select_option("240")
        for _ in range(8):
            if page.page.locator("#lesson-next").is_disabled():
                break
            page.page.locator("#lesson-next").click()
            page.wait("!s.player.playing")
        assert page.page.locator("#lesson-next").is_disabled()
        page.page.wait_for_selector("#figures[data-final=true]")
        found = {row[0]: (row[4], row[6]) for row in rows_of(page)}
        assert sorted(found.values()) == sorted(figures), lesson
        page.picture(f"lesson-{lesson}")


@pytest.mark.parametrize(("device", "width", "height"), [("laptop", 1440, 900), ("phone", 390, 844)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_to_look_at(visit: Any, device: str, width: int, height: int, scheme: str) -> None:
    page = visit(address(asked(*AGENTS)), width, height, scheme)
    to_the_end(page)
    assert page.page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    page.picture(f"{device}-{scheme}")


def test_people_who_do_not_see_it(visit: Any) -> None:
    page = visit(address(asked(*AGENTS)))
    to_the_end(page)
    labels = page.page.locator("canvas.map").evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
    assert [label.split(",")[0] for label in labels] == list(AGENTS)
    assert all(label.endswith("goal") for label in labels)
    nameless = page.page.evaluate("""() => [...document.querySelectorAll("button, select, input:not([hidden])")]
        .filter(each => !(each.textContent.trim() || each.getAttribute("aria-label") || each.labels?.length))
        .map(each => each.outerHTML)""")
    assert nameless == []


def test_bad_input_is_told_in_a_line(visit: Any) -> None:
    page = visit(address(asked("rtaa", start=[1, 1])))
    page.page.wait_for_selector("#notice.problem")
    assert "blocked" in page.page.locator("#notice").inner_text()


def recorded(tmp_path: Path) -> Path:
    world = tb.Grid(np.array([[c == "." for c in row] for row in ROWS]))
    tb.make("tbaa", world, (0, 2), (9, 2), terrain="unknown").run(expansions=7, trace=tmp_path / "walk.json")
    return tmp_path / "walk.json"


def test_a_trace_in_a_notebook(visit: Any, tmp_path: Path) -> None:
    """A notebook puts the HTML of a cell's value into its own page."""
    shown = read(recorded(tmp_path))._repr_html_()
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><title>A notebook</title><h1>Cells</h1><div>{shown}</div>", encoding="utf-8")
    page = visit(notebook.as_uri())
    frame = page.page.frames[1]
    frame.wait_for_selector("#figures[data-final=true]")
    assert frame.locator("#figures tbody").inner_text().split("\t")[:2] == ["tbaa", "goal"]
    assert frame.locator("canvas.map").bounding_box()["height"] > 200
    page.picture("notebook")


def test_posthoc_shows_every_event(visit: Any, tmp_path: Path) -> None:
    """Evaluated as Posthoc does it: conditions and properties are JavaScript, with the event as `$`."""
    document = yaml.safe_load(posthoc_text(read(recorded(tmp_path))))
    empty = tmp_path / "empty.html"
    empty.write_text("<!doctype html><title>x</title>", encoding="utf-8")
    code = r"""({ views, events }) => {
        const value = (given, event) => {
            const code = /^\$\{\{\s*(.*?)\s*\}\}$/.exec(given);
            return code ? Function("$", `return ${code[1]}`)(event) : given;
        };
        const shape = (each, event) =>
            Object.fromEntries(Object.entries(each).map(([name, given]) => [name, value(given, event)]));
        return events.map(event => views.main.filter(each => value(each.$if, event)).map(each => shape(each, event)));
    }"""
    drawn = visit(empty.as_uri()).page.evaluate(code, document)
    colours: dict[str, set[Any]] = {}
    for event, shapes in zip(document["events"], drawn, strict=True):
        assert [(shape["x"], shape["y"]) for shape in shapes] == [(event["x"], event["y"])], event
        again = event["type"] == "expand" and event["again"]
        colours.setdefault(shapes[0]["fill"], set()).add((event["type"], again))
    assert all(len(kinds) == 1 for kinds in colours.values())
    assert len(colours) == 6
