/* Fleets: what fleet/fleet.py, fleet_state.py and tick.py do for Python. A part of timebound.c. */
#include "row.h" /* tb_row: see `UNIT` in fleet/units.py */

#define NO_BLOCK (-1)
#define LEAST_SHARE 8
#define STRIPES 32
#define HEADS_OF_STRIPE 64
#define RESERVE 20
#define MOST_PRIORITY 1000
#define RANK_BITS 50
enum { NO_COLLISIONS, WAIT, PUSH };

typedef struct {
    const tb_kind *kind;
    const tb_units *units;
    value *values;
    tb_block **arrays;
    void *planners;
    int64_t share;
    char *options;
} unit_kind;

struct tb_fleet {
    tb_grid *grid;
    int mode, kinds, is_sorted, failed;
    unit_kind *kind;
    void *data;
    tb_block *rows, *cells, *heads, *now, *next;
    int64_t room, count, used, freed; /* `used` rows were ever taken; `free_rows` holds the numbers of removed units */
    int64_t *present, *order, *free_rows, *some; /* all with room for as many numbers as there are rows, and one */
    int64_t ticks, round, version;
};

static tb_row *rows_of(const tb_fleet *fleet) { return fleet->rows->data; }
static int64_t address(const void *memory) { return (int64_t)(intptr_t)memory; }
static int is_going(const tb_row *row) { return row->reason >= TB_UNIT_MOVING && row->reason <= TB_UNIT_BLOCKED; }

static int fleet_failed(tb_fleet *fleet) {
    fleet->failed = 1;
    return no_memory();
}

static int usable_fleet(tb_fleet *fleet) {
    if (!fleet)
        return bad("a fleet is needed, not NULL");
    return fleet->failed ? no_memory() : 0;
}

/* ------------------------------------------------------------------ making room */

static void fleet_arrays(const tb_fleet *fleet, array *more) {
    tb_block *blocks[5];
    int64_t states = fleet->mode == NO_COLLISIONS ? 0 : fleet->grid->states, i;
    blocks[0] = fleet->rows;
    blocks[1] = fleet->cells;
    blocks[2] = fleet->heads;
    blocks[3] = fleet->now;
    blocks[4] = fleet->next;
    for (i = 0; i < 5; i++) {
        more[i].block = blocks[i];
        more[i].data = blocks[i]->data;
    }
    more[0].count = fleet->room;
    more[1].count = (int64_t)(fleet->cells->size / sizeof(int64_t));
    more[2].count = (int64_t)(fleet->heads->size / sizeof(int64_t));
    more[3].count = more[4].count = states;
}

/* Make the planner of a kind anew, for as many units as there is room for. */
static int renew_kind(tb_fleet *fleet, unit_kind *kind) {
    array more[5];
    int64_t known[SYMBOLS], mark = 0, *words;
    void *error, *planners = NULL;
    int status = -1;
    if (kind->planners && kind->units->mark(&mark, &error, kind->planners))
        return fleet_failed(fleet);
    if (know(fleet->grid, kind->kind, kind->values, 0, 0, mark, known))
        return TB_BAD;
    fleet_arrays(fleet, more);
    words = filled(kind->units->mould, kind->kind->parameter, fleet->grid, known, kind->values, kind->arrays, more);
    if (words)
        status = kind->units->made(&planners, &error, NULL, address(words));
    free(words);
    release_arrays(kind->units->mould, kind->arrays, 0);
    if (status)
        return fleet_failed(fleet);
    tb_block_release(kind->planners);
    kind->planners = planners;
    return 0;
}

/* Make the data that compiled code works on anew, for more units or kinds. */
static int renew_data(tb_fleet *fleet) {
    tb_block **arrays = calloc(tb_fleets.arrays + 1, sizeof *arrays);
    array more[5];
    int64_t known[SYMBOLS], *words = NULL;
    value none[1] = {{0}};
    void *error, *nothing, *data = NULL;
    int status = -1;
    ends_are(fleet->grid, known, 0, 0);
    known[MODE] = fleet->mode;
    known[ROOM] = fleet->room;
    known[KINDS] = fleet->kinds < 1 ? 1 : fleet->kinds;
    known[QUEUED] = known[KINDS] * fleet->room;
    known[MARK] = known[NEXT_MARK] = 0;
    fleet_arrays(fleet, more);
    if (arrays)
        words = filled(&tb_fleets, NULL, fleet->grid, known, none, arrays, more);
    if (words)
        status = tb_data_made(&data, &error, NULL, address(words));
    free(words);
    release_arrays(&tb_fleets, arrays, 1);
    free(arrays);
    if (!status && fleet->data)
        status = tb_data_requeued(&nothing, &error, fleet->data, data);
    if (status)
        return fleet_failed(fleet);
    tb_block_release(fleet->data);
    fleet->data = data;
    return 0;
}

