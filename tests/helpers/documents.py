"""The Python of the documents: which blocks belong together, and what they print.

A block with `import timebound as tb` stands alone. One without it continues the block before. A block that begins with
`# name.py` is a file of that name. What a line prints is said in a comment behind it, perhaps with `: an explanation`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\w+\.py)\n")
SAID = re.compile(r"^ *print\(.*\)  # (.*?)(?:: [a-zA-Z].*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Script:
    """Blocks that run together, in turn; and the files that they need."""

    page: Path
    number: int
    blocks: tuple[str, ...]
    files: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """Return the page, and the number of the script on it."""
        return f"{self.page.relative_to(ROOT).with_suffix('')}-{self.number}"

    @property
    def text(self) -> str:
        """Return the whole program."""
        return "\n".join(self.blocks)

    @property
    def said(self) -> list[str]:
        """Return the lines that it prints, as far as the page says them."""
        return SAID.findall(self.text)


def scripts(page: Path) -> Iterator[Script]:
    """Yield the programs of a page."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    files = tuple((found[1], block) for block in blocks if (found := FILE.match(block)))
    programs: list[list[str]] = []
    for block in (block for block in blocks if not FILE.match(block)):
        if not programs or "import timebound as tb\n" in block:
            programs.append([])
        programs[-1].append(block)
    for number, program in enumerate(programs, 1):
        yield Script(page, number, tuple(program), files)


SCRIPTS = [script for page in PAGES for script in scripts(page)]
