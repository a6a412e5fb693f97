/*
 * source.c - keeps the code of the job, to compute the columns in stack traces and errors.
 *
 * The engine counts columns in bytes; people and editors count characters (UTF-16 units, as in
 * every JavaScript engine). For ASCII code both are equal, and the code is not kept.
 */
static struct {
    const char *text; /* NULL: columns need no conversion */
    size_t len;
} source;

/* Returns where the line of |at| ends, and gets where the next begins, as the engine counts. */
static size_t source_line_end(size_t at, size_t *ret_next)
{
    const uint8_t *text = (const uint8_t *)source.text;

    for (; at < source.len; at++) {
        if (text[at] == '\n' || text[at] == '\r') {
            *ret_next = at + 1 + (text[at] == '\r' && at + 1 < source.len && text[at + 1] == '\n');
            return at;
        }
        /* U+2028 and U+2029 */
        if (text[at] == 0xe2 && at + 2 < source.len && text[at + 1] == 0x80 &&
            (text[at + 2] & 0xfe) == 0xa8) {
            *ret_next = at + 3;
            return at;
        }
    }
    *ret_next = at;
    return at;
}

/* Returns line |number|, counted from 1, or NULL if there is no such line. */
static const char *source_line(int number, size_t *ret_len)
{
    size_t at = 0, next = 0, end;

    if (!source.text || number < 1)
        return NULL;
    end = source_line_end(at, &next);
    while (--number > 0) {
        if (next == end)
            return NULL;
        at = next;
        end = source_line_end(at, &next);
    }
    *ret_len = end - at;
    return source.text + at;
}

/* Converts the engine's |column|, in bytes, to a column in UTF-16 units, counted from 1. */
static int source_column(const char *line, size_t len, int column)
{
    int units = 1;

    for (size_t i = 0; i < len && i + 1 < (size_t)column; i++) {
        uint8_t c = (uint8_t)line[i];

        units += (c & 0xc0) != 0x80; /* not for the bytes that continue a character */
        units += c >= 0xf0;          /* a pair of surrogates */
    }
    return units;
}

static int source_column_at(int line, int column)
{
    size_t len;
    const char *text = source_line(line, &len);

    return text ? source_column(text, len, column) : column;
}

static void source_keep(JSContext *ctx, const char *text, size_t len)
{
    char *copy = js_malloc(ctx, len);

    memcpy(copy, text, len);
    source.text = copy;
    source.len = len;
}

static bool source_is_ascii(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] & 0x80)
            return false;
    return true;
}
