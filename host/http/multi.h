/*
 * multi.h - libcurl's transfers on a loop: its sockets are watches, its clock is a timer.
 *
 * libcurl says which sockets it wants watched, and for what. When one is ready, or the time that it
 * asked for has come, it is called, and reads for as long as there is something to read: a server
 * that sends without end keeps it busy without end. Another thread notices that, and shuts the
 * socket (sockets.h).
 */
#ifndef CR_HTTP_MULTI_H
#define CR_HTTP_MULTI_H

#include <stdbool.h>

#include "base/loop.h"
#include "http/lib.h"
#include "http/sockets.h"

struct cr_http_multi {
    struct cr_loop *loop;
    const struct cr_http_lib *lib;
    struct cr_http_sockets *sockets;
    CURLM *handle; /* keeps connections from one transfer to the next; NULL: there is none yet */
    struct cr_timer timer;
    bool has_failed; /* a socket cannot be watched, or there is no memory */
    struct cr_http_easy *first;
};

/* One transfer of libcurl. Part of its owner's struct. */
struct cr_http_easy {
    CURL *handle;
    /* In a step: it has ended with |code|, and is in no multi any more. May add and remove any. */
    void (*ended)(struct cr_http_easy *easy, CURLcode code);

    bool is_lost;                    /* the multi's: libcurl has let it go, and it is to be told */
    struct cr_http_easy *next, **at; /* and what points to this one; NULL: it is in no multi */
};

/* Returns NULL if there is no memory. Ends with cr_http_multi_free(), which takes NULL. */
struct cr_http_multi *cr_http_multi_new(struct cr_loop *loop, const struct cr_http_lib *lib,
                                        struct cr_http_sockets *sockets);
void cr_http_multi_free(struct cr_http_multi *multi);

/* Begins the transfer of |easy->handle|. Returns false if there is no memory. */
bool cr_http_multi_add(struct cr_http_multi *multi, struct cr_http_easy *easy);

/* Ends it, and |ended| is not called any more. Does nothing if it is in no multi. */
void cr_http_multi_remove(struct cr_http_multi *multi, struct cr_http_easy *easy);

#endif
