"""`timebound replay`: show or convert a recorded trace."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import ProblemError
from .arguments import Arguments, Parser, option, whole
from .printing import aligned

if TYPE_CHECKING:
    from ..studio.recording import Recording

EXAMPLES = """examples:
  timebound replay walk.json                          describes the trace
  timebound replay walk.json --html walk.html         writes a page that needs no server
  timebound replay walk.json --posthoc walk.trace.yaml

Traces are saved by the studio, or recorded in Python:
  agent.run(expansions=50, trace="walk.json")"""


def add_arguments(parser: Parser) -> None:
    parser.add_argument("trace", metavar="TRACE", help="a recorded trace")
    option(parser, "--html FILE", "write a standalone page", Path)
    option(parser, "--posthoc FILE", "write a search trace for Posthoc", Path)
    option(parser, "--agent N", "for --posthoc: which agent (default: 1)", whole(1), 1)


def run(arguments: Arguments) -> int:
    from ..core.disk import write_files
    from ..studio.recording import read

    recording = read(arguments.trace)
    agents = recording.about["agents"]
    if arguments.agent > len(agents):
        raise ProblemError(f"--agent {arguments.agent}: the trace has only {len(agents)}")
    files = {}
    if arguments.html:
        from ..studio.standalone import replay_html

        files[arguments.html] = replay_html(recording, Path(arguments.trace).stem).encode()
    if arguments.posthoc:
        from ..studio.posthoc import posthoc_text

        files[arguments.posthoc] = posthoc_text(recording, arguments.agent - 1).encode()
    write_files(files)
    print(_summary(recording))
    for file, content in files.items():
        print(f"{file}: {len(content):,} bytes")
    return 0


def _summary(recording: "Recording") -> str:
    """Describe the map, and how far every agent got."""
    from ..agents.journey import STOPS

    height, width = recording.ground.codes.shape
    last = {int(head["agent"]): head for head, _ in recording}
    rows = [("agent", "outcome", "intervals", "moves", "expansions")]
    for number, agent in enumerate(recording.about["agents"]):
        if number in last:
            head = last[number]
            figures = (f"{int(head[name]):,}" for name in ("interval", "moves", "expansions"))
            rows.append((agent["name"], STOPS[int(head["stop"])], *figures))
    return "\n".join([f"{recording.ground.name}, {width} x {height} cells", "", aligned(rows, words=2)])
