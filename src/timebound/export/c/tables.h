/* What Python tells the library: written by `export/tables.py`. */
#ifndef TB_TABLES_H
#define TB_TABLES_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { A_FLAG, A_WHOLE, A_NUMBER, A_WORD, A_FIXED };
enum { NONE, ZERO, ONE, ENDLESS, NUMBER, CLASSES };

typedef struct { /* a parameter: see `Rule` in agents/parameters.py */
    const char *name, *text, *by_default; /* NULL: none */
    int rule, endless, optional, words, cases;
    double least, most;
    char ends[3];
    const char *const *word;
    signed char of_class[CLASSES]; /* the number of each class of values, or -1; words come after these */
    signed char first_word;
} tb_parameter;

enum { CONSTANT, OF_SYMBOL, BY_CASE, NOTHING, SHARED, OWN };
typedef struct {
    unsigned char what;
    int which, second; /* a symbol, an array, a parameter, or two (-1: one) */
    int64_t number; /* the constant, or the first case */
} tb_leaf;

enum { FIXED_NUMBER, VALUE, ABOVE, BELOW };
typedef struct {
    unsigned char what;
    int64_t number;
} tb_case;

typedef struct { /* an array of an agent's own */
    int size, scale, kept, count, parameter; /* scale: a symbol that the count is multiplied by, parameter: what gives it */
    const void *content; /* NULL: zeros */
} tb_cells;

typedef struct {
    const tb_leaf *leaf;
    const tb_case *cases;
    const tb_cells *cells;
    const unsigned char *verdict; /* for every combination of cases, 0 or a refusal */
    const char *const *refusal;
    int leaves, arrays, nodes; /* nodes: the array of that name, or -1 */
} tb_mould;

typedef struct { /* units of a kind, in one terrain */
    const tb_mould *mould;
    int32_t (*made)(void **, void **, void *, int64_t);
    int32_t (*sensed)(int64_t *, void **, void *, void *, int64_t, int64_t, int64_t, int64_t);
    int32_t (*served)(int64_t *, void **, void *, void *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int8_t);
    int32_t (*mark)(int64_t *, void **, void *);
    int32_t (*outdated)(void **, void **, void *); /* NULL in known terrain */
} tb_units;

typedef struct {
    const char *name;
    const tb_parameter *parameter;
    int parameters, own, keeps_search; /* `own` of them decide about verdicts */
    const tb_mould *known, *unknown; /* NULL: not for this terrain */
    const tb_units *known_units, *unknown_units;
    int32_t (*made)(void **, void **, void *, int64_t);
    int32_t (*turn)(int64_t *, void **, void *, int64_t, int64_t, int64_t, int8_t);
    int32_t (*left)(int64_t *, void **, void *, int64_t);
    int32_t (*put)(int64_t *, void **, void *, int64_t, int64_t);
    int32_t (*changed)(int64_t *, void **, void *, int64_t, int64_t, int8_t, int64_t);
    int32_t (*told)(int64_t *, void **, void *, int64_t, int64_t, int8_t, int64_t);
    int32_t (*mark)(int64_t *, void **, void *);
    int32_t (*path)(int64_t *, void **, void *, int64_t, int64_t);
    int32_t (*trail)(int64_t *, void **, void *, int64_t, int64_t);
    int32_t (*record)(void **, void **, void *, int64_t);
    int32_t (*aimed)(int64_t *, void **, void *, int64_t, void *, int64_t);
    int32_t (*sent)(void **, void **, void *, void *, int64_t, int64_t);
} tb_kind;

typedef struct { /* the numbers of grids with these rules: see `worlds.grid` */
    int neighbors;
    const char *diagonal; /* NULL: the default */
    double length; /* of a diagonal move */
    int64_t unit, flat[2], steep[2], price[8];
} tb_rules;

enum {
    STATES, WIDTH, HEIGHT, INVERSE, INVERSE_BITS, FLAT_FAR, FLAT_NEAR, STEEP_FAR, STEEP_NEAR, TRAVEL_BITS, NEIGHBORS,
    HIGHEST_STEP, LONGEST, START, GOAL, GOAL_X, GOAL_Y, MEMORY_LIMIT, MARK, NEXT_MARK, G_WEIGHT, H_WEIGHT, SHIFT, COST_SHIFT,
    MODE, ROOM, KINDS, QUEUED, SYMBOLS
};
enum { MOVES, OFFSETS, PRICES, TRAVEL, PASSABLE, FREE_MOVES, FREE_PASSABLE, NEEDS, SENSOR,
    ROWS, CELLS, HEADS, OCCUPIED_NOW, OCCUPIED_NEXT, ARRAYS };

extern const tb_kind tb_kinds[];
extern const int tb_kind_count;
extern const tb_rules tb_all_rules[];
extern const int tb_rules_count;
extern const int64_t tb_steps[16], tb_needs[2][48]; /* strict, cut */
extern const tb_mould tb_paths, tb_fleets;
extern int32_t tb_data_made(void **, void **, void *, int64_t);
extern int32_t tb_data_requeued(void **, void **, void *, void *);
extern int32_t tb_data_moved(int64_t *, void **, void *, int64_t, int64_t, int64_t);
extern int32_t tb_data_queued(void **, void **, void *, int64_t, int64_t, int64_t);
extern int32_t tb_data_waiting(int64_t *, void **, void *);
extern int32_t tb_data_forgot(void **, void **, void *, int64_t, int64_t);
extern int32_t tb_data_withdrew(void **, void **, void *, int64_t, int64_t);
extern int32_t tb_data_dug(void **, void **, void *, void *, int64_t, int64_t, int64_t, int64_t);
extern int32_t tb_data_waits(int64_t *, void **, void *, int64_t, int64_t, int64_t);
extern int32_t tb_search_made(void **, void **, void *, int64_t, int64_t);
extern int32_t tb_search_run(int64_t *, void **, void *, int64_t, int64_t);
extern int32_t tb_search_path(int64_t *, void **, void *, int64_t, int64_t);
#endif
