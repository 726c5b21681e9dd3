"""`timebound studio`: a page in the browser that shows how agents think."""

import os

from ..core.errors import ProblemError
from . import INTERRUPTED, console
from .arguments import Arguments, Parser, agent, option, whole

EXAMPLES = """examples:
  timebound studio
  timebound studio --port 9000 --no-browser
  timebound studio --agent my_module:my_agent

It listens on this machine only, unless --host says otherwise. It needs an extra: pip install '.[studio]' in the sources
Drop a recorded trace on the page to open it; `timebound replay` turns a trace into a standalone page."""


def add_arguments(parser: Parser) -> None:
    option(parser, "--port N", "(default: 8321, or any free port)", whole(0, 65535))
    option(parser, "--host ADDRESS", "address to listen on (default: this machine only)", default="127.0.0.1")
    option(parser, "--no-browser", "only print the address")
    option(parser, "--agent MODULE:NAME", "also offer your own agent (repeatable)", default=[], action="append")


def run(arguments: Arguments) -> int:
    from ..agents.registry import catalogue, find_kind
    from ..studio.threads import busy

    try:
        from ..studio.server import Studio, serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "websockets"):
            raise
        raise ProblemError(f"the studio needs {error.name}: pip install starlette uvicorn websockets") from None
    own = [find_kind(agent(name)) for name in arguments.agent]
    studio = Studio({kind.name: kind for kind in [*catalogue(), *own]})
    try:
        serve(arguments.host, arguments.port, browser=not arguments.no_browser, studio=studio)
    except KeyboardInterrupt:
        if busy():  # leave at once: Python would wait for the compiler thread, or crash it
            console.say("stopped")
            os._exit(INTERRUPTED)
        raise
    return 0
