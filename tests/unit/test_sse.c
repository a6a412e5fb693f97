/* test_sse.c - server-sent events, in one chunk and cut at every byte. */
#include "http/sse.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static struct cr_sse sse;
static char said[4096]; /* "[data]" for each event, "(data)" for each that is dropped */
static size_t said_len, begun;

static void say(const void *bytes, size_t len)
{
    memcpy(said + said_len, bytes, len);
    said_len += len;
    said[said_len] = '\0';
}

static void feed(const char *text, size_t len)
{
    const uint8_t *at = (const uint8_t *)text;
    struct cr_sse_piece piece;

    while (cr_sse_next(&sse, &at, &len, &piece)) {
        if (piece.kind == CR_SSE_DATA) {
            say(piece.at, piece.len);
            continue;
        }
        say(piece.kind == CR_SSE_END ? "]" : ")", 1);
        begun = said_len;
    }
}

static void begin(void)
{
    cr_sse_init(&sse);
    said_len = begun = 0;
    said[0] = '\0';
}

/* Is the result |wanted|, wherever the stream is cut in two or in single bytes? */
static bool gives_bytes(const char *text, size_t len, const char *wanted)
{
    bool ok = true;

    for (size_t cut = 0; cut <= len && ok; cut++) {
        begin();
        feed(text, cut);
        feed(text + cut, len - cut);
        ok = strcmp(said, wanted) == 0;
        if (!ok)
            printf("# cut at %zu: %s\n", cut, said);
    }
    begin();
    for (size_t i = 0; i < len; i++)
        feed(text + i, 1);
    return ok && strcmp(said, wanted) == 0;
}

static bool gives(const char *text, const char *wanted)
{
    return gives_bytes(text, strlen(text), wanted);
}

TEST(an_event_ends_with_an_empty_line)
{
    CHECK(gives("data: one\n\n", "one]"));
    CHECK(gives("data: one\n\ndata: two\n\n", "one]two]"));
    CHECK(gives("data: one\n", "one") && gives("data: one", "one"));
    CHECK(gives("\n\n\ndata: one\n\n\n\n", "one]"));
    CHECK(gives("", "") && gives("\n", "") && gives(":\n\n", ""));
}

TEST(lines_end_with_lf_cr_or_crlf)
{
    CHECK(gives("data: one\r\n\r\ndata: two\r\n\r\n", "one]two]"));
    CHECK(gives("data: one\r\rdata: two\r\r", "one]two]"));
    CHECK(gives("data: one\r\n\ndata: two\n\r\n", "one]two]"));
    CHECK(gives("data: one\n\r", "one]") && gives("data: one\r\n\n", "one]"));
}

TEST(one_space_after_the_colon_is_skipped)
{
    CHECK(gives("data:one\n\n", "one]") && gives("data:  one \n\n", " one ]"));
    CHECK(gives("data: a: b\n\n", "a: b]"));
}

TEST(data_lines_are_joined_by_a_carriage_return)
{
    CHECK(gives("data: {\ndata: \"a\":1\ndata: }\n\n", "{\r\"a\":1\r}]"));
    CHECK(gives("data\n\n", "]") && gives("data:\n\n", "]"));
    CHECK(gives("data\ndata\ndata: x\n\n", "\rx]"));
}

TEST(comments_and_unknown_fields_are_skipped)
{
    CHECK(
        gives(": hello\ndata: one\n: data: two\nother: x\ndatas: y\ndat: z\n data: w\n\n", "one]"));
    CHECK(gives(":\n:\n:\n\n", "") && gives("averylongname: x\ndata: one\n\n", "one]"));
}

TEST(events_of_another_type_are_dropped)
{
    CHECK(gives("event: message\ndata: one\n\n", "one]") && gives("event:\ndata: one\n\n", "one]"));
    CHECK(gives("event: ping\ndata: one\n\ndata: two\n\n", ")two]"));
    CHECK(gives("data: one\nevent: endpoint\ndata: x\n\ndata: two\n\n", "one)two]"));
    CHECK(gives("event: messages\ndata: one\n\n", ")") && gives("event: ping\n\n", ""));
}

TEST(ids_and_retry_times_are_kept)
{
    CHECK(gives("id: 7\nretry: 250\ndata: one\n\n", "one]"));
    CHECK(strcmp(sse.last_id, "7") == 0 && sse.retry_ms == 250);
    CHECK(gives("id: a\n\nid: b\ndata: one\n", "one") && strcmp(sse.last_id, "a") == 0);
    CHECK(gives("id: a\n\nid\n\n", "") && strcmp(sse.last_id, "") == 0 && sse.retry_ms == -1);
    CHECK(gives("id: a b\n\nretry: -1\nretry: 12345678901\nretry:\nretry: 1s\n\n", ""));
    CHECK(strcmp(sse.last_id, "") == 0 && sse.retry_ms == -1);
}

TEST(an_id_that_is_too_long_or_has_controls_is_ignored)
{
    static char text[1000];
    int len = snprintf(text, sizeof(text), "id: ok\n\nid: %0300d\n\n", 1);

    begin();
    feed(text, (size_t)len);
    CHECK(strcmp(sse.last_id, "ok") == 0);
    CHECK(gives_bytes("id: x\0y\ndata: one\n\n", 19, "one]") && strcmp(sse.last_id, "") == 0);
    len = snprintf(text, sizeof(text), "id: %0255d\n\n", 1);
    begin();
    feed(text, (size_t)len);
    CHECK(strlen(sse.last_id) == CR_SSE_ID_MAX);
}

TEST(a_byte_order_mark_is_skipped_at_the_start_only)
{
    CHECK(gives("\xef\xbb\xbf"
                "data: one\n\n",
                "one]"));
    CHECK(gives("\xef\xbb"
                "data: one\n\n",
                "") &&
          gives("\xef\n"
                "data: one\n\n",
                "one]"));
    CHECK(gives("data: one\n\n\xef\xbb\xbf"
                "data: two\n\ndata: three\n\n",
                "one]three]"));
}

TEST(bytes_of_any_value_are_data)
{
    CHECK(gives("data: \x01\xff\xef\xbb\xbf\n\n", "\x01\xff\xef\xbb\xbf]"));
    begin();
    feed("data: a\0b\n\n", 11);
    CHECK(said_len == 4 && memcmp(said, "a\0b]", 4) == 0);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
