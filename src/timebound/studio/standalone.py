"""A trace as one HTML file: the studio's page with everything inside, to share or to show in a notebook."""

import base64
import html
import json
import re
from importlib.resources import files

from .json_text import text_of
from .palette import palette
from .recording import Recording, trace_text

_PAGE = files(__package__) / "page"
_IMPORT = re.compile(r'(from|import) "\./([a-z_]+\.js)"')
_STYLE = '<link rel="stylesheet" href="/page/style.css">'
_ICON = '<link rel="icon" href="/page/icon.svg">'
_SCRIPT = '<script type="module" src="/page/main.js"></script>'


def replay_html(recording: Recording, title: str = "") -> str:
    """Return the page, with its modules, its colours and the trace inside. It needs no server and loads nothing."""
    page = (_PAGE / "index.html").read_text("utf-8")
    style = (_PAGE / "style.css").read_text("utf-8")
    trace = trace_text(recording.about, recording.records)
    inside = "".join(
        [
            f'<script type="application/json" id="hello">{_safe(text_of({"palette": palette()}))}</script>',
            f'<script type="application/json" id="trace">{_safe(trace)}</script>',
            f'<script type="importmap">{json.dumps({"imports": _modules()})}</script>',
            '<script type="module">import "studio/main.js"</script>',
        ]
    )
    page = page.replace(_ICON, "").replace(_STYLE, f"<style>{style}</style>").replace(_SCRIPT, inside)
    return re.sub(r"<title>.*?</title>", lambda _: f"<title>{html.escape(title or 'timebound')}</title>", page)


def in_notebook(page: str, height: int = 640) -> str:
    """Return the page as a frame, for `IPython.display.HTML`."""
    return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="{height}" style="border:0"></iframe>'


def _modules() -> dict[str, str]:
    """Return every module of the page as a data URL; their imports of each other are found by name."""
    modules = {}
    for file in sorted(_PAGE.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".js"):
            text = _IMPORT.sub(r'\1 "studio/\2"', file.read_text("utf-8"))
            modules[f"studio/{file.name}"] = "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()
    return modules


def _safe(text: str) -> str:
    """Escape JSON so that it cannot end the script element around it."""
    return text.replace("<", "\\u003c")
