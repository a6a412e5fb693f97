/*
 * route_parts.h - what the files that make up a route share: route.c, the gate and what all targets
 * share; servers.c, the servers of the configuration; target_mcp.c, a call to one of them;
 * lockfile_wait.c and pins.c, what is pinned; listing.c, what there is.
 */
#ifndef CR_ROUTE_PARTS_H
#define CR_ROUTE_PARTS_H

#include "base/buf.h"
#include "base/err.h"
#include "mcp/server.h"
#include "registry/tool_pins.h"
#include "route/route.h"

#define CR_ROUTE_NAME 64 /* characters of a server's name: the configuration was checked */
#define CR_ROUTE_TOOL 512
#define CR_ROUTE_CALLED 256 /* "server:action" with its NUL, as it was called */

struct cr_route_job;

/* What is known of the pins of a server's tools. */
struct cr_route_pins {
    uint8_t *states;       /* enum cr_tool_state of each tool of the list; NULL: not known */
    uint32_t *words_at;    /* of each tool that has changed: where in |words| that is told */
    struct cr_buf words;   /* texts and hints, each with a NUL at its end */
    struct cr_err failure; /* of the last check, if |has_failed| */
    bool has_checked, has_failed;
    bool is_unheard;                   /* no call has heard of the last check yet */
    int64_t checked_us;                /* when that was */
    struct cr_route_job *check, *list; /* jobs that go on: for a call, and for a listing */
    struct cr_timer again, list_again; /* set while other processes write the lockfile */
    int64_t busy_us, list_busy_us;     /* since when they do; 0: they do not */
};

struct cr_route_server {
    struct cr_route *route;
    char name[CR_ROUTE_NAME + 1];
    bool is_remote;                 /* reached by a URL, which this version cannot */
    struct cr_server *server;       /* NULL: it is remote */
    char accept[CR_ROUTE_TOOL + 1]; /* a tool that is to be pinned as it is, or "" */

    struct cr_route_pins pins;
    struct cr_server_waiter waiter; /* of a listing */
};

struct cr_route {
    struct cr_gate gate;
    struct cr_policy policy;
    struct cr_patterns idempotent; /* allows what may be made again */
    struct cr_servers all;
    struct cr_route_server *servers;
    size_t count;
    char *dir; /* where the lockfile is */
    bool frozen;

    bool has_read_lock;                    /* it could be read, before anything was started */
    struct cr_route_read *read;            /* the job that reads it; NULL: none goes on */
    struct cr_mcp_call *held, **held_last; /* calls that wait for that */
    size_t held_bytes;                     /* of their args */
    size_t asked_bytes;                    /* of args of calls about which a person is asked */
    struct cr_err *lock_problem;           /* why it cannot be read, for those that wait, or NULL */
    struct cr_task release;                /* lets them go */

    void (*each)(void *data, const char *json, size_t len); /* of the listing that goes on; NULL at
                                                               the end: nobody is told */
    void *data;
    size_t to_list;        /* 0: none goes on */
    struct cr_task remote; /* tells of those that need no waiting */
};

/* --- route.c: what all targets share -----------------------------------------------------------
 */

struct cr_target_call;

struct cr_target_ops {
    /* The run gives up on the call: the target stops working on it, and does not touch the run. */
    void (*cancel)(struct cr_target_call *call, const char *why);
    /* A person has allowed the call, which goes on, or fails. */
    void (*resume)(struct cr_target_call *call);
    void (*free)(struct cr_target_call *call);
};

/* A call on its way to a target. Each kind of target has its own struct around this one. */
struct cr_target_call {
    const struct cr_target_ops *ops;
    struct cr_route *route;
    struct caprun_run *run;
    uint32_t number;
    const char *method;           /* as the code has called it; the run's */
    char called[CR_ROUTE_CALLED]; /* the same with the target's own name before the action */
    const char *args;             /* JSON that the strict scanner has accepted */
    size_t args_len;
    bool is_with_person; /* a person is asked; the target does not have the call meanwhile */
    char *asked_tool;    /* what the person is asked about: the exact name; NULL: nothing yet */
    struct cr_pending pending;
};

/* Fills what all targets share of |call|, which is all zeros, but not args; |name|: the target's.
 */
void cr_target_init(struct cr_target_call *call, const struct cr_target_ops *ops,
                    const struct cr_gate_call *from, struct cr_route *route, const char *name);

