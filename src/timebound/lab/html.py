"""What the lab's pages share: their style, and the format of text and numbers."""

import html
import math
from collections.abc import Iterable

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --dim: #777; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 74rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p.paper, .dim { color: var(--dim); } p { max-width: 50rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .87rem; }
th, td { padding: .22rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; } th.word, td.word { text-align: left; white-space: normal; } td.word { min-width: 11rem; }
td.paper { background: var(--soft); } td small { color: var(--dim); }
tr.first td, tr.first th { border-top: 2px solid var(--line); }
.holds, .fails, .open { font-weight: 600; white-space: nowrap; }
.holds { color: #1a7f37; } .fails { color: #c62828; } .open { color: #9a6700; }
figure { margin: 1rem 0; } figure svg { display: block; max-width: 46rem; background: white; border-radius: 4px; }
figure svg * { stroke-linejoin: round; stroke-linecap: butt; }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; } td.effect { white-space: nowrap; text-align: left; }
pre { overflow-x: auto; font-size: .8rem; } summary { cursor: pointer; } ul.small { font-size: .85rem; }
aside { border-left: 3px solid #9a6700; padding-left: .8rem; }
"""


def document(title: str, parts: Iterable[str], style: str = "") -> str:
    """Return a standalone page."""
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
        f"<title>{text(title)}</title><style>{STYLE}{style}</style><body>{''.join(parts)}</body></html>\n"
    )


def text(plain: str) -> str:
    """Escape text for HTML."""
    return html.escape(plain, quote=True)


def number(value: float) -> str:
    """Format a number with its significant digits.

    >>> number(248537.79), number(26.338), number(1.01), number(0.2), number(0.00308), number(math.inf)
    ('248,538', '26.3', '1.01', '0.20', '0.00308', '∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if 0 < abs(value) < 0.1:
        return f"{value:.3g}"
    return f"{value:,.{0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2}f}"


def table(head: Iterable[str], rows: Iterable[str]) -> str:
    """Return a table of HTML rows under headings."""
    cells = "".join(f"<th class='word'>{text(name)}</th>" for name in head)
    return f"<div class='wide'><table><tr>{cells}</tr>{''.join(rows)}</table></div>"
