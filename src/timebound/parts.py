"""What you need to write your own parts of agents: see `docs/your-own-agent.md`.

The roles are functions that you implement for the type of a part: ``@look.of(MyLookahead)``. They and everything else
that parts are written with are named here, once.
"""

# ruff: noqa: I001 (in this order; `name as name` tells type checkers that a name is public)

# Declare a part, its parameters, and what it is made for
from .agents.parts import (
    Part as Part,
    Setting as Setting,
)
from .agents.parameters import (
    Parameter as Parameter,
    a_count as a_count,
    a_flag as a_flag,
    a_number as a_number,
    a_word as a_word,
    endless as endless,
    or_none as or_none,
    up_to as up_to,
)
from .agents.making import (
    fraction as fraction,
    limit as limit,
    search_for as search_for,
)
from .core.memory import untouched as untouched

# The roles: what a lookahead does
from .agents.roles import (
    look as look,
    take_news as take_news,
    outdated as outdated,
    give_up as give_up,
    path_ahead as path_ahead,
    search_costs as search_costs,
    search_size as search_size,
)

# a learning rule
from .agents.roles import (
    catch_up as catch_up,
    search_ended as search_ended,
    prepare as prepare,
    circles as circles,
    teach as teach,
    forget as forget,
)
from .agents.algorithms.lss_lrta import (
    learn_by_dijkstra as learn_by_dijkstra,
    value_from as value_from,
)

# a target
from .agents.roles import (
    aim as aim,
    view as view,
    farthest as farthest,
    missed as missed,
    decided as decided,
    choose as choose,
    take_news_of_target as take_news_of_target,
    rewind as rewind,
)

# a walk
from .agents.roles import (
    on_course as on_course,
    for_search as for_search,
    at_root as at_root,
    next_move as next_move,
)

# any part
from .agents.roles import (
    Size as Size,
    size as size,
)

# and an order
from .search.orders import (
    Order as Order,
    expands_once as expands_once,
    is_lower_bound as is_lower_bound,
    priority as priority,
    regards_cost as regards_cost,
)

# The agent: its walk, its path, its proofs
from .agents.journey import (
    DUE as DUE,
    GOING as GOING,
    NOT_DUE as NOT_DUE,
    NOWHERE as NOWHERE,
    STUCK as STUCK,
    UNREACHABLE as UNREACHABLE,
    forget_news as forget_news,
    one_move as one_move,
)
from .agents.body import (
    place_on_path as place_on_path,
    take_news_of_path as take_news_of_path,
    take_path as take_path,
)
from .agents.body import proved_unreachable as proved_unreachable

# Searches
from .search.state import (
    FOUND as FOUND,
    RUNNING as RUNNING,
    begin as begin,
    begin_again as begin_again,
    least_f as least_f,
    open_states as open_states,
    reached_by as reached_by,
)
from .search.best_first import (
    advance as advance,
    best_open as best_open,
)
from .search.breadth_first import best_step as best_step
from .search.open_list import NOBODY as NOBODY
from .search.paths import (
    begin_trace as begin_trace,
    trace as trace,
)
from .search.learning import learn as learn

# Worlds
from .worlds.interface import (
    NO_STATE as NO_STATE,
    heuristic as heuristic,
    is_goal as is_goal,
    number_of as number_of,
    predecessors as predecessors,
    successors as successors,
)
from .worlds.interface import (
    IMPOSSIBLE as IMPOSSIBLE,
    price_of as price_of,
)
from .worlds.interface import moves_to_goal as moves_to_goal

# The budget, and the virtual clock
from .search.budget import (
    UNLIMITED as UNLIMITED,
    Allowance as Allowance,
    after as after,
    at_most as at_most,
    clocked as clocked,
    late as late,
)
from .compiled.clock import virtual_ns as virtual_ns
from .compiled.prices import (
    TRACE_STEP as TRACE_STEP,
    UPDATE as UPDATE,
)

# Compiled code
from .compiled import (
    borrow as borrow,
    borrow_field as borrow_field,
    compiled as compiled,
    generic as generic,
    inlined as inlined,
    mutable as mutable,
    optional as optional,
    resized as resized,
)
