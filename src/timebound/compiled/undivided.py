"""Work that is done whole or not at all: Ctrl-C waits for its end.

A signal may raise its exception between any two instructions of Python. Where that would leave something half done, the
handler is called when the work is done, or at a place in between that calls `attend`.
"""

import signal
import threading
from typing import Any, Self


class undivided:  # noqa: N801 (it is used like a function)
    """Meanwhile Ctrl-C waits: ``with undivided(): ...``. Only the main thread hears of signals."""

    __slots__ = ("_handler", "_signals")

    def __enter__(self) -> Self:
        self._signals = 0
        in_main = threading.current_thread() is threading.main_thread()
        handler = signal.getsignal(signal.SIGINT) if in_main else None
        self._handler = handler if callable(handler) else None  # not ignored, nor left to the system
        if self._handler:
            signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: Any) -> None:
        self._signals += 1

    def attend(self) -> None:
        """Nothing is half done just now: if Ctrl-C was pressed, this is the time."""
        if self._signals and self._handler:
            self._signals = 0
            self._handler(signal.SIGINT, None)

    def __exit__(self, *error: object) -> None:
        if self._handler:
            signal.signal(signal.SIGINT, self._handler)
            self.attend()
