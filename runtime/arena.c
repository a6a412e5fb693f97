/*
 * arena.c - the engine's allocator: two-level segregated fit in one mapped region.
 *
 *     base                                         top         high           end
 *     | head payload... | head free.... | head ... | used once | never touched |
 *
 * A block is an 8-byte head (size including the head, and two flags) and the payload. Only a free
 * block repeats its size in its last 8 bytes; the next block reads it there when PREV_USED is off.
 * Free neighbours merge at once, and a free block below the top becomes part of the top. So no two
 * free blocks touch, and the last block before the top is used. All bytes from high on are zero.
 *
 * Free blocks are kept in bins by size: 32 linear bins below 512 bytes, then 32 for each power of
 * two. Bits say which bins are filled; empty bins are not initialised, so that a new region writes
 * only a few words. The top is used only when no bin has a fit: a run stays on pages it has
 * touched.
 *
 * The engine keeps small objects in slabs of a little under 4 KiB (the first slab of a kind: 1 KiB)
 * and allocates here the slabs and everything over 500 bytes. Requests over 1 KiB are rounded to
 * 64 bytes: most slabs then have the same size, and a new slab fits where an old one was freed.
 */
#include "arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE ((size_t)4096)
#define HUGE_PAGE ((size_t)2 << 20)
#define MAX_REGION ((size_t)1 << 36)
/* 46 bits from 2^44 on: above programs without PIE and sanitizers' shadows, below PIE programs */
#define RANDOM_BASE ((uint64_t)1 << 44)
#define RANDOM_MASK (((uint64_t)1 << 46) - PAGE)
#define USED ((size_t)1)
#define PREV_USED ((size_t)2)
#define FLAGS ((size_t)15)
#define ALIGN ((size_t)16)
#define HEAD sizeof(size_t)
#define MIN_BLOCK (sizeof(struct block) + sizeof(size_t))
#define COLUMNS 32U          /* bins for each power of two */
#define BINS (30U * COLUMNS) /* more than MAX_REGION needs, so that bin + 1 is a valid bin */
#define TRIES 8U             /* blocks tried in a bin where some blocks are too small */

struct block {
    size_t head;
    struct block *next; /* this and prev only while free, and a size_t at the very end */
    struct block *prev;
};

static struct {
    char *base;
    struct block *top; /* where the next block would start; has no head yet */
    char *high;
    char *end;
    size_t in_bins; /* bytes */
    void (*full)(void);
    uintptr_t warm; /* the warm region, if warm_size is not 0 */
    size_t warm_size;
    uint64_t filled[BINS / 64];
    struct block *bins[BINS];
} __attribute__((aligned(4096))) arena; /* a small run writes to its first page only */

__attribute__((noreturn)) static void out_of_memory(void)
{
    arena.full();
    __builtin_trap();
}

static void require(int holds)
{
    if (__builtin_expect(!holds, 0))
        __builtin_trap();
}

static size_t size_of(const struct block *b)
{
    return b->head & ~FLAGS;
}

static struct block *block_at(void *p)
{
    return p;
}

static struct block *after(struct block *b)
{
    return block_at((char *)b + size_of(b));
}

static size_t *footer_before(struct block *b)
{
    return &b->head - 1;
}

/* Returns the size of the block for a request of |size| bytes. */
static size_t block_size(size_t size)
{
    size_t align = size < 1024 ? ALIGN : 4 * ALIGN;

    if (size > (size_t)(arena.end - arena.base))
        out_of_memory();
    size = (size + HEAD + align - 1) & ~(align - 1);
    return size < MIN_BLOCK ? MIN_BLOCK : size;
}

static unsigned bin_of(size_t size)
{
    unsigned log = 63U - (unsigned)__builtin_clzl(size);

    if (size < ALIGN * COLUMNS)
        return (unsigned)(size / ALIGN);
    return (log - 8) * COLUMNS + ((unsigned)(size >> (log - 5)) & (COLUMNS - 1));
}

static struct block *first_in(unsigned bin)
{
    return arena.filled[bin / 64] >> (bin % 64) & 1 ? arena.bins[bin] : NULL;
}

static void bin_add(struct block *b)
{
    unsigned bin = bin_of(size_of(b));

    b->prev = NULL;
    b->next = first_in(bin);
    if (b->next)
        b->next->prev = b;
    arena.bins[bin] = b;
    arena.filled[bin / 64] |= (uint64_t)1 << (bin % 64);
    arena.in_bins += size_of(b);
}

