/*
 * message.c - reads lines, checks them and finds the parts of each message.
 *
 * A line that lies in one chunk is read in place: it has to pass the scanner, and then a walk
 * (walk.h) finds its parts. A line in several chunks is collected; scanner and walk run while the
 * chunks arrive. A line that cannot be kept is walked over to its end, and its bytes are discarded.
 */
#include "mcp/message.h"

#include <string.h>

#define ID_MAX 1024u           /* bytes of a request's id, which is sent back */
#define BATCH_BYTES (4u << 20) /* results in a batch are copied */
#define KEPT_MAX (1u << 20)    /* a larger buffer is freed after its line */

/* --- kinds of messages ---------------------------------------------------------------------- */

static bool is_number(struct cr_span json)
{
    return json.at && (json.at[0] == '-' || (json.at[0] >= '0' && json.at[0] <= '9'));
}

static const char *classify_question(struct cr_message *m)
{
    if (m->result.at || m->error.at)
        return "both a method and an answer";
    if (m->method.at[0] != '"')
        return "a method that is not a string";
    if (m->id_text.at && m->id_text.at[0] != '"' && !is_number(m->id_text))
        return "a request whose id is neither a string nor a number";
    if (m->id_text.len > ID_MAX)
        return "a request whose id is too long";
    m->method = (struct cr_span){m->method.at + 1, m->method.len - 2};
    m->kind = m->id_text.at ? CR_MESSAGE_REQUEST : CR_MESSAGE_NOTIFICATION;
    return NULL;
}

static const char *classify_answer(struct cr_message *m)
{
    if (!m->result.at && !m->error.at)
        return "neither a method nor an answer";
    if (m->result.at && m->error.at)
        return "both a result and an error";
    if (m->result.at && !is_number(m->id_text))
        return "a result whose id is not a number";
    if (m->error.at && m->error.at[0] != '{')
        return "an error that is not an object";
    if (m->id_text.at && !is_number(m->id_text) && m->id_text.at[0] != 'n')
        return "an error whose id is neither a number nor null";
    m->kind = m->result.at ? CR_MESSAGE_RESULT : CR_MESSAGE_ERROR;
    return NULL;
}

static bool reject_line(struct cr_message *ret, const char *bytes, size_t len, const char *why)
{
    *ret = (struct cr_message){.bytes = bytes, .len = len, .why = why};
    return true;
}

/* Some libraries escape every slash, and method names contain slashes. */
static void unescape_slashes(struct cr_reader *r, struct cr_span *method)
{
    size_t len = 0;

    if (method->len > sizeof(r->method) || !memchr(method->at, '\\', method->len))
        return;
    for (size_t i = 0; i < method->len; i++)
        if (method->at[i] != '\\' || i + 1 == method->len || method->at[i + 1] != '/')
            r->method[len++] = method->at[i];
    *method = (struct cr_span){r->method, len};
}

static struct cr_span span_of(const struct cr_walk *w, enum cr_walk_part part, const char *bytes)
{
    if (!cr_walk_has(w, part))
        return (struct cr_span){0};
    return (struct cr_span){bytes + w->parts[part].at, w->parts[part].len};
}

/* Reads the parts of a message that is valid JSON, and that |w| has walked over. */
static bool read_parts(struct cr_reader *r, const struct cr_walk *w, const char *bytes, size_t len,
                       struct cr_message *ret)
{
    struct cr_span version = span_of(w, CR_WALK_JSONRPC, bytes);
    const char *why;

    if (w->why)
        return reject_line(ret, bytes, len, w->why);
    if (version.at && (version.len != 5 || memcmp(version.at, "\"2.0\"", 5) != 0))
        return reject_line(ret, bytes, len, "a version of JSON-RPC that is not \"2.0\"");
    *ret = (struct cr_message){.bytes = bytes, .len = len};
    ret->id_text = span_of(w, CR_WALK_ID, bytes);
    ret->method = span_of(w, CR_WALK_METHOD, bytes);
    ret->params = span_of(w, CR_WALK_PARAMS, bytes);
    ret->result = span_of(w, CR_WALK_RESULT, bytes);
    ret->error = span_of(w, CR_WALK_ERROR, bytes);
    /* some servers write every member, with null for the missing ones */
    if (ret->result.at && ret->error.at && ret->error.at[0] == 'n')
        ret->error = (struct cr_span){NULL, 0};
    why = ret->method.at ? classify_question(ret) : classify_answer(ret);
    if (why)
        return reject_line(ret, bytes, len, why);
    if (ret->method.at)
        unescape_slashes(r, &ret->method);
    else
        ret->id = cr_walk_id(w);
    return true;
}

