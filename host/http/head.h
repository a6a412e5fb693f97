/*
 * head.h - what comes before the body of an answer, read line by line.
 *
 * Only what this program uses is kept. A value that is not as it should be is as good as none. An
 * informational answer (100 to 199) is forgotten when the next begins; what comes after the empty
 * line of any other, as trailers do, changes nothing.
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
    bool done;      /* the empty line was there, and the status is not informational */
    bool has_begun; /* its status line was there: another one is a field of that name */
    char etag[256];
    char location[2050]; /* as it came, cut; "" if there was none */
    int64_t max_age_s;   /* -1: not said */
    int64_t age_s;       /* how long a cache on the way had it */
    bool no_store;
    unsigned codings;      /* gzip counts as one; what cannot be had, or is unknown, as two */
    int64_t retry_after_s; /* -1: not said, or as a date */
};

void cr_http_head_init(struct cr_http_head *head);

/* Reads one line, line end included. Returns false if the head is over CR_HTTP_HEAD_MAX. */
bool cr_http_head_line(struct cr_http_head *head, const char *line, size_t len);

/* For how long the answer may be used without asking, from now; -1: not said. */
int64_t cr_http_head_fresh_s(const struct cr_http_head *head);

/* "Service Unavailable": the words for |status|, or "" if it is a rare one. */
const char *cr_http_head_words(long status);

#endif
