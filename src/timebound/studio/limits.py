"""What one client may ask for. Everything beyond is refused in one line."""

MOST_CLIENTS = 24
MOST_AGENTS = 4
MOST_CELLS = 2**22  # of a map: 2048 x 2048
LONGEST_SIDE = 4096
MOST_LOAD = 2**26  # cells of all maps of all races, once for each agent
MOST_INTERVALS = 200_000  # of a race
MOST_EXPANSIONS = 1_000_000  # in an interval
MOST_MS = 100  # of planning in an interval, on the clock or on the virtual one
MOST_AHEAD = 4096  # intervals that may be asked for at once
MOST_UNITS = 10_000  # of a crowd
MOST_TICKS_AHEAD = 240  # of a crowd
LOAD_OF_UNIT = 1000  # cells: what a unit of a crowd takes up, its paths and what it learns
FLEET_MB = 512  # the most that all units of a crowd may take up
FRAME_MS = 1000 / 60  # of a game's clock: so long are the frames in which a crowd plans with A*
MOST_CHANGES = 65_536  # cells of one edit
MOST_RECORDS = 5_000  # of a case base that an agent builds for itself
MOST_UPLOAD = 8 * 2**20  # bytes of a dropped file
MOST_MESSAGE = 12 * 2**20  # bytes of a message: such a file in base64
MOST_MESSAGES = 120  # a second, in the mean over five seconds
SLICE = 0.03  # seconds of work before others have their turn
SILENCE = 1800  # seconds: a client that says nothing for so long has gone
