"""Write the generated part of docs/changed-claims.md: every change of the test of a claim, from git.

    python tools/claims_history.py

It needs a clone with the whole history, in which the experiment files are committed.
"""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "changed-claims.md"
FOLDER = "src/timebound/lab/experiments"
TESTS = ["less", "decreasing", "increasing", "constant", "same", "lowest", "best", "ratio", "difference", "value"]
DECIDES = (*TESTS, "between", "beyond", "share", "average", "at", "over", "within", "totals", "above")
ASIDE = "until the new run is complete"  # ends the subject of a commit that puts new claims aside for a while
MARK = re.compile(r"(<!-- changes: all -->\n).*?(\n<!-- end -->)", re.DOTALL)

Claims = dict[tuple[str, str], dict[str, Any]]


def git(*arguments: str) -> str:
    """Return what git prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def claims_of(name: str, files: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the claims of an experiment by their names, with those of the experiment that it is like."""
    file = files[name]
    found = claims_of(file["like"], files) if file.get("like") in files else {}
    out = {file.get("without")} if isinstance(file.get("without"), str) else {*file.get("without", ())}
    found = {id_: claim for id_, claim in found.items() if not {"claims", f"claims.{id_}"} & out}
    for claim in file.get("claims", ()):
        found[claim["id"]] = {**found.get(claim["id"], {}), **claim}
    return found


def texts_of(commit: str) -> dict[str, str]:
    """Return the experiment files as they were in a commit."""
    paths = [path for path in git("ls-tree", "--name-only", commit, f"{FOLDER}/").split() if path.endswith(".toml")]
    return {Path(path).stem: git("show", f"{commit}:{path}") for path in paths}


def all_claims(texts: dict[str, str]) -> Claims:
    """Return the claims of these files."""
    files = {name: tomllib.loads(text) for name, text in texts.items()}
    return {(name, id_): claim for name in files for id_, claim in claims_of(name, files).items()}


def text(value: Any) -> str:
    """Return a value of a claim for the table."""
    words = ", ".join(map(str, value)) if isinstance(value, list) else "–" if value is None else str(value)
    return words.replace("|", "\\|").replace("*", "\\*")


def rows() -> list[str]:
    """Return a row for each change, the earliest first; equal changes of several experiments share one."""
    found: dict[tuple[str, str, str], list[str]] = {}
    before: Claims = {}
    texts: dict[str, str] = {}
    aside: dict[tuple[str, str], str] = {}  # for a file and its old text, the new one that was put aside
    for line in git(
        "log", "--first-parent", "--reverse", "--date=short", "--format=%H %ad %s", "--", FOLDER
    ).splitlines():
        commit, date, subject = line.split(" ", 2)
        there = texts_of(commit)
        if subject.endswith(ASIDE):
            aside = {(name, text): texts[name] for name, text in there.items() if text != texts.get(name, text)}
        texts = {name: aside.get((name, text), text) for name, text in there.items()}
        now = all_claims(texts)
        for key in sorted(before.keys() | now.keys()):
            one, two = before.get(key), now.get(key)
            if one is None or one == two:
                continue
            keys = [name for name in DECIDES if two is not None and one.get(name) != two.get(name)]
            said = "; ".join(f"`{name}`: {text(one.get(name))} → {text(two and two.get(name))}" for name in keys)
            if two is None or keys:
                found.setdefault((date, key[1], said or "removed"), []).append(key[0])
        before = now
    return [
        f"| {date} | {', '.join(f'`{name}`' for name in names)} | `{id_}` | {said} |"
        for (date, id_, said), names in found.items()
    ]


if __name__ == "__main__":
    table = "\n".join(["| date | experiments | claim | change |", "|---|---|---|---|", *rows()])
    page = MARK.sub(lambda mark: f"{mark[1]}\n{table}\n{mark[2]}", PAGE.read_text("utf-8"))
    PAGE.write_text(page, "utf-8")
