/*
 * failing.h - an allocator in front of the C library's that fails on demand, for libraries too.
 *
 * Sanitizers have one of their own, so under them FAILING is 0, and nothing fails.
 */
#ifndef FAILING_H
#define FAILING_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* A compiler thinks that malloc() sees neither of these, unless they are volatile. */
static volatile long failing_left = -1; /* how many succeed before the one that fails; -1: all do */
static volatile bool failing_failed;

#ifdef __SANITIZE_ADDRESS__
#define FAILING 0
#else
#define FAILING 1

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static bool failing_now(void)
{
    if (failing_left < 0 || failing_left-- > 0)
        return false;
    failing_failed = true;
    errno = ENOMEM;
    return true;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return failing_now() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return failing_now() ? NULL : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
    return failing_now() ? NULL : __libc_realloc(old, size);
}
#endif

/* The allocation after |n| others fails, and those after it do not. */
static inline void failing_after(long n)
{
    failing_left = n;
    failing_failed = false;
}

static inline void failing_stop(void)
{
    failing_left = -1;
}

/*
 * while (failing_more()) ...: the first time no allocation succeeds, then one does, then two, until
 * none has failed. The body calls failing_stop() behind what is tested.
 */
static inline bool failing_more(void)
{
    static long round;
    bool more = FAILING && (round == 0 || failing_failed);

    failing_after(more ? round++ : -1);
    if (!more)
        round = 0;
    return more;
}

/* Valgrind puts an allocator of its own in front of this one, and then nothing fails. */
static inline bool failing_works(void)
{
    void *(*volatile allocate)(size_t) = malloc; /* as others do: not made part of this function */
    void *volatile block;

    failing_after(FAILING - 1);
    block = allocate(1);
    failing_stop();
    free(block);
    return !block;
}

#endif
