/*
 * bench_rows.c - makes the answer that `caprun bench` gives: rows of a table. The bytes are always
 * the same, so that other programs can be measured with them too (tests/bench/peers makes the
 * same).
 */
#include <inttypes.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/bench_work.h"

#define MOST_BYTES (1u << 30)

static const char *const words[] = {"lighthouse", "keeper",  "lamp",  "harbour",
                                    "office",     "evening", "north", "steps"};
static const char *const roles[] = {"admin", "editor", "viewer"};

static void add_row(struct cr_buf *out, uint64_t i)
{
    cr_buf_fmt(out, "{\"id\":%" PRIu64 ",\"name\":\"%s %s\",\"email\":\"user%" PRIu64, i,
               words[i % 8], words[(i * 3 + 1) % 8], i);
    cr_buf_fmt(out, "@example.com\",\"active\":%s,\"score\":%" PRIu64 ".%02" PRIu64,
               i % 3 ? "true" : "false", i * 7919 % 10000 / 100, i * 7919 % 100);
    cr_buf_fmt(out, ",\"role\":\"%s\",\"createdAt\":\"2026-01-%02uT12:%02u:00Z\"", roles[i % 3],
               (unsigned)(i % 28 + 1), (unsigned)(i % 60));
    cr_buf_fmt(out,
               ",\"address\":{\"city\":\"%s\",\"zip\":\"%" PRIu64 "\",\"geo\":{\"lat\":%d.%06u",
               words[i * 5 % 8], 10000 + i % 90000, (int)(i * 31 % 180) - 90,
               (unsigned)(i * 104729 % 1000000));
    cr_buf_fmt(out, ",\"lng\":%d.%06u}},\"tags\":[\"%s\",\"%s\",\"%s\"],\"note\":null}",
               (int)(i * 17 % 360) - 180, (unsigned)(i * 15485863 % 1000000), words[i % 8],
               words[(i + 3) % 8], words[(i + 5) % 8]);
}

char *cr_bench_rows(size_t len, size_t *ret_len)
{
    struct cr_buf out;

    cr_buf_init(&out, MOST_BYTES);
    cr_buf_str(&out, "[");
    for (uint64_t i = 0; out.len < len && !cr_buf_err(&out); i++) {
        if (i)
            cr_buf_str(&out, ",");
        add_row(&out, i);
    }
    cr_buf_str(&out, "]");
    if (cr_buf_err(&out)) {
        cr_buf_clear(&out);
        return NULL;
    }
    *ret_len = out.len;
    return (char *)out.data;
}