/* Sets the type of the result, as a second walk has found it. */
static void set_type(struct cr_message *m, size_t at, size_t len)
{
    if (m->kind != CR_MESSAGE_RESULT)
        return;
    m->has_type = true;
    if (len)
        m->type = (struct cr_span){m->result.at + at, len};
}

/* Reads a line that is one message; the line is |r->line| if |r->done|. */
static void read_message(struct cr_reader *r, const char *bytes, size_t len, struct cr_message *ret)
{
    struct cr_walk w;

    if (r->done) {
        (void)read_parts(r, &r->walk, bytes, len, ret);
        if (r->finds_types)
            set_type(ret, r->type.parts[CR_WALK_RESULT_TYPE].at,
                     r->type.parts[CR_WALK_RESULT_TYPE].len);
        /* the caller keeps the whole line, and counts only the result against its limits */
        if (r->line.cap / 2 <= ret->result.len)
            ret->block = &r->line.data;
        return;
    }
    cr_walk_init(&w);
    cr_walk_feed(&w, bytes, len);
    (void)read_parts(r, &w, bytes, len, ret);
}

/* --- lines ---------------------------------------------------------------------------------- */

void cr_reader_init(struct cr_reader *r, size_t max)
{
    *r = (struct cr_reader){.max = max};
    cr_buf_init(&r->line, max < SIZE_MAX ? max + 1 : max); /* the carriage return is not counted */
}

void cr_reader_find_types(struct cr_reader *r)
{
    r->finds_types = true;
}

void cr_reader_clear(struct cr_reader *r)
{
    cr_scan_clear(&r->scan);
    cr_batch_clear(&r->batch);
    cr_buf_clear(&r->line);
    cr_reader_init(r, r->max);
}

/* Releases the line that was given to the caller. */
static void release_line(struct cr_reader *r)
{
    if (!r->done)
        return;
    if (r->line.cap > KEPT_MAX || !r->line.data)
        cr_buf_clear(&r->line);
    cr_batch_clear(&r->batch);
    r->line.len = 0;
    r->done = false;
}

static void begin_line(struct cr_reader *r)
{
    r->start = 0;
    cr_scan_begin(&r->scan, CR_SCAN_PASS);
    cr_walk_init(&r->walk);
    cr_walk_init_result(&r->type);
}

/* Frees the kept bytes of the line. The walk over the line continues. */
static void discard_line(struct cr_reader *r, const char *why)
{
    cr_scan_clear(&r->scan);
    cr_batch_clear(&r->batch);
    cr_buf_clear(&r->line);
    r->dropping = why;
}

/* A discarded line is complete. Only an answer has an id of ours, not a request. */
static bool end_discarded_line(struct cr_reader *r, struct cr_message *ret)
{
    const struct cr_walk *w = &r->walk;
    bool is_answer = cr_walk_has(w, CR_WALK_RESULT) || cr_walk_has(w, CR_WALK_ERROR);

    *ret = (struct cr_message){.kind = CR_MESSAGE_TOO_LONG, .why = r->dropping};
    if (is_answer && !cr_walk_has(w, CR_WALK_METHOD) && !w->why)
        ret->id = cr_walk_id(w);
    r->dropping = NULL;
    return true;
}

