/*
 * failing.h - replaces malloc() and friends by versions that fail on demand, also for libraries.
 *
 * Sanitizers bring their own allocator, so under them FAILING is 0, and no allocation fails.
 */
#ifndef FAILING_H
#define FAILING_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Volatile, because a compiler assumes that malloc() uses neither of these. */
static volatile long failing_left =
    -1; /* successful allocations before the failure; -1: no failure */
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

/* Lets the allocation after the next |n| allocations fail, and later ones succeed. */
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
 * while (failing_more()) ...: in the first round the first allocation fails, in the second round
 * the second, and so on, until a round has no failure. The body calls failing_stop() after the
 * tested code.
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

/* Returns false under valgrind, which replaces this allocator by its own, so that nothing fails. */
static inline bool failing_works(void)
{
    void *(*volatile allocate)(size_t) =
        malloc; /* volatile: the compiler must not remove the call */
    void *volatile block;

    failing_after(FAILING - 1);
    block = allocate(1);
    failing_stop();
    free(block);
    return !block;
}

#endif
