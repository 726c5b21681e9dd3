"""Whatever a client sends, its session answers, and other clients are not affected."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studio.minds import records_in
from studio.settings import KINDS, asked, asked_crowd
from studio.test_settings import anything

from timebound.compiled import store
from timebound.studio.client_limits import MOST_LOAD, MOST_TICKS_AHEAD
from timebound.studio.session import Hands, MessagePace, Notices, Session, TooFastError

WORDS = ["map", "file", "race", "crowd", "want", "change", "goal", "storm", "tune", "stop", "fly", "", None, 3]


class Ear:
    """A client that remembers what it hears."""

    def __init__(self) -> None:
        self.words: list[dict[str, Any]] = []
        self.records: list[bytes] = []

    async def send_text(self, text: str) -> None:
        self.words.append(json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON")))

    async def send_bytes(self, content: bytes) -> None:
        self.records.append(content)

    def said(self, word: str) -> list[dict[str, Any]]:
        return [each for each in self.words if each["say"] == word]


def talk(script: Callable[[Session, Ear], Awaitable[None]]) -> Ear:
    """Run a session and let a script talk to it."""

    async def run() -> Ear:
        ear = Ear()
        session = Session(ear, KINDS, Hands(2))
        work = asyncio.create_task(session.work())
        await asyncio.wait_for(script(session, ear), 60)
        assert not work.done(), work.exception()
        work.cancel()
        return ear

    return in_a_thread(run())


def in_a_thread(talking: Any) -> Ear:
    """Where Playwright's loop does not run already."""
    with ThreadPoolExecutor(1) as pool:
        ear: Ear = pool.submit(asyncio.run, talking).result()
        return ear


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.002)


async def race(session: Session, ear: Ear, number: int = 1, **changed: Any) -> None:
    await session.hear(json.dumps({"do": "race", "race": number, "setting": asked(**changed)}))
    await until(lambda: any(each["race"] == number for each in ear.said("ready")))


def test_a_race_from_beginning_to_end() -> None:
    async def script(session: Session, ear: Ear) -> None:
        await race(session, ear)
        await session.hear(json.dumps({"do": "want", "race": 1, "interval": 3}))
        await until(lambda: len(ear.records) > 0 and session.show is not None and session.show.interval == 3)
        await asyncio.sleep(0.05)
        assert session.show is not None
        assert session.show.interval == 3  # no further than was asked for
        await session.hear(json.dumps({"do": "want", "race": 1, "interval": 3000}))
        await until(lambda: bool(ear.said("result")))

    ear = talk(script)
    assert all(content[:4] == (1).to_bytes(4, "little") for content in ear.records)
    heads = [head for content in ear.records for head, _ in records_in(content[4:])]
    assert [int(head["interval"]) for head in heads] == list(range(len(heads)))
    assert ear.said("result")[0]["result"]["intervals"] == len(heads) - 1
    assert not ear.said("problem")


message = st.one_of(
    st.text(max_size=30),
    anything.map(json.dumps),
    st.dictionaries(
        st.sampled_from(["race", "interval", "edits", "at", "map", "setting", "name", "content", "ms", "astar"]),
        anything,
        max_size=4,
    ).flatmap(lambda body: st.sampled_from(WORDS).map(lambda word: json.dumps({"do": word, **body}))),
    st.builds(
        lambda place, value: json.dumps({"do": "race", "race": 1, "setting": asked(**{place: value})}),
        st.sampled_from(sorted(asked())),
        anything,
    ),
    st.builds(
        lambda place, value: json.dumps({"do": "crowd", "race": 1, "setting": asked_crowd(**{place: value})}),
        st.sampled_from(sorted(asked_crowd()["crowd"])),
        anything,
    ),
    st.sampled_from(
        [
            {"do": "crowd", "race": 1, "setting": asked_crowd(astar=True)},
            {"do": "want", "race": 1, "interval": 4},
            {"do": "storm"},
            {"do": "tune", "ms": 3, "astar": False},
            {"do": "change", "edits": {"@": [0, 70]}},
            {"do": "change", "edits": {".": [3, 60], "m": [0, 3]}},
        ]
    ).map(json.dumps),
)


