"""Limits for one client. Everything beyond is rejected with a one-line message."""

MOST_CLIENTS = 24
MOST_AGENTS = 4
MOST_CELLS = 2**22  # in a map: 2048 x 2048
LONGEST_SIDE = 4096
MOST_LOAD = 2**26  # cells of the maps of all races, times their agents
MOST_INTERVALS = 200_000  # in a race
MOST_EXPANSIONS = 1_000_000  # in an interval
MOST_MS = 100  # of planning in an interval, on the clock or on the virtual one
MOST_AHEAD = 4096  # intervals that may be requested at once
MOST_UNITS = 10_000  # in a crowd
MOST_TICKS_AHEAD = 240  # of a crowd
LOAD_OF_UNIT = 1000  # cells: the memory of a unit in a crowd, its paths and what it learns
FLEET_MB = 512  # the most memory of all units in a crowd
FRAME_MS = 1000 / 60  # one frame of a game, in which the A* crowd plans
MOST_CHANGES = 65_536  # cells in one edit
MOST_RECORDS = 5_000  # in a case base that an agent builds for itself
MOST_UPLOAD = 8 * 2**20  # bytes of a dropped file
MOST_MESSAGE = 12 * 2**20  # bytes of a message: such a file in base64
MOST_MESSAGES = 120  # per second, averaged over five seconds
SLICE = 0.03  # seconds of work before other clients have their turn
SILENCE = 1800  # seconds: a client that is silent for longer is gone
