/*
 * multi.h - transfers of libcurl in the event loop. Their connections are kept, and used again.
 *
 *     cr_http_multi_init -> add -> done(), or remove -> cr_http_multi_clear
 *
 * libcurl calls the functions of a transfer (write, header) inside of cr_http_multi; these must not
 * add or remove transfers. The callback done() may. Nothing here waits: names are looked up by
 * threads of libcurl, which are left to themselves if their transfer is removed.
 */
#ifndef CR_HTTP_MULTI_H
#define CR_HTTP_MULTI_H

#include "base/loop.h"
#include "http/lib.h"

struct cr_http_socket;

struct cr_http_multi {
    const struct cr_http_lib *lib;
    struct cr_loop *loop;
    CURLM *curl;
    struct cr_timer timer;
    struct cr_task now; /* libcurl wants to be called at once */
    struct cr_http_socket *sockets;
    /* A transfer has ended with |code|. |transfer| is its CURLOPT_PRIVATE. */
    void (*done)(void *transfer, CURLcode code);
};

/* Returns 0 or CAPRUN_E_NOMEM. The struct must not be moved afterwards. */
int cr_http_multi_init(struct cr_http_multi *m, const struct cr_http_lib *lib, struct cr_loop *loop,
                       void (*done)(void *transfer, CURLcode code), struct cr_err *err);

/* All transfers must have been removed. Takes a struct of all zeros. */
void cr_http_multi_clear(struct cr_http_multi *m);

/* Sets the options that a transfer in the loop needs. Returns false if there is no memory. */
bool cr_http_multi_prepare(struct cr_http_multi *m, CURL *easy);

/* Returns false if there is no memory. */
bool cr_http_multi_add(struct cr_http_multi *m, CURL *easy);
void cr_http_multi_remove(struct cr_http_multi *m, CURL *easy);

#endif