static int more_numbers(int64_t **numbers, int64_t room) {
    int64_t *more = realloc(*numbers, (size_t)(room + 1) * sizeof *more);
    if (more)
        *numbers = more;
    return more == NULL;
}

static int make_room_for(tb_fleet *fleet, int64_t room) {
    tb_block *rows = tb_block_new((uint64_t)room * sizeof(tb_row));
    int i, status;
    if (!rows || more_numbers(&fleet->present, room) || more_numbers(&fleet->order, room) || more_numbers(&fleet->free_rows, room)
        || more_numbers(&fleet->some, room)) {
        tb_block_release(rows);
        return no_memory();
    }
    if (fleet->rows) {
        memcpy(rows->data, fleet->rows->data, (size_t)fleet->room * sizeof(tb_row));
        tb_block_release(fleet->rows);
    }
    fleet->rows = rows;
    fleet->room = room;
    status = renew_data(fleet);
    for (i = 0; i < fleet->kinds && !status; i++)
        status = renew_kind(fleet, &fleet->kind[i]);
    return status;
}

static void release_fleet_kind(unit_kind *kind) {
    tb_block_release(kind->planners);
    if (kind->arrays)
        release_arrays(kind->units->mould, kind->arrays, 1);
    free(kind->arrays);
    free(kind->values);
    free(kind->options);
}

void tb_fleet_free(tb_fleet *fleet) {
    int i;
    if (!fleet)
        return;
    for (i = 0; i < fleet->kinds; i++)
        release_fleet_kind(&fleet->kind[i]);
    tb_block_release(fleet->data);
    tb_block_release(fleet->rows);
    tb_block_release(fleet->cells);
    tb_block_release(fleet->heads);
    tb_block_release(fleet->now);
    tb_block_release(fleet->next);
    free(fleet->kind);
    free(fleet->present);
    free(fleet->order);
    free(fleet->free_rows);
    free(fleet->some);
    release_grid(fleet->grid);
    free(fleet);
}

tb_fleet *tb_fleet_new(tb_grid *grid, const char *options) {
    static const char *const modes[] = {"none", "wait", "push"};
    option given[MOST_OPTIONS];
    int count = options_of(options, given), i, mode = 0;
    double megabytes = DEFAULT_MEGABYTES;
    tb_fleet *fleet;
    uint64_t bytes;
    if (!grid) {
        bad("a fleet needs a grid, not NULL");
        return NULL;
    }
    for (i = 0; i < count; i++) {
        decimal number = decimal_of(given[i].value);
        if (!strcmp(given[i].name, "collisions")) {
            for (mode = 0; mode < 3 && strcmp(given[i].value, modes[mode]); mode++)
                ;
            if (mode == 3) {
                bad("collisions is 'none', 'wait' or 'push', not '%s'", given[i].value);
                return NULL;
            }
        } else if (!strcmp(given[i].name, "memory_mb")) {
            if (!number.is_number || number.number <= 0 || number.number > 1e6) {
                bad("memory_mb is a number above 0, up to a million, not %s", given[i].value);
                return NULL;
            }
            megabytes = number.number;
        } else {
            bad("a fleet of this library has no option '%s'; choose from: collisions, memory_mb", given[i].name);
            return NULL;
        }
    }
    if (count < 0)
        return NULL;
    fleet = calloc(1, sizeof *fleet);
    if (!fleet) {
        no_memory();
        return NULL;
    }
    fleet->grid = grid;
    grid->users++;
    fleet->mode = mode;
    fleet->version = grid->version;
    bytes = (uint64_t)(megabytes * 1048576) / 8 / STRIPES * STRIPES * 8;
    fleet->cells = tb_block_new(bytes);
    fleet->heads = tb_block_new(STRIPES * HEADS_OF_STRIPE * sizeof(int64_t));
    fleet->now = tb_block_new(mode ? (uint64_t)grid->states * sizeof(int32_t) : 0);
    fleet->next = tb_block_new(mode ? (uint64_t)grid->states * sizeof(int32_t) : 0);
    if (!fleet->cells || !fleet->heads || !fleet->now || !fleet->next || make_room_for(fleet, 64)) {
        no_memory();
        tb_fleet_free(fleet);
        return NULL;
    }
    return fleet;
}