static void bin_remove(struct block *b)
{
    unsigned bin = bin_of(size_of(b));

    require((b->prev ? b->prev->next : first_in(bin)) == b && (!b->next || b->next->prev == b));
    if (b->next)
        b->next->prev = b->prev;
    if (b->prev)
        b->prev->next = b->next;
    else if (b->next)
        arena.bins[bin] = b->next;
    else
        arena.filled[bin / 64] &= ~((uint64_t)1 << (bin % 64));
    arena.in_bins -= size_of(b);
}

/* Tries |tries| blocks of the bin for |size|, which may be too small, then the larger bins. */
static struct block *find_fit(size_t size, unsigned tries)
{
    unsigned bin = bin_of(size) + 1, i = bin / 64;
    uint64_t filled = arena.filled[i] & (UINT64_MAX << (bin % 64));
    struct block *b = first_in(bin - 1);

    while (b && size_of(b) < size)
        b = --tries ? b->next : NULL;
    if (b)
        return b;
    while (!filled && ++i < BINS / 64)
        filled = arena.filled[i];
    return filled ? arena.bins[i * 64 + (unsigned)__builtin_ctzl(filled)] : NULL;
}

/* Frees |b|, which is marked used, and merges it with what is free around it. */
static void release(struct block *b)
{
    struct block *next = after(b);
    size_t size = size_of(b), before = (b->head & PREV_USED) ? 0 : *footer_before(b);

    b->head = 0; /* so that a double free is detected */
    if (before) {
        require(before < (size_t)((char *)b - arena.base));
        b = block_at((char *)b - before);
        require(b->head == (before | PREV_USED));
        bin_remove(b);
        size += before;
    }
    if (next == arena.top) {
        arena.top = b;
        return;
    }
    if (next->head & USED) {
        next->head &= ~PREV_USED;
    } else {
        bin_remove(next);
        size += size_of(next);
    }
    b->head = size | PREV_USED;
    *footer_before(after(b)) = size;
    bin_add(b);
}

/* Shrinks the used block |b| to |size| bytes, and frees the rest if it is large enough. */
static void trim(struct block *b, size_t size)
{
    size_t rest = size_of(b) - size;

    if (rest < MIN_BLOCK)
        return;
    b->head -= rest;
    after(b)->head = rest | USED | PREV_USED;
    release(after(b));
}

/* Moves the top to |size| bytes after |b| if there is room. |b| is the last block, or the top. */
static int raise_top(struct block *b, size_t size)
{
    if (size > (size_t)(arena.end - (char *)b))
        return 0;
    arena.top = block_at((char *)b + size);
    if (arena.high < (char *)arena.top)
        arena.high = (char *)arena.top;
    return 1;
}

static struct block *allocate(size_t size)
{
    struct block *b = find_fit(size, TRIES), *top = arena.top;

    if (!b && raise_top(top, size)) {
        top->head = size | USED | PREV_USED;
        return top;
    }
    if (!b)
        b = find_fit(size, UINT32_MAX);
    if (!b)
        out_of_memory();
    bin_remove(b);
    b->head |= USED;
    after(b)->head |= PREV_USED;
    trim(b, size);
    return b;
}

static int resize_in_place(struct block *b, size_t size)
{
    struct block *next = after(b);
    size_t old = size_of(b);

    if (old < size && next == arena.top) {
        if (!raise_top(b, size))
            return 0;
        b->head += size - old;
    } else if (old < size) {
        if (next->head & USED || old + size_of(next) < size)
            return 0;
        bin_remove(next);
        b->head += size_of(next);
        after(b)->head |= PREV_USED;
    }
    trim(b, size);
    return 1;
}

static int is_warm(const void *p)
{
    return (uintptr_t)p - arena.warm < arena.warm_size;
}

/* Returns the block of |p|. Traps if |p| cannot be a used block. */
static struct block *live_block(void *p)
{
    size_t offset = (uintptr_t)p - (uintptr_t)arena.base;
    size_t top = (size_t)((char *)arena.top - arena.base) + HEAD;
    struct block *b = block_at((char *)p - HEAD);

    require(offset % ALIGN == 0 && offset >= ALIGN && offset < top);
    require(b->head & USED && size_of(b) >= MIN_BLOCK && size_of(b) <= top - offset);
    require(after(b) == arena.top || after(b)->head & PREV_USED);
    return b;
}

void *crw_arena_malloc(void *opaque, size_t size)
{
    (void)opaque;
    return (char *)allocate(block_size(size)) + HEAD;
}

void *crw_arena_calloc(void *opaque, size_t count, size_t size)
{
    char *high = arena.high, *p;
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory();
    p = crw_arena_malloc(opaque, bytes);
    if (p < high)
        memset(p, 0, bytes < (size_t)(high - p) ? bytes : (size_t)(high - p));
    return p;
}