@settings(max_examples=60)
@given(st.lists(message, max_size=12))
def test_any_messages_leave_a_session_that_works(messages: list[str]) -> None:
    async def script(session: Session, ear: Ear) -> None:
        await race(session, ear, 7)
        for text in messages:
            await session.hear(text)
        await race(session, ear, 2**31)
        await session.hear(json.dumps({"do": "want", "race": 2**31, "interval": 9000}))
        await until(lambda: any(each["race"] == 2**31 for each in ear.said("result")))

    ear = talk(script)
    assert all("Traceback" not in each["text"] for each in ear.said("problem"))


def test_a_person_changes_the_world() -> None:
    async def script(session: Session, ear: Ear) -> None:
        field = {"map": {"kind": "rows", "rows": ["." * 12] * 6}, "start": [0, 2], "goal": [11, 2], "terrain": "known"}
        await race(session, ear, **field)
        contest = session.show
        assert contest is not None
        for message in (
            {"do": "change", "edits": {"@": [5, 1, 17, 1, 29, 1, 41, 1]}},
            {"do": "change", "edits": {".": [5, 1], "m": [17, 1]}},
            {"do": "goal", "at": [10, 0]},
            {"do": "goal", "at": [0, 2]},  # where the agent is
            {"do": "goal", "at": [5, 2]},  # a wall
            {"do": "change", "edits": {"@": [0, 10**7]}},
            {"do": "want", "race": 1, "interval": 500},
        ):
            await session.hear(json.dumps(message))
        await until(lambda: bool(ear.said("result")))
        assert contest.goal == (10, 0)

    ear = talk(script)
    problems = [each["text"] for each in ear.said("problem")]
    assert [word in text for word, text in zip(("already", "blocked", "outside"), problems, strict=True)] == [True] * 3
    result = ear.said("result")[-1]["result"]
    assert result["optimal_cost"] is None
    assert result["agents"][0]["episode"]["path"][-1] == [10, 0]
    heads = [head for content in ear.records for head, _ in records_in(content[4:])]
    assert [int(head["cells"]) for head in heads if head["agent"] == 0xFFFF] == [4, 1, 1]


def test_a_crowd_walks_as_far_as_was_asked_for() -> None:
    async def script(session: Session, ear: Ear) -> None:
        await session.hear(json.dumps({"do": "crowd", "race": 5, "setting": asked_crowd(astar=True)}))
        await until(lambda: bool(ear.said("ready")) and len(ear.records) == 1)  # where everybody is
        await session.hear(json.dumps({"do": "want", "race": 5, "interval": 6}))
        await until(lambda: session.show is not None and session.show.interval == 6)
        for message in (
            {"do": "storm"},
            {"do": "tune", "ms": 1},
            {"do": "goal", "at": [0, 0]},
            {"do": "tune", "ms": -1},
        ):
            await session.hear(json.dumps(message))
        await session.hear(json.dumps({"do": "want", "race": 5, "interval": 10**9}))
        await until(lambda: session.wanted > 6)
        assert session.wanted <= 6 + MOST_TICKS_AHEAD
        await race(session, ear, 6)  # a race instead
        await session.hear(json.dumps({"do": "storm"}))
        await session.hear(json.dumps({"do": "tune", "ms": 1}))
        assert session.hands.room == MOST_LOAD - 70

    ear = talk(script)
    assert [each["text"] for each in ear.said("problem")] == ["a tick has a budget above 0 and up to 100 ms, not -1"]
    assert all(content[:4] in ((5).to_bytes(4, "little"), (6).to_bytes(4, "little")) for content in ear.records)


def test_deep_json_is_refused() -> None:
    async def script(session: Session, ear: Ear) -> None:
        await session.hear("[" * 200_000)
        await until(lambda: bool(ear.said("problem")))

    assert talk(script).said("problem")[0]["text"] == "the message is not JSON"


