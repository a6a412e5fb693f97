/*
 * server.h - one configured MCP server: the connection to it while there is one (mcp/transport.h),
 * its era, its tools, and the calls that wait for it or for its answers.
 *
 *     OFF --a call, a listing--> PROBING or INITIALIZING --it answered--> LISTING --> READY
 *      ^                                                                     ^          |
 *      |                                    its tools have changed, or may have---------+
 *      +-----ENDING <--it crashed, broke the protocol, was idle for long, was stopped---+
 *
 * What becomes of calls when a server ends: those that were sent fail at once with RPC_ERROR, and
 * are never sent again. Those that were not sent wait for the next start; they fail if the server
 * ended before its tools were known.
 *
 * A server that crashed is started again when something wants it, after a pause of 1, 2 and 4 s.
 * After the fourth failure in a row calls fail for 60 s; then a call starts it again. An answered
 * call resets the count. A server that exits on the first question, to which servers of the legacy
 * era have no answer, is started again at once.
 *
 * All callbacks come from the loop, never from the functions below.
 */
#ifndef CR_SERVER_H
#define CR_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/loop.h"
#include "mcp/rpc.h"
#include "mcp/tools.h"
#include "mcp/transport.h"

struct cr_server;
struct cr_server_call;
struct cr_server_queue;

/* What all servers of a runtime share: how many calls they work on at the same time. */
struct cr_servers {
    struct cr_loop *loop;
    struct cr_server *first;
    uint32_t in_flight, most;
    size_t waiting_bytes; /* of args of calls that wait for one of them */
};

struct cr_server_spec {
    const char *name;
    struct cr_endpoint *endpoint; /* what it is reached by; NULL: there was no memory for it */
    enum cr_era era;              /* UNKNOWN: to be found out */
    uint32_t at_once;     /* calls that wait for its answer; one that is cancelled does not count */
    const char *eras_dir; /* where eras are remembered; NULL: nowhere */
};

struct cr_server_owner {
    /* Its tools are known, or known anew, before any call is admitted to them. */
    void (*listed)(void *data, struct cr_server *server);
};

/*
 * |spec| is copied, and its endpoint is taken, also on failure. Starts nothing. Returns 0, and the
 * caller ends it with cr_server_free(); or CAPRUN_E_NOMEM.
 */
int cr_server_new(struct cr_servers *all, const struct cr_server_spec *spec,
                  const struct cr_server_owner *owner, void *data, struct cr_server **ret,
                  struct cr_err *err);

/* Ends it at once if it is still there. Calls that wait must have been cancelled. Takes NULL. */
void cr_server_free(struct cr_server *server);

/* Ends it in the orderly way, and for good: nothing starts it again. */
void cr_server_stop(struct cr_server *server);

/* Is there no connection to it? */
bool cr_server_is_off(const struct cr_server *server);

const char *cr_server_name(const struct cr_server *server);

/* Of a server that is ready; also while it lists anew. */
const struct cr_tools *cr_server_tools(const struct cr_server *server);
enum cr_era cr_server_era(const struct cr_server *server);
const char *cr_server_version(const struct cr_server *server); /* of the protocol; "" */
const char *cr_server_info(const struct cr_server *server);    /* serverInfo, as JSON; "" */

/* --- calls ---------------------------------------------------------------------------------- */

extern const char cr_server_later[];

struct cr_server_call_ops {
    /*
     * The tools are known: returns the exact name of the one that is called, valid until the next
     * list; NULL: the call has left the queue, and its owner has ended it or will call
     * cr_server_call() again; or |cr_server_later|: this call and those behind it wait until
     * cr_server_continue().
     */
    const char *(*admit)(struct cr_server_call *call, const struct cr_tools *tools);
    void (*queued)(struct cr_server_call *call); /* it waits for others to be answered; once */
    void (*sent)(struct cr_server_call *call);
    /* |json|: the params of the notification. */
    void (*progress)(struct cr_server_call *call, const char *json, size_t len);
    /*
     * These two end it; of |why|, which has the outcome RPC_ERROR, anybody may see the words, and
     * the hint is for the user alone. |json| is the result, checked by cr_scan_json(); |block| is
     * as in struct cr_message.
     */
    void (*result)(struct cr_server_call *call, const char *json, size_t len, uint8_t **block);
    void (*failed)(struct cr_server_call *call, const struct cr_err *why);
};

/* A part of its owner's struct, who keeps it until it ends or is cancelled. */
struct cr_server_call {
    const struct cr_server_call_ops *ops;
    const char *args; /* JSON without line breaks; not needed after sent() */
    size_t len;
    uint8_t *block; /* the owner's memory from malloc() that they are in; NULL if it was taken */

    uint64_t id;                   /* 0: it was not sent */
    struct cr_server_queue *queue; /* that it is in */
    struct cr_server_call *prev, *next;
};

/* Returns 0; or CAPRUN_E_TOOBIG if too much waits for it, and then the call is the caller's again.
 */
int cr_server_call(struct cr_server *server, struct cr_server_call *call, struct cr_err *err);

/* A call for which admit() returned |cr_server_later| can be admitted now. */
void cr_server_continue(struct cr_server *server);

/*
 * Gives up on the call, and calls nothing of it any more. The server is told, if the call was sent
 * and the server reads.
 */
void cr_server_cancel(struct cr_server *server, struct cr_server_call *call, const char *reason);

/* --- the list of tools ----------------------------------------------------------------------- */

/* Somebody who wants to know the tools. |why| is NULL if they are known now. */
struct cr_server_waiter {
    void (*done)(struct cr_server_waiter *waiter, struct cr_server *server,
                 const struct cr_err *why);
    struct cr_server_waiter *next;
};

void cr_server_list(struct cr_server *server, struct cr_server_waiter *waiter);

#endif