/* ------------------------------------------------------------------ what units wait for */

static int by_number(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return a < b ? -1 : a > b;
}

static int enqueue(tb_fleet *fleet, const int64_t *units, int64_t count) {
    void *error, *nothing;
    return tb_data_queued(&nothing, &error, fleet->data, address(units), count, fleet->ticks) ? fleet_failed(fleet) : 0;
}

/* Let units that stopped for lack of memory try again. */
static int resume(tb_fleet *fleet) {
    int64_t i, count = 0;
    for (i = 0; i < fleet->count; i++)
        if (rows_of(fleet)[fleet->present[i]].reason == TB_UNIT_MEMORY)
            fleet->some[count++] = fleet->present[i];
    return enqueue(fleet, fleet->some, count);
}

static int forget(tb_fleet *fleet, const int64_t *units, int64_t count) {
    void *error, *nothing;
    return tb_data_forgot(&nothing, &error, fleet->data, address(units), count) ? fleet_failed(fleet) : 0;
}

/* Discard what units have learned, and every proof that a goal is unreachable: units of a kind, or all (-1). */
static int start_afresh(tb_fleet *fleet, int kind) {
    int64_t i, count = 0, left = 0;
    int status;
    for (i = 0; i < fleet->count; i++)
        if (kind < 0 || rows_of(fleet)[fleet->present[i]].kind == kind)
            fleet->some[count++] = fleet->present[i];
    if ((status = forget(fleet, fleet->some, count)))
        return status;
    for (i = 0; i < count; i++)
        if (rows_of(fleet)[fleet->some[i]].reason == TB_UNIT_UNREACHABLE)
            fleet->some[left++] = fleet->some[i];
    return (status = enqueue(fleet, fleet->some, left)) ? status : resume(fleet);
}

static void find_present(tb_fleet *fleet) {
    int64_t unit;
    fleet->count = 0;
    for (unit = 0; unit < fleet->used; unit++)
        if (rows_of(fleet)[unit].reason != TB_UNIT_ABSENT)
            fleet->present[fleet->count++] = unit;
    fleet->is_sorted = 0;
}

static __thread const tb_row *sorted_rows;

static int by_precedence(const void *one, const void *other) {
    const tb_row *a = &sorted_rows[*(const int64_t *)one], *b = &sorted_rows[*(const int64_t *)other];
    int64_t x = ((2 * (MOST_PRIORITY - a->priority) + (a->reason == TB_UNIT_ARRIVED)) << RANK_BITS) + a->rank;
    int64_t y = ((2 * (MOST_PRIORITY - b->priority) + (b->reason == TB_UNIT_ARRIVED)) << RANK_BITS) + b->rank;
    return x < y ? -1 : x > y;
}

static void sort(tb_fleet *fleet) {
    if (fleet->is_sorted)
        return;
    memcpy(fleet->order, fleet->present, (size_t)fleet->count * sizeof *fleet->order);
    fleet->is_sorted = 1;
    sorted_rows = rows_of(fleet);
    if (fleet->mode != NO_COLLISIONS)
        qsort(fleet->order, (size_t)fleet->count, sizeof *fleet->order, by_precedence);
}

/* ------------------------------------------------------------------ units come and go */

