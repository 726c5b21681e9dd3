"""While something is compiled: what the user sees, and Ctrl-C."""

import logging
import os
import random
import signal
import threading
import time

import pytest
from numba.core.errors import TypingError

from timebound.cli.progress import notices
from timebound.compiled import functions, notice

TEXT = """
from timebound.compiled import compiled
@compiled
def inner(x): return x + {0}
@compiled
def f(x): return inner(x) * 2
"""


@pytest.fixture
def _impatient(monkeypatch):
    monkeypatch.setattr(notice, "PATIENCE", 0.0)
    monkeypatch.setattr(notice, "_told", set())


@pytest.mark.usefixtures("_impatient", "own_store")
def test_one_line_says_what_for(plugin, warnings_logged):
    with notice.purpose("an agent on a grid"):
        assert plugin(TEXT.format(1)).f(1) == 4
        assert plugin(TEXT.format(2)).f(1) == 6
    (line,) = warnings_logged()
    assert line.startswith("compiling an agent on a grid")
    assert line.endswith("this happens once")
    with notice.purpose("another agent"):
        assert plugin(TEXT.format(3)).f(1) == 8
    assert len(warnings_logged()) == 2
    assert plugin(TEXT.format(4)).f(1) == 10
    assert warnings_logged()[2].startswith("compiling f")


def test_commands_say_it_in_a_file_too(capsys):
    """Standard error is no terminal here; a race of twenty agents would compile for minutes without a word."""
    with notices():
        logging.getLogger("timebound").warning("compiling %s", "an agent")
    assert capsys.readouterr().err == "timebound: compiling an agent\n"


@pytest.mark.usefixtures("own_store")
def test_nothing_is_said_about_what_is_quick(plugin, warnings_logged, monkeypatch):
    monkeypatch.setattr(notice, "PATIENCE", 60.0)
    assert plugin(TEXT.format(5)).f(1) == 12
    assert warnings_logged() == []


@pytest.mark.usefixtures("_impatient", "own_store")
def test_nothing_is_said_where_nothing_is_compiled(plugin, warnings_logged):
    module = plugin(TEXT.format(6))
    assert module.f(1) == 14
    said = len(warnings_logged())
    notice._told.clear()
    assert module.f(2) == 16
    assert len(warnings_logged()) == said


@pytest.mark.usefixtures("own_store")
def test_control_c_while_compiling(plugin):
    """At random moments: KeyboardInterrupt, and the same function can be compiled afterwards."""
    chance, interrupted = random.Random(1), 0
    before = signal.getsignal(signal.SIGINT)
    for number in range(100, 120):
        module = plugin(TEXT.format(number))
        timer = threading.Timer(chance.uniform(0, 0.25), os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            assert module.f(1) == 2 * number + 2
            timer.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            interrupted += 1
        timer.join()
        assert module.f(1) == 2 * number + 2
        assert signal.getsignal(signal.SIGINT) is before
        assert not notice._under_way
    assert interrupted == 20


def signals_itself(typing_error=False):
    os.kill(os.getpid(), signal.SIGINT)
    if typing_error:
        raise TypingError("cannot be compiled")


def test_control_c_is_not_lost_when_compiling_fails():
    with pytest.raises(KeyboardInterrupt), notice.compiling(signals_itself):
        signals_itself(typing_error=True)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_control_c_waits_for_the_end_of_a_function():
    reached = []

    def compile_two_functions():
        with notice.compiling(signals_itself):
            with notice.compiling(signals_itself):
                signals_itself()
                reached.append("the end of the inner function")
            reached.append("the end of the outer function")

    with pytest.raises(KeyboardInterrupt):
        compile_two_functions()
    assert reached == ["the end of the inner function"]


def test_a_handler_that_raises_nothing_is_called_once_a_signal():
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    try:
        with notice.compiling(signals_itself):
            signals_itself()
            assert calls == []
        assert calls == [1]
    finally:
        signal.signal(signal.SIGINT, before)


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with notice.compiling(signals_itself):
            signals_itself()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("own_store")
def test_other_threads_compile_too(plugin):
    modules = [plugin(TEXT.format(number), f"plugin_{number}") for number in range(200, 204)]
    results = []
    threads = [threading.Thread(target=lambda m=module: results.append(m.f(1))) for module in modules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [402, 404, 406, 408]


@pytest.mark.usefixtures("own_store")
def test_work_that_was_cut_short_is_done_again(plugin):
    """Unless the handler of the signal raises something."""
    calls = []

    def entry(x):
        calls.append(x)
        if len(calls) < 3:
            raise functions.Interrupted
        return x

    unit = plugin(TEXT.format(7)).f
    unit.entry = entry
    assert unit(5) == 5
    assert calls == [5, 5, 5]
