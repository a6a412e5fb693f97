/*
 * arena.h - the allocator of the JavaScript engine, and its memory limit.
 *
 * Two regions. The warm region is filled before fork (runtime, context, prelude) and then shared
 * copy-on-write by every worker. The run region is mapped by each worker, at a random base, and
 * every allocation after that comes from it. The run region is as large as the run's memory limit:
 * there is no other accounting.
 *
 * The engine cannot handle NULL, so the allocator never returns NULL. A request that cannot be met,
 * including a huge or overflowing size, calls the |full| handler, which does not return.
 *
 * Only crw_arena_init, crw_arena_enter_run and crw_arena_prefault make system calls; the rest works
 * under the strict filter. A process has one engine and one thread, hence one arena without locks.
 */
#ifndef CRW_ARENA_H
#define CRW_ARENA_H

#include <stddef.h>
#include <stdint.h>

/*
 * Maps the warm region of |warm_size| bytes, rounded up to pages, and allocates from it. |full|
 * must not return; if it does, the process traps. A second call, made only by tests, starts over
 * and leaves the old regions mapped.
 *
 * Returns 0; -EINVAL for a size of 0 or over 64 GiB; or the -errno of mmap.
 */
int crw_arena_init(size_t warm_size, void (*full)(void));

/*
 * Maps the run region of |limit| bytes, rounded up to pages, near an address drawn from |random|,
 * and from now on allocates only there. Blocks of the warm region stay valid: freeing such a block
 * does nothing, growing it moves it to the run region.
 *
 * Returns 0, -EBUSY when called a second time, or an error as crw_arena_init does.
 */
int crw_arena_enter_run(size_t limit, uint64_t random);

/*
 * Both make the first |bytes| of the current region resident. The second uses one system call,
 * which is faster for more than a few dozen pages.
 */
void crw_arena_touch(size_t bytes);
void crw_arena_prefault(size_t bytes);

/*
 * The engine's JSMallocFunctions. They never return NULL; payloads are aligned to 16 bytes. A
 * request for 0 bytes gets a small block, in realloc too. A pointer that is not a live block of
 * the arena traps if that can be detected.
 */
void *crw_arena_calloc(void *opaque, size_t count, size_t size);
void *crw_arena_malloc(void *opaque, size_t size);
void crw_arena_free(void *opaque, void *p);
void *crw_arena_realloc(void *opaque, void *p, size_t size);

/* All of the returned size may be written; it is 0 for NULL. */
size_t crw_arena_usable_size(const void *p);

/* Size of the current region in bytes. */
size_t crw_arena_size(void);

/* Bytes in live blocks of the current region, headers included. */
size_t crw_arena_used(void);

/* Bytes of the current region that were ever allocated; no page beyond them was touched. */
size_t crw_arena_peak(void);

/* Walks every block of the current region. Returns 0, or the number of the broken invariant. */
int crw_arena_check(void);

#endif
