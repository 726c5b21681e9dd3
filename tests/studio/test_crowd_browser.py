"""The crowd as users see it, in a real browser."""

from typing import Any

import pytest
from studio.settings import asked, asked_crowd
from studio.test_browser import address, draw

CAVES = {"kind": "caves", "width": 60, "height": 40, "seed": 2}
MANY = {"units": 120, "ms": 30}
WALLED = "[...Array(20).keys()].every(y => s.race.ground.codes[y * 30 + 15] === 64)"


def rows_of(visit: Any) -> list[list[str]]:
    return [row.split("\t") for row in visit.page.locator("#crowdfigures tbody").inner_text().splitlines()]


def walking(visit: Any, ticks: int = 5) -> None:
    visit.wait(f"s && s.race && s.race.crowd && s.race.timeline && s.race.timeline.shown >= {ticks}")


def count(visit: Any, colours: list[list[int]], panel: int = 0) -> int:
    """Pixels of a panel that have one of these colours."""
    found: int = visit.page.evaluate(
        """([colours, panel]) => {
        const canvas = document.querySelectorAll("canvas.map")[panel];
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4)
            if (colours.some(([r, g, b]) => data[i] === r && data[i + 1] === g && data[i + 2] === b)) count += 1;
        return count;
    }""",
        [colours, panel],
    )
    return found


def test_a_crowd_by_clicking(visit: Any) -> None:
    page = visit(address(asked("rtaa", map=CAVES, start=None, goal=None)))
    page.wait("s && s.race && s.race.timeline")
    page.page.get_by_role("tab", name="Crowd").click()
    page.page.locator("#crowd-units").fill("90")
    page.page.locator("#crowd-units").press("Tab")
    page.page.locator("#crowd-kind").select_option("lss-lrta")
    page.page.locator("#crowd-lookahead").fill("12")
    page.page.locator("#crowd-collisions").select_option("push")
    page.page.locator("#crowd-ms").fill("15")
    page.page.locator("#crowd-ms").press("Tab")
    page.page.get_by_role("button", name="Start the crowd").click()
    walking(page)
    crowd = page.state("s.race.setting.crowd")
    assert crowd["agent"] == {"name": "lss-lrta", "parameters": {"lookahead": 12}}
    assert (crowd["units"], crowd["collisions"], crowd["ms"]) == (90, "push", 15)
    cells = page.state("[...s.race.timeline.troops[0].cells]")
    assert len(set(cells)) == 90  # no two in one cell
    assert count(page, page.state("Object.values(s.hello.palette.units)")) > 90
    page.wait("s.race.timeline.troops[0].arrived > 3 && s.race.timeline.troops[1].arrived > 3", 120)
    page.page.wait_for_timeout(300)
    fleet, astar = rows_of(page)
    assert (fleet[0], astar[0]) == ("Fleet", "A*")
    assert page.page.locator(".panel header b").all_inner_texts() == [
        "Fleet: lss-lrta, 15 ms per tick",
        "Each unit plans with A*",
    ]
    assert all(cell.endswith(("ms", " s")) for cell in [*fleet[2:6], *astar[2:5]])
    page.page.locator("#play").click()
    shown = page.state("s.race.timeline.shown")
    page.page.get_by_role("button", name="One interval forward").click()
    page.wait(f"s.race.timeline.shown === {shown + 1}")
    page.page.keyboard.press("ArrowLeft")  # a crowd goes forward only
    page.page.wait_for_timeout(100)
    assert page.state("s.race.timeline.shown") == shown + 1
    page.page.get_by_role("tab", name="Race").click()
    page.page.get_by_role("button", name="Start the race").click()
    page.wait("s.race && !s.race.crowd && s.race.timeline && s.race.timeline.shown > 2")
    assert page.page.locator("#figures").is_visible()
    assert not page.page.locator("#crowdfigures").is_visible()


def test_a_wall_across_them(visit: Any) -> None:
    page = visit(address(asked_crowd({"kind": "rows", "rows": ["." * 30] * 20}, astar=True, units=60, ms=30)))
    walking(page, 10)
    page.page.get_by_text("Wall", exact=True).click()
    draw(page, [(15, 0), (15, 19)])
    page.wait(WALLED)
    for troop in (0, 1):  # those that were under it leave
        page.wait(f"s.race.timeline.troops[{troop}].cells.every(cell => cell % 30 !== 15)", 60)
    page.wait("s.race.timeline.troops[1].reasons.some(reason => s.hello.fleets.reasons[reason] === 'unreachable')", 60)
    page.picture("crowd-wall")
    page.page.get_by_text("Door", exact=True).click()
    draw(page, [(15, 7), (15, 12)])
    page.wait("s.race.ground.codes[10 * 30 + 15] === 46")
    page.wait("s.race.timeline.troops[1].cells.some(cell => cell % 30 === 15)", 60)