/* Discards a line that is complete; it is |r->line| if |r->done|. */
static bool discard_whole_line(struct cr_reader *r, const uint8_t *line, size_t len,
                               const char *why, struct cr_message *ret)
{
    if (!r->done) {
        cr_walk_init(&r->walk);
        cr_walk_feed(&r->walk, line, len);
    }
    discard_line(r, why);
    return end_discarded_line(r, ret);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/*
 * Scans the new bytes of |r->line|. A carriage return at its end may belong to the end of the line,
 * and is left for the next call.
 */
static void look_at_line(struct cr_reader *r)
{
    const uint8_t *line = r->line.data;
    size_t len = r->line.len;

    if (len && line[len - 1] == '\r')
        len--;
    (void)cr_scan_feed(&r->scan, line, len, &r->noise);
    if (r->finds_types)
        cr_walk_follow(&r->type, &r->walk, CR_WALK_RESULT, line);
    while (r->start < len && is_blank(line[r->start]))
        r->start++;
    if (r->start < len && line[r->start] == '[') {
        if (!r->batch.has_begun)
            cr_batch_begin(&r->batch, r->start + 1);
        (void)cr_batch_feed(&r->batch, line, len);
    }
}

static void keep_bytes(struct cr_reader *r, const uint8_t *bytes, size_t len)
{
    if (!r->dropping) {
        if (!r->line.len)
            begin_line(r);
        cr_buf_add(&r->line, bytes, len);
    }
    cr_walk_feed(&r->walk, bytes, len);
    if (cr_buf_err(&r->line))
        discard_line(r, cr_buf_err(&r->line) == CAPRUN_E_NOMEM ? "no memory for the line"
                                                               : "the line is too long");
    if (!r->dropping)
        look_at_line(r);
}

/* Reads the next message of the batch. Returns false after the last one, or without a batch. */
static bool next_of_batch(struct cr_reader *r, struct cr_message *ret)
{
    const struct cr_batch_message *m = r->done ? cr_batch_next(&r->batch) : NULL;

    if (!m)
        return false;
    (void)read_parts(r, &m->walk, (const char *)r->line.data + m->at, m->len, ret);
    set_type(ret, m->type_at, m->type_len);
    return true;
}

/* Keeps a batch until all its messages are taken. |start| is where the first message may begin. */
static bool begin_batch(struct cr_reader *r, const uint8_t *line, size_t len, size_t start,
                        struct cr_message *ret)
{
    if (!r->done) {
        cr_buf_add(&r->line, line, len);
        cr_batch_begin(&r->batch, start);
    }
    if (cr_buf_err(&r->line) || cr_batch_feed(&r->batch, line, len) == CAPRUN_E_NOMEM)
        return discard_whole_line(r, line, len, "no memory for the line", ret);
    r->done = true;
    if (r->batch.code == CAPRUN_E_TOOBIG || len > BATCH_BYTES) {
        cr_batch_clear(&r->batch);
        return reject_line(ret, (const char *)line, len,
                           "a batch of more than 1000 messages, or 4 MiB");
    }
    return next_of_batch(r, ret) || reject_line(ret, (const char *)line, len, "an empty batch");
}

/* Reads a complete line, which is |r->line| if |r->done|. Returns false if it is blank. */
static bool read_line(struct cr_reader *r, const uint8_t *line, size_t len, struct cr_message *ret)
{
    size_t start = r->done ? r->start : 0, where;
    const char *why;
    int code;

    if (len && line[len - 1] == '\r')
        len--;
    if (len > r->max)
        return discard_whole_line(r, line, len, "the line is too long", ret);
    while (start < len && is_blank(line[start]))
        start++;
    if (start == len)
        return false;
    code = r->done ? cr_scan_finish(&r->scan, line, len, &r->noise)
                   : cr_scan_json(line, len, CR_SCAN_PASS, &r->noise);
    why = code < 0 ? cr_scan_place(&r->noise, &where, &where) : NULL;
    if (code == CAPRUN_E_TOOBIG)
        return discard_whole_line(r, line, len, why, ret);
    if (code < 0) {
        cr_batch_clear(&r->batch); /* of an invalid batch, no message is used */
        return reject_line(ret, (const char *)line, len, why);
    }
    if (line[start] == '[')
        return begin_batch(r, line, len, start + 1, ret);
    read_message(r, (const char *)line, len, ret);
    return true;
}

/* Handles the last bytes of a line. Returns false if the line is blank. */
static bool end_line(struct cr_reader *r, const uint8_t *bytes, size_t len, struct cr_message *ret)
{
    if (!r->dropping && !r->line.len)
        return read_line(r, bytes, len, ret);
    keep_bytes(r, bytes, len);
    if (r->dropping)
        return end_discarded_line(r, ret);
    r->done = true;
    return read_line(r, r->line.data, r->line.len, ret);
}

bool cr_reader_next(struct cr_reader *r, const uint8_t **bytes, size_t *len, struct cr_message *ret)
{
    if (next_of_batch(r, ret))
        return true;
    for (;;) {
        const uint8_t *piece = *bytes, *feed;
        size_t piece_len;

        release_line(r);
        if (!*len)
            return false;
        feed = memchr(piece, '\n', *len);
        piece_len = feed ? (size_t)(feed - piece) : *len;
        *bytes += piece_len + !!feed;
        *len -= piece_len + !!feed;
        if (!feed)
            keep_bytes(r, piece, piece_len);
        else if (end_line(r, piece, piece_len, ret))
            return true;
    }
}
