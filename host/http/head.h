/*
 * head.h - reads the head of an HTTP answer: status line and headers, line by line.
 *
 * Only what caprun uses is kept. An invalid value is ignored. An informational answer (100 to 199)
 * is dropped when the next answer begins. Lines after the empty line of any other answer, such as
 * trailers, are ignored.
 */
#ifndef CR_HTTP_HEAD_H
#define CR_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CR_HTTP_HEAD_MAX (64u << 10)       /* bytes, informational answers included */
#define CR_HTTP_HEAD_FRESH_MAX (7 * 86400) /* seconds; a longer max-age is read as this */

struct cr_http_head {
    size_t bytes;   /* so far */
    long status;    /* 0: no status line yet */
    bool done;      /* the empty line has come, and the status is not informational */
    bool has_begun; /* the status line has come: another one is read as a field */
    char etag[256];
    char location[2050]; /* as it came, cut; "" if missing */
    int64_t max_age_s;   /* -1: missing */
    int64_t age_s;       /* how long a cache on the way had the answer */
    bool no_store;
    unsigned codings;      /* gzip counts as one; an unsupported or unknown coding as two */
    int64_t retry_after_s; /* -1: missing, or a date */
};

void cr_http_head_init(struct cr_http_head *head);

/* Reads one line, line end included. Returns false if the head is over CR_HTTP_HEAD_MAX. */
bool cr_http_head_line(struct cr_http_head *head, const char *line, size_t len);

/* How many seconds from now the answer may be used without asking again; -1: unknown. */
int64_t cr_http_head_fresh_s(const struct cr_http_head *head);

/* The words for |status|, like "Service Unavailable"; "" for a rare status. */
const char *cr_http_head_words(long status);

#endif
