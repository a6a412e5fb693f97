/*
 * remote_parts.h - what the files of a connection to a server behind HTTP share: remote.c (the
 * endpoint, its start and end), remote_work.c (exchanges and their answers).
 */
#ifndef CR_REMOTE_PARTS_H
#define CR_REMOTE_PARTS_H

#include "mcp/exchange.h"
#include "mcp/remote.h"
#include "mcp/tail.h"

enum cr_remote_stage {
    CR_REMOTE_OPENING, /* a job opens libcurl */
    CR_REMOTE_OPEN,
    CR_REMOTE_STOPPING, /* the last messages are sent */
    CR_REMOTE_ENDING,   /* ended() has to be called */
    CR_REMOTE_ENDED,
};

struct cr_remote_opening;

struct cr_remote_endpoint {
    struct cr_endpoint endpoint; /* the first, so that both have the same address */
    struct cr_exchange_site site;
    char *key[3];
};

struct cr_remote {
    struct cr_transport transport;
    struct cr_loop *loop;
    struct cr_transport_owner owner;
    void *data;
    struct cr_remote_endpoint *endpoint;
    enum cr_remote_stage stage;
    struct cr_remote_opening *opening; /* the job, or NULL */
    struct cr_http_multi multi;
    struct cr_exchange *first, **last;          /* all exchanges */
    struct cr_exchange *stirred, *stirred_last; /* those with something to do */
    struct cr_exchange *big;                    /* the one whose answer may become big, or NULL */
    struct cr_exchange *gate; /* has to end before other messages are sent, or NULL */
    size_t waits;             /* exchanges that are not sent yet */
    size_t notes, sent_notes; /* exchanges without an answer; those that are being sent */
    bool is_full;             /* room() has to be called */
    bool was_reached, has_expired, is_missing;
    char session[CR_EXCHANGE_SESSION_MAX + 1], version[33];
    struct cr_task busy;
    struct cr_timer patience;
    struct cr_tail tail;
    char why[256], hint[512];
};

/* --- remote.c -------------------------------------------------------------------------------- */

/* Returns how many bytes wait to be sent, with the cost of messages without an answer. */
size_t cr_remote_waiting(struct cr_remote *c);

/* Drops all exchanges; then ended() is called. */
void cr_remote_end(struct cr_remote *c);

/* --- remote_work.c --------------------------------------------------------------------------- */

void cr_remote_add(struct cr_remote *c, struct cr_exchange *x);

/* The exchange is not needed any longer. It is freed later: it may be in use. */
void cr_remote_kill(struct cr_remote *c, struct cr_exchange *x);
void cr_remote_free_exchanges(struct cr_remote *c);

/* Sends what waits, and may be sent now. */
void cr_remote_send_waiting(struct cr_remote *c);

/* For |multi|. */
void cr_remote_transfer_done(void *transfer, CURLcode code);

/* For |busy|: handles what has come. */
void cr_remote_work(struct cr_task *task);

#endif
