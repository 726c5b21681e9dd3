"""All agents are found by name: registered ones, import paths, and those of installed packages."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lab_specs import SMALL, lab_run

import timebound as tb
from timebound.agents import find_kind, registry, unregister
from timebound.agents.registry import knowing_agents
from timebound.applications.race import race, takers
from timebound.applications.trials import trials
from timebound.applications.warmup import Combination, combinations
from timebound.cli import main
from timebound.core.parallel import results
from timebound.lab.spec import load
from timebound.lab.store import read_rows

PLUGIN = '''
import timebound as tb

near = tb.variant("near", like="rtaa", lookahead=LOOKAHEAD, about="RTAA* with a short sight")
number = 3
nothing = lambda *problem, **rules: None

def far(world, start, goal, lookahead=9, **rules):
    """RTAA* with a long sight.

    Longer than that of the other.
    """
    return tb.make("rtaa", world, start, goal, lookahead=lookahead, **rules)

def broken(world, start, goal, **rules):
    return {}["speed"]

def strict(world, start, goal, terrain, seed):
    return tb.make("rtaa", world, start, goal, terrain=terrain, seed=seed)
'''
HARBOUR = ["harbour", "--start", "12,100", "--goal", "60,70", "--terrain", "unknown", "--expansions", "20"]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget whatever a test registers, imports or puts on the path."""
    modules = {*sys.modules}
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    registry._registered.clear()
    registry._installed.cache_clear()
    for name in {*sys.modules} - modules:
        if name.startswith(("outside", "acme")):
            del sys.modules[name]


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module `outside` in the folder where commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outside.py").write_text(PLUGIN.replace("LOOKAHEAD", "4"))
    return tmp_path