/* The part of the method behind the colon. */
const char *cr_target_action(const struct cr_target_call *call);

/*
 * May anything be started for |call|, as far as its name tells? Returns false if policy denies it:
 * then the call has ended, and is freed.
 */
bool cr_target_may_start(struct cr_target_call *call);

/*
 * May |tool|, by its exact name, be called with these args? Returns false if not: then the call has
 * ended, and is freed; or a person is asked, and resume() is called when they have said yes. The
 * target then asks again, since its tools may have changed.
 */
bool cr_target_may_call(struct cr_target_call *call, const char *tool);

/* Fails the call, which may end its run, and frees it. |hint| is for the user alone, or "". */
void cr_target_fail(struct cr_target_call *call, enum caprun_outcome outcome, const char *words,
                    const char *hint);

/* --- servers.c -------------------------------------------------------------------------------- */

/* Returns 0, CAPRUN_E_INVAL or CAPRUN_E_NOMEM; cr_route_free_servers() in any case. */
int cr_route_add_servers(struct cr_route *route, const struct cr_config *config, const char *guard,
                         const char *cache, struct cr_err *err);

/* The server that |method| begins with, by its exact name or with "_" for "-"; or NULL. */
struct cr_route_server *cr_route_find(struct cr_route *route, const char *method);

/* Ends all processes, for which it steps the loop. */
void cr_route_end_servers(struct cr_route *route);
void cr_route_free_servers(struct cr_route *route);

/* --- target_mcp.c ----------------------------------------------------------------------------- */

struct cr_mcp_call {
    struct cr_target_call target;
    struct cr_route_server *rs;
    struct cr_server_call at; /* its place in the queue of the server */
    bool is_held; /* it waits for caprun.lock to be read, and is not in the server's queue yet */
    struct cr_mcp_call *next, **held_at; /* in the list of held ones; what points to this one */
};

/* As the gate's take(). */
struct cr_target_call *cr_mcp_take(struct cr_route_server *rs, const struct cr_gate_call *from);

/* Goes on to the server, or ends. */
void cr_mcp_continue(struct cr_mcp_call *c);

/* Ends with |why|. */
void cr_mcp_fail(struct cr_mcp_call *c, const struct cr_err *why);

/* --- lockfile_wait.c -------------------------------------------------------------------------- */

/*
 * Has |c| wait until the lockfile was read; then cr_mcp_continue() or cr_mcp_fail() is called from
 * the loop. Returns 0, or an error with words for the code.
 */
int cr_route_hold(struct cr_route *route, struct cr_mcp_call *c, struct cr_err *err);

/* Takes |c| out of the list of calls that wait. */
void cr_route_remove_waiting(struct cr_route *route, struct cr_mcp_call *c);

/* The task that goes on with those that were held. */
void cr_route_release_held(struct cr_task *task);

/* For the end of the route. */
void cr_route_end_hold(struct cr_route *route);

/* --- pins.c ---------------------------------------------------------------------------------- */

#define CR_ROUTE_LATER 1

/* The server's list is new: nothing is known of its pins. */
void cr_route_forget_pins(struct cr_route_server *rs);

/* The server is about to be freed: ends all that goes on. */
void cr_route_end_pins(struct cr_route_server *rs);

/*
 * May |tool|, of the server's list, be called? First use pins all tools that are not. Returns 0;
 * CR_ROUTE_LATER, and cr_server_continue() is called when it is known; or INTEGRITY_MISMATCH, or
 * CONFIG_ERROR if the lockfile cannot be read or written; or CAPRUN_E_NOMEM.
 */
int cr_route_check_pin(struct cr_route_server *rs, const struct cr_tool *tool, struct cr_err *why);

/*
 * Pins the tool that is to be accepted, if there is one, and finds all tools that are not as they
 * are pinned. cr_route_deliver_changes() is called then, perhaps before this returns.
 */
void cr_route_find_changes(struct cr_route_server *rs);

/* Timers of a server. */
void cr_route_check_again(struct cr_timer *timer);
void cr_route_list_again(struct cr_timer *timer);

/* --- listing.c ------------------------------------------------------------------------------- */

void cr_route_deliver_remote(struct cr_task *task);

/*
 * What cr_route_find_changes() found: JSON objects with commas between them; or |code|, an error,
 * and |why|.
 */
void cr_route_deliver_changes(struct cr_route_server *rs, int code, const struct cr_err *why,
                              const struct cr_buf *changed);

#endif
