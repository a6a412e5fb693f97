/*
 * fetch.h - one GET with all its tries and redirects. It blocks.
 */
#ifndef CR_FETCH_H
#define CR_FETCH_H

#include "base/err.h"
#include "http/http.h"

struct cr_fetch_ask {
    const char *url, *accept, *etag; /* "": without one */
    struct cr_http_limits limits;
    size_t max;
    /* Ten times a second; NULL: nobody wants to know. */
    void (*progress)(const char *url, uint64_t got, uint64_t total);
};

/* Returns 0, and |ret->body| is the caller's; or an error as of struct cr_http_ask. */
int cr_fetch(const struct cr_fetch_ask *ask, struct cr_http_answer *ret, struct cr_err *why);

#endif
