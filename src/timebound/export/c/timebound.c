#include "timebound.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"
#include "tables.h"

#define NEVER INT64_MAX
#define NOWHERE (-1)
#define MOST_NOTES 65536
#define MOST_OPTIONS 32
#define LONGEST_WORD 40
#define NEAR 8
#ifdef __wasm__
#define DEFAULT_MEGABYTES 64
#define FEW_ENTRIES 1024
#else
#define DEFAULT_MEGABYTES 1024 /* of which only the used part takes memory */
#endif
#define SPARE 16 /* core/limits.py */

/* ------------------------------------------------------------------ errors */

static __thread char message[800];

const char *tb_error(void) { return message; }

static int bad(const char *format, ...) {
    va_list given;
    va_start(given, format);
    vsnprintf(message, sizeof message, format, given);
    va_end(given);
    return TB_BAD;
}

static int no_memory(void) {
    bad("not enough memory");
    return TB_NO_MEMORY;
}

/* ------------------------------------------------------------------ options and their values */

typedef struct {
    char name[LONGEST_WORD + 1], value[LONGEST_WORD + 1];
} option;

typedef struct { /* a number, as an exact fraction and as a double */
    int64_t above, below;
    double number;
    int is_number, is_endless;
} decimal;

typedef struct {
    int the_case;
    decimal number;
} value;

/* Split "a=1 b=2" into options; return how many there are. */
static int options_of(const char *text, option *found) {
    int count = 0;
    while (text && *text) {
        const char *equals, *end;
        size_t name, length;
        text += strspn(text, " ,\t\n");
        if (!*text)
            break;
        end = text + strcspn(text, " ,\t\n");
        equals = memchr(text, '=', end - text);
        name = equals ? (size_t)(equals - text) : 0;
        length = equals ? (size_t)(end - equals - 1) : 0;
        if (!name || !length || name > LONGEST_WORD || length > LONGEST_WORD)
            return bad("an option is NAME=VALUE, not '%.*s'", (int)(end - text > 60 ? 60 : end - text), text);
        if (count == MOST_OPTIONS)
            return bad("there are more than %d options", MOST_OPTIONS);
        memcpy(found[count].name, text, name);
        found[count].name[name] = 0;
        memcpy(found[count].value, equals + 1, length);
        found[count++].value[length] = 0;
        text = end;
    }
    return count;
}

