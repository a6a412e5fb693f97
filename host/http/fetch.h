/*
 * fetch.h - one GET with all its tries and redirects, in the thread of the HTTP client.
 *
 * libcurl is called here and below, and it can be kept busy by what a server sends. So all of this
 * runs on a loop of its own, in a thread of its own (http.c), and may block.
 */
#ifndef CR_HTTP_FETCH_H
#define CR_HTTP_FETCH_H

#include "http/http.h"
#include "http/multi.h"

/* What fetches have in common. */
struct cr_fetcher {
    struct cr_http_limits limits;
    struct cr_loop *loop;
    struct cr_http_sockets *sockets;
    struct cr_http_multi *multi; /* NULL: nothing was asked for yet */
};

struct cr_fetch;

void cr_fetcher_clear(struct cr_fetcher *fetcher);

/*
 * Begins what |ask| says; its texts, data and functions stay valid until done() was called, or
 * until cr_fetch_cancel(). Returns NULL if there is no memory.
 */
struct cr_fetch *cr_fetch_start(struct cr_fetcher *fetcher, const struct cr_http_ask *ask);

/* Stops it; done() is not called. */
void cr_fetch_cancel(struct cr_fetch *fetch);

#endif
