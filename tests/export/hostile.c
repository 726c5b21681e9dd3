/* Bad arguments, and memory that ends at every possible moment: a status each time, and never a crash. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timebound.h>

#ifdef COUNT_MEMORY
static long left = -1; /* allocations that succeed; below 0: all */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static int is_over(void) { return left >= 0 && left-- == 0 ? (left = 0, 1) : 0; }
void *malloc(size_t size) { return is_over() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return is_over() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return is_over() ? NULL : __libc_realloc(old, size); }
#endif

static int wrong;

static void check(int holds, const char *what) {
    if (!holds) {
        printf("not so: %s (%s)\n", what, tb_error());
        wrong++;
    }
}

static void refused(long long status, const char *said) {
    check(status < 0 && strstr(tb_error(), said) != NULL && !strchr(tb_error(), '\n'), said);
}

#define HIGH 30
#define WIDE 40

static tb_grid *new_grid(void) {
    unsigned char cells[HIGH * WIDE];
    memset(cells, 1, sizeof cells);
    cells[3 * WIDE + 3] = 0;
    return tb_grid_new(cells, WIDE, HIGH, "neighbors=8 corners=strict");
}

#define REFUSED_GRID(call, said) refused((call) == NULL ? -1 : 0, said)

static void bad_arguments(void) {
    unsigned char one = 1;
    int cells[4] = {3, 2, -1, 5}, x, y, room[8];
    char longest[2000];
    tb_record record;
    tb_grid *grid = new_grid();
    tb_agent *agent;
    REFUSED_GRID(tb_grid_new(NULL, 3, 3, NULL), "not NULL");
    REFUSED_GRID(tb_grid_new(&one, 0, 3, NULL), "at least one cell");
    REFUSED_GRID(tb_grid_new(&one, INT_MIN, 3, NULL), "at least one cell");
    REFUSED_GRID(tb_grid_new(&one, INT_MAX, INT_MAX, NULL), "at most");
    REFUSED_GRID(tb_grid_new(&one, 1, 1, "neighbors=5"), "4 or 8 neighbours");
    REFUSED_GRID(tb_grid_new(&one, 1, 1, "corners"), "NAME=VALUE");
    REFUSED_GRID(tb_grid_new(&one, 1, 1, "corners=round"), "'strict' or 'cut'");
    REFUSED_GRID(tb_grid_new(&one, 1, 1, "colour=red"), "no option 'colour'");
    REFUSED_GRID(tb_grid_new(&one, 1, 1, "diagonal=3"), "not 3");
    REFUSED_GRID(tb_agent_new(NULL, "rtaa", 0, 0, 1, 1, NULL), "not NULL");
    REFUSED_GRID(tb_agent_new(grid, NULL, 0, 0, 1, 1, NULL), "not NULL");
    REFUSED_GRID(tb_agent_new(grid, "rtta", 0, 0, 1, 1, NULL), "there is no agent 'rtta' in this library; choose from: ");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", -1, 0, 1, 1, NULL), "(-1, 0) is outside the map, which is 40 wide and 30 high");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, INT_MAX, INT_MAX, NULL), "outside the map");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 3, 3, 1, 1, NULL), "(3, 3) is blocked; choose a free cell, for example (3, 2)");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "terrain=foggy"), "terrain is known or unknown");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "lookahead=0"), "lookahead is a whole number above 0 (or inf), not 0");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "lookahead=2.5"), "not 2.5");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "lookahead=many"), "not 'many'");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "lookahead=99999999999999999999"), "lookahead is a whole number");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "weight=0.5"), "the weight must be a number from 1 to a million, not 0.5");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "reopen=perhaps"), "reopen is True or False, not 'perhaps'");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "depth=2"), "agent 'rtaa' has no parameter 'depth'");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "ties=random"), "was exported without ties=random");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "weight=2 reopen=false"), "needs reopened states");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, "line_of_sight=true"), "needs unknown");
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    REFUSED_GRID(tb_agent_new(grid, longest, 0, 0, 1, 1, NULL), "there is no agent");
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, longest), "NAME=VALUE");
    longest[1] = '=';
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, longest), "NAME=VALUE");
    for (x = 0; x + 4 < (int)sizeof longest; x += 4)
        memcpy(longest + x, "a=b ", 4);
    longest[x] = 0;
    REFUSED_GRID(tb_agent_new(grid, "rtaa", 0, 0, 1, 1, longest), "more than");
    refused(tb_grid_block(NULL, cells, 1), "not NULL");
    refused(tb_grid_block(grid, cells, 2), "(-1, 5) is outside the map");
    check(tb_grid_is_free(grid, 3, 2) == 1, "nothing is blocked if one cell is wrong");
    refused(tb_grid_block(grid, NULL, 1), "NULL");
    refused(tb_grid_unblock(grid, cells, -1), "fewer than none");
    check(tb_grid_block(grid, NULL, 0) == 0, "no cells are no error");
    refused(tb_grid_is_free(grid, WIDE, 0), "outside the map");
    refused(tb_shortest_path(NULL, 0, 0, 1, 1, NULL, NULL, 0), "not NULL");
    refused(tb_shortest_path(grid, 0, 0, 3, 3, NULL, NULL, 0), "(3, 3) is blocked");
    refused(tb_shortest_path(grid, 0, 0, 1, 1, NULL, NULL, -1), "-1");
    check(tb_shortest_path(grid, 0, 0, 2, 2, NULL, room, 4) == 3 && room[5] == 2, "a short path");
    agent = tb_agent_new(grid, "rtaa", 0, 0, WIDE - 1, HIGH - 1, "lookahead=20, terrain=unknown");
    check(agent != NULL, "an agent");
    refused(tb_agent_step(agent, 0, &x, &y), "the budget expansions must be a number above 0");
    refused(tb_agent_step(agent, LLONG_MIN, &x, &y), "above 0");
    refused(tb_agent_step_ms(agent, -1, &x, &y), "the budget ms must be");
    refused(tb_agent_step_ms(agent, NAN, &x, &y), "the budget ms must be");
    refused(tb_agent_step(NULL, 1, &x, &y), "not NULL");
    refused(tb_agent_plan(NULL, 1, &x, &y), "not NULL");
    refused(tb_agent_moved(NULL, 1, 1), "not NULL");
    refused(tb_agent_moved(agent, 1, HIGH), "outside the map");
    refused(tb_agent_retarget(NULL, 1, 1), "not NULL");
    refused(tb_agent_retarget(agent, 3, 3), "is blocked");
    refused(tb_agent_observe(NULL, cells, 1, NULL, 0), "not NULL");
    refused(tb_agent_observe(agent, cells, 1, cells, 1), "cell (3, 2) is reported both blocked and free");
    refused(tb_agent_observe(agent, cells, 2, NULL, 0), "outside the map");
    refused(tb_agent_observe(agent, NULL, 1, NULL, 0), "NULL");
    refused(tb_agent_path(NULL, room, 4), "not NULL");
    refused(tb_agent_path(agent, NULL, 4), "NULL");
    refused(tb_agent_trail(agent, room, -4), "-4");
    refused(tb_agent_status(NULL), "not NULL");
    refused(tb_agent_record(NULL, &record), "not NULL");
    refused(tb_agent_record(agent, NULL), "not NULL");
    check(tb_agent_step(agent, TB_NO_LIMIT, NULL, NULL) == TB_GOING, "a step without limit");
    check(tb_agent_step_ms(agent, INFINITY, &x, &y) == TB_GOING, "a step without a deadline");
    check(tb_agent_kind(-1) == NULL && tb_agent_kind(INT_MAX) == NULL, "no such kinds");
    tb_grid_free(grid);
    check(tb_agent_step(agent, 5, &x, &y) == TB_GOING, "an agent keeps its grid");
    tb_agent_free(agent);
    tb_agent_free(NULL);
    tb_grid_free(NULL);
}

