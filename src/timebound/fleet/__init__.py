"""Many agents in one world, within one budget for all: see `fleet.Fleet`.

The words used here:

- A *unit* is a row of one array (`units`). Its *kind* is an agent with parameters, in known or unknown terrain.
- A *planner* is what a unit plans with. Kinds whose search ends with a path *share* one; of other kinds, each unit has
  its *own*.
- A *turn* is one search of one unit. Units wait in a *queue* for theirs; in a *round*, none has two.
- *Precedence*, the priorities of PIBT: units go first by priority, then those that have not arrived, then by *rank*,
  those that have been on their way longest.
- A *joint step* is where all units go at once. A *window* is the next few steps, planned ahead (with repair=True).
- The *traffic* is the paths that units have declared (with guidance=True). A *flow field* is a search from a goal
  (with group=...).

A tick, in the order in which it happens. `fleet` has the public class; `tick` makes the calls:

====================================== ==============================================================================
The world has changed                  `world_changes`: forget what is no longer true, leave new walls
Units are sorted by precedence         `fleet_state`, which has all arrays of a fleet
All units move                         `moving`: each follows its path
Conflicts                              `pibt`: who gives way (priority inheritance with backtracking)
With sizes and speeds                  `body_moves` does both; `bodies` has the cells that each unit holds
With repair                            `window` makes the step that was planned before, and `pibt` plans one more
Those that arrived get new goals       `fleet`, by the function that is given as on_arrival
Units in unknown terrain look around   `sensing`
Flow fields grow                       `flow_fields`
Units have their turns                 `turns`: the queues, and how much each may search
A turn with the planner of the kind    `shared_planner`; `guidance` makes crowded cells cost more
A turn with a planner of its own       `own_planners`
The next steps are improved            `lns` (large neighbourhood search) with `space_time` (A*) and `reservations`
====================================== ==============================================================================

What the others are for: `kinds` decides which kind plans how. `allocator` is the memory of `unit_paths` and `h_tables`;
`addresses` serves several. `saved` writes fleets to files, and reads them. `options` checks what users give. Before the
first unit of a kind, `fleet` lets another do everything in a fleet of its own, so that no tick waits for the compiler.
"""