static unit_kind *kind_in(tb_fleet *fleet, const char *name, const char *options) {
    const tb_kind *found = kind_of(name);
    unit_kind *kind, *more;
    const tb_units *units;
    int i, known;
    if (!found)
        return NULL;
    options = options ? options : "";
    for (i = 0; i < fleet->kinds; i++)
        if (fleet->kind[i].kind == found && !strcmp(fleet->kind[i].options, options))
            return &fleet->kind[i];
    more = realloc(fleet->kind, (size_t)(fleet->kinds + 1) * sizeof *more);
    if (!more) {
        no_memory();
        return NULL;
    }
    fleet->kind = more;
    kind = &fleet->kind[fleet->kinds];
    memset(kind, 0, sizeof *kind);
    kind->kind = found;
    kind->values = calloc((size_t)found->parameters + 1, sizeof *kind->values);
    kind->options = malloc(strlen(options) + 1);
    known = kind->values && kind->options ? take_options(found, kind->values, options) : no_memory();
    units = known < 0 ? NULL : known ? found->known_units : found->unknown_units;
    if (known >= 0 && !units)
        bad("units of agent '%s' keep their searches, which fleets of this library do not", found->name);
    if (units && !judge(found, units->mould, kind->values)) {
        kind->units = units;
        memcpy(kind->options, options, strlen(options) + 1);
        kind->share = 1;
        for (i = 0; i < found->parameters; i++) {
            const decimal *number = &kind->values[i].number;
            int is_given = kind->values[i].the_case != found->parameter[i].of_class[NONE];
            if (!strcmp(found->parameter[i].name, "lookahead"))
                kind->share = !is_given ? 0 : number->is_endless ? NEVER : number->above;
            if (!strcmp(found->parameter[i].name, "memory_mb") && is_given) {
                bad("fallback and memory_mb are for single agents; give memory_mb to the fleet");
                units = NULL;
            }
        }
        kind->arrays = units ? calloc((size_t)units->mould->arrays + 1, sizeof *kind->arrays) : NULL;
        if (units && (!kind->arrays || (!known && assume_free(fleet->grid))))
            no_memory();
        else if (units) {
            fleet->kinds++;
            if (!renew_data(fleet) && !renew_kind(fleet, kind))
                return kind;
            fleet->kinds--;
        }
    }
    if (kind->units)
        release_fleet_kind(kind);
    else {
        free(kind->values);
        free(kind->options);
    }
    return NULL;
}

static int check_free(const tb_fleet *fleet, const int *starts, int count) {
    const int32_t *now = fleet->now->data;
    int32_t *marks = fleet->next->data; /* all zeros between two ticks */
    int i, status = 0, marked = 0;
    for (i = 0; i < count && fleet->mode && !status; i++) {
        int64_t cell = (int64_t)starts[2 * i + 1] * fleet->grid->width + starts[2 * i];
        if (now[cell])
            status = bad("unit %d is at (%d, %d): only one unit can be at a place", now[cell] - 1, starts[2 * i], starts[2 * i + 1]);
        else if (marks[cell])
            status = bad("two units would be at (%d, %d): only one unit can be at a place", starts[2 * i], starts[2 * i + 1]);
        else {
            marks[cell] = 1;
            marked = i + 1;
        }
    }
    for (i = 0; i < marked; i++)
        marks[(int64_t)starts[2 * i + 1] * fleet->grid->width + starts[2 * i]] = 0;
    return status;
}

int tb_fleet_add(
    tb_fleet *fleet, const char *kind, const int *starts_xy, const int *goals_xy, int count, const char *options, int *units) {
    int status = usable_fleet(fleet), i;
    int64_t waiting = 0, again, fresh;
    const unit_kind *found;
    if (status)
        return status;
    if (count < 0 || (count && (!starts_xy || !goals_xy)))
        return bad("starts and goals are arrays of %d places, not NULL", count);
    for (i = 0; i < count; i++)
        if (is_free(fleet->grid, starts_xy[2 * i], starts_xy[2 * i + 1]) || is_free(fleet->grid, goals_xy[2 * i], goals_xy[2 * i + 1]))
            return TB_BAD;
    if ((status = check_free(fleet, starts_xy, count)))
        return status;
    if (!count)
        return kind_of(kind) ? 0 : TB_BAD;
    found = kind_in(fleet, kind, options);
    if (!found)
        return fleet->failed ? TB_NO_MEMORY : !strcmp(message, "not enough memory") ? TB_NO_MEMORY : TB_BAD;
    again = count < fleet->freed ? count : fleet->freed;
    fresh = count - again;
    if (fleet->used + fresh > fleet->room) {
        int64_t needed = fleet->used + fresh;
        if ((status = make_room_for(fleet, 2 * needed > 64 ? 2 * needed : 64)))
            return status;
    }
    for (i = 0; i < count; i++) {
        int64_t unit = i < again ? fleet->free_rows[i] : fleet->used + i - again;
        tb_row *row = &rows_of(fleet)[unit];
        memset(row, 0, sizeof *row);
        row->position = (int64_t)starts_xy[2 * i + 1] * fleet->grid->width + starts_xy[2 * i];
        row->goal = (int64_t)goals_xy[2 * i + 1] * fleet->grid->width + goals_xy[2 * i];
        row->kind = (int16_t)(found - fleet->kind);
        row->path_size = row->table_size = NO_BLOCK;
        row->rank = (fleet->ticks << 20) + unit;
        row->waits_since = fleet->ticks;
        row->reason = row->position == row->goal ? TB_UNIT_ARRIVED : TB_UNIT_WAITING;
        if (fleet->mode)
            ((int32_t *)fleet->now->data)[row->position] = (int32_t)unit + 1;
        if (row->position != row->goal)
            fleet->some[waiting++] = unit;
        if (units)
            units[i] = (int)unit;
    }
    fleet->freed -= again;
    memmove(fleet->free_rows, fleet->free_rows + again, (size_t)fleet->freed * sizeof *fleet->free_rows);
    fleet->used += fresh;
    find_present(fleet);
    return enqueue(fleet, fleet->some, waiting);
}

