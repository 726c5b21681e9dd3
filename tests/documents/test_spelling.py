"""The spelling of documents, docstrings and comments: English words, and those of words.txt."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

spellchecker = pytest.importorskip("spellchecker", reason="pip install pyspellchecker")

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").rglob("*.md")]
SOURCES = [file for folder in ("src", "tools", "examples") for file in (ROOT / folder).rglob("*.py")]
WORDS = set(Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split())
# Whole words of letters that are no part of a name, a path or a formula. Accents are taken off before.
WORD = re.compile(r"(?<![\w.:/@])[A-Za-z][a-z]+(?:'t)?(?![\w(/=])(?!\.\w)")


def of_page(text: str) -> str:
    """A page without code, comments, and addresses."""
    for left_out in (r"^```.*?^```", r"`[^`]*`", r"<!--.*?-->", r"\]\([^)]*\)", r"https?://\S+"):
        text = re.sub(left_out, " ", text, flags=re.MULTILINE | re.DOTALL)
    return text


def of_source(file: Path) -> str:
    """Docstrings without their examples, and comments."""
    return re.sub(r"`[^`]*`", " ", "\n".join([*docstrings(file), *comments(file)]))


def docstrings(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            yield re.sub(r"^\s*(>>>|\.\.\.).*(\n(?!\s*$).*)*", "", text, flags=re.MULTILINE)


def comments(file: Path) -> Iterator[str]:
    with file.open("rb") as opened:
        for token in tokenize.tokenize(opened.readline):
            if token.type == tokenize.COMMENT and "noqa" not in token.string and "type:" not in token.string:
                yield token.string


def words(text: str) -> set[str]:
    """In small letters; names with accents are left out."""
    plain = re.sub(r"\w*[^\W\d_a-zA-Z]\w*", " ", text)
    return {word.lower() for word in WORD.findall(plain)}


def test_every_word_is_english_or_of_the_field() -> None:
    where: dict[str, Path] = {}
    for file in [*PAGES, *SOURCES]:
        text = of_page(file.read_text(encoding="utf-8")) if file.suffix == ".md" else of_source(file)
        where |= dict.fromkeys(words(text), file)
    unknown = spellchecker.SpellChecker(language="en").unknown(where) - WORDS
    assert {word: str(where[word].relative_to(ROOT)) for word in sorted(unknown)} == {}
    assert len(where) > 2000


def test_the_check_finds_what_is_wrong() -> None:
    said = words(
        of_page("The agnet walks to its `gaol`, as [Bulitko](https://wrogn.example) says. Défago: 3.5 lookaheads.")
    )
    assert said == {"the", "agnet", "walks", "to", "its", "as", "bulitko", "says", "lookaheads"}
    assert spellchecker.SpellChecker(language="en").unknown(said) - WORDS == {"agnet"}
