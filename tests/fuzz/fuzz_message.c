/*
 * fuzz_message.c - fuzzes the reader of JSON-RPC with any bytes as the output of a server.
 *
 * The first byte is the line limit, the next ones say how the stream is cut; the rest is the
 * stream. What must hold: the messages are the same wherever it is cut; their parts lie in the
 * line, are JSON, and are the parts that a second reader finds; noise has a reason that is safe to
 * show; and an answer that is too long keeps its id.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/locate.h"
#include "base/scan.h"
#include "input.h"
#include "look.h"
#include "mcp/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_MESSAGE_MAX (1u << 20)

/* What a second reader finds at the top of a message. */
struct found {
    struct look_part jsonrpc, id, method, params, result, error;
};

static void find_part(struct look_part key, struct look_part value, const char *name,
                      struct look_part *ret)
{
    if (!look_is(key, name))
        return;
    insist(!ret->at);
    *ret = value;
}

static struct found find_parts(const struct cr_message *m)
{
    struct look l = look_at(m->bytes, m->len);
    struct look_part key, value;
    struct found found = {0};

    while (look_next(&l, &key, &value)) {
        insist(!memchr(key.at, '\\', key.len));
        find_part(key, value, "\"jsonrpc\"", &found.jsonrpc);
        find_part(key, value, "\"id\"", &found.id);
        find_part(key, value, "\"method\"", &found.method);
        find_part(key, value, "\"params\"", &found.params);
        find_part(key, value, "\"result\"", &found.result);
        find_part(key, value, "\"error\"", &found.error);
    }
    return found;
}

static void same_part(const struct cr_message *m, struct cr_span part, struct look_part found)
{
    insist((const uint8_t *)part.at == found.at && part.len == found.len);
    if (!part.at)
        return;
    insist(part.at > m->bytes && part.at + part.len < m->bytes + m->len);
    insist(cr_scan_json((const uint8_t *)part.at, part.len, CR_SCAN_PASS, NULL) == 0);
}

static void look_at_method(struct cr_span method, struct look_part found)
{
    insist(found.at && *found.at == '"' && method.len + 2 <= found.len);
    /* a method that still has escapes has them in the text, too */
    if (memchr(method.at, '\\', method.len))
        insist(memchr(found.at, '\\', found.len));
    else
        look_says(found, method.at, method.len);
}

static void look_at_kind(const struct cr_message *m, const struct found *found)
{
    bool is_question = m->kind == CR_MESSAGE_REQUEST || m->kind == CR_MESSAGE_NOTIFICATION;

    insist(is_question == !!m->method.at);
    insist((m->kind == CR_MESSAGE_RESULT) == !!m->result.at);
    insist((m->kind == CR_MESSAGE_ERROR) == !!m->error.at);
    insist(m->kind != CR_MESSAGE_REQUEST || m->id_text.at);
    insist(m->kind != CR_MESSAGE_NOTIFICATION || !m->id_text.at);
    insist(!found->jsonrpc.at || look_is(found->jsonrpc, "\"2.0\""));
    insist(!is_question || m->id == 0);
}

/* The type found while the bytes arrived must be the type in the whole result. */
static void look_at_type(const struct cr_message *m)
{
    size_t len = 0;
    const char *type = cr_locate_member(m->result.at, m->result.len, "resultType", &len);

    insist(m->kind == CR_MESSAGE_RESULT && m->type.at == type && m->type.len == len);
}

static void look_at_message(const struct cr_message *m)
{
    struct found found;

    if (m->kind == CR_MESSAGE_NOISE || m->kind == CR_MESSAGE_TOO_LONG) {
        insist(m->why && m->why[0]);
        for (const char *c = m->why; *c; c++)
            insist(*c >= 0x20 && *c < 0x7f);
        insist(!m->id_text.at && !m->method.at && !m->params.at && !m->result.at && !m->error.at);
        insist((m->kind == CR_MESSAGE_NOISE) == !!m->bytes);
        return;
    }
    insist(!m->why);
    found = find_parts(m);
    same_part(m, m->id_text, found.id);
    same_part(m, m->params, found.params);
    same_part(m, m->result, found.result);
    same_part(m, m->error, found.error);
    if (m->method.at)
        look_at_method(m->method, found.method);
    look_at_kind(m, &found);
    if (m->has_type)
        look_at_type(m);
}

