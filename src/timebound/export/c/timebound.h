/* timebound: real-time heuristic search. This library was made of compiled Python by `timebound export`; it needs none.

   Places are x and y, whole numbers from 0, x to the right and y down. Arrays of places hold x, y, x, y, ...; `count` is
   the number of places. Options are text, such as "terrain=unknown lookahead=32", or NULL.

   A function that fails returns NULL or a status below 0, and changes nothing unless it says so. tb_error() then says
   what was wrong. Nothing is ever printed. Handles may be freed in any order: what an agent or a fleet needs stays.

   Threads: a grid, and everything made from it, is for one thread at a time. Different grids are independent. */
#ifndef TIMEBOUND_H
#define TIMEBOUND_H

#ifdef __cplusplus
extern "C" {
#endif

#define TB_VERSION "@VERSION@"

/* What an agent is doing. */
#define TB_GOING 0
#define TB_GOAL 1        /* it has arrived */
#define TB_UNREACHABLE 2 /* it has proved that there is no path; it goes on when the world changes */
#define TB_STUCK 3       /* it would walk in a circle forever */
#define TB_MEMORY 4      /* it has used as much memory as its option memory_mb allows */
/* Errors. */
#define TB_BAD (-1)       /* a bad argument: see tb_error() */
#define TB_NO_MEMORY (-2) /* not enough memory; an agent or fleet that this happens to can only be freed */

#define TB_NO_LIMIT 0x7fffffffffffffffLL /* as a number of expansions */

typedef struct tb_grid tb_grid;
typedef struct tb_agent tb_agent;
typedef struct tb_fleet tb_fleet;

/* The last error in this thread, as one line; an empty string if there was none. */
const char *tb_error(void);
/* The names of the agents in this library; NULL at the end. */
const char *tb_agent_kind(int number);

/* ---- grids */

/* Make a grid of width * height bytes, row by row, 0 where nothing can be; it keeps a copy. Options:
   neighbors=4|8, corners=strict|cut, diagonal=1.4 (the cost of a diagonal move; by default the square root of 2). */
tb_grid *tb_grid_new(const unsigned char *passable, int width, int height, const char *options);
/* Block or free cells, at any time. Agents in known terrain learn of it at once, others when they see it. */
int tb_grid_block(tb_grid *grid, const int *cells_xy, int count);
int tb_grid_unblock(tb_grid *grid, const int *cells_xy, int count);
/* Is a cell free? 1, 0, or an error. */
int tb_grid_is_free(const tb_grid *grid, int x, int y);
void tb_grid_free(tb_grid *grid);

/* Find a cheapest path by A*. Returns the number of its places, both ends included; 0 if there is none. At most `room`
   places are written to `path_xy`; `cost` and `path_xy` may be NULL. */
int tb_shortest_path(tb_grid *grid, int start_x, int start_y, int goal_x, int goal_y, double *cost, int *path_xy, int room);

/* ---- agents */

/* Make an agent. Kinds and options are those of Python: `timebound agents NAME` lists them. Options of all kinds:
   terrain=known|unknown, memory_mb=NUMBER; line_of_sight=true in unknown terrain. */
tb_agent *tb_agent_new(
    tb_grid *grid, const char *kind, int start_x, int start_y, int goal_x, int goal_y, const char *options);
/* Run one interval in the grid: make the move decided in the last one, observe, plan. Returns what the agent is doing, and
   where it is in x and y, which may be NULL. The budget is a number of expansions, or milliseconds. */
int tb_agent_step(tb_agent *agent, long long expansions, int *x, int *y);
int tb_agent_step_ms(tb_agent *agent, double ms, int *x, int *y);
int tb_agent_step_virtual_ms(tb_agent *agent, double ms, int *x, int *y); /* of the clock that is the same everywhere */
/* In a world of your own: plan within the budget. Returns what the agent is doing, and where to go next in x and y: its
   position if the plan is not ready. Then report where it is. */
int tb_agent_plan(tb_agent *agent, long long expansions, int *x, int *y);
int tb_agent_plan_ms(tb_agent *agent, double ms, int *x, int *y);
int tb_agent_moved(tb_agent *agent, int x, int y);
/* Report what the sensor or the game sees: cells that are blocked, and cells that are free. */
int tb_agent_observe(tb_agent *agent, const int *blocked_xy, int blocked, const int *free_xy, int free);
/* Go to another goal from now on. */
int tb_agent_retarget(tb_agent *agent, int goal_x, int goal_y);
/* What it is doing. */
int tb_agent_status(tb_agent *agent);
/* The path that it intends to follow, its position first; 0 while it searches. Returns the number of places, of which at
   most `room` are written. */
int tb_agent_path(tb_agent *agent, int *path_xy, int room);
/* Where it has been, in the same form. */
int tb_agent_trail(tb_agent *agent, int *path_xy, int room);

/* What an agent has done so far. */
typedef struct {
    long long moves, intervals, searches, expansions, back_moves, trace_steps, updates, memory_bytes;
    double cost, planning_us;
} tb_record;
int tb_agent_record(tb_agent *agent, tb_record *record);
void tb_agent_free(tb_agent *agent);

/* ---- fleets: many units with one budget */

/* What a unit is doing. */
#define TB_UNIT_ABSENT 0 /* it was removed */
#define TB_UNIT_MOVING 1
#define TB_UNIT_WAITING 2 /* for its turn to plan */
#define TB_UNIT_BLOCKED 3 /* another unit is in its way */
#define TB_UNIT_UNREACHABLE 4
#define TB_UNIT_ARRIVED 5
#define TB_UNIT_MEMORY 6
#define TB_UNIT_STUCK 7

/* Make a fleet. Options: collisions=none|wait|push (see Python's Fleet; by default none), memory_mb=NUMBER. */
tb_fleet *tb_fleet_new(tb_grid *grid, const char *options);
/* Add `count` units; their numbers are written to `units`, which may be NULL. Kinds are those that keep nothing but what
   they have learned between two searches: rtaa, lss-lrta, lrta and their relatives. Options are those of agents. Returns 0 or an error:
   then no unit was added. */
int tb_fleet_add(
    tb_fleet *fleet, const char *kind, const int *starts_xy, const int *goals_xy, int count, const char *options, int *units);
/* Give units new goals: one for each. A unit follows its path until its next turn to plan. */
int tb_fleet_retarget(tb_fleet *fleet, const int *units, const int *goals_xy, int count);
/* Remove units; new ones may get their numbers. */
int tb_fleet_remove(tb_fleet *fleet, const int *units, int count);
/* Move all units that have a path, then let as many plan as the budget allows, longest waiting first: milliseconds if `ms`
   is above 0, otherwise a number of expansions. Returns how many moved, or an error. */
int tb_fleet_tick(tb_fleet *fleet, double ms, long long expansions);
/* Where units are, and what they are doing. */
int tb_fleet_positions(tb_fleet *fleet, const int *units, int count, int *xy);
int tb_fleet_reasons(tb_fleet *fleet, const int *units, int count, int *reasons);
/* The number of units. */
int tb_fleet_count(tb_fleet *fleet);
void tb_fleet_free(tb_fleet *fleet);

#ifdef __cplusplus
}
#endif
#endif
