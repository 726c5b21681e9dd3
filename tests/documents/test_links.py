"""Links of the documents: those inside the project lead somewhere, those outside to a few places that we know.

`make site` checks the pages of the site, anchors included. Files beside it, such as the README, are checked here.
Nothing is asked of the network.
"""

import re
import unicodedata
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
BESIDE = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "bench").rglob("*.md"))]
PAGES = [*BESIDE, *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+(?:\([^()\s]*\))?)\)")
OUTSIDE = {"distributed.dask.org", "github.com", "keepachangelog.com", "movingai.com", "semver.org"}


def prose(page: Path) -> str:
    """Return the page without its code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the anchors of its headings, as GitHub and MkDocs form them."""
    headings = re.findall(r"^#+ +(.*?) *$", prose(page), re.MULTILINE)
    plain = [re.sub(r"[`*\\]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    words = [unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode() for heading in plain]
    return {re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip()) for heading in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        parts = urlsplit(link)
        if parts.scheme:
            assert parts.scheme == "https", link
            assert parts.hostname in OUTSIDE, f"{link}: look whether it is right, then add its host to OUTSIDE"
            continue
        target = (page.parent / parts.path).resolve() if parts.path else page
        assert target.exists(), link
        if parts.fragment:
            assert parts.fragment in anchors(target), link


def test_bare_addresses_are_known_as_well() -> None:
    found = {
        urlsplit(address).hostname for page in PAGES for address in re.findall(r"https?://[^\s)>\"'`]+", prose(page))
    }
    assert found <= OUTSIDE


def test_the_check_finds_what_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for wrong in ("[a](missing.md)", "[a](#nowhere)", "[a](http://github.com)", "[a](https://example.net)"):
        page.write_text(f"# Title\n\n{wrong}\n", encoding="utf-8")
        with pytest.raises(AssertionError):
            test_links(page)
    page.write_text("# A *title*, with `code`\n\n[a](#a-title-with-code)\n", encoding="utf-8")
    test_links(page)