def test_a_client_that_leaves_frees_its_race() -> None:
    async def script(session: Session, ear: Ear) -> None:
        await race(session, ear)
        contest = session.show
        assert contest is not None
        session.leave()
        assert contest.stopped
        assert session.show is None
        assert contest.advance(1000) != b""  # what had happened before
        assert contest.interval == 0

    talk(script)


def test_a_new_race_ends_the_old_one() -> None:
    async def script(session: Session, ear: Ear) -> None:
        await race(session, ear, 1)
        old = session.show
        await race(session, ear, 2)
        assert old is not None
        assert old.stopped
        await session.hear(json.dumps({"do": "want", "race": 1, "interval": 50}))  # late, and for the old one
        await asyncio.sleep(0.02)
        assert session.wanted == 0

    talk(script)


def test_room_for_large_maps_is_limited() -> None:
    async def run() -> Ear:
        ear = Ear()
        session = Session(ear, KINDS, Hands(1, room=100))
        work = asyncio.create_task(session.work())
        await race(session, ear, 1)  # 70 cells
        assert session.hands.room == 30
        await race(session, ear, 2)  # in place of the first
        await session.hear(json.dumps({"do": "race", "race": 3, "setting": asked("rtaa", "lrta")}))
        await until(lambda: bool(ear.said("problem")))
        assert session.hands.room == 100
        work.cancel()
        return ear

    assert "busy" in in_a_thread(run()).said("problem")[0]["text"]


def test_hidden_obstacles_are_told() -> None:
    async def script(session: Session, ear: Ear) -> None:
        await race(session, ear, terrain="partial", map={"kind": "rows", "rows": ["." * 12] * 9})

    runs = talk(script).said("ready")[0]["hidden"]
    assert sum(runs[1::2]) == pytest.approx(0.15 * 108, abs=2)


def test_talking_too_fast() -> None:
    pace = MessagePace(10, seconds=1)
    with pytest.raises(TooFastError):
        talk_on(pace, 15)
    pace.last -= 1  # a second of silence
    talk_on(pace, 8)


def talk_on(pace: MessagePace, messages: int) -> None:
    for _ in range(messages):
        pace.count()


def test_an_agent_that_fails_is_blamed() -> None:
    import timebound as tb
    from timebound.agents.registry import as_kind

    class Broken:
        def __init__(self, *given: Any, **rules: Any) -> None:
            self.inner = tb.make("rtaa", *given, **rules)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        def step(self, **budget: Any) -> None:
            raise ZeroDivisionError

        def run(self) -> None: ...

    async def run() -> Ear:
        ear = Ear()
        session = Session(ear, {"broken": as_kind(Broken, "broken")}, Hands(1))
        work = asyncio.create_task(session.work())
        await race(session, ear, agents=[{"name": "broken"}])
        await session.hear(json.dumps({"do": "want", "race": 1, "interval": 5}))
        await until(lambda: bool(ear.said("problem")))
        assert session.show is None
        work.cancel()
        return ear

    assert "ended the race" in in_a_thread(run()).said("problem")[0]["text"]


def test_how_far_the_compiler_is() -> None:
    def compile_slowly() -> None:
        logging.getLogger("timebound").warning("compiling agent 'rtaa'")
        store.counts["compiled"] += 3
        time.sleep(1.8)

    async def script(session: Session, ear: Ear) -> None:
        await session._prepared(lambda: time.sleep(1.2))
        assert not ear.said("wait")  # nothing was compiled
        await session._prepared(compile_slowly)
        told = len(ear.said("wait"))
        await asyncio.sleep(1.2)
        assert len(ear.said("wait")) == told  # it ends with the work
        assert told in (1, 2)

    log, notices = logging.getLogger("timebound"), Notices(logging.WARNING)
    log.addHandler(notices)
    try:
        ear = talk(script)
    finally:
        log.removeHandler(notices)
    assert ear.said("wait")[0]["text"] == "compiling agent 'rtaa' (3 functions, 1 s)"
