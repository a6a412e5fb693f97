/*
 * walk.c - the state machine of a walk; inside values it handles 64 bytes at a time.
 *
 *     STARTS -{-> KEY -"-> IN_KEY -"-> COLON -:-> VALUE -> STRING, SCALAR or INSIDE
 *                  ^                                                 |
 *                  +-----------------------,---------------------- COMMA -}-> ENDED
 *
 * In an array, the states go from VALUE to VALUE. Below the top level, only brackets outside of
 * strings are counted. The grammar is not checked.
 */
#include "mcp/walk.h"

#include <string.h>

#include "base/wide.h"

#define BLOCK CR_WIDE_BLOCK

enum state { ENDED, STARTS, KEY, IN_KEY, COLON, VALUE, STRING, SCALAR, INSIDE, COMMA };

static const char *const part_names[CR_WALK_PARTS] = {
    [CR_WALK_JSONRPC] = "jsonrpc",        [CR_WALK_ID] = "id",         [CR_WALK_METHOD] = "method",
    [CR_WALK_PARAMS] = "params",          [CR_WALK_RESULT] = "result", [CR_WALK_ERROR] = "error",
    [CR_WALK_RESULT_TYPE] = "resultType",
};

/* --- inside a value ------------------------------------------------------------------------- */

/*
 * Returns the bytes that follow an odd number of backslashes; |w->escaped| carries this to the next
 * block. Adding the first bit of a run of backslashes to the run leaves a bit just after its end. A
 * run that begins at an even place has odd length if this bit is at an odd place, and the other way
 * round.
 */
static uint64_t escaped_bytes(struct cr_walk *w, uint64_t backslashes)
{
    const uint64_t even = 0x5555555555555555u;
    uint64_t escaped = w->escaped, first, after_even, after_odd;

    backslashes &= ~escaped;
    first = backslashes & ~(backslashes << 1);
    after_even = backslashes + (first & even);
    w->escaped = __builtin_add_overflow(backslashes, first & ~even, &after_odd);
    return escaped | (~backslashes & ((after_even & ~even) | (after_odd & even)));
}

/* Returns the bytes between quotes, including the opening quote. */
static uint64_t string_bytes(struct cr_walk *w, uint64_t quotes)
{
    for (unsigned i = 1; i < BLOCK; i *= 2)
        quotes ^= quotes << i;
    if (w->in_string)
        quotes = ~quotes;
    w->in_string = quotes >> (BLOCK - 1);
    return quotes;
}

/* Returns where in the block the value's closing bracket is, or BLOCK. */
static unsigned inside_block(struct cr_walk *w, const uint8_t *at)
{
    uint64_t escaped = escaped_bytes(w, cr_wide_equal(at, 0, '\\'));
    uint64_t skipped = string_bytes(w, cr_wide_equal(at, 0, '"') & ~escaped) | escaped;
    /* this bit turns "[" and "]" into braces, and no other byte becomes a brace */
    uint64_t opens = cr_wide_equal(at, 0x20, '{');
    uint64_t brackets = (opens | cr_wide_equal(at, 0x20, '}')) & ~skipped;

    for (; brackets; brackets &= brackets - 1) {
        if (opens & brackets & -brackets)
            w->depth++;
        else if (--w->depth == 0)
            return (unsigned)__builtin_ctzll(brackets);
    }
    return BLOCK;
}

/* The same for one byte. Returns whether the byte ends the value. */
static bool inside_byte(struct cr_walk *w, uint8_t c)
{
    if (w->escaped)
        w->escaped = false;
    else if (c == '\\')
        w->escaped = true;
    else if (c == '"')
        w->in_string = !w->in_string;
    else if (!w->in_string && (c == '{' || c == '['))
        w->depth++;
    else if (!w->in_string && (c == '}' || c == ']'))
        return --w->depth == 0;
    return false;
}

/* --- the top level -------------------------------------------------------------------------- */

/* The value ends before the byte number |after| of the current piece. Returns |after|. */
static size_t end_value(struct cr_walk *w, size_t after)
{
    w->parts[w->part].len = w->at + after - w->parts[w->part].at;
    w->state = COMMA;
    return after;
}

static size_t walk_inside(struct cr_walk *w, const uint8_t *at, size_t len)
{
    size_t i = 0;

    for (; len - i >= BLOCK; i += BLOCK) {
        unsigned last = inside_block(w, at + i);

        if (last < BLOCK)
            return end_value(w, i + last + 1);
    }
    for (; i < len; i++)
        if (inside_byte(w, at[i]))
            return end_value(w, i + 1);
    return len;
}

static size_t walk_string(struct cr_walk *w, const uint8_t *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (w->escaped)
            w->escaped = false;
        else if (at[i] == '\\')
            w->escaped = true;
        else if (at[i] == '"')
            return end_value(w, i + 1);
    }
    return len;
}

static void stop(struct cr_walk *w, const char *why)
{
    w->state = ENDED;
    w->why = why;
}

static bool key_is(const struct cr_walk *w, const char *name)
{
    return strlen(name) == w->key_len && memcmp(name, w->key, w->key_len) == 0;
}

/* Only the first "resultType" counts. */
static enum cr_walk_part part_of_result(const struct cr_walk *w)
{
    bool is_type = key_is(w, part_names[CR_WALK_RESULT_TYPE]);

    return is_type && !cr_walk_has(w, CR_WALK_RESULT_TYPE) ? CR_WALK_RESULT_TYPE : CR_WALK_OTHER;
}

