/* The little of C's library that timebound needs, for WebAssembly, which has none. */
#include "libc.h"

#include <stdint.h>

/* ------------------------------------------------------------------ memory */

/* Blocks come in sizes of four steps for each power of two. A freed one waits for the next request of its size. */
#define HEAD 16
#define CLASSES 200
#define PAGE 65536

extern unsigned char __heap_base;
static uintptr_t top, end;
static void *waiting[CLASSES];

static int class_of(size_t size, size_t *rounded) {
    size_t step = 16;
    int number = 0;
    while (step * 8 < size) {
        step *= 2;
        number += 4;
    }
    *rounded = (size + step - 1) / step * step;
    return number + (int)(*rounded / step);
}

static void *taken(size_t size, int *is_new) {
    size_t rounded;
    int which = class_of(size < 16 ? 16 : size, &rounded);
    size_t *block = waiting[which];
    if (size > (size_t)1 << 46)
        return NULL;
    *is_new = block == NULL;
    if (block)
        waiting[which] = *(void **)(block + 2);
    else {
        if (!top)
            top = end = ((uintptr_t)&__heap_base + HEAD - 1) & ~(uintptr_t)(HEAD - 1);
        if (top + HEAD + rounded > (uintptr_t)__builtin_wasm_memory_size(0) * PAGE) {
            uintptr_t more = top + HEAD + rounded - (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
            if (__builtin_wasm_memory_grow(0, (more + PAGE - 1) / PAGE) == (uintptr_t)-1)
                return NULL;
        }
        block = (size_t *)top;
        top += HEAD + rounded;
    }
    block[0] = which;
    block[1] = rounded;
    return block + 2;
}

void *malloc(size_t size) {
    int is_new;
    return taken(size, &is_new);
}

void *calloc(size_t count, size_t size) {
    int is_new;
    void *memory = (count | size) >> 40 || (count >> 32 && size >> 16) ? NULL : taken(count * size, &is_new);
    return memory == NULL || is_new ? memory : memset(memory, 0, count * size); /* what has just grown is zero */
}

void free(void *memory) {
    if (memory) {
        size_t *block = (size_t *)memory - 2;
        *(void **)memory = waiting[block[0]];
        waiting[block[0]] = block;
    }
}

void *realloc(void *old, size_t size) {
    void *memory = malloc(size);
    if (memory && old) {
        size_t before = ((size_t *)old)[-1];
        memcpy(memory, old, before < size ? before : size);
        free(old);
    }
    return memory;
}

void *memcpy(void *to, const void *from, size_t count) {
    unsigned char *target = to;
    const unsigned char *source = from;
    while (count--)
        *target++ = *source++;
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target < source)
        return memcpy(to, from, count);
    while (count--)
        target[count] = source[count];
    return to;
}

void *memset(void *to, int byte, size_t count) {
    unsigned char *target = to;
    while (count--)
        *target++ = (unsigned char)byte;
    return to;
}

void *memchr(const void *memory, int byte, size_t count) {
    const unsigned char *place = memory;
    for (; count--; place++)
        if (*place == byte)
            return (void *)place;
    return NULL;
}

/* A heap sort: no two items are equal. */
void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    unsigned char *base = items, *one, *other, byte;
    size_t first = count / 2, last = count, i, child, k;
    while (last > 1) {
        if (first)
            first--;
        else {
            last--;
            for (one = base, other = base + last * size, k = 0; k < size; k++) {
                byte = one[k];
                one[k] = other[k];
                other[k] = byte;
            }
        }
        for (i = first; (child = 2 * i + 1) < last; i = child) {
            if (child + 1 < last && compare(base + child * size, base + (child + 1) * size) < 0)
                child++;
            one = base + i * size;
            other = base + child * size;
            if (compare(one, other) >= 0)
                break;
            for (k = 0; k < size; k++) {
                byte = one[k];
                one[k] = other[k];
                other[k] = byte;
            }
        }
    }
}

/* ------------------------------------------------------------------ text */

int strcmp(const char *one, const char *other) {
    for (; *one && *one == *other; one++)
        other++;
    return (unsigned char)*one - (unsigned char)*other;
}

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

static size_t span(const char *text, const char *some, int among) {
    size_t length = 0;
    while (text[length] && (memchr(some, text[length], strlen(some)) != NULL) == among)
        length++;
    return length;
}

size_t strspn(const char *text, const char *some) { return span(text, some, 1); }
size_t strcspn(const char *text, const char *some) { return span(text, some, 0); }

char *strcat(char *text, const char *more) {
    memcpy(text + strlen(text), more, strlen(more) + 1);
    return text;
}

/* %s, %.*s, %.60s, %d, %lld and %g of a number that is nearly whole: what messages have. */
int vsnprintf(char *text, size_t room, const char *format, va_list given) {
    size_t place = 0;
    for (; *format; format++) {
        char digits[24];
        const char *more = format;
        int length = 1, most = -1;
        if (*format == '%') {
            while (*++format == 'l' || *format == '.' || *format == '*' || (*format >= '0' && *format <= '9')) {
                if (*format == '*')
                    most = va_arg(given, int);
                else if (*format >= '0' && *format <= '9')
                    most = (most < 0 ? 0 : most) * 10 + *format - '0';
            }
            if (*format == 's') {
                more = va_arg(given, const char *);
                for (length = 0; more[length] && length != most; length++)
                    ;
            } else {
                long long number = *format == 'g' ? (long long)va_arg(given, double)
                    : format[-1] == 'l'           ? va_arg(given, long long)
                                                  : va_arg(given, int);
                int i = sizeof digits, minus = number < 0;
                do
                    digits[--i] = (char)('0' + (minus ? -(number % 10) : number % 10));
                while (number /= 10);
                if (minus)
                    digits[--i] = '-';
                more = digits + i;
                length = (int)sizeof digits - i;
            }
        }
        while (length--)
            if (place + 1 < room)
                text[place++] = *more++;
    }
    if (room)
        text[place] = 0;
    return (int)place;
}

/* ------------------------------------------------------------------ numbers, and the time */

double sqrt(double number) { return __builtin_sqrt(number); }
long long llrint(double number) { return (long long)__builtin_rint(number); }

__attribute__((import_module("timebound"), import_name("now"))) double tb_now(void); /* milliseconds */

int tb_clock(int which, int64_t *time) {
    double now = tb_now();
    (void)which;
    time[0] = (int64_t)(now / 1000);
    time[1] = (int64_t)((now - (double)time[0] * 1000) * 1e6);
    return 0;
}
