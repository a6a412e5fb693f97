/*
 * decode_string.c - the strings and keys of JSON; included by engine.c.
 *
 * Most strings are plain from quote to quote and copied as they are. For all others the closing
 * quote is looked for first, so that the room that a string can take at most is known, and had at
 * once: it is written as Latin-1 until a character needs more, and then once more as UTF-16.
 */
#define WORTH_TRIMMING 64 /* bytes that a string did not need */

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

/* Reads the escape at |at|, where a backslash is. Returns what follows, or NULL if it is none. */
static inline const uint8_t *read_escape(const uint8_t *at, const uint8_t *end, uint32_t *ret)
{
    static const uint8_t short_ones[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };
    uint32_t c = 0;

    if (at[1] != 'u') {
        *ret = short_ones[at[1]];
        return *ret ? at + 2 : NULL;
    }
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

/* Reads a character that is not ASCII: most take two bytes or three. */
static inline const uint8_t *read_utf8(const uint8_t *at, const uint8_t *end, uint32_t *ret)
{
    uint32_t first = at[0], second = at[1] ^ 0x80u, third;
    const uint8_t *next;

    if (first >= 0xc2 && first < 0xe0 && second < 0x40) {
        *ret = (first & 0x1f) << 6 | second;
        return at + 2;
    }
    if (first >= 0xe1 && first < 0xf0 && second < 0x40 && (third = at[2] ^ 0x80u) < 0x40) {
        *ret = (first & 0xf) << 12 | second << 6 | third;
        return at + 3;
    }
    *ret = utf8_decode(at, &next);
    return next - at > 1 && next <= end ? next : NULL;
}

/* Reads what is special at |at|, but no quote. */
static inline const uint8_t *read_special(const uint8_t *at, const uint8_t *end, uint32_t *ret)
{
    return *at == '\\' ? read_escape(at, end, ret) : read_utf8(at, end, ret);
}

/* Gives back what |s| did not need of its room for |room| bytes. */
static JSValue trimmed(JSContext *ctx, JSString *s, size_t len, size_t room)
{
    size_t bytes = len << s->is_wide_char;

    s->len = (uint32_t)len;
    if (!s->is_wide_char)
        ((uint8_t *)(s + 1))[len] = '\0';
    if (room - bytes > WORTH_TRIMMING)
        s = js_realloc(ctx, s, sizeof(*s) + bytes + 1);
    return JS_MKPTR(JS_TAG_STRING, s);
}

/* Goes on with |narrow|, of which |len| characters are written, as UTF-16. Takes it. */
static JSValue decode_wide(JSContext *ctx, JSString *narrow, size_t len, const uint8_t *at,
                           const uint8_t *end)
{
    size_t room = len + (size_t)(end - at);
    JSString *s = js_alloc_string(ctx, (int)room, 1);
    uint16_t *to = (uint16_t *)(s + 1);
    uint32_t c;

    for (size_t i = 0; i < len; i++)
        to[i] = ((const uint8_t *)(narrow + 1))[i];
    to += len;
    js_free_string(ctx->rt, narrow);
    while (at < end) {
        size_t run = plain_run(at, (size_t)(end - at));

        for (size_t i = 0; i < run; i++)
            to[i] = at[i];
        to += run;
        at += run;
        while (at < end && (*at >= 0x80 || *at == '\\')) {
            at = read_special(at, end, &c);
            if (!at) {
                js_free_string(ctx->rt, s);
                return JS_EXCEPTION;
            }
            if (c > 0xffff) {
                *to++ = (uint16_t)get_hi_surrogate(c);
                c = get_lo_surrogate(c);
            }
            *to++ = (uint16_t)c;
        }
    }
    return trimmed(ctx, s, (size_t)(to - (uint16_t *)(s + 1)), 2 * room);
}

/*
 * Copies what is plain, sixteen bytes at a time as long as there are as many: there is room for
 * all, and what is copied too much is written over. Returns how many count.
 */
static inline size_t copy_plain(uint8_t *to, const uint8_t *at, const uint8_t *end)
{
    size_t run = 0;

    for (; (size_t)(end - at) >= run + sizeof(sixteen); run += STEP) {
        uint64_t specials = specials_at(at + run);

        *(sixteen *)(to + run) = load_sixteen(at + run);
        if (specials)
            return run + FIRST(specials);
    }
    for (; at + run < end && !is_special(at[run]); run++)
        to[run] = at[run];
    return run;
}

/* The string from |at| to |end|, where its closing quote is, or an exception (none is thrown). */
static no_inline JSValue decode_special(JSContext *ctx, const uint8_t *at, const uint8_t *end)
{
    size_t room = (size_t)(end - at);
    JSString *s = js_alloc_string(ctx, (int)room, 0);
    uint8_t *to = (uint8_t *)(s + 1);

    while (at < end) {
        size_t run = copy_plain(to, at, end);
        const uint8_t *next;
        uint32_t c;

        to += run;
        at += run;
        if (at == end)
            break;
        next = read_special(at, end, &c);
        if (!next) {
            js_free_string(ctx->rt, s);
            return JS_EXCEPTION;
        }
        if (c > 0xff)
            return decode_wide(ctx, s, (size_t)(to - (uint8_t *)(s + 1)), at, end);
        *to++ = (uint8_t)c;
        at = next;
    }
    return trimmed(ctx, s, (size_t)(to - (uint8_t *)(s + 1)), room);
}

/* Reads the string behind the quote before |at|. Returns what follows, or NULL if it is none. */
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
