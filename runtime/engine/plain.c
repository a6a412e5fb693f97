/*
 * plain.c - finds the next special character in a JSON string (a quote, a backslash, a control
 * character, or not ASCII), and the end of the string. Included by engine.c.
 *
 * On x86-64, sixteen bytes are compared at once, and the results for 64 bytes are the bits of one
 * word; on other processors eight bytes are compared in one step.
 */
typedef uint8_t sixteen __attribute__((vector_size(16), aligned(1), may_alias));

static inline bool is_special(uint8_t c)
{
    return c < ' ' || c == '"' || c == '\\' || c >= 0x80;
}

static inline sixteen load_sixteen(const uint8_t *from)
{
    return *(const sixteen *)from;
}

#ifdef __x86_64__

#define STEP 16

static inline uint32_t bits_of(sixteen yes)
{
    typedef char chars __attribute__((vector_size(16)));

    return (uint32_t)__builtin_ia32_pmovmskb128((chars)yes);
}

/* One bit per special character. As signed bytes, controls and non-ASCII are below a space. */
static inline uint32_t specials_at(const uint8_t *text)
{
    typedef int8_t numbers __attribute__((vector_size(16)));
    sixteen t = load_sixteen(text);

    return bits_of((sixteen)((numbers)t < ' ') | (sixteen)(t == '"') | (sixteen)(t == '\\'));
}

/*
 * Returns the bits of the characters that follow an odd number of backslashes, and so are escaped.
 * Adding the first bit of a run to the run sets the bit after its end. A run that begins at an even
 * position and ends before an odd one has an odd length, and vice versa. |*carry|: the first
 * character is escaped by the previous block.
 */
static inline uint64_t escaped_by(uint64_t backslashes, uint64_t *carry)
{
    const uint64_t even = 0x5555555555555555;
    uint64_t first, after_even, after_odd, escaped = *carry;

    backslashes &= ~*carry;
    first = backslashes & ~(backslashes << 1);
    after_even = backslashes + (first & even);
    *carry = __builtin_add_overflow(backslashes, first & ~even, &after_odd);
    return escaped | (~backslashes & ((after_even & ~even) | (after_odd & even)));
}

/* Returns the quote that ends the string at |at|, or NULL. */
static const uint8_t *closing_quote(const uint8_t *at, const uint8_t *end)
{
    uint64_t carry = 0;

    for (; end - at >= 64; at += 64) {
        uint64_t backslashes = 0, quotes = 0, controls = 0, ends;

        for (int i = 0; i < 4; i++) {
            sixteen t = load_sixteen(at + 16 * i);

            backslashes |= (uint64_t)bits_of((sixteen)(t == '\\')) << 16 * i;
            quotes |= (uint64_t)bits_of((sixteen)(t == '"')) << 16 * i;
            controls |= (uint64_t)bits_of((sixteen)(t < ' ')) << 16 * i;
        }
        ends = (quotes & ~escaped_by(backslashes, &carry)) | controls;
        if (ends) {
            at += __builtin_ctzll(ends);
            return *at == '"' ? at : NULL;
        }
    }
    for (at += carry; at < end && *at >= ' ' && *at != '"'; at++)
        at += *at == '\\';
    return at < end && *at == '"' ? at : NULL;
}

#else

#define STEP 8

/* One bit per special character. */
static inline uint32_t specials_at(const uint8_t *text)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t t = is_be() ? bswap64(get_u64(text)) : get_u64(text);
    uint64_t low = t & (ones * 0x7f);
    uint64_t fine = low + ones * 0x60; /* no sum carries into the next byte */

    fine &= (low ^ ones * '"') + ones * 0x7f;
    fine &= (low ^ ones * '\\') + ones * 0x7f;
    /* the product moves the top bit of each byte to a different bit of the highest byte */
    return (uint32_t)((((~fine | t) & (ones * 0x80)) >> 7) * 0x0102040810204080 >> 56);
}

static const uint8_t *closing_quote(const uint8_t *at, const uint8_t *end)
{
    for (; at < end && *at >= ' ' && *at != '"'; at++)
        at += *at == '\\';
    return at < end && *at == '"' ? at : NULL;
}

#endif

/* One bit per special character, for 64 characters. */
static inline uint64_t specials_of_64(const uint8_t *text)
{
    uint64_t specials = 0;

    for (unsigned i = 0; i < 64; i += STEP)
        specials |= (uint64_t)specials_at(text + i) << i;
    return specials;
}

/* Returns how many characters at |text| are not special. */
static inline size_t plain_run(const uint8_t *text, size_t len)
{
    size_t at = 0;

    for (; len - at >= STEP; at += STEP) {
        uint32_t specials = specials_at(text + at);

        if (specials)
            return at + (size_t)__builtin_ctz(specials);
    }
    while (at < len && !is_special(text[at]))
        at++;
    return at;
}
