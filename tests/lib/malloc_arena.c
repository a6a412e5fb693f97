/*
 * malloc_arena.c - replaces the worker's arena by malloc, so that a sanitizer sees each block.
 */
#include <malloc.h>
#include <stdlib.h>

#include "arena.h"

static void (*full)(void);
static size_t size;

static void *got(void *p)
{
    if (!p)
        full();
    return p;
}

int crw_arena_init(size_t warm_size, void (*when_full)(void))
{
    size = warm_size;
    full = when_full;
    return 0;
}

void *crw_arena_calloc(void *opaque, size_t count, size_t each)
{
    (void)opaque;
    return got(calloc(count, each));
}

void *crw_arena_malloc(void *opaque, size_t bytes)
{
    (void)opaque;
    return got(malloc(bytes));
}

void crw_arena_free(void *opaque, void *p)
{
    (void)opaque;
    free(p);
}

void *crw_arena_realloc(void *opaque, void *p, size_t bytes)
{
    (void)opaque;
    return got(realloc(p, bytes));
}

size_t crw_arena_usable_size(const void *p)
{
    return malloc_usable_size((void *)(uintptr_t)p);
}

size_t crw_arena_size(void)
{
    return size;
}

/* Always 0, so that memory never seems short. */
size_t crw_arena_used(void)
{
    return 0;
}
