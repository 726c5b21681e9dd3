"""Replace an agent's episodes in a packed run by those of another run, after a correction of the agent; or drop them.

    timebound lab run NAME --scale full --agents AGENT --maps DIR --output again
    python tools/replace_agent.py NAME AGENT again      # without the last word: drop them

The other agents' episodes stay as they are in `results`: recorded episodes must show that they would be the same. The
description of the new run says which fingerprint of code each agent has.
"""

import hashlib
import json
import shutil
import sys
from pathlib import Path

from timebound.core.disk import write_files
from timebound.lab.parquet import packed
from timebound.lab.store import Run, checksum, find_runs

RESULTS = Path(__file__).parents[1] / "results"
SAME = ("problem", "fingerprint", "start", "goal", "seed")


def newest(folder: Path, name: str) -> Run:
    """Return the latest run of an experiment."""
    return next(run for run in reversed(find_runs(folder).runs) if run.experiment.name == name)


def replace(name: str, label: str, again: Path | None) -> Run:
    """Write the run with the agent's new episodes, and remove the one with its old ones."""
    old, new = newest(RESULTS, name), newest(again, name) if again else None
    layout, before = old._layout(), old.contents().tables
    tables = {number: table for number, table in before.items() if layout[number][1].label != label}
    code = old.about["identity"]["sources"]
    code = code if isinstance(code, dict) else {entry.label: code for entry in old.experiment.entries}
    code = {other: code[other] for other in code if other != label}
    if new is not None:
        columns = next(iter(tables.values())).column_names
        mine = {number: table for number, table in new.contents().tables.items() if layout[number][1].label == label}
        if [(batch, str(one)) for batch, one in new._layout()] != [(batch, str(one)) for batch, one in layout]:
            sys.exit("the runs have different pieces")
        for number, table in mine.items():
            there = before.get(number)
            if there is not None and table.select(SAME).to_pylist() != there.select(SAME).to_pylist():
                sys.exit(f"piece {number} has other problems")
            tables[number] = table.select(columns)
        theirs = new.about["identity"]["sources"]
        code[label] = theirs[label] if isinstance(theirs, dict) else theirs
    about = {**old.about, "identity": {**old.about["identity"], "sources": code}}
    about["key"] = hashlib.sha256(json.dumps(about["identity"], sort_keys=True).encode()).hexdigest()[:12]
    folder = old.directory.parent / f"{name}-{old.scale}-{about['key']}"
    (folder / "pieces").mkdir(parents=True, exist_ok=True)
    content = packed(tables, {key: value for key, value in about.items() if key != "identity"})
    pieces = folder / "pieces" / f"packed-{checksum(content)}.parquet"
    write_files({pieces: content, folder / "run.json": json.dumps(about, indent=1).encode()})
    if folder != old.directory:
        shutil.rmtree(old.directory)
    return Run(folder)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    run = replace(sys.argv[1], sys.argv[2], Path(sys.argv[3]) if len(sys.argv) == 4 else None)
    print(f"{run.directory}: {run.missing(run.contents()) or 'complete'}")
