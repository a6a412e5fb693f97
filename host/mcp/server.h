/*
 * server.h - one configured MCP server: its connection (mcp/transport.h), protocol era, tools, and
 * the calls that wait to be sent or to be answered.
 *
 *     OFF --a call, a listing--> PROBING or INITIALIZING --it answered--> LISTING --> READY
 *      ^                                                                     ^          |
 *      |                                    its tools have changed, or may have---------+
 *      +-----ENDING <--it crashed, broke the protocol, was idle for long, was stopped---+
 *
 * When a server ends, calls that were sent fail at once with RPC_ERROR, and are never sent again;
 * except a call that a server behind HTTP has refused because it had forgotten the session.
 * Calls that were not sent wait for the next start; they fail if the server ended before its tools
 * were known.
 *
 * A crashed server is restarted when a call or listing needs it, after a pause of 1, 2 and 4 s.
 * After the fourth failure in a row calls fail for 60 s; then a call starts it again. An answered
 * call resets the count. A server that exits on the first request, which servers of the legacy era
 * do not know, is restarted at once.
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

/* What all servers of a runtime share: the list of servers, and limits over all of them. */
struct cr_servers {
    struct cr_loop *loop;
    struct cr_server *first;
    uint32_t in_flight, most; /* calls sent and not answered; a server with more than a few of them
                                 waits while there are |most| */
    size_t waiting_bytes;     /* bytes of args of calls that are not sent */
};

struct cr_server_spec {
    const char *name;
    struct cr_endpoint *endpoint; /* how to reach it; NULL: creating it failed for lack of memory */
    enum cr_era era;              /* UNKNOWN: to be detected */
    uint32_t at_once;     /* most calls that may wait for its answer; cancelled ones do not count */
    const char *eras_dir; /* where eras are remembered; NULL: they are not */
};

struct cr_server_owner {
    /* A new list of tools has come; called before any call is admitted to these tools. */
    void (*listed)(void *data, struct cr_server *server);
};

/*
 * |spec| is copied, and its endpoint is taken over, also on failure. Starts no process. Returns 0,
 * and the caller frees the server with cr_server_free(); or CAPRUN_E_NOMEM.
 */
int cr_server_new(struct cr_servers *all, const struct cr_server_spec *spec,
                  const struct cr_server_owner *owner, void *data, struct cr_server **ret,
                  struct cr_err *err);

/* Kills the server if it is running. Waiting calls must have been cancelled before. Takes NULL. */
void cr_server_free(struct cr_server *server);

/* Stops the server gracefully and permanently: it is never started again. */
void cr_server_stop(struct cr_server *server);

/* Returns true if there is no connection to the server. */
bool cr_server_is_off(const struct cr_server *server);

const char *cr_server_name(const struct cr_server *server);

/* Only for a server that has been READY; also valid while a new list is being fetched. */
const struct cr_tools *cr_server_tools(const struct cr_server *server);
enum cr_era cr_server_era(const struct cr_server *server);
const char *cr_server_version(const struct cr_server *server); /* of the protocol; "" */
const char *cr_server_info(const struct cr_server *server);    /* serverInfo, as JSON; "" */

/* --- calls ---------------------------------------------------------------------------------- */

extern const char cr_server_later[];

struct cr_server_call_ops {
    /*
     * The tools are known. Returns the exact name of the called tool, valid until the next list;
     * NULL if the call has left the queue, and its owner has ended it or will call cr_server_call()
     * again; or |cr_server_later| if this call and all calls behind it have to wait until
     * cr_server_continue().
     */
    const char *(*admit)(struct cr_server_call *call, const struct cr_tools *tools);
    void (*queued)(struct cr_server_call *call); /* it waits for other answers; called once */
    void (*sent)(struct cr_server_call *call);
    /* |json|: the params of the notification. */
    void (*progress)(struct cr_server_call *call, const char *json, size_t len);
    /*
     * These two end the call. |json| is the result, checked by cr_scan_json(); |block| is as in
     * struct cr_message. |why| has the outcome RPC_ERROR; the untrusted code may see its text, but
     * only the user may see its hint.
     */
    void (*result)(struct cr_server_call *call, const char *json, size_t len, uint8_t **block);
    void (*failed)(struct cr_server_call *call, const struct cr_err *why);
};

/* Embedded in the owner's struct; must stay valid until the call ends or is cancelled. */
struct cr_server_call {
    const struct cr_server_call_ops *ops;
    const char *args; /* JSON without line breaks; not needed after sent() */
    size_t len;
    uint8_t *block; /* the owner's malloc() memory that holds the args; NULL if taken over */

    bool is_repeatable; /* set by admit(): the call may be carried out twice */
    /*
     * The call was sent, and the server did not carry it out, because it had forgotten the session.
     * The call waits again, with |args| and |block| as they were, and is admitted again.
     */
    bool is_again;
    bool is_lost; /* set before failed(): the server was lost, and has not answered the call */
    uint64_t id;  /* 0: not sent */
    struct cr_server_queue *queue; /* the queue that the call is in */
    struct cr_server_call *prev, *next;
};

/*
 * Queues the call. Returns 0; or CAPRUN_E_TOOBIG if too much is waiting: then the call is not
 * queued.
 */
int cr_server_call(struct cr_server *server, struct cr_server_call *call, struct cr_err *err);

/* A call for which admit() returned |cr_server_later| can be admitted now. */
void cr_server_continue(struct cr_server *server);

/*
 * Cancels the call: none of its callbacks is called afterwards. If the call was sent, and the
 * server reads its input, a cancellation is sent.
 */
void cr_server_cancel(struct cr_server *server, struct cr_server_call *call, const char *reason);

/* --- the list of tools ----------------------------------------------------------------------- */

/* A request for the list of tools. done() gets NULL as |why| if the tools are known now. */
struct cr_server_waiter {
    void (*done)(struct cr_server_waiter *waiter, struct cr_server *server,
                 const struct cr_err *why);
    struct cr_server_waiter *next;
};

void cr_server_list(struct cr_server *server, struct cr_server_waiter *waiter);

#endif