static int numbers_given(const tb_fleet *fleet, const int *units, int count, const void *more) {
    int i;
    if (count < 0 || (count && (!units || !more)))
        return bad("%d units need arrays of as many, not NULL", count);
    for (i = 0; i < count; i++)
        if (units[i] < 0 || units[i] >= fleet->used || rows_of(fleet)[units[i]].reason == TB_UNIT_ABSENT)
            return bad("there is no unit %d in this fleet", units[i]);
    return 0;
}

int tb_fleet_remove(tb_fleet *fleet, const int *units, int count) {
    int64_t i, left = 0, waiting;
    void *error, *nothing;
    int status = usable_fleet(fleet);
    int64_t *numbers;
    if (status || (status = numbers_given(fleet, units, count, units)))
        return status;
    numbers = malloc(((size_t)count + 1) * sizeof *numbers);
    if (!numbers)
        return no_memory();
    for (i = 0; i < count; i++)
        numbers[i] = units[i];
    qsort(numbers, (size_t)count, sizeof *numbers, by_number);
    for (i = 0; i < count; i++)
        if (!i || numbers[i] != numbers[left - 1])
            numbers[left++] = numbers[i];
    status = forget(fleet, numbers, left);
    if (!status)
        status = resume(fleet);
    if (!status && tb_data_withdrew(&nothing, &error, fleet->data, address(numbers), left))
        status = fleet_failed(fleet);
    for (i = 0; i < left && !status; i++) {
        tb_row *row = &rows_of(fleet)[numbers[i]];
        if (fleet->mode)
            ((int32_t *)fleet->now->data)[row->position] = 0;
        row->reason = TB_UNIT_ABSENT;
    }
    if (!status && tb_data_waiting(&waiting, &error, fleet->data))
        status = fleet_failed(fleet);
    for (i = 0; i < left && !status; i++)
        fleet->free_rows[fleet->freed++] = numbers[i];
    free(numbers);
    find_present(fleet);
    return status;
}

static int leave_walls(tb_fleet *fleet, const int64_t *units, int64_t count) {
    int64_t words[3];
    void *error, *nothing;
    if (!count)
        return 0;
    words[0] = 0;
    words[1] = address(fleet->grid->passable);
    words[2] = fleet->grid->states;
    fleet->is_sorted = 0;
    if (tb_data_dug(&nothing, &error, fleet->data, NULL, address(words), fleet->grid->width, address(units), count))
        return fleet_failed(fleet);
    return 0;
}

static int is_in_wall(const tb_fleet *fleet, int64_t unit) {
    return !fleet->grid->passable[rows_of(fleet)[unit].position];
}

