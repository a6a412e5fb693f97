/*
 * sockets.h - the sockets of libcurl, so that another thread can shut the one that keeps it busy.
 *
 * The thread that calls libcurl says when it begins and ends; any other may ask for how long it has
 * been at it, and shut its socket: libcurl then finds that the connection has ended.
 */
#ifndef CR_HTTP_SOCKETS_H
#define CR_HTTP_SOCKETS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "http/lib.h"

#define CR_HTTP_SOCKETS 512 /* at most */

struct cr_http_sockets {
    pthread_mutex_t mutex;
    int fds[CR_HTTP_SOCKETS]; /* the first |count| */
    int count;
    int busy;                 /* the one that libcurl works on; -1: it may be any */
    _Atomic int64_t since_us; /* when libcurl was called; 0: it is not at work */
};

void cr_http_sockets_init(struct cr_http_sockets *s);
void cr_http_sockets_clear(struct cr_http_sockets *s);

/* Has the sockets of |easy| kept here. Returns false if libcurl cannot. */
bool cr_http_sockets_set(struct cr_http_sockets *s, const struct cr_http_lib *lib, CURL *easy);

/* libcurl is called because of |fd|, or -1; it returns. */
void cr_http_sockets_begin(struct cr_http_sockets *s, int fd);
void cr_http_sockets_end(struct cr_http_sockets *s);

/* Shuts what libcurl works on if it has been at it for |us|; any thread may ask. */
void cr_http_sockets_shut(struct cr_http_sockets *s, int64_t us);

#endif
