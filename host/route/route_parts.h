/*
 * route_parts.h - what the files that make up a route share: route.c, the servers and their end;
 * target_mcp.c, the way of a call; lockfile_wait.c and pins.c, what is pinned; listing.c, what
 * there is.
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

/* The server that |method| begins with, by its exact name or with "_" for "-"; or NULL. */
struct cr_route_server *cr_route_find(struct cr_route *route, const char *method);

/* A call on its way. Each kind of target has its own struct around it. */
struct cr_target_call {
    void (*lost)(struct cr_target_call *call, const char *why); /* as of the gate */
};

/* --- target_mcp.c ----------------------------------------------------------------------------- */

struct cr_mcp_call {
    struct cr_target_call target;
    struct cr_route_server *rs;
    struct caprun_run *run;
    uint32_t number;
    struct cr_server_call at;            /* the server */
    bool is_held;                        /* not there yet: the lockfile is being read */
    struct cr_mcp_call *next, **held_at; /* in the list of held ones; what points to this one */
    bool is_asked;                       /* a person is asked: it is in no list */
    struct cr_pending pending;
    char *permitted; /* the tool that they were asked about, by its exact name; NULL: none */
    char method[];   /* as it was called */
};

/* As the gate's take(). */
struct cr_target_call *cr_mcp_take(struct cr_route_server *rs, struct caprun_run *run,
                                   uint32_t number, const char *args, size_t len, uint8_t **block);

/* Goes on to the server, or ends. */
void cr_mcp_go(struct cr_mcp_call *c);

/* Ends with |why|. */
void cr_mcp_fail(struct cr_mcp_call *c, const struct cr_err *why);

/* --- lockfile_wait.c
 * ------------------------------------------------------------------------------ */

/*
 * Has |c| wait until the lockfile was read: cr_mcp_go() or cr_mcp_fail() follows. Returns 0, or an
 * error with words for the code.
 */
int cr_route_hold(struct cr_route *route, struct cr_mcp_call *c, struct cr_err *err);

/* It does not wait any more. */
void cr_route_let_go(struct cr_route *route, struct cr_mcp_call *c);

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
 * CR_ROUTE_LATER, and cr_server_go_on() follows when it is known; or INTEGRITY_MISMATCH, or
 * CONFIG_ERROR if the lockfile cannot be read or written.
 */
int cr_route_check_pin(struct cr_route_server *rs, const struct cr_tool *tool, struct cr_err *why);

/*
 * Pins the tool that is to be accepted, if there is one, and finds all tools that are not as they
 * are pinned. cr_route_tell_changes() follows, perhaps before this returns.
 */
void cr_route_find_changes(struct cr_route_server *rs);

/* Timers of a server. */
void cr_route_check_again(struct cr_timer *timer);
void cr_route_list_again(struct cr_timer *timer);

/* --- listing.c ------------------------------------------------------------------------------- */

void cr_route_tell_remote(struct cr_task *task);

/*
 * What cr_route_find_changes() found: JSON objects with commas between them; or |code|, an error,
 * and |why|.
 */
void cr_route_tell_changes(struct cr_route_server *rs, int code, const struct cr_err *why,
                           const struct cr_buf *changed);

#endif