/* Appends a description of a message, to compare two messages. */
static void note(struct cr_buf *out, const struct cr_message *m)
{
    const struct cr_span parts[] = {{m->bytes, m->len}, m->id_text, m->method,
                                    m->params,          m->result,  m->error};

    cr_buf_fmt(out, "%d %llu %s", (int)m->kind, (unsigned long long)m->id, m->why ? m->why : "");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        cr_buf_fmt(out, "\n%d %zu ", !!parts[i].at, parts[i].len);
        if (parts[i].at)
            cr_buf_add(out, parts[i].at, parts[i].len);
    }
}

/* Feeds a copy of one piece, of exact size. Returns the number of messages. */
static int feed_piece(struct cr_reader *r, const uint8_t *bytes, size_t len, struct cr_buf *out,
                      struct cr_message *last)
{
    uint8_t *copy = malloc(len ? len : 1);
    const uint8_t *at = copy;
    int count = 0;

    insist(copy);
    if (len)
        memcpy(copy, bytes, len);
    for (; cr_reader_next(r, &at, &len, last); count++) {
        look_at_message(last);
        if (out)
            note(out, last);
    }
    insist(len == 0);
    free(copy);
    return count;
}

/* Feeds |stream| in pieces of the sizes in |cuts|; a size of 0 means the rest. */
static void feed_cut(struct input stream, size_t max, struct input cuts, struct cr_buf *out)
{
    struct cr_reader r;
    struct cr_message m;

    cr_reader_init(&r, max);
    cr_reader_find_types(&r);
    for (size_t i = 0; stream.len; i++) {
        size_t cut = cuts.len ? cuts.at[i % cuts.len] : 0;
        size_t len = cut && cut < stream.len ? cut : stream.len;

        (void)feed_piece(&r, stream.at, len, out, &m);
        insist(r.line.cap <= max + 1);
        stream.at += len;
        stream.len -= len;
    }
    cr_reader_clear(&r);
}

/* Compares a line that is too long with the same line under a larger limit. */
static void compare_line(const uint8_t *line, size_t len, size_t max)
{
    struct cr_reader small, large;
    struct cr_message cut, whole;
    int count;

    cr_reader_init(&small, max);
    cr_reader_init(&large, FUZZ_MESSAGE_MAX);
    count = feed_piece(&large, line, len, NULL, &whole);
    if (feed_piece(&small, line, len, NULL, &cut) == 1 && cut.kind == CR_MESSAGE_TOO_LONG) {
        if (count == 1 && *line == '{' && whole.kind != CR_MESSAGE_NOISE)
            insist(cut.id == whole.id);
        if (*line == '[')
            insist(cut.id == 0);
    }
    cr_reader_clear(&small);
    cr_reader_clear(&large);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size}, cuts;
    size_t max = 8 * (size_t)input_byte(&in);
    struct cr_buf whole, cut;

    cuts = input_text(&in);
    cr_buf_init(&whole, 64 * FUZZ_MESSAGE_MAX);
    cr_buf_init(&cut, 64 * FUZZ_MESSAGE_MAX);
    feed_cut(in, max, (struct input){0}, &whole);
    feed_cut(in, max, cuts, &cut);
    insist(whole.err == cut.err && whole.len == cut.len);
    insist(whole.len == 0 || memcmp(whole.data, cut.data, whole.len) == 0);
    cr_buf_clear(&whole);
    cr_buf_clear(&cut);
    for (const uint8_t *end; (end = memchr(in.at, '\n', in.len)); in.at = end + 1) {
        compare_line(in.at, (size_t)(end - in.at) + 1, max);
        in.len -= (size_t)(end - in.at) + 1;
    }
    return 0;
}
