/* fetch.h - does one GET, with all its tries and redirects. It blocks. */
#ifndef CR_FETCH_H
#define CR_FETCH_H

#include "base/err.h"
#include "http/http.h"

struct cr_fetch_ask {
    const char *url, *accept, *etag; /* "": no ETag */
    struct cr_http_limits limits;
    size_t max;
    /* Called ten times a second; may be NULL. */
    void (*progress)(const char *url, uint64_t got, uint64_t total);
};

/* Returns 0, and the caller owns |ret->body|; or an error as done() of struct cr_http_ask gets. */
int cr_fetch(const struct cr_fetch_ask *ask, struct cr_http_answer *ret, struct cr_err *why);

#endif
