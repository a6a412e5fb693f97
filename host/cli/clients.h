/*
 * clients.h - reads MCP servers from the user's own settings of other programs, for `caprun init`.
 *
 * Only commands are taken over. A value of an environment variable may be a secret, so none is:
 * "${NAME}" stands for it, unless it was a reference already. Settings of projects are never read:
 * others write them.
 */
#ifndef CR_CLIENTS_H
#define CR_CLIENTS_H

#include <limits.h>

#include "base/buf.h"
#include "base/err.h"

struct cr_clients {
    char path[PATH_MAX];   /* the file that was read */
    struct cr_buf servers; /* members of "mcpServers", a line for each server, as JSON */
    struct cr_buf text;    /* what was taken over and what was not, for a person; escaped */
    struct cr_buf json;    /* the same: ,"servers":[…],"leftOut":[…],"variables":[…] */
    struct cr_buf unset;   /* variables that the servers need and that are not set: " A B" */
    size_t taken;
};

/*
 * Reads the servers of |program|: "claude", "cursor" or "vscode". Returns 0, and the caller frees
 * |ret| with cr_clients_clear(); USAGE for another program; or CONFIG_ERROR: the file is missing,
 * or belongs to others, or is not JSON, or has no servers.
 */
int cr_clients_read(const char *program, struct cr_clients *ret, struct cr_err *why);
void cr_clients_clear(struct cr_clients *clients);

#endif
