/*
 * route_parts.h - what the files that make up a route share: route.c, the servers and their end;
 * call.c, the way of a call; pins.c, what is pinned; listing.c, what there is.
 */
#ifndef CR_ROUTE_PARTS_H
#define CR_ROUTE_PARTS_H

#include "base/buf.h"
#include "base/problem.h"
#include "mcp/server.h"
#include "registry/tool_pins.h"
#include "route/route.h"

#define CR_ROUTE_NAME 64 /* characters of a server's name: the configuration was checked */
#define CR_ROUTE_TOOL 512

struct cr_route_server {
    struct cr_route *route;
    char name[CR_ROUTE_NAME + 1];
    bool is_remote;                 /* reached by a URL, which this version cannot */
    struct cr_server *server;       /* NULL: it is remote */
    char accept[CR_ROUTE_TOOL + 1]; /* a tool that is to be pinned as it is, or "" */

    bool *states;            /* of the tools of its list: is it as it is pinned? NULL: nobody
                                has looked yet */
    struct cr_lockfile lock; /* as it was when somebody looked */
    int64_t lock_us;         /* and when that was */

    struct cr_server_waiter waiter; /* of a listing */
};

struct cr_route {
    struct cr_gate gate;
    struct cr_policy policy;
    struct cr_policy idempotent; /* allows what may be made again */
    struct cr_servers all;
    struct cr_route_server *servers;
    size_t count;
    char *dir; /* where the lockfile is */
    bool frozen;
    bool has_read_lock; /* it could be read, before anything was started */

    void (*each)(void *data, const char *json, size_t len); /* of the listing that goes on; NULL at
                                                               the end: nobody is told */
    void *data;
    size_t to_list;        /* 0: none goes on */
    struct cr_task remote; /* tells of those that need no waiting */
};

/* The server that |method| begins with, by its exact name or with "_" for "-"; or NULL. */
struct cr_route_server *cr_route_find(struct cr_route *route, const char *method);

/* --- call.c ---------------------------------------------------------------------------------- */

void cr_route_judge(struct cr_gate *gate, const char *method, struct cr_ruling *ret);
void *cr_route_send(struct cr_gate *gate, struct caprun_run *run, uint32_t number,
                    const char *method, const char *args, size_t len);
bool cr_route_is_idempotent(struct cr_gate *gate, const char *method);
void cr_route_lost(struct cr_gate *gate, void *sent, const char *why);

/* --- pins.c ---------------------------------------------------------------------------------- */

/* The server's list is new: nothing is known of its pins. */
void cr_route_forget_pins(struct cr_route_server *rs);

/*
 * May |tool|, of the server's list, be called? First use pins all tools that are not. Returns 0; or
 * INTEGRITY_MISMATCH, or CONFIG_ERROR if the lockfile cannot be read or written.
 */
int cr_route_check_pin(struct cr_route_server *rs, const struct cr_tool *tool,
                       struct cr_problem *why);

/* Pins the tool that is to be accepted, if there is one. Returns 0, NOT_FOUND or CONFIG_ERROR. */
int cr_route_pin_accepted(struct cr_route_server *rs, struct cr_problem *why);

/*
 * Calls |each| for every tool of the list that is not as it is pinned. Returns 0, or why that
 * cannot be known.
 */
int cr_route_each_changed(struct cr_route_server *rs,
                          void (*each)(void *data, const struct cr_tool *tool,
                                       const struct cr_problem *why),
                          void *data, struct cr_problem *why);

/* --- listing.c ------------------------------------------------------------------------------- */

void cr_route_tell_remote(struct cr_task *task);

#endif