/* Read a decimal number of at most 15 digits: strtod would depend on the program's locale. */
static decimal decimal_of(const char *text) {
    decimal found = {0, 1, 0, 0, 0};
    int digits = 0, point = 0, minus = *text == '-';
    int64_t a, b;
    if (!strcmp(text, "inf") || !strcmp(text, "all")) {
        found.is_endless = 1;
        return found;
    }
    for (text += minus || *text == '+'; *text; text++) {
        if (*text == '.' && !point) {
            point = 1;
            continue;
        }
        if (*text < '0' || *text > '9' || ++digits > 15)
            return found;
        found.above = 10 * found.above + (*text - '0');
        found.below *= point ? 10 : 1;
    }
    for (a = found.above, b = found.below; b;) { /* the greatest common divisor */
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    found.above = (minus ? -found.above : found.above) / a;
    found.below /= a;
    found.number = (double)found.above / (double)found.below;
    found.is_number = digits > 0;
    return found;
}

static int is_true(const char *text) { return !strcmp(text, "true") || !strcmp(text, "True"); }
static int is_false(const char *text) { return !strcmp(text, "false") || !strcmp(text, "False"); }

static const char *quote(const decimal *number, const char *text) {
    return number->is_number || is_true(text) || is_false(text) || !strcmp(text, "None") ? "" : "'";
}

/* Check the value of a parameter, as its rule does in Python. */
static int value_of(const tb_parameter *parameter, const char *text, value *found) {
    decimal number;
    int i, in_range;
    if (text == NULL || (parameter->optional && !strcmp(text, "None"))) {
        found->the_case = parameter->of_class[NONE];
        found->number = decimal_of("0");
        return 0;
    }
    found->number = number = decimal_of(text);
    switch (parameter->rule) {
    case A_FLAG:
        if (is_true(text) || is_false(text)) {
            found->the_case = parameter->first_word + is_true(text);
            return 0;
        }
        break;
    case A_WORD:
        for (i = 0; i < parameter->words; i++)
            if (!strcmp(text, parameter->word[i])) {
                found->the_case = parameter->first_word + i;
                return 0;
            }
        break;
    case A_WHOLE:
    case A_NUMBER:
        if (number.is_endless && parameter->endless) {
            found->the_case = parameter->of_class[ENDLESS];
            return 0;
        }
        in_range = number.is_number && (number.number > parameter->least || (number.number == parameter->least && parameter->ends[0] == '['))
            && (number.number < parameter->most || (number.number == parameter->most && parameter->ends[1] == ']'));
        if (in_range && (parameter->rule == A_NUMBER || number.below == 1)) {
            int the_class = number.number == 0 ? ZERO : number.number == 1 ? ONE : NUMBER;
            found->the_case = parameter->of_class[parameter->of_class[the_class] < 0 ? NUMBER : the_class];
            return 0;
        }
        break;
    default:
        return bad("this library was made without %s", parameter->name);
    }
    return bad("%s, not %s%s%s", parameter->text, quote(&number, text), text, quote(&number, text));
}

/* ------------------------------------------------------------------ grids */

typedef struct {
    int64_t cell, before, place;
} note;

struct tb_grid {
    int users, width, height, is_strict; /* users: the handle, agents, fleets */
    int64_t states;
    const tb_rules *rules;
    unsigned char *passable, *moves, *free_passable, *free_moves;
    int64_t offsets[8], known[SYMBOLS];
    int64_t version, first; /* notes[0] is of the change after version `first` */
    int64_t notes, room;
    note *noted;
    tb_agent *agents;
    void *search;
    int search_failed;
};

static const int64_t *needs_of(const tb_grid *grid) { return tb_needs[!grid->is_strict]; }

static int is_inside(const tb_grid *grid, int64_t x, int64_t y) {
    return x >= 0 && y >= 0 && x < grid->width && y < grid->height;
}

static int inside(const tb_grid *grid, int x, int y) {
    if (is_inside(grid, x, y))
        return 0;
    return bad("(%d, %d) is outside the map, which is %d wide and %d high", x, y, grid->width, grid->height);
}

static int is_free(const tb_grid *grid, int x, int y) {
    int64_t dx, dy, best = INT64_MAX, best_x = 0, best_y = 0;
    if (inside(grid, x, y))
        return TB_BAD;
    if (grid->passable[(int64_t)y * grid->width + x])
        return 0;
    for (dy = -NEAR; dy <= NEAR; dy++)
        for (dx = -NEAR; dx <= NEAR; dx++)
            if (is_inside(grid, x + dx, y + dy) && grid->passable[(y + dy) * grid->width + x + dx] && dx * dx + dy * dy < best) {
                best = dx * dx + dy * dy;
                best_x = x + dx;
                best_y = y + dy;
            }
    if (best == INT64_MAX)
        return bad("(%d, %d) is blocked; choose a free cell", x, y);
    return bad("(%d, %d) is blocked; choose a free cell, for example (%d, %d)", x, y, (int)best_x, (int)best_y);
}

static unsigned char legal_moves(const tb_grid *grid, const unsigned char *passable, int64_t x, int64_t y) {
    const int64_t *need = needs_of(grid);
    int moves = 0, k, j;
    if (!passable[y * grid->width + x])
        return 0;
    for (k = 0; k < grid->rules->neighbors; k++, need += 6) {
        for (j = 0; j < 6; j += 2)
            if (!is_inside(grid, x + need[j], y + need[j + 1]) || !passable[(y + need[j + 1]) * grid->width + x + need[j]])
                break;
        moves |= (j == 6) << k;
    }
    return moves;
}

static unsigned char *all_moves(const tb_grid *grid, const unsigned char *passable) {
    unsigned char *moves = malloc(grid->states);
    int64_t x, y;
    for (y = 0; moves && y < grid->height; y++)
        for (x = 0; x < grid->width; x++)
            moves[y * grid->width + x] = legal_moves(grid, passable, x, y);
    return moves;
}

/* What agents in unknown terrain assume: that all is free. */
static int assume_free(tb_grid *grid) {
    if (!grid->free_passable && (grid->free_passable = malloc(grid->states)))
        memset(grid->free_passable, 1, grid->states);
    if (grid->free_passable && !grid->free_moves)
        grid->free_moves = all_moves(grid, grid->free_passable);
    return grid->free_moves ? 0 : no_memory();
}

static int take_rules(tb_grid *grid, const char *text) {
    option given[MOST_OPTIONS];
    int i, count = options_of(text, given), neighbors = 8;
    const char *diagonal = NULL;
    grid->is_strict = 1;
    for (i = 0; i < count; i++) {
        const char *name = given[i].name, *value = given[i].value;
        if (!strcmp(name, "neighbors")) {
            if (strcmp(value, "4") && strcmp(value, "8"))
                return bad("a grid of this library has 4 or 8 neighbours, not %s", value);
            neighbors = *value - '0';
        } else if (!strcmp(name, "corners")) {
            if (strcmp(value, "strict") && strcmp(value, "cut"))
                return bad("corners are 'strict' or 'cut', not '%s'", value);
            grid->is_strict = *value == 's';
        } else if (!strcmp(name, "diagonal"))
            diagonal = value;
        else
            return bad("a grid has no option '%s'; choose from: neighbors, corners, diagonal", name);
    }
    for (i = 0; count >= 0 && i < tb_rules_count; i++) {
        const tb_rules *rules = &tb_all_rules[i];
        if (rules->neighbors == neighbors && (neighbors == 4 || !diagonal == !rules->diagonal)
            && (neighbors == 4 || !diagonal || !strcmp(diagonal, rules->diagonal))) {
            grid->rules = rules;
            return 0;
        }
    }
    return count < 0 ? TB_BAD : bad("a diagonal move in this library costs 1.4 or, by default, the square root of 2, not %s", diagonal);
}

static void release_grid(tb_grid *grid) {
    if (--grid->users)
        return;
    tb_block_release(grid->search);
    free(grid->passable);
    free(grid->moves);
    free(grid->free_passable);
    free(grid->free_moves);
    free(grid->noted);
    free(grid);
}

tb_grid *tb_grid_new(const unsigned char *passable, int width, int height, const char *options) {
    tb_grid *grid;
    int64_t *known, bits = 31, k;
    if (!passable || width < 1 || height < 1) {
        bad(passable ? "a grid needs a map of at least one cell, not %d x %d" : "a grid needs a map, not NULL", width, height);
        return NULL;
    }
    if ((int64_t)width * height > INT32_MAX) {
        bad("a grid can have %d cells at most, not %lld", INT32_MAX, (long long)width * height);
        return NULL;
    }
    grid = calloc(1, sizeof *grid);
    if (!grid) {
        no_memory();
        return NULL;
    }
    grid->users = 1;
    grid->width = width;
    grid->height = height;
    grid->states = (int64_t)width * height;
    if (take_rules(grid, options)) {
        release_grid(grid);
        return NULL;
    }
    grid->passable = malloc(grid->states);
    for (k = 0; grid->passable && k < grid->states; k++)
        grid->passable[k] = passable[k] != 0;
    grid->moves = grid->passable ? all_moves(grid, grid->passable) : NULL;
    if (!grid->moves) {
        no_memory();
        release_grid(grid);
        return NULL;
    }
    for (k = 0; k < grid->rules->neighbors; k++)
        grid->offsets[k] = tb_steps[2 * k + 1] * width + tb_steps[2 * k];
    known = grid->known;
    for (k = width - 1; k; k >>= 1)
        bits++;
    known[STATES] = grid->states;
    known[NEIGHBORS] = grid->rules->neighbors;
    known[WIDTH] = width;
    known[HEIGHT] = height;
    known[INVERSE_BITS] = bits;
    known[INVERSE] = (((int64_t)1 << bits) + width - 1) / width;
    known[FLAT_FAR] = grid->rules->flat[0];
    known[FLAT_NEAR] = grid->rules->flat[1];
    known[STEEP_FAR] = grid->rules->steep[0];
    known[STEEP_NEAR] = grid->rules->steep[1];
    for (k = 0; k < grid->rules->neighbors; k++)
        if (grid->rules->price[k] > known[HIGHEST_STEP])
            known[HIGHEST_STEP] = grid->rules->price[k];
    known[LONGEST] = grid->states * known[HIGHEST_STEP];
    return grid;
}

void tb_grid_free(tb_grid *grid) {
    if (grid)
        release_grid(grid);
}

int tb_grid_is_free(const tb_grid *grid, int x, int y) {
    if (!grid)
        return bad("a grid is needed, not NULL");
    return inside(grid, x, y) ? TB_BAD : grid->passable[(int64_t)y * grid->width + x];
}

static int cells_given(const tb_grid *grid, const int *cells, int count, const char *what) {
    int i;
    if (count < 0 || (count && !cells))
        return bad("%s is an array of %d places, not %s", what, count, cells ? "fewer than none" : "NULL");
    for (i = 0; i < count; i++)
        if (inside(grid, cells[2 * i], cells[2 * i + 1]))
            return TB_BAD;
    return 0;
}

static int catch_up(tb_agent *agent);
static tb_agent *next_of(tb_agent *agent);

/* Make room for notes: where there are many, all agents read them, and they are discarded. */
static int make_room(tb_grid *grid, int64_t count) {
    if (grid->notes && grid->notes + count > MOST_NOTES) {
        tb_agent *agent;
        for (agent = grid->agents; agent; agent = next_of(agent))
            catch_up(agent);
        grid->first = grid->version;
        grid->notes = 0;
    }
    if (grid->notes + count > grid->room) {
        int64_t room = 2 * (grid->notes + count);
        note *more = realloc(grid->noted, room * sizeof *more);
        if (!more)
            return no_memory();
        grid->noted = more;
        grid->room = room;
    }
    return 0;
}

static int change(tb_grid *grid, const int *cells, int count, int to_free) {
    int i, status;
    if (!grid)
        return bad("a grid is needed, not NULL");
    if ((status = cells_given(grid, cells, count, "cells")) || (status = make_room(grid, count)))
        return status;
    for (i = 0; i < count; i++) {
        int64_t x = cells[2 * i], y = cells[2 * i + 1], cell = y * grid->width + x, cx, cy;
        if (grid->passable[cell] == to_free)
            continue;
        grid->passable[cell] = to_free;
        for (cy = y - 1; cy <= y + 1; cy++)
            for (cx = x - 1; cx <= x + 1; cx++)
                if (is_inside(grid, cx, cy))
                    grid->moves[cy * grid->width + cx] = legal_moves(grid, grid->passable, cx, cy);
        grid->noted[grid->notes].cell = cell;
        grid->noted[grid->notes++].before = !to_free;
        grid->version++;
    }
    return 0;
}

int tb_grid_block(tb_grid *grid, const int *cells_xy, int count) { return change(grid, cells_xy, count, 0); }
int tb_grid_unblock(tb_grid *grid, const int *cells_xy, int count) { return change(grid, cells_xy, count, 1); }

/* The cost of a walk: see `_sum_of_moves` in worlds/grid.py. */
static double cost_of(const tb_grid *grid, const int64_t *path, int64_t count) {
    int64_t i, straight = 0, diagonals = 0;
    for (i = 0; i + 1 < count; i++) {
        int64_t dy = path[i + 1] / grid->width - path[i] / grid->width, dx = path[i + 1] - path[i] - dy * grid->width;
        straight += dx * dx + dy * dy == 1;
        diagonals += dx * dx + dy * dy == 2;
    }
    return straight + diagonals * grid->rules->length;
}

static void places_of(const tb_grid *grid, const int64_t *path, int64_t count, int *xy) {
    int64_t i;
    for (i = 0; i < count; i++) {
        xy[2 * i] = (int)(path[i] % grid->width);
        xy[2 * i + 1] = (int)(path[i] / grid->width);
    }
}

/* ------------------------------------------------------------------ moulds: see moulds.py */

static int bits_of(int64_t number) {
    int bits = 0;
    for (; number; number >>= 1)
        bits++;
    return bits;
}

static int shift_of(int64_t weights, int64_t highest) { return bits_of(weights * highest / 62); }

/* The weights of g and h: see `_whole_weights` in search/orders.py. */
static int take_weight(int64_t *known, const decimal *weight) {
    double share = 4611686018427387904.0 / ((1 + weight->number) * (double)known[LONGEST]);
    int64_t most = (int64_t)share, finest = most / SPARE < 1 ? 1 : most / SPARE > 1000 ? 1000 : most / SPARE;
    int64_t above = weight->above, below = weight->below, a, b;
    if (share < 1)
        return bad("a weight of %g is too large for these costs; the sums would not be exact", weight->number);
    if (below > finest) {
        a = above = (int64_t)(weight->number * (double)finest);
        b = below = finest;
        while (b) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        above /= a;
        below /= a;
    }
    known[G_WEIGHT] = below;
    known[H_WEIGHT] = above;
    known[SHIFT] = shift_of(above + below, known[HIGHEST_STEP]);
    return 0;
}

static void ends_are(const tb_grid *grid, int64_t *known, int64_t start, int64_t goal) {
    memcpy(known, grid->known, sizeof grid->known);
    known[START] = start;
    known[GOAL] = goal;
    known[GOAL_X] = goal % grid->width;
    known[GOAL_Y] = goal / grid->width;
    known[COST_SHIFT] = shift_of(1, known[HIGHEST_STEP]);
    known[MEMORY_LIMIT] = NEVER;
}

typedef struct { /* an array, and the block that it is in, if it is counted */
    tb_block *block;
    const void *data;
    int64_t count;
} array;

/* The arrays that all agents on a grid share; `more` are those of a fleet, from ROWS on. */
static void shared_array(const tb_grid *grid, const array *more, int which, int64_t *word) {
    const void *data[ARRAYS] = {0};
    int64_t count[ARRAYS] = {0};
    if (which >= ROWS) {
        word[0] = (int64_t)(intptr_t)more[which - ROWS].block;
        word[1] = (int64_t)(intptr_t)more[which - ROWS].data;
        word[2] = more[which - ROWS].count;
        return;
    }
    data[MOVES] = grid->moves;
    data[PASSABLE] = grid->passable;
    data[FREE_MOVES] = grid->free_moves;
    data[FREE_PASSABLE] = grid->free_passable;
    data[OFFSETS] = grid->offsets;
    data[PRICES] = grid->rules->price;
    data[TRAVEL] = NULL;
    data[NEEDS] = needs_of(grid);
    data[SENSOR] = tb_steps;
    count[MOVES] = count[PASSABLE] = count[FREE_MOVES] = count[FREE_PASSABLE] = grid->states;
    count[OFFSETS] = count[PRICES] = grid->rules->neighbors;
    count[TRAVEL] = 0;
    count[NEEDS] = 6 * grid->rules->neighbors;
    count[SENSOR] = 2 * grid->rules->neighbors;
    word[0] = 0;
    word[1] = (int64_t)(intptr_t)data[which];
    word[2] = count[which];
}

static int64_t number_of(
    const tb_leaf *leaf, const tb_mould *mould, const tb_parameter *parameter, const int64_t *known, const value *values) {
    const tb_case *the_case;
    int64_t number;
    if (leaf->what == CONSTANT)
        return leaf->number;
    if (leaf->what == OF_SYMBOL)
        return known[leaf->which];
    number = values[leaf->which].the_case;
    if (leaf->second >= 0)
        number = number * parameter[leaf->second].cases + values[leaf->second].the_case;
    the_case = &mould->cases[leaf->number + number];
    switch (the_case->what) {
    case VALUE:
        return values[leaf->which].number.above / values[leaf->which].number.below;
    case ABOVE:
        return values[leaf->which].number.above;
    case BELOW:
        return values[leaf->which].number.below;
    default:
        return the_case->number;
    }
}

static int64_t count_of(const tb_cells *cells, const int64_t *known, const value *values) {
    if (cells->parameter >= 0)
        return values[cells->parameter].number.above;
#ifdef __wasm__ /* memory does not come page by page: open lists begin small, and grow */
    if (cells->kept && cells->scale < 0 && cells->count > FEW_ENTRIES)
        return FEW_ENTRIES;
#endif
    return cells->count * (cells->scale < 0 ? 1 : known[cells->scale]);
}

/* Give a mould its arrays and words. Arrays that are kept may be there already. */
static int64_t *filled(
    const tb_mould *mould, const tb_parameter *parameter, const tb_grid *grid, const int64_t *known, const value *values,
    tb_block **arrays, const array *more) {
    int64_t *words = malloc((3 * (size_t)mould->leaves + 1) * sizeof *words), *word = words;
    int i;
    for (i = 0; words && i < mould->arrays; i++) {
        const tb_cells *cells = &mould->cells[i];
        uint64_t size = (uint64_t)cells->size * (uint64_t)count_of(cells, known, values);
        if (!arrays[i] && (arrays[i] = tb_block_new(size)) && cells->content)
            memcpy(arrays[i]->data, cells->content, size);
        if (!arrays[i]) {
            free(words);
            words = NULL;
        }
    }
    for (i = 0; words && i < mould->leaves; i++) {
        const tb_leaf *leaf = &mould->leaf[i];
        if (leaf->what == NOTHING || leaf->what == OWN) {
            const tb_cells *cells = &mould->cells[leaf->what == OWN ? leaf->which : 0];
            word[0] = leaf->what == OWN ? (int64_t)(intptr_t)arrays[leaf->which] : 0;
            word[1] = leaf->what == OWN ? (int64_t)(intptr_t)arrays[leaf->which]->data : 0;
            word[2] = leaf->what == OWN ? count_of(cells, known, values) : 0;
            word += 3;
        } else if (leaf->what == SHARED) {
            shared_array(grid, more, leaf->which, word);
            word += 3;
        } else
            *word++ = number_of(leaf, mould, parameter, known, values);
    }
    return words;
}

/* Release arrays, all or only those that are not kept. */
static void release_arrays(const tb_mould *mould, tb_block **arrays, int all) {
    int i;
    for (i = 0; arrays && i < mould->arrays; i++)
        if (all || !mould->cells[i].kept) {
            tb_block_release(arrays[i]);
            arrays[i] = NULL;
        }
}

/* ------------------------------------------------------------------ paths */

int tb_shortest_path(tb_grid *grid, int start_x, int start_y, int goal_x, int goal_y, double *cost, int *path_xy, int room) {
    int64_t found[3], known[SYMBOLS], *path;
    void *error;
    if (!grid)
        return bad("a grid is needed, not NULL");
    if (room < 0 || is_free(grid, goal_x, goal_y) || is_free(grid, start_x, start_y))
        return room < 0 ? bad("there is room for 0 places or more, not %d", room) : TB_BAD;
    if (grid->search_failed)
        return no_memory();
    if (!grid->search) {
        tb_block *arrays[8] = {0};
        int64_t *words, status = -1;
        value none[1] = {{0}};
        ends_are(grid, known, 0, 0);
        known[G_WEIGHT] = known[H_WEIGHT] = 1;
        known[SHIFT] = shift_of(2, known[HIGHEST_STEP]);
        words = filled(&tb_paths, NULL, grid, known, none, arrays, NULL);
        if (words)
            status = tb_search_made(&grid->search, &error, NULL, (int64_t)(intptr_t)words, grid->rules->neighbors);
        release_arrays(&tb_paths, arrays, 1);
        free(words);
        if (status) {
            grid->search = NULL;
            return no_memory();
        }
    }
    if (tb_search_run(found, &error, grid->search, (int64_t)start_y * grid->width + start_x, (int64_t)goal_y * grid->width + goal_x)) {
        grid->search_failed = 1;
        return no_memory();
    }
    if (!(found[0] & 1))
        return 0;
    path = malloc((size_t)found[2] * sizeof *path);
    if (!path || tb_search_path(found, &error, grid->search, (int64_t)(intptr_t)path, found[2])) {
        free(path);
        return no_memory();
    }
    if (cost)
        *cost = cost_of(grid, path, found[0]);
    if (path_xy)
        places_of(grid, path, found[0] < room ? found[0] : room, path_xy);
    free(path);
    return (int)found[0];
}

/* ------------------------------------------------------------------ agents */

struct tb_agent {
    tb_grid *grid;
    const tb_kind *kind;
    const tb_mould *mould;
    tb_agent *next, **link;
    void *mind;
    tb_block **arrays; /* those that are kept when the goal moves */
    value *values;
    int64_t known[SYMBOLS], version, wall;
    int failed;
};

static tb_agent *next_of(tb_agent *agent) { return agent->next; }

const char *tb_agent_kind(int number) { return number >= 0 && number < tb_kind_count ? tb_kinds[number].name : NULL; }

static const tb_kind *kind_of(const char *name) {
    char names[600] = "";
    int i;
    for (i = 0; name && i < tb_kind_count; i++) {
        if (!strcmp(tb_kinds[i].name, name))
            return &tb_kinds[i];
        if (strlen(names) + strlen(tb_kinds[i].name) + 3 < sizeof names)
            strcat(strcat(names, i ? ", " : ""), tb_kinds[i].name);
    }
    if (name)
        bad("there is no agent '%.60s' in this library; choose from: %s", name, names);
    else
        bad("an agent is of some kind, not NULL");
    return NULL;
}

static const tb_parameter *parameter_of(const tb_kind *kind, const char *name) {
    int i;
    for (i = 0; i < kind->parameters; i++)
        if (!strcmp(kind->parameter[i].name, name))
            return &kind->parameter[i];
    return NULL;
}

static int unknown_parameter(const tb_kind *kind, const char *name) {
    char names[600] = "";
    int i;
    for (i = 0; i < kind->parameters; i++)
        if (strlen(names) + strlen(kind->parameter[i].name) + 3 < sizeof names)
            strcat(strcat(names, i ? ", " : ""), kind->parameter[i].name);
    return bad("agent '%s' has no parameter '%s'; it has terrain, %s", kind->name, name, names);
}

/* Take the options of an agent or of units: the terrain, and the parameters. Returns 1 for known terrain, 0 for unknown. */
static int take_options(const tb_kind *kind, value *values, const char *text) {
    option given[MOST_OPTIONS];
    const char *terrain = "known";
    int i, count = options_of(text, given);
    for (i = 0; i < count; i++)
        if (!strcmp(given[i].name, "terrain"))
            terrain = given[i].value;
    if (count < 0)
        return TB_BAD;
    if (!strcmp(terrain, "partial"))
        return bad("this library was made without partial terrain");
    if (strcmp(terrain, "known") && strcmp(terrain, "unknown"))
        return bad("terrain is known or unknown, not '%s'", terrain);
    if (*terrain == 'k' ? !kind->known : !kind->unknown)
        return bad("agent '%s' supports only %s terrain", kind->name, kind->known ? "known" : "unknown");
    for (i = 0; i < kind->parameters; i++)
        value_of(&kind->parameter[i], kind->parameter[i].by_default, &values[i]);
    for (i = 0; i < count; i++) {
        const tb_parameter *parameter = parameter_of(kind, given[i].name);
        if (!parameter && strcmp(given[i].name, "terrain"))
            return unknown_parameter(kind, given[i].name);
        if (*terrain == 'k' && !strcmp(given[i].name, "line_of_sight"))
            return bad("line_of_sight needs unknown or partial terrain, and this one is known");
        if (parameter && value_of(parameter, given[i].value, &values[parameter - kind->parameter]))
            return TB_BAD;
    }
    return *terrain == 'k';
}

/* Do these parameters go together? */
static int judge(const tb_kind *kind, const tb_mould *mould, const value *values) {
    int i, verdict = 0;
    for (i = 0; i < kind->own; i++)
        verdict = verdict * kind->parameter[i].cases + values[i].the_case;
    verdict = mould->verdict[verdict];
    return verdict ? bad("%s", mould->refusal[verdict - 1]) : 0;
}

/* Compute what is known of an agent, and a weight among its parameters. */
static int know(const tb_grid *grid, const tb_kind *kind, const value *values, int64_t start, int64_t goal, int64_t mark, int64_t *known) {
    int i;
    ends_are(grid, known, start, goal);
    known[MARK] = mark;
    known[NEXT_MARK] = mark + 1;
    for (i = 0; i < kind->parameters; i++) {
        const decimal *number = &values[i].number;
        if (!strcmp(kind->parameter[i].name, "weight") && take_weight(known, number))
            return TB_BAD;
        if (!strcmp(kind->parameter[i].name, "memory_mb") && number->number > 0 && number->number * 1048576 < 4e18)
            known[MEMORY_LIMIT] = (int64_t)(number->number * 1048576);
    }
    return 0;
}

void tb_agent_free(tb_agent *agent) {
    if (!agent)
        return;
    if (agent->link) {
        *agent->link = agent->next;
        if (agent->next)
            agent->next->link = agent->link;
    }
    tb_block_release(agent->mind);
    if (agent->mould)
        release_arrays(agent->mould, agent->arrays, 1);
    free(agent->arrays);
    free(agent->values);
    if (agent->grid)
        release_grid(agent->grid);
    free(agent);
}

static int made(tb_agent *agent) {
    void *error;
    int64_t *words;
    int status = -1;
    agent->arrays = calloc(agent->mould->arrays + 1, sizeof *agent->arrays);
    if (!agent->arrays || (agent->mould == agent->kind->unknown && assume_free(agent->grid)))
        return no_memory();
    words = filled(agent->mould, agent->kind->parameter, agent->grid, agent->known, agent->values, agent->arrays, NULL);
    if (words)
        status = agent->kind->made(&agent->mind, &error, NULL, (int64_t)(intptr_t)words);
    free(words);
    release_arrays(agent->mould, agent->arrays, 0);
    if (status)
        agent->mind = NULL;
    return status ? no_memory() : 0;
}

tb_agent *tb_agent_new(
    tb_grid *grid, const char *kind, int start_x, int start_y, int goal_x, int goal_y, const char *options) {
    tb_agent *agent;
    int known;
    const tb_kind *found = kind_of(kind);
    if (!found)
        return NULL;
    if (!grid) {
        bad("an agent needs a grid, not NULL");
        return NULL;
    }
    agent = calloc(1, sizeof *agent);
    if (!agent || !(agent->values = calloc(found->parameters + 1, sizeof *agent->values))) {
        free(agent);
        no_memory();
        return NULL;
    }
    agent->kind = found;
    agent->grid = grid;
    agent->version = grid->version;
    agent->wall = NOWHERE;
    grid->users++;
    known = take_options(found, agent->values, options);
    agent->mould = known < 0 ? NULL : known ? found->known : found->unknown;
    if (!agent->mould || is_free(grid, goal_x, goal_y) || is_free(grid, start_x, start_y) || judge(found, agent->mould, agent->values)
        || know(grid, found, agent->values, (int64_t)start_y * grid->width + start_x, (int64_t)goal_y * grid->width + goal_x, 0, agent->known)
        || made(agent)) {
        tb_agent_free(agent);
        return NULL;
    }
    agent->next = grid->agents;
    agent->link = &grid->agents;
    if (agent->next)
        agent->next->link = &agent->next;
    grid->agents = agent;
    return agent;
}

/* An agent fails where there is no memory, or in a part from outside the library: it may be half changed then. */
static int failed(tb_agent *agent) {
    agent->failed = 1;
    return no_memory();
}

static int usable(tb_agent *agent) {
    if (!agent)
        return bad("an agent is needed, not NULL");
    return agent->failed ? failed(agent) : 0;
}

static int by_cell(const void *one, const void *other) {
    const note *a = one, *b = other;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* List what differs from an earlier version of a grid, as pairs of a cell and whether it was free; -1 if there is no memory. */
static int64_t changed_since(const tb_grid *grid, int64_t version, int64_t **pairs) {
    int64_t count = grid->version - version, i, differ = 0;
    note *notes = malloc(((size_t)count + 1) * sizeof *notes);
    int64_t *words = malloc((2 * (size_t)count + 1) * sizeof *words);
    *pairs = words;
    for (i = 0; notes && words && i < count; i++) {
        notes[i] = grid->noted[version - grid->first + i];
        notes[i].place = i;
    }
    if (notes && words) {
        qsort(notes, (size_t)count, sizeof *notes, by_cell);
        for (i = 0; i < count; i++)
            if ((i == 0 || notes[i].cell != notes[i - 1].cell) && grid->passable[notes[i].cell] != notes[i].before) {
                words[2 * differ] = notes[i].cell;
                words[2 * differ++ + 1] = notes[i].before;
            }
    } else
        differ = -1;
    free(notes);
    return differ;
}

/* Process changes of the grid: see agents/changing.py. */
static int catch_up(tb_agent *agent) {
    tb_grid *grid = agent->grid;
    int64_t count, *pairs;
    int known = agent->mould == agent->kind->known, status;
    void *error;
    if (agent->failed || agent->version == grid->version)
        return agent->failed ? TB_NO_MEMORY : 0;
    count = changed_since(grid, agent->version, &pairs);
    status = count < 0 || agent->kind->changed(&agent->wall, &error, agent->mind, (int64_t)(intptr_t)pairs, count, known, agent->wall);
    free(pairs);
    agent->version = grid->version;
    return status ? failed(agent) : 0;
}

static int ready(tb_agent *agent) {
    int status = usable(agent);
    return status ? status : catch_up(agent);
}

static int stop_of(int64_t stop) {
    return stop == 4 ? TB_MEMORY : stop == 5 ? TB_STUCK : (int)stop; /* see STOPS in agents/journey.py */
}

static void show(const tb_agent *agent, int64_t state, int *x, int *y) {
    if (x)
        *x = (int)(state % agent->grid->width);
    if (y)
        *y = (int)(state / agent->grid->width);
}

static int turn(tb_agent *agent, int64_t expansions, int64_t nanoseconds, int64_t virtual_ns, int walking, int *x, int *y) {
    int64_t after[4], left;
    void *error;
    int status = ready(agent);
    if (status)
        return status;
    if (agent->kind->turn(after, &error, agent->mind, expansions, nanoseconds, virtual_ns, walking))
        return failed(agent);
    if (agent->wall != NOWHERE) {
        if (agent->kind->left(&left, &error, agent->mind, agent->wall))
            return failed(agent);
        agent->wall = left;
    }
    show(agent, walking || after[1] == NOWHERE || after[2] ? after[0] : after[1], x, y);
    return stop_of(after[2]);
}

static int bad_budget(const char *budget) { return bad("the budget %s must be a number above 0 (or inf)", budget); }

static int64_t nanoseconds_of(double ms) {
    double exact = ms * 1e6;
    return exact >= 4611686018427387904.0 ? NEVER : exact < 1 ? 1 : llrint(exact);
}

int tb_agent_step(tb_agent *agent, long long expansions, int *x, int *y) {
    return expansions < 1 ? bad_budget("expansions") : turn(agent, expansions, NEVER, NEVER, 1, x, y);
}

int tb_agent_step_ms(tb_agent *agent, double ms, int *x, int *y) {
    return ms > 0 ? turn(agent, NEVER, nanoseconds_of(ms), NEVER, 1, x, y) : bad_budget("ms");
}

int tb_agent_step_virtual_ms(tb_agent *agent, double ms, int *x, int *y) {
    return ms > 0 ? turn(agent, NEVER, NEVER, nanoseconds_of(ms), 1, x, y) : bad_budget("virtual_ms");
}

int tb_agent_plan(tb_agent *agent, long long expansions, int *x, int *y) {
    return expansions < 1 ? bad_budget("expansions") : turn(agent, expansions, NEVER, NEVER, 0, x, y);
}

int tb_agent_plan_ms(tb_agent *agent, double ms, int *x, int *y) {
    return ms > 0 ? turn(agent, NEVER, nanoseconds_of(ms), NEVER, 0, x, y) : bad_budget("ms");
}

int tb_agent_moved(tb_agent *agent, int x, int y) {
    void *error;
    int status = usable(agent);
    if (status || (status = inside(agent->grid, x, y)) || (status = catch_up(agent)))
        return status;
    if (agent->kind->put(&agent->wall, &error, agent->mind, (int64_t)y * agent->grid->width + x, agent->wall))
        return failed(agent);
    return 0;
}

int tb_agent_observe(tb_agent *agent, const int *blocked_xy, int blocked, const int *free_xy, int free_count) {
    int64_t *words, i, k, width;
    int status = usable(agent), known;
    void *error;
    if (status || (status = cells_given(agent->grid, blocked_xy, blocked, "blocked"))
        || (status = cells_given(agent->grid, free_xy, free_count, "free")))
        return status;
    for (i = 0; i < blocked; i++)
        for (k = 0; k < free_count; k++)
            if (blocked_xy[2 * i] == free_xy[2 * k] && blocked_xy[2 * i + 1] == free_xy[2 * k + 1])
                return bad("cell (%d, %d) is reported both blocked and free", blocked_xy[2 * i], blocked_xy[2 * i + 1]);
    if ((status = catch_up(agent)))
        return status;
    words = malloc((2 * ((size_t)blocked + (size_t)free_count) + 1) * sizeof *words);
    if (!words)
        return no_memory();
    width = agent->grid->width;
    for (i = 0; i < (int64_t)blocked + free_count; i++) {
        const int *cell = i < blocked ? blocked_xy + 2 * i : free_xy + 2 * (i - blocked);
        words[2 * i] = cell[1] * width + cell[0];
        words[2 * i + 1] = i < blocked ? 2 : 1; /* BLOCKED, FREE in knowledge/grid.py */
    }
    known = agent->mould == agent->kind->known;
    status = agent->kind->told(&agent->wall, &error, agent->mind, (int64_t)(intptr_t)words, i, known, agent->wall);
    free(words);
    return status ? failed(agent) : 0;
}

int tb_agent_retarget(tb_agent *agent, int goal_x, int goal_y) {
    const tb_mould *mould;
    int64_t goal, lowered, mark, nodes[3] = {0, 0, 0}, *words = NULL;
    void *error, *mind = NULL;
    tb_block *of_nodes;
    int status = usable(agent);
    if (status || (status = is_free(agent->grid, goal_x, goal_y)) || (status = catch_up(agent)))
        return status;
    if (agent->kind->keeps_search)
        return bad("agent '%s' keeps its goal in this library", agent->kind->name);
    mould = agent->mould;
    goal = (int64_t)goal_y * agent->grid->width + goal_x;
    of_nodes = mould->nodes < 0 ? NULL : agent->arrays[mould->nodes];
    if (of_nodes) {
        nodes[0] = (int64_t)(intptr_t)of_nodes;
        nodes[1] = (int64_t)(intptr_t)of_nodes->data;
        nodes[2] = agent->grid->states;
    }
    if (agent->kind->aimed(&lowered, &error, agent->mind, goal, NULL, (int64_t)(intptr_t)nodes)
        || agent->kind->mark(&mark, &error, agent->mind) || know(agent->grid, agent->kind, agent->values, agent->known[START], goal, mark, agent->known)
        || !(words = filled(mould, agent->kind->parameter, agent->grid, agent->known, agent->values, agent->arrays, NULL))
        || agent->kind->sent(&mind, &error, agent->mind, NULL, (int64_t)(intptr_t)words, lowered)) {
        free(words);
        return failed(agent);
    }
    free(words);
    release_arrays(mould, agent->arrays, 0);
    tb_block_release(agent->mind);
    agent->mind = mind;
    return 0;
}

static int places(tb_agent *agent, int32_t (*door)(int64_t *, void **, void *, int64_t, int64_t), int *xy, int room) {
    int64_t count, *path;
    void *error;
    int status = ready(agent);
    if (status)
        return status;
    if (room < 0 || (room && !xy))
        return bad("there is room for %d places at %s", room, xy ? "that address" : "NULL");
    path = malloc((size_t)room * sizeof *path + 1);
    if (!path)
        return no_memory();
    status = door(&count, &error, agent->mind, (int64_t)(intptr_t)path, room);
    if (!status)
        places_of(agent->grid, path, count < room ? count : room, xy);
    free(path);
    return status ? no_memory() : (int)count;
}

int tb_agent_path(tb_agent *agent, int *path_xy, int room) {
    return places(agent, agent ? agent->kind->path : NULL, path_xy, room);
}

int tb_agent_trail(tb_agent *agent, int *path_xy, int room) {
    return places(agent, agent ? agent->kind->trail : NULL, path_xy, room);
}

static int recorded(tb_agent *agent, int64_t *words) {
    void *error, *nothing;
    int status = ready(agent);
    if (status)
        return status;
    return agent->kind->record(&nothing, &error, agent->mind, (int64_t)(intptr_t)words) ? no_memory() : 0;
}

int tb_agent_status(tb_agent *agent) {
    int64_t words[16];
    int status = recorded(agent, words);
    return status ? status : stop_of(words[2]);
}

int tb_agent_record(tb_agent *agent, tb_record *record) {
    int64_t words[16], *path, count;
    void *error;
    int status = recorded(agent, words);
    if (status)
        return status;
    if (!record)
        return bad("a record is needed, not NULL");
    count = words[7] + 1;
    path = malloc((size_t)count * sizeof *path);
    if (!path || agent->kind->trail(&count, &error, agent->mind, (int64_t)(intptr_t)path, count)) {
        free(path);
        return no_memory();
    }
    record->cost = cost_of(agent->grid, path, count);
    free(path);
    record->planning_us = (double)words[3] / 1000;
    record->memory_bytes = words[4];
    record->updates = words[6];
    record->moves = words[7];
    record->intervals = words[8];
    record->searches = words[9];
    record->expansions = words[10];
    record->back_moves = words[11];
    record->trace_steps = words[12];
    return 0;
}

#include "fleet.c"
