/* A game loop: a thousand units in a cave-like map, two milliseconds for all of them in every frame.

   cc -O2 game.c -Ibuild -Lbuild -ltimebound -Wl,-rpath,build -o game && ./game 300 */
#include <stdio.h>
#include <stdlib.h>
#include <timebound.h>

enum { WIDTH = 200, HEIGHT = 150, UNITS = 1000 };

static unsigned random_number(unsigned *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

static void random_free_cell(const unsigned char *cells, unsigned *state, int *xy) {
    do {
        xy[0] = (int)(random_number(state) % WIDTH);
        xy[1] = (int)(random_number(state) % HEIGHT);
    } while (!cells[xy[1] * WIDTH + xy[0]]);
}

int main(int count, char **given) {
    int frames = count > 1 ? atoi(given[1]) : 300, frame, i, arrived = 0, moves = 0;
    static unsigned char cells[WIDTH * HEIGHT], taken[WIDTH * HEIGHT];
    static int starts[2 * UNITS], goals[2 * UNITS], units[UNITS], reasons[UNITS];
    unsigned state = 1;
    tb_grid *grid;
    tb_fleet *fleet;
    for (i = 0; i < WIDTH * HEIGHT; i++)
        cells[i] = random_number(&state) % 100 >= 15;
    for (i = 0; i < UNITS; i++) { /* no two units start in one cell */
        do
            random_free_cell(cells, &state, &starts[2 * i]);
        while (taken[starts[2 * i + 1] * WIDTH + starts[2 * i]]++);
        random_free_cell(cells, &state, &goals[2 * i]);
    }
    grid = tb_grid_new(cells, WIDTH, HEIGHT, NULL);
    fleet = tb_fleet_new(grid, "collisions=push");
    if (!fleet || tb_fleet_add(fleet, "rtaa", starts, goals, UNITS, "lookahead=24", units) < 0) {
        fprintf(stderr, "%s\n", tb_error());
        return 1;
    }
    for (frame = 0; frame < frames; frame++) {
        int moved;
        if (frame == frames / 2) { /* a click: everybody comes here */
            for (i = 0; i < UNITS; i++) {
                goals[2 * i] = goals[0];
                goals[2 * i + 1] = goals[1];
            }
            if (tb_fleet_retarget(fleet, units, goals, UNITS) < 0)
                return 1;
        }
        moved = tb_fleet_tick(fleet, 2.0, 0);
        if (moved < 0) {
            fprintf(stderr, "%s\n", tb_error());
            return 1;
        }
        moves += moved;
        tb_fleet_positions(fleet, units, UNITS, starts); /* draw them here */
    }
    tb_fleet_reasons(fleet, units, UNITS, reasons);
    for (i = 0; i < UNITS; i++)
        arrived += reasons[i] == TB_UNIT_ARRIVED;
    printf("%d frames, %d moves, %d units have arrived\n", frames, moves, arrived);
    tb_fleet_free(fleet);
    tb_grid_free(grid);
    return 0;
}
