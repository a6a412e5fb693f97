/*
 * wide.h - looks at many bytes of text in one step; the result has a bit for each, lowest first.
 *
 * On x86-64 one instruction compares sixteen bytes; elsewhere a word holds eight.
 */
#ifndef CR_WIDE_H
#define CR_WIDE_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CR_WIDE_STEP 16
#define CR_WIDE_BLOCK 64

#ifdef __x86_64__

typedef uint8_t cr_wide_bytes_ __attribute__((vector_size(16), aligned(1), may_alias));

static inline uint32_t cr_wide_bits_(cr_wide_bytes_ yes)
{
    typedef char chars __attribute__((vector_size(16)));

    return (uint32_t)__builtin_ia32_pmovmskb128((chars)yes);
}

/* Those of the sixteen bytes that are a quote, a backslash, a control or not ASCII. */
static inline uint32_t cr_wide_specials(const uint8_t *at)
{
    typedef int8_t numbers __attribute__((vector_size(16)));
    cr_wide_bytes_ t = *(const cr_wide_bytes_ *)at;

    /* as signed bytes, controls and bytes that are not ASCII are both below a space */
    return cr_wide_bits_((cr_wide_bytes_)((numbers)t < ' ') | (cr_wide_bytes_)(t == '"') |
                         (cr_wide_bytes_)(t == '\\'));
}

/* Those of the sixteen bytes that equal |c| once the bits of |set| are set in them. */
static inline uint64_t cr_wide_equal_(const uint8_t *at, uint8_t set, uint8_t c)
{
    return cr_wide_bits_((cr_wide_bytes_)((*(const cr_wide_bytes_ *)at | set) == c));
}

#else

/* Gathers the top bit of each byte of |tops|. All other bits are 0. */
static inline uint32_t cr_wide_gather_(uint64_t tops)
{
    /* the product moves the bit of each byte to a different place in the highest byte */
    return (uint32_t)((tops >> 7) * 0x0102040810204080u >> 56);
}

static inline uint64_t cr_wide_load_(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return le64toh(word);
}

/* No sum carries into the next byte, so the answer is exact for each byte. */
static inline uint32_t cr_wide_specials_of_(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t low = word & (ones * 0x7f);
    uint64_t fine = (low + ones * 0x60) & ((low ^ ones * '"') + ones * 0x7f) &
                    ((low ^ ones * '\\') + ones * 0x7f);

    return cr_wide_gather_((~fine | word) & (ones * 0x80));
}

static inline uint32_t cr_wide_specials(const uint8_t *at)
{
    return cr_wide_specials_of_(cr_wide_load_(at)) | cr_wide_specials_of_(cr_wide_load_(at + 8))
                                                         << 8;
}

static inline uint32_t cr_wide_equal_of_(uint64_t word, uint8_t set, uint8_t c)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t other = (word | ones * set) ^ ones * c;

    return cr_wide_gather_(~(((other & ones * 0x7f) + ones * 0x7f) | other) & ones * 0x80);
}

static inline uint64_t cr_wide_equal_(const uint8_t *at, uint8_t set, uint8_t c)
{
    return cr_wide_equal_of_(cr_wide_load_(at), set, c) |
           cr_wide_equal_of_(cr_wide_load_(at + 8), set, c) << 8;
}

#endif

/* Those of the CR_WIDE_BLOCK bytes that equal |c| once the bits of |set| are set in them. */
static inline uint64_t cr_wide_equal(const uint8_t *at, uint8_t set, uint8_t c)
{
    uint64_t equal = 0;

    for (unsigned i = 0; i < CR_WIDE_BLOCK; i += CR_WIDE_STEP)
        equal |= cr_wide_equal_(at + i, set, c) << i;
    return equal;
}

#endif
