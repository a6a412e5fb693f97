/*
 * server_parts.h - types and functions that the files of a server share: server.c (start and end),
 * server_calls.c (calls), server_talk.c (handshake and dispatch of messages), server_list.c (list
 * of tools).
 */
#ifndef CR_SERVER_PARTS_H
#define CR_SERVER_PARTS_H

#include "mcp/server.h"

enum cr_server_state {
    CR_SERVER_OFF,
    CR_SERVER_PROBING,      /* server/discover was sent */
    CR_SERVER_INITIALIZING, /* initialize was sent */
    CR_SERVER_LISTING,
    CR_SERVER_READY,
    CR_SERVER_ENDING, /* the transport was stopped, and has not ended yet */
};

/* On the heap: when all calls of a queue have to fail, the whole queue is handed over. */
struct cr_server_queue {
    struct cr_server_call *first, *last;
    struct cr_server_call *unreported; /* the first call whose queued() was not called yet */
    uint32_t count;
    size_t bytes;
    size_t *sum; /* total of |bytes| over several queues, or NULL */
};

/* Calls that are failed with |why|, some in each turn of the loop. */
struct cr_server_failing {
    struct cr_server_queue *calls;
    struct cr_err why;
    struct cr_server_failing *next;
};

struct cr_server_page; /* server_list.c: a page of tools that the helper parses */

struct cr_server {
    struct cr_servers *all;
    struct cr_server *next;
    const struct cr_server_owner *owner;
    void *data;
    char *name, *eras_dir;
    struct cr_endpoint *endpoint;
    enum cr_era forced; /* the era that the configuration sets, or UNKNOWN */
    uint32_t at_once;

    enum cr_server_state state;
    struct cr_transport *transport; /* NULL if it is OFF */
    struct cr_timer timer; /* of the state: timeout of an answer, idle timeout, or restart pause */
    struct cr_task pump;   /* starts the server or sends calls, if something waits */
    struct cr_task busy;   /* continues work that did not fit into a turn */
    bool stopped;          /* permanently */
    bool stale;            /* the list of tools may have changed */
    bool knows_tools;      /* of this connection */
    int64_t listed_us, list_until_us; /* when the list came, and when it expires */
    size_t list_bytes;                /* of all pages of the last request, perhaps in vain */
    bool legacy_failed;               /* this connection has refused initialize */
    enum cr_era guess;                /* the era to try first */
    enum cr_era remembered;           /* the era in its file */
    enum cr_era era;                  /* of this connection */
    char version[32];
    struct cr_buf info;
    struct cr_tools tools, fresh; /* the current list, and the next one while it is fetched */
    struct cr_server_page *page;  /* owns the next list while it is not NULL */

    struct cr_buf line; /* the next message to send */
    uint64_t last_id, asked_id, discover_id;
    struct cr_server_queue *waiting, *sent; /* never NULL, except in cr_server_new() */
    struct cr_server_failing *failing;      /* oldest first */
    struct cr_server_waiter *waiters;

    uint32_t failures; /* in a row */
    int64_t retry_us;  /* no restart before this time */
    struct cr_err why;
};

/* --- server.c -------------------------------------------------------------------------------- */

/* To be called when there may be work: runs |s->pump| at the end of this step. */
void cr_server_wake(struct cr_server *s);

/* The server broke the protocol, or timed out: fails its calls with this text, and stops it. */
void cr_server_break_off(struct cr_server *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Sends |s->line|: the request |id|, or with 0 a notification; |method| is NULL for an answer to
 * the server. Returns false after cr_server_break_off(), or if the server is ending by itself.
 */
bool cr_server_send_line(struct cr_server *s, const char *method, uint64_t id);

/* The same for the call |call| of |tool|, with its args inserted at |args_at|. */
bool cr_server_send_line_with_args(struct cr_server *s, size_t args_at, const char *tool,
                                   struct cr_server_call *call);

/* Empties |s->line| for the next message. */
struct cr_buf *cr_server_new_line(struct cr_server *s);

/* --- server_talk.c --------------------------------------------------------------------------- */

/* Sends the first request on a new connection. */
void cr_server_greet(struct cr_server *s);

/*
 * Returns the code of a JSON-RPC error, and its text in |ret_words|; 0 if the code is missing, or
 * if the error is too long to be parsed.
 */
long cr_server_error_code(const struct cr_message *m, char *ret_words, size_t size);

void cr_server_take_message(struct cr_server *s, const struct cr_message *message);

/* A request will not be answered, although the connection goes on. */
void cr_server_take_loss(struct cr_server *s, const struct cr_transport_loss *loss);

/* The timeout of a state that waits for an answer. */
void cr_server_answer_is_late(struct cr_server *s);

/* --- server_list.c --------------------------------------------------------------------------- */

/* Requests the list of tools, from the first page. */
void cr_server_ask_for_tools(struct cr_server *s);

/* Handles the answer to that request: a page, or an error. */
void cr_server_take_page(struct cr_server *s, const struct cr_message *m);

/* Fetching the list failed. Stops the server, unless it has an earlier list. */
void cr_server_list_failed(struct cr_server *s, const char *words);

/* Abandons the page that is being parsed, if any. */
void cr_server_abandon_page(struct cr_server *s);

/* --- server_calls.c -------------------------------------------------------------------------- */

/* Sends as many calls as possible, in this turn and in turns of |s->busy|. */
void cr_server_send_calls(struct cr_server *s);

/* Handles an answer to a call. Answers with unknown ids are ignored. */
void cr_server_answer(struct cr_server *s, const struct cr_message *message);
void cr_server_lose(struct cr_server *s, const struct cr_transport_loss *loss);
void cr_server_progress(struct cr_server *s, const struct cr_message *message);

/*
 * Fails all calls of |*queue| in their order, in this turn and in turns of |s->busy|. Afterwards
 * |*queue| is empty; it may be a new queue.
 */
void cr_server_fail_queue(struct cr_server *s, struct cr_server_queue **queue,
                          const struct cr_err *why);

/* For |s->busy|: continues failing calls. */
void cr_server_end_failing(struct cr_server *s);

/* For cr_server_free(), when all calls have been cancelled. */
void cr_server_free_queues(struct cr_server *s);

void cr_server_end_waiters(struct cr_server *s, const struct cr_err *why);

#endif
