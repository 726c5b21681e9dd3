/* What the library needs of C's own, for WebAssembly: see libc.c. */
#ifndef TB_LIBC_H
#define TB_LIBC_H
#include <stdarg.h>
#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *memory);
void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));
int vsnprintf(char *text, size_t room, const char *format, va_list given);
void *memchr(const void *memory, int byte, size_t count);
void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int strcmp(const char *one, const char *other);
size_t strlen(const char *text);
size_t strspn(const char *text, const char *some);
size_t strcspn(const char *text, const char *some);
char *strcat(char *text, const char *more);
double sqrt(double number);
long long llrint(double number);
#define INFINITY __builtin_inf()
#endif