@pytest.fixture
def found(outside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, for Python programs."""
    monkeypatch.syspath_prepend(outside)
    return outside


@pytest.fixture
def world() -> tb.Grid:
    passable = np.random.default_rng(4).random((20, 20)) >= 0.25
    passable[0, 0] = passable[19, 19] = True
    return tb.Grid(passable)


def walk(name: Any, world: tb.Grid, **rules: Any) -> tb.Episode:
    return tb.make(name, world, (0, 0), (19, 19), terrain="unknown", **rules).run(expansions=50)


def figures(episode: tb.Episode) -> tuple[Any, ...]:
    return episode.path, episode.expansions, episode.searches


# ------------------------------------------------------------------ registered


def near() -> Any:
    return tb.variant("near", like="rtaa", lookahead=4)


def far(world: Any, start: Any, goal: Any, **rules: Any) -> tb.Agent:
    return tb.make("rtaa", world, start, goal, lookahead=9, **rules)


def test_a_registered_kind_is_an_agent_like_any_other(world: tb.Grid) -> None:
    tb.register(near())
    tb.register("nearer", near())
    assert [kind.name for kind in tb.catalogue()][-2:] == ["near", "nearer"]
    assert {"near", "nearer"} <= {*takers("unknown")}
    expected = walk("rtaa", world, lookahead=4)
    assert figures(walk("nearer", world)) == figures(expected) != figures(walk("rtaa", world))
    assert walk("nearer", world).agent == "nearer"
    assert figures(walk("near", world, lookahead=9)) == figures(walk("rtaa", world, lookahead=9))
    assert figures(walk(near(), world)) == figures(expected)  # it need not even be registered
    unregister("near")
    with pytest.raises(tb.ProblemError, match=r"there is no agent 'near'; did you mean 'nearer'\?"):
        walk("near", world)


def test_a_registered_function(world: tb.Grid) -> None:
    tb.register("far", far)
    episode = walk("far", world)
    assert episode.agent == "far"
    assert figures(episode) == figures(walk("rtaa", world, lookahead=9))
    result = race(world, ["far", "rtaa"], (0, 0), (19, 19), terrain="unknown", expansions=50, film=True)
    assert {each.agent for each in result.episodes} == {"far", "rtaa"} == {*result.films}


def test_a_registered_path_is_imported_when_it_is_used(found: Path, world: tb.Grid) -> None:
    tb.register("lazy", "outside:near")
    assert "outside" not in sys.modules
    assert figures(walk("lazy", world)) == figures(walk("rtaa", world, lookahead=4))
    assert "outside" in sys.modules


def test_trials_of_agents_from_outside(found: Path) -> None:
    world = tb.Grid.load("harbour")
    tb.register("mine", find_kind("tbaa"))
    for name in ("outside:far", "mine"):
        agent = tb.make(name, world, (12, 100), (60, 70), terrain="unknown")
        episodes = list(trials(agent, 300, expansions=20))
        assert len(episodes) > 1
        assert episodes[-1].suboptimality == 1 if name == "outside:far" else episodes[-1].searches == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("rtaa", near()), "'rtaa' is an agent of the library; choose another name"),
        (("taken", near()), "agent 'taken' already exists; choose another name, or use replace=True"),
        (("a:b", near()), "letters, digits, '-', '_' and '.', unlike 'a:b'"),
        (("a,b", near()), "unlike 'a,b'"),
        (("", near()), "unlike ''"),
        (("-x", near()), "unlike '-x'"),
        ((3, near()), "unlike 3"),
        (("x", 3), "what is registered as 'x' is 3, but an agent must be a Kind, or a function that makes agents"),
        (("x", "y"), "'y' is not an import path; write module:name"),
        (("x", "y.:z"), "'y.:z' is not an import path"),
        (("x",), "'x' is not an import path"),
    ],
)
def test_what_cannot_be_registered(given: tuple[Any, ...], message: str) -> None:
    tb.register("taken", far)
    with pytest.raises(tb.ProblemError) as caught:
        tb.register(*given)
    assert message in str(caught.value)
    assert [*registry._registered] == ["taken"]


def test_a_name_can_be_given_to_another_agent_on_purpose(world: tb.Grid) -> None:
    tb.register("mine", far)
    tb.register("mine", near(), replace=True)
    assert figures(walk("mine", world)) == figures(walk("rtaa", world, lookahead=4))
    with pytest.raises(tb.ProblemError, match="'rtaa' is an agent of the library"):
        tb.register("rtaa", near(), replace=True)
    with pytest.raises(tb.ProblemError, match="no agent was registered as 'yours'"):
        unregister("yours")


# ------------------------------------------------------------------ import paths


def test_make_takes_import_paths(found: Path, world: tb.Grid) -> None:
    assert figures(walk("outside:near", world)) == figures(walk("rtaa", world, lookahead=4))
    assert figures(walk("outside:far", world)) == figures(walk("rtaa", world, lookahead=9))
    assert figures(walk("outside:far", world, lookahead=2)) == figures(walk("rtaa", world, lookahead=2))
    assert walk("outside:far", world).agent == "outside:far"
    kind = find_kind("outside:far")
    assert (kind.about, dict(kind.parameters)) == ("RTAA* with a long sight.", {"lookahead": 9})


def test_race_takes_import_paths(found: Path, world: tb.Grid) -> None:
    names = ["outside:near", "outside:far", "rtaa"]
    result = race(world, names, (0, 0), (19, 19), terrain="unknown", expansions=50)
    assert {episode.agent for episode in result.episodes} == {*names}
    assert all(episode.solved for episode in result.episodes)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("outside:nowhere", "'outside:nowhere' cannot be imported: AttributeError: module 'outside' has no attribute"),
        ("outsider:near", "'outsider:near' cannot be imported: ModuleNotFoundError: No module named 'outsider'"),
        ("outside_raises:x", "'outside_raises:x' cannot be imported: ZeroDivisionError: division by zero"),
        ("outside:number", "'outside:number' is 3, but an agent must be a Kind, or a function that makes agents"),
        ("outside:", "'outside:' is not an import path; write module:name"),
        ("outside:nothing", "the function of agent 'outside:nothing' returned None, which has no `run`"),
    ],
)
def test_paths_that_lead_to_no_agent(found: Path, world: tb.Grid, path: str, message: str) -> None:
    (found / "outside_raises.py").write_text("1 / 0\n")
    with pytest.raises(tb.ProblemError) as caught:
        walk(path, world)
    assert message in str(caught.value)


def test_parameters_that_a_function_does_not_take(found: Path, world: tb.Grid) -> None:
    with pytest.raises(
        tb.ProblemError, match=r"'outside:strict' cannot be called like this: got an unexpected .*'depth'"
    ):
        walk("outside:strict", world, depth=3)
    with pytest.raises(tb.ProblemError, match="agent 'outside:near' has no parameter 'depth'; these do: lrta"):
        walk("outside:near", world, depth=3)


def test_variants_of_agents_from_outside(found: Path, world: tb.Grid) -> None:
    nearer = tb.variant("nearer", like="outside:near", movements=1)
    assert figures(walk(nearer, world)) == figures(walk("rtaa", world, lookahead=4, movements=1))
    with pytest.raises(tb.ProblemError, match="'outside:far' is made by a function: its parts are unknown"):
        tb.variant("farther", like="outside:far", lookahead=99)


def test_terrain_that_an_agent_from_outside_does_not_take(world: tb.Grid) -> None:
    tb.register(tb.variant("known-only", like=near(), terrain=("known",)))
    with pytest.raises(tb.ProblemError, match="agent 'known-only' supports only known terrain; for unknown: "):
        walk("known-only", world)


# ------------------------------------------------------------------ the command line


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[str, str]:
    assert main([*arguments]) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_solve_takes_import_paths(outside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = json.loads(told(capsys, "solve", *HARBOUR, "--agent", "outside:near", "--json")[0])
    same = json.loads(told(capsys, "solve", *HARBOUR, "--agent", "rtaa", "--param", "lookahead=4", "--json")[0])
    assert own["agent"] == "outside:near"
    assert own["path"] == same["path"]
    trial = told(capsys, "solve", *HARBOUR, "--agent", "outside:far", "--trials", "300")[0]
    assert "the last walked an optimal path" in trial


def test_race_on_the_command_line(outside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = ["--agents", "rtaa,outside:near,outside:far"]
    record = json.loads(told(capsys, "race", *HARBOUR, *agents, "--picture", "race.png", "--json")[0])
    assert {each["agent"] for each in record["agents"]} == {"rtaa", "outside:near", "outside:far"}
    assert (outside / "race.png").exists()


def test_one_agent_is_shown(outside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "RTAA* with a short sight" in told(capsys, "agents", "outside:near")[0]
    assert json.loads(told(capsys, "agents", "outside:far", "--json")[0])["parameters"]["lookahead"] == 9


def test_warmup_takes_import_paths(outside: Path, found: Path) -> None:
    assert combinations(["outside:near"])[1:] == [
        Combination("outside:near", "grid", "known"),
        Combination("outside:near", "grid", "unknown"),
    ]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["solve", *HARBOUR, "--agent", "outside:broken"], "outside.py, line 16: KeyError: 'speed'"),
        (["solve", *HARBOUR, "--agent", "outside:number"], "'outside:number' is 3, but an agent must be a Kind"),
        (["solve", *HARBOUR, "--agent", "nowhere:x"], "'nowhere:x' cannot be imported: ModuleNotFoundError"),
        (["drive", "harbour", "--start", "1,1", "--agent", "nowhere:x"], "'nowhere:x' cannot be imported"),
        (["slide", "1 0 2 3 4 5 6 7 8", "--agent", "nowhere:x"], "'nowhere:x' cannot be imported"),
        (["race", *HARBOUR, "--agents", "rtaa,outside:broken"], "outside.py, line 16: KeyError: 'speed'"),
        (["warmup", "nowhere:x"], "'nowhere:x' cannot be imported"),
        (["agents", "nowhere:x"], "'nowhere:x' cannot be imported"),
    ],
)
def test_what_goes_wrong_outside_is_one_line(
    outside: Path, capsys: pytest.CaptureFixture[str], command: list[str], said: str
) -> None:
    error = told(capsys, *command, status=2)[1]
    assert said in error
    assert error.count("\n") == 1


def test_an_error_of_the_library_itself_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timebound.cli.solve.read", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["solve", *HARBOUR, "--agent", "rtaa"])


# ------------------------------------------------------------------ the lab


def experiment(folder: Path, agent: str) -> Any:
    file = folder / "mine.toml"
    file.write_text(SMALL.replace('agent = "repeated-astar"\n\n', f'agent = "{agent}"\n\n').replace("= 12", "= 3"))
    return load(file)


@pytest.mark.parametrize("agent", ["outside:near", "outside:far", "registered", "path"])
def test_the_lab_takes_agents_from_outside(outside: Path, agent: str) -> None:
    tb.register("registered", near())
    registry.look_in(str(outside))
    tb.register("path", "outside:near")
    outcome = lab_run(experiment(outside, agent), outside, agents=["forward"])
    rows = read_rows(outcome.run).to_pylist()
    assert outcome.unsolved == 0
    assert {row["agent"] for row in rows} == {agent}
    lookahead = 9 if agent == "outside:far" else 4
    assert all(row["expansions"] <= row["searches"] * lookahead for row in rows)


def test_an_edited_plugin_begins_a_new_run(outside: Path) -> None:
    first = lab_run(experiment(outside, "outside:near"), outside, agents=["forward"])
    again = lab_run(experiment(outside, "outside:near"), outside, agents=["forward"])
    assert (again.done, again.run.directory) == (0, first.run.directory)
    (outside / "outside.py").write_text(PLUGIN.replace("LOOKAHEAD", "5"))
    del sys.modules["outside"]
    edited = lab_run(experiment(outside, "outside:near"), outside, agents=["forward"])
    assert (edited.done, edited.before) == (first.done, 0)


def test_other_agents_of_an_experiment_are_not_imported(outside: Path) -> None:
    (outside / "outside_raises.py").write_text("1 / 0\n")
    experiment(outside, "outside:near")
    file, other = outside / "mine.toml", '[agents.dstar-lite]\nagent = "outside_raises:x"'
    file.write_text(file.read_text().replace("[agents.dstar-lite]", other))
    outcome = lab_run(load(file), outside, agents=["forward"])
    assert outcome.unsolved == 0
    assert {*outcome.run.about["identity"]["own code"]} == {"outside:near", "outside_raises:x"}


def test_workers_know_what_is_registered(outside: Path) -> None:
    tb.register("registered", near())
    outcome = lab_run(experiment(outside, "registered"), outside, agents=["forward"], workers=2)
    assert (outcome.done, outcome.unsolved) == (3, 0)


def name_of(_: None, agent: str) -> str:
    return find_kind(agent).name


def test_what_cannot_be_sent_to_a_worker_is_told_when_it_is_used() -> None:
    tb.register("local", lambda *problem, **rules: None)
    tb.register("near", near())
    assert list(results(knowing_agents(name_of), None, ["near", "near"], 2, None)) == ["near", "near"]
    with pytest.raises(tb.ProblemError, match=r"agent 'local' cannot be sent to another process .*'module:name'"):
        list(results(knowing_agents(name_of), None, ["local", "local"], 2, None))


# ------------------------------------------------------------------ installed packages


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs a package with such agents: a folder on the path with its metadata, as an installer leaves it."""

    def install(package: str, **agents: str) -> None:
        folder = tmp_path / package
        (folder / f"{package}-1.0.dist-info").mkdir(parents=True)
        (folder / f"{package}-1.0.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\n")
        lines = "\n".join(f"{name.replace('_', '-')} = {value}" for name, value in agents.items())
        (folder / f"{package}-1.0.dist-info" / "entry_points.txt").write_text(f"[timebound.agents]\n{lines}\n")
        (folder / f"{package}.py").write_text(PLUGIN.replace("LOOKAHEAD", "4"))
        monkeypatch.syspath_prepend(folder)
        registry._installed.cache_clear()

    return install


def test_installed_packages_bring_agents(
    installed: Callable[..., None], world: tb.Grid, capsys: pytest.CaptureFixture[str]
) -> None:
    installed("acme", acme_near="acme:near", acme_far="acme:far")
    assert "acme" not in sys.modules
    assert figures(walk("acme-near", world)) == figures(walk("rtaa", world, lookahead=4))
    assert {kind.name for kind in tb.catalogue()} >= {"acme-near", "acme-far", "rtaa"}
    assert "acme-far" in told(capsys, "agents")[0]
    assert "RTAA* with a short sight" in told(capsys, "agents", "acme-near")[0]
    tb.register("other", near())
    with pytest.raises(tb.ProblemError, match="agent 'acme-near' already exists"):
        tb.register("acme-near", near())


def test_a_broken_package_breaks_nothing_else(
    installed: Callable[..., None], world: tb.Grid, capsys: pytest.CaptureFixture[str]
) -> None:
    installed("acme", acme_near="acme:near", gone="acme.gone:agent", number="acme:number", rtaa="acme:far")
    installed("acme2", acme_twice="acme2:near")
    installed("acme3", acme_twice="acme3:near")
    names = [kind.name for kind in tb.catalogue()]
    assert "acme-near" in names
    assert not {"gone", "number", "acme-twice"} & {*names}
    assert walk("acme-near", world).solved
    assert figures(walk("rtaa", world)) != figures(walk("rtaa", world, lookahead=9))  # the library's own
    listed = told(capsys, "agents")[0].splitlines()[-3:]
    for name, message in {
        "gone": "agent 'gone' of the package 'acme' cannot be loaded: ModuleNotFoundError: ",
        "number": "'acme:number' of the package 'acme' is 3, but an agent must be a Kind, or a function",
        "acme-twice": "agent 'acme-twice' is provided by the package 'acme3' and the package 'acme2'; choose",
    }.items():
        with pytest.raises(tb.ProblemError) as caught:
            walk(name, world)
        assert message in str(caught.value)
        assert f"not available: {caught.value}" in listed
