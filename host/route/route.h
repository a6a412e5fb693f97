/*
 * route.h - routes a call: finds the configured server by name, asks policy, checks the tool's pin.
 *
 * A route is the gate (run/gate.h) of runs without a handler. Each kind of target has a file,
 * target_….c, which describes the way of a call to it.
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
 * Creates a route to the servers of |config|, with its permissions; both are copied. |guard| is the
 * path of caprun-guard; |cache| is a cache directory, or NULL. The environment variables for
 * servers are copied from this process now. Starts no server. Returns 0, CAPRUN_E_INVAL or
 * CAPRUN_E_NOMEM.
 */
int cr_route_new(struct cr_loop *loop, const struct cr_config *config, const char *guard,
                 const char *cache, struct cr_route **ret, struct cr_err *err);

/*
 * Stops all servers in parallel, gracefully, and steps the loop until they have ended. No run may
 * still have calls. Takes NULL.
 */
void cr_route_free(struct cr_route *route);

struct cr_gate *cr_route_gate(struct cr_route *route);

/* The policy: to add permissions to the configuration's, and to set the asker. */
struct cr_policy *cr_route_policy(struct cr_route *route);

/*
 * Adds the rule |id| of |file| to the policy, for calls that policy is asked about from now on:
 * one of the user's own remembered rules, or one of the project. Returns 0, CAPRUN_E_INVAL or
 * CAPRUN_E_NOMEM.
 */
int cr_route_remember(struct cr_route *route, const struct cr_config *file, const char *id,
                      bool is_own, struct cr_err *err);

/* |frozen|: the lockfile must not change, and calls of tools that are not pinned are rejected. */
void cr_route_freeze(struct cr_route *route, bool frozen);

/* The caller has read the lockfile without error: it need not be read before a server starts. */
void cr_route_trust_lock(struct cr_route *route);

/*
 * Makes the next listing pin the tool |method|, an exact "server:tool", with the definition that
 * the server gives then. Returns 0, or CAPRUN_E_INVAL if there is no such server.
 */
int cr_route_accept(struct cr_route *route, const char *method, struct cr_err *err);

/*
 * Lists the tools of the server |name|, or of every server if |name| is NULL. Calls |each| from the
 * loop once for each server, when its tools are known, with a JSON object that docs/servers.md
 * describes. Returns the number of servers, or CAPRUN_E_STATE while another listing is running.
 */
int cr_route_list(struct cr_route *route, const char *name, caprun_tools_fn *each, void *data,
                  struct cr_err *err);

#endif