void crw_arena_free(void *opaque, void *p)
{
    (void)opaque;
    /* writing to a warm block would copy its page, and nothing is allocated there any longer */
    if (p && !is_warm(p))
        release(live_block(p));
}

void *crw_arena_realloc(void *opaque, void *p, size_t size)
{
    void *q;

    if (!p)
        return crw_arena_malloc(opaque, size);
    if (is_warm(p) ? size <= crw_arena_usable_size(p)
                   : resize_in_place(live_block(p), block_size(size)))
        return p;
    q = crw_arena_malloc(opaque, size);
    memcpy(q, p, crw_arena_usable_size(p)); /* here the block always grows */
    crw_arena_free(opaque, p);
    return q;
}

size_t crw_arena_usable_size(const void *p)
{
    return p ? (((const size_t *)p)[-1] & ~FLAGS) - HEAD : 0;
}

size_t crw_arena_size(void)
{
    return (size_t)(arena.end - arena.base);
}

size_t crw_arena_used(void)
{
    return (size_t)((char *)arena.top - arena.base) - HEAD - arena.in_bins;
}

size_t crw_arena_peak(void)
{
    return (size_t)(arena.high - arena.base) - HEAD;
}

int crw_arena_check(void)
{
    struct block *b = block_at(arena.base + HEAD);
    size_t in_bins = 0, prev_used = PREV_USED;

    for (; b != arena.top; b = after(b)) {
        if (size_of(b) < MIN_BLOCK || size_of(b) > (size_t)((char *)arena.top - (char *)b))
            return 1;
        if ((b->head & PREV_USED) != prev_used)
            return 2;
        prev_used = (b->head & USED) ? PREV_USED : 0;
        if (prev_used)
            continue;
        if (!(b->head & PREV_USED) || *footer_before(after(b)) != size_of(b) ||
            (b->prev ? b->prev->next : first_in(bin_of(size_of(b)))) != b)
            return 3;
        in_bins += size_of(b);
    }
    if (!prev_used || (char *)arena.top > arena.high || arena.high > arena.end)
        return 4;
    return in_bins == arena.in_bins ? 0 : 5;
}

static int map_region(size_t size, uint64_t hint)
{
    char *base;

    if (size == 0 || size > MAX_REGION)
        return -EINVAL;
    size = (size + PAGE - 1) & ~(PAGE - 1);
    base = mmap((void *)(uintptr_t)hint, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return -errno;
    arena.base = base;
    arena.end = base + size;
    arena.top = block_at(base + HEAD);
    arena.high = base + HEAD;
    arena.in_bins = 0;
    memset(arena.filled, 0, sizeof arena.filled);
    return 0;
}

int crw_arena_init(size_t warm_size, void (*full)(void))
{
    arena.full = full;
    arena.warm_size = 0;
    return map_region(warm_size, 0);
}

/*
 * With huge pages, a run that uses many megabytes has 512 times fewer page faults. The first
 * megabytes keep small pages: most runs need only a few, and would pay for clearing a huge page.
 */
static void prefer_huge_pages(void)
{
    uintptr_t from = ((uintptr_t)arena.base + 2 * HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    uintptr_t to = (uintptr_t)arena.end & ~(HUGE_PAGE - 1);

    if (from < to)
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

int crw_arena_enter_run(size_t limit, uint64_t random)
{
    uintptr_t warm = (uintptr_t)arena.base;
    size_t warm_size = (size_t)(arena.end - arena.base);
    int err = arena.warm_size ? -EBUSY : map_region(limit, RANDOM_BASE + (random & RANDOM_MASK));

    if (err)
        return err;
    arena.warm = warm;
    arena.warm_size = warm_size;
    prefer_huge_pages();
    return 0;
}

static size_t whole_pages(size_t bytes)
{
    return bytes < crw_arena_size() ? (bytes + PAGE - 1) & ~(PAGE - 1) : crw_arena_size();
}

void crw_arena_touch(size_t bytes)
{
    bytes = whole_pages(bytes);
    for (char *page = arena.base; page < arena.base + bytes; page += PAGE)
        (void)__atomic_fetch_or(page, 0, __ATOMIC_RELAXED); /* one write fault, no read fault */
}

void crw_arena_prefault(size_t bytes)
{
    if (madvise(arena.base, whole_pages(bytes), MADV_POPULATE_WRITE) < 0)
        crw_arena_touch(bytes); /* kernels before 5.14 */
}