/* Return whether all of it succeeded. */
static int everything(const char *kind) {
    int cells[2] = {5, 5}, room[400], status = 0, i, x, y;
    tb_record record;
    tb_grid *grid = new_grid();
    tb_agent *agent = grid ? tb_agent_new(grid, kind, 0, 0, WIDE - 1, HIGH - 1, "terrain=unknown") : NULL;
    if (grid && !agent && strstr(tb_error(), "supports only known"))
        agent = tb_agent_new(grid, kind, 0, 0, WIDE - 1, HIGH - 1, NULL);
    if (!agent)
        status = TB_NO_MEMORY;
    for (i = 0; i < 12 && status >= 0; i++) {
        status = tb_agent_step(agent, 7, &x, &y);
        if (status >= 0 && i == 2)
            status = tb_grid_block(grid, cells, 1);
        if (status >= 0 && i == 3)
            status = tb_agent_observe(agent, cells, 0, cells, 1);
        if (status >= 0 && i == 4)
            status = tb_agent_retarget(agent, 9, 0);
        if (status == TB_BAD && strstr(tb_error(), "keeps its goal"))
            status = 0; /* fra */
        if (status >= 0 && i == 6)
            status = tb_agent_moved(agent, 20, 20);
        if (status >= 0)
            status = tb_agent_path(agent, room, 200);
    }
    if (status >= 0)
        status = tb_shortest_path(grid, 0, 0, 30, 20, NULL, room, 200);
    if (status >= 0)
        status = tb_agent_record(agent, &record);
    check(status >= 0 || (status == TB_NO_MEMORY && !strcmp(tb_error(), "not enough memory")), "memory has ended");
    tb_agent_free(agent);
    tb_grid_free(grid);
    return status >= 0;
}

