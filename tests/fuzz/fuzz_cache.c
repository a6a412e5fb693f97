/*
 * fuzz_cache.c - fuzzes the reader of cache files and the parser of HTTP response headers.
 *
 * What must hold: an entry that is read is the same when it is written and read again; a head never
 * has an ETag that could not be sent back, nor an age out of bounds.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "registry/entry.h"
#include "http/head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert() that -DNDEBUG does not remove. */
static void must_hold(int condition)
{
    if (!condition)
        abort();
}

static void check_entry(const uint8_t *data, size_t size)
{
    struct cr_entry entry, again;
    size_t line = cr_entry_read(data, size, &entry);
    struct cr_buf out;

    if (!line)
        return;
    must_hold(line <= size && line <= CR_ENTRY_LINE_MAX && data[line - 1] == '\n');
    (void)cr_entry_holds(&entry, data + line, size - line);
    (void)cr_entry_is_fresh(&entry, 1700000000);
    cr_buf_init(&out, 1 << 16);
    cr_entry_write(&out, &entry);
    must_hold(!cr_buf_err(&out) && cr_entry_read(out.data, out.len, &again) == out.len);
    must_hold(strcmp(entry.url, again.url) == 0 && strcmp(entry.accept, again.accept) == 0 &&
              strcmp(entry.etag, again.etag) == 0 && strcmp(entry.sha256, again.sha256) == 0 &&
              entry.fetched_s == again.fetched_s && entry.max_age_s == again.max_age_s &&
              entry.length == again.length);
    cr_buf_clear(&out);
}

static void check_head(const uint8_t *data, size_t size)
{
    struct cr_http_head head;

    cr_http_head_init(&head);
    while (size) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t len = end ? (size_t)(end - data) + 1 : size;

        if (!cr_http_head_line(&head, (const char *)data, len))
            break;
        data += len;
        size -= len;
    }
    must_hold(head.status >= -1 && head.status <= 999 && (!head.done || head.status >= 200));
    must_hold(cr_http_head_fresh_s(&head) >= -1 &&
              cr_http_head_fresh_s(&head) <= CR_HTTP_HEAD_FRESH_MAX);
    for (const char *c = head.etag; *c; c++)
        must_hold(*c >= 0x20 && *c < 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_entry(data, size);
    check_head(data, size);
    return 0;
}
