/* What units of compiled code need, instead of Numba's runtime. */
#ifndef TB_RUNTIME_H
#define TB_RUNTIME_H
#include <stdint.h>

typedef struct tb_block { /* a block of memory that is counted, laid out as Numba's MemInfo */
    uint64_t count;
    void (*end)(void *, uint64_t, void *);
    void *end_info, *data;
    uint64_t size;
    void *external;
} tb_block;

tb_block *tb_block_new(uint64_t size); /* all zeros; NULL if there is no memory */
void tb_block_release(void *block); /* may be NULL */
int tb_clock(int which, int64_t *time); /* seconds and nanoseconds */
#endif
