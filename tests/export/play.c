/* Plays episodes: reads problems from standard input, and writes what happened. See test_library.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timebound.h>

static int fail(void) {
    printf("error %s\n", tb_error());
    return 1;
}

int main(void) {
    char kind[40], agent_options[200], grid_options[100], budget[20];
    int width, height, x, y, gx, gy, i, most;
    double amount;
    while (scanf("%39s %199s %99s %d %d", kind, agent_options, grid_options, &width, &height) == 5) {
        unsigned char *cells = malloc((size_t)width * height);
        int places, *path, status = TB_GOING;
        tb_record record;
        tb_grid *grid;
        tb_agent *agent;
        for (i = 0; i < width * height; i++) {
            int cell;
            if (scanf("%d", &cell) != 1)
                return 1;
            cells[i] = (unsigned char)cell;
        }
        if (scanf("%d %d %d %d %19s %lf %d", &x, &y, &gx, &gy, budget, &amount, &most) != 7)
            return 1;
        grid = tb_grid_new(cells, width, height, grid_options);
        free(cells);
        if (!grid)
            return fail();
        agent = tb_agent_new(grid, kind, x, y, gx, gy, agent_options);
        if (!agent)
            return fail();
        status = tb_agent_status(agent);
        for (i = 0; i < most && status == TB_GOING; i++)
            status = strcmp(budget, "virtual_ms") ? tb_agent_step(agent, amount < 0 ? TB_NO_LIMIT : (long long)amount, NULL, NULL)
                                                  : tb_agent_step_virtual_ms(agent, amount, NULL, NULL);
        if (status < 0 || tb_agent_record(agent, &record) || (places = tb_agent_trail(agent, NULL, 0)) < 0)
            return fail();
        path = malloc(2 * sizeof *path * places);
        tb_agent_trail(agent, path, places);
        printf("%d %lld %lld %lld %lld %lld %lld %.17g", status, record.moves, record.intervals, record.expansions,
            record.searches, record.trace_steps, record.updates, record.cost);
        for (i = 0; i < 2 * places; i++)
            printf(" %d", path[i]);
        printf("\n");
        free(path);
        tb_grid_free(grid); /* the agent still has it */
        tb_agent_free(agent);
    }
    return 0;
}
