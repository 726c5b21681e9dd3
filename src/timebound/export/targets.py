"""The platforms that libraries can be made for."""

import importlib.util
import shutil
import sys
from typing import NamedTuple

from ..core.errors import ProblemError
from .units import Platform


class Target(NamedTuple):
    """A platform, and what compiles and links C for it."""

    platform: Platform
    zig: str
    """The name that Zig has for it."""
    library: str
    """The name of the file."""

    def compiler(self, native: bool) -> list[str]:
        """Return the command of a C compiler: the system's for this very platform, otherwise that of `ziglang`."""
        found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang") if native else None
        if found:
            return [found]
        if importlib.util.find_spec("ziglang") is None:
            raise ProblemError("no C compiler for this target was found; install one: pip install ziglang")
        return [sys.executable, "-m", "ziglang", "cc", "-target", self.zig]


TARGETS = {
    "linux-x64": Target(Platform("x86_64-unknown-linux-gnu"), "x86_64-linux-gnu.2.28", "libtimebound.so"),
    "linux-arm64": Target(Platform("aarch64-unknown-linux-gnu"), "aarch64-linux-gnu.2.28", "libtimebound.so"),
    "windows-x64": Target(Platform("x86_64-pc-windows-gnu", "", ""), "x86_64-windows-gnu", "timebound.dll"),
    "wasm": Target(Platform("wasm64-unknown-unknown", "+bulk-memory", ""), "wasm64-freestanding", "timebound.wasm"),
    "macos-arm64": Target(Platform("arm64-apple-darwin20.0.0"), "aarch64-macos", "libtimebound.dylib"),
}
