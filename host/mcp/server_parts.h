/*
 * server_parts.h - what the files that make up a server share: server.c, its life; server_calls.c,
 * the calls; server_talk.c, what it says; server_list.c, its list of tools.
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
    CR_SERVER_ENDING, /* it was told to go */
};

/* On the heap: when all calls of a queue are to fail, the queue is passed on as it is. */
struct cr_server_queue {
    struct cr_server_call *first, *last;
    struct cr_server_call *untold; /* the first call whose queued() was not called */
    uint32_t count;
    size_t bytes;
    size_t *sum; /* of |bytes| of several queues, or NULL */
};

/* Calls that fail, a few in each turn, and why. */
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
    enum cr_era forced; /* by the configuration; UNKNOWN: it is not */
    uint32_t at_once;

    enum cr_server_state state;
    struct cr_transport *transport; /* NULL if it is OFF */
    struct cr_timer timer; /* of the state: the end of patience, or of idleness, or of a pause */
    struct cr_task pump;   /* does what can be done for those who wait */
    struct cr_task busy;   /* goes on with what did not fit into a turn */
    bool stopped;          /* for good */
    bool stale;            /* the list of tools may have changed */
    bool knows_tools;      /* of this connection */
    int64_t listed_us, list_until_us; /* when it told them, and when it is to be asked anew */
    bool legacy_failed;               /* it has refused to initialize this time */
    enum cr_era guess;                /* what to begin with */
    enum cr_era remembered;           /* as its file says */
    enum cr_era era;                  /* of this connection */
    char version[32];
    struct cr_buf info;
    struct cr_tools tools, fresh; /* the list, and the one that is being asked for */
    struct cr_server_page *page;  /* has |fresh| while it is not NULL */

    struct cr_buf line; /* to be sent */
    uint64_t last_id, asked_id, discover_id;
    struct cr_server_queue *waiting, *sent; /* never NULL, except in cr_server_new() */
    struct cr_server_failing *failing;      /* in their order */
    struct cr_server_waiter *waiters;

    uint32_t failures; /* in a row */
    int64_t retry_us;  /* not before */
    struct cr_err why;
};

/* --- server.c -------------------------------------------------------------------------------- */

/* Something is wanted, or has become possible: does it at the end of this step. */
void cr_server_wake(struct cr_server *s);

/* It broke the protocol, or patience: everything fails with these words, and it is ended. */
void cr_server_break_off(struct cr_server *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Sends |s->line|. Returns false if it broke off, or if the server is ending by itself. */
bool cr_server_send_line(struct cr_server *s);

/* The same with the args of |call| put in at |args_at|. */
bool cr_server_send_line_with_args(struct cr_server *s, size_t args_at,
                                   struct cr_server_call *call);

/* Empties |s->line| for the next message. */
struct cr_buf *cr_server_new_line(struct cr_server *s);

/* --- server_talk.c --------------------------------------------------------------------------- */

/* The first question on a connection that has just been started. */
void cr_server_greet(struct cr_server *s);

/*
 * The code of a JSON-RPC error, and its words; 0 if it has none, or if the error is so long that
 * it is not looked at.
 */
long cr_server_error_code(const struct cr_message *m, char *ret_words, size_t size);

void cr_server_take_message(struct cr_server *s, const struct cr_message *message);

/* The timer of a state in which an answer is waited for. */
void cr_server_answer_is_late(struct cr_server *s);

/* --- server_list.c --------------------------------------------------------------------------- */

/* Asks for the tools from the beginning. */
void cr_server_ask_for_tools(struct cr_server *s);

/* The answer to that: a page, or an error. */
void cr_server_take_page(struct cr_server *s, const struct cr_message *m);

/* The list could not be had. A server that had one before may be asked again, and works on. */
void cr_server_list_failed(struct cr_server *s, const char *words);

/* The page that is parsed is not wanted any more, if there is one. */
void cr_server_abandon_page(struct cr_server *s);

/* --- server_calls.c -------------------------------------------------------------------------- */

/* Sends what it can, in this turn and in those of |s->busy|. */
void cr_server_send_calls(struct cr_server *s);

/* An answer that is not for server_talk.c: to a call, or to nobody. */
void cr_server_answer(struct cr_server *s, const struct cr_message *message);
void cr_server_progress(struct cr_server *s, const struct cr_message *message);

/*
 * All calls of |*queue| fail, in this turn and in those of |s->busy|, in the order in which they
 * came. |*queue| is empty then, perhaps another one.
 */
void cr_server_fail_queue(struct cr_server *s, struct cr_server_queue **queue,
                          const struct cr_err *why);

/* For |s->busy|: goes on with calls that are to fail. */
void cr_server_end_failing(struct cr_server *s);

/* For cr_server_free(), when all calls are cancelled. */
void cr_server_free_queues(struct cr_server *s);

void cr_server_end_waiters(struct cr_server *s, const struct cr_err *why);

#endif