def test_the_other_crowd_and_new_goals(visit: Any) -> None:
    page = visit(address(asked_crowd(CAVES, **MANY)))
    walking(page)
    assert page.page.locator("canvas.map").count() == 1
    page.page.get_by_text("Compare with A*").click()
    page.wait("s.panels.list.length === 2 && s.race.timeline.troops[1].frames.length > 3", 60)
    calm = page.state("s.race.timeline.troops[1].frames.slice(1).toSorted((a, b) => a - b).at(-1)")
    before = page.state("s.race.timeline.shown")
    page.page.get_by_role("button", name="New goals").click()
    page.wait(f"s.race.timeline.shown > {before} + 30", 60)
    times = page.state("s.race.timeline.troops[1].times")
    assert max(times) > 3 * calm / 2  # a spike
    assert max(page.state("s.race.timeline.troops[0].clock")) > 0
    drawn = """(() => {
        const { chart } = s.panels.list[1];
        const { data } = chart.getContext("2d").getImageData(0, 0, chart.width, chart.height);
        return data.filter((value, i) => i % 4 === 3 && value > 200).length;
    })()"""
    assert page.state(drawn) > 200
    page.page.keyboard.press("a")
    page.wait("s.panels.list.length === 1")


def test_the_address_has_the_crowd(visit: Any) -> None:
    page = visit(address(asked_crowd(CAVES, **MANY, collisions="wait")))
    walking(page)
    page.page.locator("#share summary").click()
    page.page.get_by_role("button", name="Copy link").click()
    page.wait("location.hash.length > 20 && !document.getElementById('share').open")
    again = visit(page.page.url)
    walking(again)
    assert again.state("s.race.setting.crowd") == page.state("s.race.setting.crowd")
    again.page.locator("#share summary").click()
    again.page.get_by_role("button", name="Animation (GIF)").click()
    again.page.wait_for_selector("#notice.problem")
    assert "live" in again.page.locator("#notice").inner_text()


def test_bad_crowds_are_told_in_a_line(visit: Any) -> None:
    page = visit(address(asked_crowd(units=60, collisions="push")))
    page.page.wait_for_selector("#notice.problem")
    assert "do not fit" in page.page.locator("#notice").inner_text()


def test_a_thousand_units(visit: Any) -> None:
    page = visit(address(asked("rtaa")), height=900)
    page.wait("s && s.teacher")  # a click before the page is connected would be lost
    page.page.get_by_role("tab", name="Lessons").click()
    page.page.evaluate("""async () => {
        const { LESSONS } = await import("/page/lessons.js");
        const { setting, steps } = LESSONS.find(each => each.id === "thousand");
        if (setting.crowd.units !== 1000) throw new Error("a thousand");
        Object.assign(setting.map, { width: 172, height: 30 });  // smaller and shorter: there is no compiler here
        Object.assign(setting.crowd, { units: 30, ms: 10 });
        steps.forEach((step, i) => { step.at = 12 * i; });  // farther apart than the server works ahead
    }""")
    page.page.locator("#lesson-thousand").click()
    page.wait("s.teacher.lesson?.id === 'thousand' && s.race?.crowd && s.race.timeline?.shown === 0")
    assert page.state("s.race.timeline.troops[0].cells.length") == 30
    assert page.state("s.player.playing") is False
    for step in range(1, 6):
        page.page.locator("#lesson-next").click()
        page.wait(f"s.teacher.step === {step} && !s.player.playing", 60)
    assert page.page.locator("#lesson-next").is_disabled()
    page.wait("s.race.ground.codes[15 * 172 + 165] === 64")
    page.picture("lesson-thousand")


def test_a_lesson_chosen_before_the_first_race_is_ready_waits_for_the_reader(visit: Any) -> None:
    page = visit(address(asked("rtaa")))
    page.wait("s && s.race && s.race.timeline")
    page.page.get_by_role("tab", name="Lessons").click()
    first = page.page.locator(".lesson").first.get_attribute("id")
    page.page.evaluate(
        """id => {
        const s = window.studio, late = { say: "ready", race: s.race.id, optimal_cost: 1, hidden: [] };
        document.getElementById(id).click();
        s.message(late);
    }""",
        first,
    )
    page.wait("s.teacher.lesson && s.race?.id > 1 && s.race.timeline")
    page.page.wait_for_timeout(300)
    assert page.state("[s.player.playing, s.teacher.step]") == [False, 0]


@pytest.mark.parametrize(("device", "width", "height"), [("laptop", 1440, 900), ("phone", 390, 844)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_of_crowds(visit: Any, device: str, width: int, height: int, scheme: str) -> None:
    page = visit(address(asked_crowd(CAVES, astar=True, **MANY)), width, height, scheme)
    walking(page, 40)
    page.page.locator("#tab-crowd").click()
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    page.picture(f"crowd-{device}-{scheme}")


def test_crowds_for_people_who_do_not_see_them(visit: Any) -> None:
    page = visit(address(asked_crowd(CAVES, astar=True, **MANY)))
    walking(page)
    page.page.wait_for_timeout(300)
    label = page.page.locator("canvas.map").first.get_attribute("aria-label")
    assert label.startswith("Fleet: rtaa, 30 ms per tick, tick ")
    said = [part.split() for part in label.split(": ")[-1].split(", ")]
    assert sum(int(words[0]) for words in said) == 120
    page.page.locator("#tab-crowd").focus()
    page.page.keyboard.press("Enter")
    assert page.page.locator("#gather").is_visible()
    nameless = page.page.evaluate("""() => [...document.querySelectorAll("button, select, input:not([hidden])")]
        .filter(each => !(each.textContent.trim() || each.getAttribute("aria-label") || each.labels?.length))
        .map(each => each.outerHTML)""")
    assert nameless == []
