"""Try other versions of Numba: the oldest allowed, the newest allowed, and the pre-release, if there is one.

    python tools/numbas.py [oldest] [newest] [pre-release]

Each gets an environment of its own, `.venv-numba-VERSION`, in which `tests/compiled` runs, and a part of the library as
plain Numba compiles it (`make plain`). A version without a wheel for this Python is skipped.
"""

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
TOOLS = ["pytest>=8", "pytest-xdist>=3.5", "hypothesis>=6.100", "packaging"]
NEEDED = [Requirement(text) for text in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]]
[NUMBA] = [needed for needed in NEEDED if needed.name == "numba"]
COMPILED, PLAIN = ["tests/compiled"], ["tests/plain"]


def published() -> list[Version]:
    """Return all versions of Numba with a wheel for this Python, the newest first."""
    pip = [sys.executable, "-m", "pip", "index", "versions", "numba", "--pre", "--only-binary", "numba"]
    told = subprocess.run(pip, capture_output=True, text=True, check=True).stdout
    [line] = re.findall(r"Available versions: (.*)", told)
    return sorted(map(Version, line.split(", ")), reverse=True)


def chosen(which: str, versions: list[Version]) -> Version | str:
    """Return the version to try, or why there is none."""
    allowed = [version for version in versions if version in NUMBA.specifier]
    if which == "pre-release":
        return versions[0] if versions[0].is_prerelease else f"{versions[0]} is the newest, and no pre-release"
    if which == "newest":
        return allowed[0]
    [lowest] = [Version(bound.version) for bound in NUMBA.specifier if bound.operator == ">="]
    return lowest if lowest in versions else f"{lowest} has no wheel for Python {sys.version.split()[0]}"


def passes(version: Version) -> bool:
    """Install that version, and run the tests with it."""
    folder = ROOT / f".venv-numba-{version}"
    python = str(folder / "bin" / "python")
    if not Path(python).exists():
        venv.create(folder, with_pip=True)
    others = [str(needed) for needed in NEEDED if needed is not NUMBA]
    install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--only-binary",
        "numba,llvmlite",
        f"numba=={version}",
    ]
    subprocess.run([python, *install, *others, *TOOLS], check=True)
    usual = os.environ | {"PYTHONPATH": str(ROOT / "src"), "NUMBA_CPU_NAME": "generic"}
    runs = (COMPILED, usual), (PLAIN, usual | {"TIMEBOUND_PLAIN": "1"})
    tests = [python, "-m", "pytest", "-n", "auto", "-q", "-p", "no:cacheprovider"]
    results = [subprocess.run([*tests, *files], cwd=ROOT, env=env, check=False).returncode for files, env in runs]
    return not any(results)


def main() -> int:
    """Try all; print what passed, failed and was skipped."""
    versions, told = published(), []
    for which in sys.argv[1:] or ("oldest", "newest", "pre-release"):
        version = chosen(which, versions)
        result = (
            f"skipped: {version}" if isinstance(version, str) else f"{version} " + ("failed", "passed")[passes(version)]
        )
        told.append(f"{which}: {result}")
    print("\n".join(told))
    return any("failed" in line for line in told)


if __name__ == "__main__":
    sys.exit(main())
