/*
 * messages.h - tests a reader of lines: feeds it, and shows the messages from it as text.
 *
 *     start -> feed -> shows; or reads, which cuts a stream at every place
 */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "tap.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "failing.h"
#include "mcp/message.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX 4096u

static const char *const kind_names[] = {
    [CR_MESSAGE_NOISE] = "NOISE",   [CR_MESSAGE_REQUEST] = "REQUEST",
    [CR_MESSAGE_RESULT] = "RESULT", [CR_MESSAGE_NOTIFICATION] = "NOTIFICATION",
    [CR_MESSAGE_ERROR] = "ERROR",   [CR_MESSAGE_TOO_LONG] = "TOO_LONG",
};

static struct cr_reader reader;
static struct cr_buf shown; /* the received messages, one per line */

static inline void start(size_t max)
{
    cr_reader_clear(&reader);
    cr_reader_init(&reader, max);
    cr_buf_clear(&shown);
    cr_buf_init(&shown, 1 << 20);
}

static inline void show_part(const char *name, struct cr_span part)
{
    if (!part.at)
        return;
    cr_buf_fmt(&shown, " %s=", name);
    cr_buf_add(&shown, part.at, part.len);
}

static inline void show(const struct cr_message *m)
{
    cr_buf_str(&shown, kind_names[m->kind]);
    if (m->id)
        cr_buf_fmt(&shown, " %llu", (unsigned long long)m->id);
    show_part("id", m->id_text);
    show_part("method", m->method);
    show_part("params", m->params);
    show_part("result", m->result);
    show_part("error", m->error);
    if (m->why)
        cr_buf_fmt(&shown, " (%s)", m->why);
    cr_buf_str(&shown, "\n");
}

/* Feeds an exact copy and then frees it, so that sanitizers detect any access outside of it. */
static inline void feed(const char *bytes, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    const uint8_t *at = copy;
    struct cr_message m;

    if (!copy)
        return;
    if (len)
        memcpy(copy, bytes, len);
    while (cr_reader_next(&reader, &at, &len, &m))
        show(&m);
    free(copy);
}

static inline bool shows(const char *wanted)
{
    bool same = shown.len == strlen(wanted) &&
                (shown.len == 0 || memcmp(shown.data, wanted, shown.len) == 0);

    if (!same)
        printf("# got %.*s# wanted %s\n", (int)shown.len, shown.data ? (char *)shown.data : "",
               wanted);
    return same;
}

/* Is |wanted| read from the stream in one piece, in two pieces cut anywhere, and byte by byte? */
static inline bool reads_bytes(const char *stream, size_t len, const char *wanted)
{
    for (size_t cut = 0; cut <= len; cut++) {
        start(MAX);
        feed(stream, cut);
        feed(stream + cut, len - cut);
        if (!shows(wanted))
            return false;
    }
    start(MAX);
    for (size_t i = 0; i < len; i++)
        feed(stream + i, 1);
    return shows(wanted);
}

static inline bool reads(const char *stream, const char *wanted)
{
    return reads_bytes(stream, strlen(stream), wanted);
}

static inline int messages_main(int argc, char **argv)
{
    int status;

    cr_buf_init(&shown, 1 << 20);
    cr_reader_init(&reader, MAX);
    status = tap_main(argc, argv);
    cr_reader_clear(&reader);
    cr_buf_clear(&shown);
    return status;
}

#endif
