"""Work in threads that do not keep the process alive: compiling may take a minute, and Ctrl-C must not wait."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any

_under_way: set[threading.Thread] = set()


async def in_thread(function: Callable[..., Any], *given: Any) -> Any:
    """Call a function in its own thread, and wait for the result, which is dropped if nobody waits any more."""
    loop, context = asyncio.get_running_loop(), copy_context()
    answer: asyncio.Future[Any] = loop.create_future()

    def work() -> None:
        try:
            _hand_over(loop, answer, answer.set_result, context.run(function, *given))
        except BaseException as error:  # the waiting coroutine raises it
            _hand_over(loop, answer, answer.set_exception, error)
        finally:
            _under_way.discard(thread)

    thread = threading.Thread(target=work, daemon=True)
    _under_way.add(thread)
    thread.start()
    return await answer


def _hand_over(loop: asyncio.AbstractEventLoop, answer: Any, set_: Callable[[Any], None], value: Any) -> None:
    with suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(lambda: None if answer.done() else set_(value))


def busy() -> bool:
    """Is any work still running?"""
    return bool(_under_way)
