#include "runtime.h"

#include <stdlib.h>
#include <time.h>

#define LINE 64

int64_t tb_signals[3]; /* Ctrl-C is Python's */

static tb_block *block_of(void *memory, uint64_t head, uint64_t size) {
    tb_block *block = memory;
    if (block == NULL)
        return NULL;
    block->count = 1;
    block->end = NULL;
    block->end_info = block->external = NULL;
    block->data = (void *)(((uintptr_t)(block + 1) + head) & ~(uintptr_t)head);
    block->size = size;
    return block;
}

tb_block *tb_block_new(uint64_t size) {
    return size > PTRDIFF_MAX - 1024 ? NULL : block_of(calloc(1, sizeof(tb_block) + LINE + size), LINE - 1, size);
}

void *NRT_MemInfo_alloc_aligned(uint64_t size, uint32_t align) {
    return size > PTRDIFF_MAX - 1024 - align ? NULL
                                             : block_of(malloc(sizeof(tb_block) + align + size), align ? align - 1 : 0, size);
}

void *NRT_MemInfo_alloc_dtor(uint64_t size, void (*end)(void *, uint64_t, void *)) {
    tb_block *block = block_of(malloc(sizeof(tb_block) + size), 0, size);
    if (block)
        block->end = end;
    return block;
}

void NRT_MemInfo_call_dtor(tb_block *block) {
    if (block->end)
        block->end(block->data, block->size, block->end_info);
    free(block);
}

void tb_block_release(void *memory) {
    tb_block *block = memory;
    if (block && __atomic_sub_fetch(&block->count, 1, __ATOMIC_ACQ_REL) == 0)
        NRT_MemInfo_call_dtor(block);
}

#ifndef __wasm__
int tb_clock(int which, int64_t *time) {
    struct timespec now;
    (void)which;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time[0] = now.tv_sec;
    time[1] = now.tv_nsec;
    return 0;
}
#endif
