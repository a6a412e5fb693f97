/*
 * exchange.h - one message that is posted to a server behind HTTP, and what the server answers: a
 * JSON document, or a stream of events with one message each.
 *
 *     new -> start -> next, whenever stirred() is called -> is_over -> free
 *              ^---------------- stop <-----------------------'  (to send it again)
 *
 * libcurl only stores the bytes that have come; cr_exchange_next() reads them, in turns of the
 * loop. While many bytes are stored, the transfer is paused. So what is stored is bounded, however
 * fast the server sends.
 */
#ifndef CR_EXCHANGE_H
#define CR_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/outbox.h"
#include "http/head.h"
#include "http/multi.h"
#include "http/sse.h"
#include "mcp/message.h"
#include "mcp/transport.h"

#define CR_EXCHANGE_SESSION_MAX 1023 /* bytes of a session's id */

/* How a server is reached. Strings that are NULL are not set. */
struct cr_exchange_site {
    char *url;
    char **headers; /* "Name: value", then NULL; or NULL */
    char *ca_file;  /* the only authorities that are trusted */
    char *proxy;
    bool uses_ca_folder; /* the system's authorities are in files named by hashes: read on demand */
};

enum cr_exchange_body {
    CR_EXCHANGE_UNKNOWN, /* the head is not complete */
    CR_EXCHANGE_NONE,    /* the body is ignored */
    CR_EXCHANGE_JSON,
    CR_EXCHANGE_EVENTS,
};

/* Why caprun has ended a transfer. */
enum cr_exchange_fault {
    CR_EXCHANGE_FINE,
    CR_EXCHANGE_LONG_HEAD,
    CR_EXCHANGE_LONG_BODY, /* of a body that is ignored, or of an error */
    CR_EXCHANGE_ENCODED,
    CR_EXCHANGE_NO_MEMORY,
};

enum cr_exchange_state {
    CR_EXCHANGE_WAITS,
    CR_EXCHANGE_RUNS,
    CR_EXCHANGE_RESTS,
    CR_EXCHANGE_DEAD,
};

struct cr_exchange {
    /* for the owner */
    struct cr_exchange *next, **at;              /* all exchanges of a connection */
    struct cr_exchange *next_stirred, *previous; /* exchanges with something to do */
    bool is_stirred;
    enum cr_exchange_state state;
    struct cr_timer timer;
    bool is_answered;
    int tries, redirects;

    /* set by cr_exchange_new() */
    void *owner;
    void (*stirred)(struct cr_exchange *x); /* called by libcurl: only remembers it */
    struct cr_loop *loop;
    char *label; /* the headers for the label, each with a NUL; an empty one is the last */
    uint64_t id; /* 0: only the status of the answer counts */
    enum { CR_EXCHANGE_OTHER, CR_EXCHANGE_INITIALIZE, CR_EXCHANGE_INITIALIZED } step;
    bool is_modern, is_repeatable, is_delete;

    /* the message */
    struct cr_outbox_part parts[CR_TRANSPORT_PARTS];
    uint8_t *blocks[CR_TRANSPORT_PARTS]; /* the memory of the parts */
    uint8_t **taken;                     /* the one that send() took over, or NULL */
    size_t count, bytes;
    bool is_forgotten;
    size_t part, offset, left; /* what libcurl reads next */

    /* the transfer; |multi| is NULL if there is none */
    struct cr_http_multi *multi;
    CURL *easy;
    struct curl_slist *headers;
    char *header_text;
    char reason[CURL_ERROR_SIZE];
    CURLcode code;
    bool is_done, is_paused;
    enum cr_exchange_fault fault;

    /* the answer */
    struct cr_http_head head;
    char type[128], session[CR_EXCHANGE_SESSION_MAX + 1];
    bool had_session; /* a session's id was sent */
    enum cr_exchange_body body;
    size_t body_bytes;
    struct cr_buf stored;
    const uint8_t *in;    /* bytes for |reader| */
    size_t in_left, used; /* how many; and how many of |stored| have been used */
    bool has_ended;       /* |reader| has the end of the last message */
    struct cr_sse sse;
    struct cr_reader reader;
};

/*
 * |label| and |parts| are copied, or the memory of parts is taken over. Returns NULL without
 * memory.
 */
struct cr_exchange *cr_exchange_new(struct cr_loop *loop, const struct cr_transport_label *label,
                                    const struct cr_outbox_part *parts, size_t count);

/* Returns the request that ends |session|; NULL without memory. */
struct cr_exchange *cr_exchange_new_delete(struct cr_loop *loop, const char *version);

void cr_exchange_free(struct cr_exchange *x);

/* Frees the message, which has been sent: it cannot be sent again. */
void cr_exchange_forget_message(struct cr_exchange *x);

/* Begins the transfer; |session| may be "". Returns false if there is no memory. */
bool cr_exchange_start(struct cr_exchange *x, struct cr_http_multi *multi,
                       const struct cr_exchange_site *site, const char *session);

/* Ends the transfer, and forgets what has come of the answer. */
void cr_exchange_stop(struct cr_exchange *x);

/*
 * Returns true with the next message, valid until the next call; or false if no more has come.
 */
bool cr_exchange_next(struct cr_exchange *x, struct cr_message *ret);

/* All that has come was read: more may come. */
void cr_exchange_continue(struct cr_exchange *x);

/* How many bytes of an incomplete message are kept. */
size_t cr_exchange_kept(const struct cr_exchange *x);

/* Has the transfer ended, and was all of the answer read? */
bool cr_exchange_is_over(const struct cr_exchange *x);

#endif