static int a_fleet(void) {
    int starts[120], goals[120], units[60], room[120], cells[2] = {9, 9}, i, status;
    tb_grid *grid = new_grid();
    tb_fleet *fleet = grid ? tb_fleet_new(grid, "collisions=push memory_mb=1") : NULL;
    for (i = 0; i < 60; i++) {
        starts[2 * i] = i % WIDE;
        starts[2 * i + 1] = 10 + i / WIDE;
        goals[2 * i] = WIDE - 1 - i % WIDE;
        goals[2 * i + 1] = 20;
    }
    status = fleet ? tb_fleet_add(fleet, "rtaa", starts, goals, 40, "lookahead=10", units) : TB_NO_MEMORY;
    if (status >= 0)
        status = tb_fleet_add(fleet, "rtaa", starts + 80, goals, 20, "terrain=unknown", units + 40);
    for (i = 0; i < 8 && status >= 0; i++) {
        status = tb_fleet_tick(fleet, 0, 200);
        if (status >= 0 && i == 2)
            status = tb_grid_block(grid, cells, 1);
        if (status >= 0 && i == 3)
            status = tb_fleet_retarget(fleet, units, goals + 20, 40);
        if (status >= 0 && i == 4)
            status = tb_fleet_remove(fleet, units + 5, 10);
        if (status >= 0 && i == 5)
            status = tb_fleet_positions(fleet, units + 20, 40, room);
    }
    check(status >= 0 || (status == TB_NO_MEMORY && !strcmp(tb_error(), "not enough memory")), "memory has ended");
    check(status < 0 || tb_fleet_count(fleet) == 50, "units of a fleet");
    if (status < 0)
        check(!fleet || tb_fleet_tick(fleet, 0, 10) == TB_NO_MEMORY || tb_fleet_count(fleet) >= 0, "a fleet after that");
    tb_fleet_free(fleet);
    tb_grid_free(grid);
    return status >= 0;
}

/* Many units, and numbers that are no units. */
static void many_units(void) {
    enum { MANY = 200000 };
    unsigned char *cells = malloc(500 * 500);
    int *places = malloc(2 * MANY * sizeof *places), *units = malloc(MANY * sizeof *units), i;
    tb_grid *grid;
    tb_fleet *fleet;
    memset(cells, 1, 500 * 500);
    grid = tb_grid_new(cells, 500, 500, NULL);
    fleet = tb_fleet_new(grid, "collisions=push");
    for (i = 0; i < MANY; i++) {
        places[2 * i] = i % 500;
        places[2 * i + 1] = i / 500;
    }
    check(tb_fleet_add(fleet, "rtaa", places, places, MANY, NULL, units) == 0, "many units");
    check(tb_fleet_count(fleet) == MANY && tb_fleet_tick(fleet, 0, 1000) == 0, "they have arrived");
    refused(tb_fleet_add(fleet, "rtaa", places, places, 1, NULL, NULL), "only one unit can be at a place");
    refused(tb_fleet_add(fleet, "rtaa", NULL, places, 1, NULL, NULL), "not NULL");
    refused(tb_fleet_add(fleet, "rtaa", places, places, -1, NULL, NULL), "-1");
    refused(tb_fleet_add(NULL, "rtaa", places, places, 1, NULL, NULL), "not NULL");
    units[0] = MANY;
    refused(tb_fleet_remove(fleet, units, MANY), "there is no unit 200000");
    refused(tb_fleet_remove(fleet, NULL, 1), "not NULL");
    refused(tb_fleet_tick(fleet, NAN, 0), "budget above 0");
    refused(tb_fleet_tick(NULL, 1, 0), "not NULL");
    refused(tb_fleet_positions(fleet, units, 1, places), "there is no unit");
    refused(tb_fleet_reasons(fleet, units + 1, 1, NULL), "not NULL");
    REFUSED_GRID(tb_fleet_new(NULL, NULL), "not NULL");
    REFUSED_GRID(tb_fleet_new(grid, "memory_mb=-3"), "memory_mb is a number above 0");
    tb_grid_free(grid);
    tb_fleet_free(fleet);
    tb_fleet_free(NULL);
    free(cells);
    free(places);
    free(units);
}

int main(int count, char **kind) {
    int i;
    bad_arguments();
    many_units();
#ifdef COUNT_MEMORY
    {
        long most = 0;
        do
            left = most++;
        while (!a_fleet());
        left = -1;
        printf("a fleet: %ld allocations\n", most - 1);
    }
#else
    check(a_fleet(), "a fleet");
#endif
    for (i = 1; i < count; i++) {
#ifdef COUNT_MEMORY
        long most = 0;
        do
            left = most++;
        while (!everything(kind[i]));
        left = -1;
        printf("%s: %ld allocations\n", kind[i], most - 1);
        check(most > 20, "it needs memory");
#else
        check(everything(kind[i]), kind[i]);
#endif
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
