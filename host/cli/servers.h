/*
 * servers.h - asks the configured servers for their tools, and waits for all of them.
 */
#ifndef CR_CLI_SERVERS_H
#define CR_CLI_SERVERS_H

#include "base/json.h"
#include "base/err.h"
#include "cli/signals.h"
#include "config/config.h"

struct caprun_run;
struct caprun_runtime;
struct cr_options;

/* The answer of one server, or its failure (docs/servers.md). */
struct cr_cli_server {
    struct cr_buf text;
    struct cr_json_doc doc;
    size_t place; /* in the configuration */
};

struct cr_cli_servers {
    struct cr_cli_server *list; /* in the order of the configuration */
    size_t count, answered;     /* how many were asked, and how many have answered */
};

/*
 * Asks |server|, or with NULL all configured servers, starts them if needed, and waits; shows
 * progress on the terminal, unless |quiet|. Returns 0, and the caller clears |ret| with
 * cr_cli_servers_clear(); or CANCELLED, or INTERNAL.
 */
int cr_cli_servers_ask(struct caprun_runtime *rt, const char *server,
                       const struct cr_config *config, struct cr_signals *signals, bool quiet,
                       struct cr_cli_servers *ret, struct cr_err *why);
void cr_cli_servers_clear(struct cr_cli_servers *servers);

/* A command that asks servers. Returns the exit status, or an error. */
typedef int cr_cli_servers_fn(struct caprun_runtime *rt, const struct cr_config *config,
                              const struct cr_options *o, struct cr_signals *signals,
                              struct cr_err *why);

/*
 * Carries out |command| with the configuration, and notes if it has no servers. Returns the exit
 * status; or -1, and |run| has the error. |ret_signal| is the signal that cancelled it, or 0.
 */
int cr_cli_servers_command(struct caprun_runtime *rt, struct caprun_run *run,
                           const struct cr_options *o, cr_cli_servers_fn *command, int *ret_signal);

/*
 * Compares |tool|, of |server|, with its pin: returns "ok", "changed", "missing" or "unreachable";
 * "unknown" if the server was not asked. |*ret_message| and |*ret_hint| explain it, or are "".
 */
const char *cr_cli_servers_state(const struct cr_cli_servers *servers, const char *server,
                                 const char *tool, const char **ret_message, const char **ret_hint);

/*
 * Returns the configured server that code means by |name|, of |len| bytes: the one with that name,
 * else the one with that alias; or NULL.
 */
const struct cr_config_server *cr_cli_servers_find(const struct cr_config *config, const char *name,
                                                   size_t len);

/* Returns the text |key| of |object|, or "". */
const char *cr_cli_servers_text(const struct cJSON *object, const char *key);

#endif
