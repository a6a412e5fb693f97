/*
 * fuzz_sse.c - fuzzes the reader of server-sent events with any bytes as the stream of a server.
 *
 * The first bytes say how the stream is cut; the rest is the stream. What must hold: the events are
 * the same wherever it is cut; data has no line feed; and an id can be sent back in a header.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "http/sse.h"
#include "input.h"
#include "look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_SSE_MAX (16u << 20)

static void fuzz_sse_look(const struct cr_sse *s)
{
    insist(strlen(s->last_id) <= CR_SSE_ID_MAX && s->retry_ms >= -1);
    for (const char *c = s->last_id; *c; c++)
        insist(*c > 0x20 && *c < 0x7f);
}

/* Feeds a copy of one piece, of exact size, and describes what comes of it. */
static void fuzz_sse_feed(struct cr_sse *s, const uint8_t *bytes, size_t len, struct cr_buf *out)
{
    uint8_t *copy = malloc(len ? len : 1);
    const uint8_t *at = copy;
    struct cr_sse_piece piece;

    insist(copy);
    if (len)
        memcpy(copy, bytes, len);
    while (cr_sse_next(s, &at, &len, &piece)) {
        fuzz_sse_look(s);
        if (piece.kind != CR_SSE_DATA) {
            cr_buf_fmt(out, "\n%d %s %lld\n", (int)piece.kind, s->last_id, (long long)s->retry_ms);
            continue;
        }
        insist(piece.len && !memchr(piece.at, '\n', piece.len));
        cr_buf_add(out, piece.at, piece.len);
    }
    insist(len == 0);
    free(copy);
}

/* Feeds |stream| in pieces of the sizes in |cuts|; a size of 0 means the rest. */
static void fuzz_sse_feed_cut(struct input stream, struct input cuts, struct cr_buf *out)
{
    struct cr_sse s;

    cr_sse_init(&s);
    for (size_t i = 0; stream.len; i++) {
        size_t cut = cuts.len ? cuts.at[i % cuts.len] : 0;
        size_t len = cut && cut < stream.len ? cut : stream.len;

        fuzz_sse_feed(&s, stream.at, len, out);
        stream.at += len;
        stream.len -= len;
    }
    cr_buf_fmt(out, "\nend %s %lld", s.last_id, (long long)s.retry_ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size}, cuts = input_text(&in);
    struct cr_buf whole, cut;

    cr_buf_init(&whole, FUZZ_SSE_MAX);
    cr_buf_init(&cut, FUZZ_SSE_MAX);
    fuzz_sse_feed_cut(in, (struct input){0}, &whole);
    fuzz_sse_feed_cut(in, cuts, &cut);
    insist(whole.err == cut.err && whole.len == cut.len);
    insist(memcmp(whole.data, cut.data, whole.len) == 0);
    cr_buf_clear(&whole);
    cr_buf_clear(&cut);
    return 0;
}
