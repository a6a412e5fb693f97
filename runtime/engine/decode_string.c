/*
 * decode_string.c - parses the strings and keys of JSON; included by engine.c.
 *
 * Most strings are plain from quote to quote, and are copied unchanged. For others the closing
 * quote is found first: then the largest possible size is known, and allocated at once. The string
 * is written as Latin-1 until a character does not fit, then all of it again as UTF-16.
 */
#define WORTH_TRIMMING 64 /* so many unused bytes are given back */

/* Inlined into one function, so that the state of the writer stays in registers. */
#define INLINE static inline __attribute__((always_inline))

static JSValue new_plain_string(JSContext *ctx, const uint8_t *text, size_t len)
{
    JSString *s;

    if (len == 0)
        return js_empty_string(ctx->rt);
    s = js_alloc_string(ctx, (int)len, 0);
    memcpy(s + 1, text, len);
    ((uint8_t *)(s + 1))[len] = '\0';
    return JS_MKPTR(JS_TAG_STRING, s);
}

static no_inline const uint8_t *read_unicode_escape(const uint8_t *at, const uint8_t *end,
                                                    uint32_t *ret)
{
    uint32_t c = 0;

    if (end - at < 6)
        return NULL;
    for (int i = 2; i < 6; i++) {
        int digit = from_hex(at[i]);

        if (digit < 0)
            return NULL;
        c = c << 4 | (uint32_t)digit;
    }
    *ret = c;
    return at + 6;
}

/* Reads the escape at |at|, a backslash. Returns the text after it, or NULL if it is invalid. */
INLINE const uint8_t *read_escape(const uint8_t *at, const uint8_t *end, uint32_t *ret)
{
    static const uint8_t short_ones[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };

    if (at[1] == 'u')
        return read_unicode_escape(at, end, ret);
    *ret = short_ones[at[1]];
    return *ret ? at + 2 : NULL;
}

static no_inline const uint8_t *read_rare_utf8(const uint8_t *at, const uint8_t *end, uint32_t *ret)
{
    const uint8_t *next;

    *ret = utf8_decode(at, &next);
    return next - at > 1 && next <= end ? next : NULL;
}

/* Reads a character that is not ASCII: most have two or three bytes. */
INLINE const uint8_t *read_utf8(const uint8_t *at, const uint8_t *end, uint32_t *ret)
{
    uint32_t first = at[0], second = at[1] ^ 0x80u, third;

    if (first >= 0xc2 && first < 0xe0 && second < 0x40) {
        *ret = (first & 0x1f) << 6 | second;
        return at + 2;
    }
    if (first >= 0xe1 && first < 0xf0 && second < 0x40 && (third = at[2] ^ 0x80u) < 0x40) {
        *ret = (first & 0xf) << 12 | second << 6 | third;
        return at + 3;
    }
    return read_rare_utf8(at, end, ret);
}

/* Reads the special character at |at|, which is not a quote. */
INLINE const uint8_t *read_special(const uint8_t *at, const uint8_t *end, uint32_t *ret)
{
    return *at == '\\' ? read_escape(at, end, ret) : read_utf8(at, end, ret);
}

/* A string that is being written. */
struct writing {
    const uint8_t *at, *end; /* the rest of its text; its closing quote is at |end| */
    uint8_t *to;
};

/*
 * Copies plain text, sixteen characters at a time: needs room for sixteen more after it. Extra
 * characters are overwritten later.
 */
INLINE void copy_plain(struct writing *w, size_t len, bool wide)
{
    for (size_t i = 0; i < len; i += 16) {
        if (wide) {
            for (size_t j = 0; j < 16; j++)
                ((uint16_t *)w->to)[i + j] = w->at[i + j];
        } else {
            *(sixteen *)(w->to + i) = load_sixteen(w->at + i);
        }
    }
    w->to += len << wide;
    w->at += len;
}

INLINE void put_one(struct writing *w, uint32_t c, bool wide)
{
    if (!wide) {
        *w->to++ = (uint8_t)c;
        return;
    }
    if (c > 0xffff) {
        *(uint16_t *)w->to = (uint16_t)get_hi_surrogate(c);
        w->to += 2;
        c = get_lo_surrogate(c);
    }
    *(uint16_t *)w->to = (uint16_t)c;
    w->to += 2;
}