int tb_fleet_retarget(tb_fleet *fleet, const int *units, const int *goals_xy, int count) {
    int64_t i, others = 0, walled = 0, waiting = 0, *numbers, *goals;
    int status = usable_fleet(fleet);
    if (status || (status = numbers_given(fleet, units, count, goals_xy)))
        return status;
    for (i = 0; i < count; i++)
        if (is_free(fleet->grid, goals_xy[2 * i], goals_xy[2 * i + 1]))
            return TB_BAD;
    numbers = malloc(2 * ((size_t)count + 1) * sizeof *numbers);
    if (!numbers)
        return no_memory();
    goals = numbers + count + 1;
    for (i = 0; i < count; i++) {
        const tb_row *row = &rows_of(fleet)[units[i]];
        int64_t goal = (int64_t)goals_xy[2 * i + 1] * fleet->grid->width + goals_xy[2 * i];
        if (row->goal != goal || row->reason > TB_UNIT_ARRIVED || row->reason == TB_UNIT_UNREACHABLE) {
            numbers[others] = units[i];
            goals[others++] = goal;
        }
    }
    status = forget(fleet, numbers, others);
    if (!status)
        status = resume(fleet);
    for (i = 0; i < others && !status; i++) {
        tb_row *row = &rows_of(fleet)[numbers[i]];
        int there = row->position == goals[i], walking = is_going(row) && row->length > 0;
        row->goal = goals[i];
        row->rank = (fleet->ticks << 20) + numbers[i];
        row->pressed = 0;
        row->reason = there ? TB_UNIT_ARRIVED : walking ? row->reason : TB_UNIT_WAITING;
        row->length = walking && !there ? row->length : 0;
    }
    fleet->is_sorted = 0;
    for (i = 0; i < others && !status; i++)
        if (rows_of(fleet)[numbers[i]].buried && is_in_wall(fleet, numbers[i]))
            fleet->some[walled++] = numbers[i];
    if (!status)
        status = leave_walls(fleet, fleet->some, walled);
    for (i = 0; i < others && !status; i++) {
        const tb_row *row = &rows_of(fleet)[numbers[i]];
        if (row->position != row->goal && !(row->buried && is_in_wall(fleet, numbers[i])))
            numbers[waiting++] = numbers[i];
    }
    qsort(numbers, (size_t)waiting, sizeof *numbers, by_number);
    for (others = i = 0; i < waiting; i++)
        if (!i || numbers[i] != numbers[others - 1])
            numbers[others++] = numbers[i];
    if (!status)
        status = enqueue(fleet, numbers, others);
    free(numbers);
    return status;
}

/* ------------------------------------------------------------------ changes of the grid: see fleet/world_changes.py */

static int hear_of_changes(tb_fleet *fleet) {
    const tb_grid *grid = fleet->grid;
    int64_t i, count = 0, *before, walled = 0;
    int freer = fleet->version < grid->first, status = 0, k; /* were there too many to keep? */
    void *error, *nothing;
    if (fleet->version == grid->version)
        return 0;
    for (k = 0; k < fleet->kinds; k++)
        if (fleet->kind[k].units->outdated && fleet->kind[k].units->outdated(&nothing, &error, fleet->kind[k].planners))
            return fleet_failed(fleet);
    count = freer ? 0 : changed_since(grid, fleet->version, &before);
    for (i = 0; i < count; i++)
        freer |= !before[2 * i + 1];
    if (fleet->version >= grid->first)
        free(before);
    if (count < 0)
        return no_memory();
    count = 0;
    fleet->version = grid->version;
    if (freer && (status = start_afresh(fleet, -1)))
        return status;
    before = malloc(((size_t)fleet->count + 1) * sizeof *before);
    if (!before)
        return no_memory();
    for (i = 0; i < fleet->count; i++) {
        tb_row *row = &rows_of(fleet)[fleet->present[i]];
        if (row->buried)
            before[count++] = fleet->present[i];
        row->buried = 0;
        if (is_in_wall(fleet, fleet->present[i]))
            fleet->some[walled++] = fleet->present[i];
    }
    status = leave_walls(fleet, fleet->some, walled);
    for (walled = i = 0; i < count && !status; i++) {
        tb_row *row = &rows_of(fleet)[before[i]];
        if (is_in_wall(fleet, before[i]))
            continue;
        row->length = 0;
        row->reason = row->position == row->goal ? TB_UNIT_ARRIVED : row->reason;
        if (is_going(row))
            fleet->some[walled++] = before[i];
    }
    free(before);
    return status ? status : enqueue(fleet, fleet->some, walled);
}

/* ------------------------------------------------------------------ a tick: see fleet/tick.py */

static int64_t share_of(int64_t given, int64_t budget, int64_t end, int64_t waiting) {
    int64_t least = LEAST_SHARE < budget ? LEAST_SHARE : budget, part;
    if (given)
        return given;
    if (budget == NEVER)
        return end == NEVER ? NEVER : 4 * LEAST_SHARE;
    part = budget / (waiting > 1 ? waiting : 1);
    return part > least ? part : least;
}