static enum cr_walk_part part_of_message(const struct cr_walk *w)
{
    enum cr_walk_part part = CR_WALK_ERROR;

    while (part != CR_WALK_OTHER && !key_is(w, part_names[part]))
        part--;
    return part;
}

static void end_key(struct cr_walk *w)
{
    enum cr_walk_part part = w->is_result ? part_of_result(w) : part_of_message(w);

    w->part = (uint8_t)part;
    w->state = COLON;
    if (part != CR_WALK_OTHER && w->seen >> part & 1)
        stop(w, "a key of JSON-RPC that is there twice");
    w->seen |= (uint8_t)(1u << part);
}

static void add_to_key(struct cr_walk *w, uint8_t c)
{
    if (w->key_len < sizeof(w->key))
        w->key[w->key_len++] = (char)c;
}

static void in_key(struct cr_walk *w, uint8_t c)
{
    if (w->escaped) {
        w->escaped = false;
        add_to_key(w, c);
    } else if (c == '"') {
        end_key(w);
    } else if (c == '\\' && !w->is_result) {
        stop(w, "a key at the top that is written with escapes");
    } else {
        w->escaped = c == '\\';
        add_to_key(w, c);
    }
}

/* Returns how many bytes were consumed: 0 for a number or a word, else 1. */
static size_t begin_value(struct cr_walk *w, uint8_t c)
{
    w->parts[w->part].at = w->at;
    w->in_string = w->escaped = false;
    w->depth = 1;
    w->state = c == '"' ? STRING : c == '{' || c == '[' ? INSIDE : SCALAR;
    return w->state != SCALAR;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Consumes the byte; or begins or ends a number or a word without consuming it. Returns 1 or 0. */
static size_t walk_byte(struct cr_walk *w, uint8_t c)
{
    enum state state = w->state;

    if (state == IN_KEY) {
        in_key(w, c);
    } else if (state == SCALAR) {
        if (is_blank(c) || c == ',' || c == '}' || c == ']')
            return end_value(w, 0);
        if (w->part == CR_WALK_ID && w->id_len < sizeof(w->id))
            w->id[w->id_len++] = (char)c;
    } else if (is_blank(c)) {
        return 1;
    } else if (state != STARTS && (c == '}' || c == ']')) {
        w->state = ENDED;
    } else if (state == VALUE) {
        return begin_value(w, c);
    } else if (state == KEY && c == '"') {
        w->key_len = 0;
        w->escaped = false;
        w->state = IN_KEY;
    } else if ((state == COLON && c == ':') || (state == COMMA && c == ',' && w->is_array)) {
        w->state = VALUE;
    } else if ((state == STARTS && c == '{') || (state == COMMA && c == ',')) {
        w->state = KEY;
    } else {
        stop(w, "not an object");
    }
    return 1;
}

/* Consumes some of the bytes; |len| is at least 1. */
static void walk_some(struct cr_walk *w, const uint8_t *at, size_t len)
{
    if (w->state == INSIDE)
        w->at += walk_inside(w, at, len);
    else if (w->state == STRING)
        w->at += walk_string(w, at, len);
    else
        w->at += walk_byte(w, *at);
}

void cr_walk_init(struct cr_walk *w)
{
    *w = (struct cr_walk){.state = STARTS};
}

void cr_walk_feed(struct cr_walk *w, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    size_t start = w->at;

    while (w->state != ENDED && w->at - start < len)
        walk_some(w, at + (w->at - start), len - (w->at - start));
}

void cr_walk_init_result(struct cr_walk *w)
{
    *w = (struct cr_walk){.state = STARTS, .is_result = true};
}

void cr_walk_init_array(struct cr_walk *w, size_t start)
{
    *w = (struct cr_walk){.state = VALUE, .is_array = true, .at = start};
}

bool cr_walk_element(struct cr_walk *w, const void *array, size_t len)
{
    const uint8_t *bytes = array;
    size_t *found = &w->parts[CR_WALK_OTHER].len;

    *found = 0;
    while (w->state != ENDED && !*found && w->at < len)
        walk_some(w, bytes + w->at, len - w->at);
    return *found;
}

/* Returns how many bytes of |part| have arrived; 0 if its value has not begun. */
static size_t length_so_far(const struct cr_walk *w, enum cr_walk_part part)
{
    bool is_inside = w->state == STRING || w->state == SCALAR || w->state == INSIDE;

    if (is_inside && w->part == part)
        return w->at - w->parts[part].at;
    return w->parts[part].len;
}

void cr_walk_follow(struct cr_walk *inner, const struct cr_walk *outer, enum cr_walk_part part,
                    const void *text)
{
    size_t len = length_so_far(outer, part);

    if (len > inner->at)
        cr_walk_feed(inner, (const uint8_t *)text + outer->parts[part].at + inner->at,
                     len - inner->at);
}

bool cr_walk_has(const struct cr_walk *w, enum cr_walk_part part)
{
    return w->seen >> part & 1;
}

uint64_t cr_walk_id(const struct cr_walk *w)
{
    uint64_t id = 0;

    /* in an incomplete line, an incomplete id has no length yet, and is ignored */
    for (unsigned i = 0; i < w->id_len && w->parts[CR_WALK_ID].len; i++)
        if (w->id[i] < '0' || w->id[i] > '9' || __builtin_mul_overflow(id, 10u, &id) ||
            __builtin_add_overflow(id, (uint64_t)(w->id[i] - '0'), &id))
            return 0;
    return id;
}
