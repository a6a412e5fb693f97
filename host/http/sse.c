/* sse.c - reads events line by line; a line is a name, a colon, perhaps a space, and a value. */
#include "http/sse.h"

#include <string.h>

void cr_sse_init(struct cr_sse *s)
{
    *s = (struct cr_sse){.retry_ms = -1};
}

/* --- fields ----------------------------------------------------------------------------------- */

/* The name of a field is complete. */
static void find_field(struct cr_sse *s)
{
    static const char *const names[] = {"", "data", "id", "event", "retry"};

    s->field = CR_SSE_OTHER;
    for (unsigned i = CR_SSE_IS_DATA; i <= CR_SSE_IS_RETRY; i++)
        if (s->name_len == strlen(names[i]) && memcmp(s->name, names[i], s->name_len) == 0)
            s->field = i;
    s->value_len = 0;
}

static void keep_value(struct cr_sse *s, const uint8_t *bytes, size_t len)
{
    size_t room = s->value_len < sizeof(s->value) ? sizeof(s->value) - s->value_len : 0;

    memcpy(s->value + (room ? s->value_len : 0), bytes, len < room ? len : room);
    s->value_len += len;
}

/* Ignores an id that is too long, or could not be sent back in a header unchanged. */
static void take_id(struct cr_sse *s)
{
    if (s->value_len > CR_SSE_ID_MAX)
        return;
    for (size_t i = 0; i < s->value_len; i++)
        if (s->value[i] < 0x21 || s->value[i] > 0x7e)
            return;
    memcpy(s->id, s->value, s->value_len);
    s->id[s->value_len] = '\0';
    s->has_new_id = true;
}

static void take_retry(struct cr_sse *s)
{
    int64_t ms = 0;

    if (!s->value_len || s->value_len > 10)
        return;
    for (size_t i = 0; i < s->value_len; i++) {
        if (s->value[i] < '0' || s->value[i] > '9')
            return;
        ms = ms * 10 + (s->value[i] - '0');
    }
    s->retry_ms = ms;
}

/* The value of a field is complete. */
static void take_field(struct cr_sse *s)
{
    static const char message[] = "message";

    if (s->field == CR_SSE_IS_DATA)
        s->needs_break = true;
    else if (s->field == CR_SSE_IS_ID)
        take_id(s);
    else if (s->field == CR_SSE_IS_RETRY)
        take_retry(s);
    else if (s->field == CR_SSE_IS_EVENT)
        s->is_other = s->value_len && (s->value_len != sizeof(message) - 1 ||
                                       memcmp(s->value, message, s->value_len) != 0);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* An empty line ends the event. Returns whether the event had data. */
static bool end_event(struct cr_sse *s, struct cr_sse_piece *ret)
{
    bool had_data = s->has_data;

    *ret = (struct cr_sse_piece){.kind = s->is_other ? CR_SSE_DROP : CR_SSE_END};
    if (s->has_new_id)
        memcpy(s->last_id, s->id, sizeof(s->id));
    s->has_data = s->needs_break = s->is_other = s->has_new_id = false;
    return had_data;
}

/* Handles the end of a line. Returns true with a piece if it is the end of an event with data. */
static bool end_line(struct cr_sse *s, struct cr_sse_piece *ret)
{
    bool is_empty = s->place == CR_SSE_NAME && !s->name_len, is_event = false;

    if (is_empty) {
        is_event = end_event(s, ret);
    } else {
        if (s->place == CR_SSE_NAME)
            find_field(s);
        s->has_data = s->has_data || s->field == CR_SSE_IS_DATA;
        take_field(s);
    }
    s->place = CR_SSE_NAME;
    s->name_len = 0;
    return is_event;
}

static void keep_name(struct cr_sse *s, const uint8_t *bytes, size_t len)
{
    size_t room = s->name_len < sizeof(s->name) ? sizeof(s->name) - s->name_len : 0;

    memcpy(s->name + (room ? s->name_len : 0), bytes, len < room ? len : room);
    s->name_len += len;
}

static size_t find_line_end(const uint8_t *bytes, size_t len)
{
    const uint8_t *feed = memchr(bytes, '\n', len);
    size_t until = feed ? (size_t)(feed - bytes) : len;
    const uint8_t *cr = memchr(bytes, '\r', until);

    return cr ? (size_t)(cr - bytes) : until;
}

/* Takes the |len| bytes of the line that have come. Returns how many, true in |ret_is_piece|. */
static size_t take_line(struct cr_sse *s, const uint8_t *at, size_t len, struct cr_sse_piece *ret,
                        bool *ret_is_piece)
{
    const uint8_t *colon;

    if (s->place == CR_SSE_NAME) {
        colon = memchr(at, ':', len);
        keep_name(s, at, colon ? (size_t)(colon - at) : len);
        if (!colon)
            return len;
        find_field(s);
        s->place = CR_SSE_SPACE;
        return (size_t)(colon - at) + 1;
    }
    if (s->place == CR_SSE_SPACE) {
        s->place = CR_SSE_VALUE;
        return *at == ' ';
    }
    if (s->field != CR_SSE_IS_DATA) {
        keep_value(s, at, len);
        return len;
    }
    s->has_data = true;
    *ret_is_piece = !s->is_other;
    if (s->needs_break && !s->is_other) {
        s->needs_break = false;
        *ret = (struct cr_sse_piece){.kind = CR_SSE_DATA, .at = (const uint8_t *)"\r", .len = 1};
        return 0;
    }
    *ret = (struct cr_sse_piece){.kind = CR_SSE_DATA, .at = at, .len = len};
    return len;
}

/* Skips the rest of a CRLF, and a byte order mark at the start. Returns how many bytes. */
static size_t skip(struct cr_sse *s, uint8_t byte)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    bool is_feed = s->after_cr && byte == '\n';

    s->after_cr = false;
    if (s->mark < sizeof(mark) && byte == mark[s->mark]) {
        s->mark++;
        return 1;
    }
    if (s->mark && s->mark < sizeof(mark))
        keep_name(s, mark, s->mark); /* it was no mark, but the name of an unknown field */
    s->mark = sizeof(mark);
    return is_feed;
}

bool cr_sse_next(struct cr_sse *s, const uint8_t **bytes, size_t *len, struct cr_sse_piece *ret)
{
    while (*len) {
        bool is_piece = false;
        size_t n = skip(s, **bytes), line;

        if (!n && (line = find_line_end(*bytes, *len))) {
            n = take_line(s, *bytes, line, ret, &is_piece);
        } else if (!n) {
            s->after_cr = **bytes == '\r';
            is_piece = end_line(s, ret);
            n = 1;
        }
        *bytes += n;
        *len -= n;
        if (is_piece)
            return true;
    }
    return false;
}