static int serve_all(tb_fleet *fleet, int64_t most, int64_t end) {
    int64_t *since = malloc((size_t)(fleet->kinds + 1) * 2 * sizeof *since), *share = since + fleet->kinds + 1;
    int64_t waiting, count, served = 0, spent = 0;
    void *error;
    int k, status = 0;
    if (!since)
        return no_memory();
    if (tb_data_waiting(&waiting, &error, fleet->data))
        status = fleet_failed(fleet);
    for (k = 0; k < fleet->kinds; k++)
        share[k] = share_of(fleet->kind[k].share, most, end, waiting);
    while (!status) {
        int first = -1, i;
        int64_t until = NEVER, done[2];
        if (tb_data_waits(&count, &error, fleet->data, fleet->round, address(since), fleet->kinds)) {
            status = fleet_failed(fleet);
            break;
        }
        for (i = 0; i < fleet->kinds; i++) { /* among equals, another one first in each tick */
            k = (int)((i + fleet->ticks) % fleet->kinds);
            if (since[k] != NEVER && (first < 0 || since[k] < since[first]))
                first = k;
        }
        if (first < 0)
            break;
        for (k = 0; k < fleet->kinds; k++)
            if (k != first && since[k] < until)
                until = since[k];
        if (fleet->kind[first].units->served(done, &error, fleet->kind[first].planners, fleet->data, first, fleet->ticks, fleet->round,
                until, share[first], most == NEVER ? NEVER : most > spent ? most - spent : 0, end, served == 0)) {
            status = fleet_failed(fleet);
            break;
        }
        served += done[0];
        spent += done[1];
        if (!done[0])
            break;
    }
    free(since);
    return status;
}

int tb_fleet_tick(tb_fleet *fleet, double ms, long long expansions) {
    int64_t most = NEVER, end = NEVER, moved[2] = {0, 0}, relief, now[2];
    void *error;
    int status = usable_fleet(fleet), k;
    if (status)
        return status;
    if (!(ms > 0) && expansions < 1)
        return bad("a fleet needs a budget above 0: milliseconds or expansions");
    if (ms > 0) {
        int64_t length = nanoseconds_of(ms);
        tb_clock(1, now);
        end = length == NEVER ? NEVER : now[0] * 1000000000 + now[1] + length - length / RESERVE;
    } else
        most = expansions;
    if ((status = hear_of_changes(fleet)))
        return status;
    fleet->ticks++;
    fleet->round++;
    sort(fleet);
    if (fleet->count && tb_data_moved(moved, &error, fleet->data, address(fleet->order), fleet->count, fleet->ticks))
        return fleet_failed(fleet);
    fleet->is_sorted = !moved[1];
    for (k = 0; k < fleet->kinds && !status; k++)
        if (fleet->kind[k].units->outdated) {
            if (fleet->kind[k].units->sensed(&relief, &error, fleet->kind[k].planners, fleet->data, k, address(fleet->present), fleet->count, fleet->ticks))
                return fleet_failed(fleet);
            if (relief)
                status = start_afresh(fleet, k);
        }
    if (!status)
        status = serve_all(fleet, most, end);
    return status ? status : (int)moved[0];
}

/* ------------------------------------------------------------------ what is told */

int tb_fleet_positions(tb_fleet *fleet, const int *units, int count, int *xy) {
    int i, status = usable_fleet(fleet);
    if (status || (status = numbers_given(fleet, units, count, xy)))
        return status;
    for (i = 0; i < count; i++) {
        int64_t position = rows_of(fleet)[units[i]].position;
        xy[2 * i] = (int)(position % fleet->grid->width);
        xy[2 * i + 1] = (int)(position / fleet->grid->width);
    }
    return 0;
}

int tb_fleet_reasons(tb_fleet *fleet, const int *units, int count, int *reasons) {
    int i, status = usable_fleet(fleet);
    if (status || (status = numbers_given(fleet, units, count, reasons)))
        return status;
    for (i = 0; i < count; i++)
        reasons[i] = rows_of(fleet)[units[i]].reason;
    return 0;
}

int tb_fleet_count(tb_fleet *fleet) {
    int status = usable_fleet(fleet);
    return status ? status : (int)fleet->count;
}
