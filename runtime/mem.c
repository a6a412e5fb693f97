/*
 * mem.c - memcpy, memmove and memcmp for the sizes that an engine uses.
 *
 * The worker is linked with musl, whose versions are small rather than fast: string-heavy code
 * spent a fifth of its time in them. A short copy does all loads before its stores, so that overlap
 * does not matter; a long copy loads both ends first for the same reason.
 *
 * Built without the optimisations that would turn these loops into calls to the same functions.
 */
#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t v16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t u64 __attribute__((aligned(1), may_alias));
typedef uint32_t u32 __attribute__((aligned(1), may_alias));
typedef uint16_t u16 __attribute__((aligned(1), may_alias));

#define LOAD(type, from) (*(const type *)(from))
#define STORE(type, to, value) (*(type *)(to) = (value))

/* From this size on, the processor's own copy instruction is fastest (last ten years). */
#define MICROCODE_WINS 2048

/* Copies the first and the last |sizeof(type)| bytes: all of a copy of up to twice that size. */
#define COPY_ENDS(type)                                                      \
    do {                                                                     \
        type first = LOAD(type, s), last = LOAD(type, s + n - sizeof(type)); \
        STORE(type, d, first);                                               \
        STORE(type, d + n - sizeof(type), last);                             \
    } while (0)

static void copy_short(uint8_t *d, const uint8_t *s, size_t n)
{
    if (n > 32) {
        v16 a = LOAD(v16, s), b = LOAD(v16, s + 16);
        v16 y = LOAD(v16, s + n - 32), z = LOAD(v16, s + n - 16);

        STORE(v16, d, a);
        STORE(v16, d + 16, b);
        STORE(v16, d + n - 32, y);
        STORE(v16, d + n - 16, z);
    } else if (n >= 16) {
        COPY_ENDS(v16);
    } else if (n >= 8) {
        COPY_ENDS(u64);
    } else if (n >= 4) {
        COPY_ENDS(u32);
    } else if (n >= 2) {
        COPY_ENDS(u16);
    } else if (n) {
        *d = *s;
    }
}

struct block {
    v16 part[4];
};

static inline struct block load_block(const uint8_t *s)
{
    return (struct block){{LOAD(v16, s), LOAD(v16, s + 16), LOAD(v16, s + 32), LOAD(v16, s + 48)}};
}

static inline void store_block(uint8_t *d, struct block b)
{
    STORE(v16, d, b.part[0]);
    STORE(v16, d + 16, b.part[1]);
    STORE(v16, d + 32, b.part[2]);
    STORE(v16, d + 48, b.part[3]);
}

/* Copies blocks from the front. The end is loaded before it could be overwritten. */
static void copy_up(uint8_t *d, const uint8_t *s, size_t n)
{
    struct block end = load_block(s + n - 64);

#ifdef __x86_64__
    if (n >= MICROCODE_WINS) {
        __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
        return;
    }
#endif
    for (size_t i = 0; i + 64 < n; i += 64)
        store_block(d + i, load_block(s + i));
    store_block(d + n - 64, end);
}

static void copy_down(uint8_t *d, const uint8_t *s, size_t n)
{
    struct block start = load_block(s);

    for (size_t i = n; i > 64; i -= 64)
        store_block(d + i - 64, load_block(s + i - 64));
    store_block(d, start);
}

void *memmove(void *to, const void *from, size_t n)
{
    if (n <= 64)
        copy_short(to, from, n);
    else if ((uintptr_t)to - (uintptr_t)from >= n)
        copy_up(to, from, n);
    else
        copy_down(to, from, n);
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    return memmove(to, from, n);
}

int memcmp(const void *left, const void *right, size_t n)
{
    const uint8_t *a = left, *b = right;

    for (; n >= 8; a += 8, b += 8, n -= 8) {
        u64 x = LOAD(u64, a), y = LOAD(u64, b);

        if (x != y)
            return be64toh(x) < be64toh(y) ? -1 : 1;
    }
    for (; n; a++, b++, n--)
        if (*a != *b)
            return *a < *b ? -1 : 1;
    return 0;
}
