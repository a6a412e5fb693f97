/*
 * arena.h - the memory of the JavaScript engine, and its limit.
 *
 * Two regions. The warm region is filled before fork (runtime, context, prelude) and then shared
 * copy-on-write by every worker. The run region is mapped by each worker, at a random base, and
 * every allocation after that comes from it. The run region is as large as the run's memory limit:
 * there is no other accounting.
 *
 * The engine cannot cope with NULL, so it never gets one. A request that cannot be met, a huge or
 * an overflowing one included, calls the |full| handler, which does not return.
 *
 * Only crw_arena_init, crw_arena_enter_run and crw_arena_prefault make system calls; the rest works
 * under the strict filter. A process has one engine, hence one arena, and no locks.
 */
#ifndef CRW_ARENA_H
#define CRW_ARENA_H

#include <stddef.h>
#include <stdint.h>

/*
 * Maps the warm region of |warm_size| bytes, rounded up to pages, and makes it the one to allocate
 * from. |full| must not return; if it does, the process traps. A second call forgets all that was
 * before it (and leaves it mapped), which only tests want.
 *
 * Returns 0; -EINVAL for a size of 0 or over 64 GiB; or the -errno of mmap.
 */
int crw_arena_init(size_t warm_size, void (*full)(void));

/*
 * Maps the run region of |limit| bytes, rounded up to pages, near an address drawn from |random|,
 * and allocates only from there from now on. Blocks of the warm region stay valid: to free one
 * does nothing, to grow one moves it to the run region.
 *
 * Returns 0, -EBUSY when called a second time, or an error as crw_arena_init does.
 */
int crw_arena_enter_run(size_t limit, uint64_t random);

/*
 * Both make the first |bytes| of the current region resident. The second does so with one system
 * call, which pays from some dozens of pages on.
 */
void crw_arena_touch(size_t bytes);
void crw_arena_prefault(size_t bytes);

/*
 * The engine's JSMallocFunctions. None returns NULL, and all payloads are aligned to 16 bytes. A
 * request for 0 bytes gets a small block of its own, in realloc too. A pointer that is not
 * a live block of the arena traps where that shows.
 */
void *crw_arena_calloc(void *opaque, size_t count, size_t size);
void *crw_arena_malloc(void *opaque, size_t size);
void crw_arena_free(void *opaque, void *p);
void *crw_arena_realloc(void *opaque, void *p, size_t size);

/* All of the returned size may be written; it is 0 for NULL. */
size_t crw_arena_usable_size(const void *p);

/* Bytes of the current region. */
size_t crw_arena_size(void);

/* Bytes of the current region in live blocks, headers included, now. */
size_t crw_arena_used(void);

/* Bytes of the current region that were ever handed out; no page beyond was touched. */
size_t crw_arena_peak(void);

/* Walks every block of the current region. Returns 0, or the number of the broken invariant. */
int crw_arena_check(void);

#endif
