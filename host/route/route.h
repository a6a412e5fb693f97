/*
 * route.h - where a call goes: from its name to a configured server, by policy, to the tool that is
 * pinned.
 *
 * It is the gate (run/gate.h) of runs that have no handler. Each kind of target has a file,
 * target_….c, with the way of a call to it.
 */
#ifndef CR_ROUTE_H
#define CR_ROUTE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/loop.h"
#include "config/config.h"
#include "policy/policy.h"
#include "run/gate.h"

struct cr_route;

/*
 * Makes a route to the servers of |config|, under its permissions; both are copied. |guard| is the
 * path of caprun-guard; |cache| a directory to remember things in, or NULL. Servers get variables
 * of this process's environment as it is now. Starts nothing. Returns 0, CAPRUN_E_INVAL or
 * CAPRUN_E_NOMEM.
 */
int cr_route_new(struct cr_loop *loop, const struct cr_config *config, const char *guard,
                 const char *cache, struct cr_route **ret, struct cr_err *err);

/*
 * Ends all servers at the same time and in the orderly way, for which it steps the loop. No run may
 * have calls any more. Takes NULL.
 */
void cr_route_free(struct cr_route *route);

struct cr_gate *cr_route_gate(struct cr_route *route);

/* To add to what the configuration permits, and to set who asks a person. */
struct cr_policy *cr_route_policy(struct cr_route *route);

/* The lockfile may not change: tools that are not pinned are not called. */
void cr_route_freeze(struct cr_route *route, bool frozen);

/* The lockfile was read, and can be: it need not be looked at before a server is started. */
void cr_route_trust_lock(struct cr_route *route);

/*
 * The next list of its server's tools is to pin |method|, "ns:action" by its exact name, as it is
 * then. Returns 0, or CAPRUN_E_INVAL if there is no such server.
 */
int cr_route_accept(struct cr_route *route, const char *method, struct cr_err *err);

/*
 * Calls |each| from the loop once for |name|, or if that is NULL for every server, as it is known,
 * with a JSON object that docs/servers.md describes. Returns the number of servers, or
 * CAPRUN_E_STATE while a listing is going on.
 */
int cr_route_list(struct cr_route *route, const char *name,
                  void (*each)(void *data, const char *json, size_t len), void *data,
                  struct cr_err *err);

#endif