/* Copies characters of two or three bytes while they follow each other: often a whole word. */
INLINE void take_word(struct writing *w)
{
    const uint8_t *at = w->at;
    uint16_t *to = (uint16_t *)w->to;

    for (;;) {
        uint32_t first = at[0], second = at[1] ^ 0x80u;

        if (first - 0xc2 < 0xe0 - 0xc2 && second < 0x40) {
            *to++ = (uint16_t)((first & 0x1f) << 6 | second);
            at += 2;
        } else if (first - 0xe1 < 0xf0 - 0xe1 && second < 0x40 && (at[2] ^ 0x80u) < 0x40) {
            *to++ = (uint16_t)((first & 0xf) << 12 | second << 6 | (at[2] ^ 0x80u));
            at += 3;
        } else {
            break;
        }
    }
    w->at = at;
    w->to = (uint8_t *)to;
}

/* Returns 0; 1 if the next character is too wide, and was not copied; or -1 if it is invalid. */
INLINE int take_special(struct writing *w, bool wide)
{
    uint32_t c;
    const uint8_t *next = read_special(w->at, w->end, &c);

    if (!next)
        return -1;
    if (!wide && c > 0xff)
        return 1;
    put_one(w, c, wide);
    w->at = next;
    return 0;
}

/*
 * Writes the rest of the text. Stops at a character that cannot be written, and returns as
 * take_special(). The special characters among 64 are found at once, so that finding the next one
 * does not depend on decoding the last one.
 */
INLINE int write_text(struct writing *w, bool wide)
{
    int r = 0;

    while (w->end - w->at >= 64 + 16) {
        const uint8_t *block = w->at;
        uint64_t specials = specials_of_64(block);

        while (specials) {
            copy_plain(w, (size_t)(block + __builtin_ctzll(specials) - w->at), wide);
            if (wide)
                take_word(w);
            if (!wide || *w->at >= 0x80 || *w->at == '\\')
                r = take_special(w, wide);
            if (r || w->at - block >= 64)
                break;
            specials &= UINT64_MAX << (w->at - block);
        }
        if (r)
            return r;
        if (w->at - block < 64)
            copy_plain(w, (size_t)(block + 64 - w->at), wide);
    }
    while (w->at < w->end && r == 0) {
        if (is_special(*w->at))
            r = take_special(w, wide);
        else
            put_one(w, *w->at++, wide);
    }
    return r;
}

/* Frees the unused rest of |s|, which has |room| bytes and is written up to |to|. */
static JSValue trimmed(JSContext *ctx, JSString *s, const uint8_t *to, size_t room)
{
    size_t bytes = (size_t)(to - (uint8_t *)(s + 1));

    s->len = (uint32_t)(bytes >> s->is_wide_char);
    if (!s->is_wide_char)
        ((uint8_t *)(s + 1))[bytes] = '\0';
    if (room - bytes > WORTH_TRIMMING)
        s = js_realloc(ctx, s, sizeof(*s) + bytes + 1);
    return JS_MKPTR(JS_TAG_STRING, s);
}

/* Returns the string from |at| to its closing quote at |end|, or JS_EXCEPTION (not pending). */
static no_inline JSValue decode_special(JSContext *ctx, const uint8_t *at, const uint8_t *end)
{
    size_t room = (size_t)(end - at), len;
    JSString *narrow = js_alloc_string(ctx, (int)room, 0), *s = narrow;
    struct writing w = {at, end, (uint8_t *)(narrow + 1)};
    int r = write_text(&w, false);

    if (r > 0) {
        len = (size_t)(w.to - (uint8_t *)(narrow + 1));
        room = 2 * (len + (size_t)(end - w.at));
        s = js_alloc_string(ctx, (int)(room / 2), 1);
        for (size_t i = 0; i < len; i++)
            ((uint16_t *)(s + 1))[i] = ((const uint8_t *)(narrow + 1))[i];
        w.to = (uint8_t *)(s + 1) + 2 * len;
        js_free_string(ctx->rt, narrow);
        r = write_text(&w, true);
    }
    if (r == 0)
        return trimmed(ctx, s, w.to, room);
    js_free_string(ctx->rt, s);
    return JS_EXCEPTION;
}

/* Reads the string after the quote before |at|. Returns the text after it, or NULL if invalid. */
static inline const uint8_t *read_string(JSContext *ctx, const uint8_t *at, const uint8_t *end,
                                         JSValue *ret)
{
    size_t run = plain_run(at, (size_t)(end - at));
    const uint8_t *quote;

    if (likely(at + run < end && at[run] == '"')) {
        *ret = new_plain_string(ctx, at, run);
        return at + run + 1;
    }
    quote = closing_quote(at + run, end);
    if (!quote)
        return NULL;
    *ret = decode_special(ctx, at, quote);
    return JS_IsException(*ret) ? NULL : quote + 1;
}
