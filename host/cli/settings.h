/*
 * settings.h - combines the configuration file and the command line, and applies them.
 */
#ifndef CR_SETTINGS_H
#define CR_SETTINGS_H

#include <limits.h>

#include "base/buf.h"
#include "base/err.h"
#include "caprun.h"
#include "cli/options.h"
#include "cli/trust.h"
#include "config/config.h"

/* Returns the file that --config or CAPRUN_CONFIG names, or NULL: then the file is searched for. */
const char *cr_settings_file(const struct cr_options *o);

/*
 * Writes the path of the user's own configuration: caprun/config.json in XDG_CONFIG_HOME, or in
 * .config of HOME; or "" if neither is an absolute path.
 */
void cr_settings_user_file(char ret[PATH_MAX]);

/*
 * Reads that file, or the one that is found, if any, and the user's own file. |need| says what to
 * do if the user has not accepted the project's file. Registries of the command line replace those
 * of the file; relative ones start at the working directory. Returns 0, and the caller clears |ret|
 * with cr_config_clear(); or CONFIG_ERROR, or USAGE if a --registry is invalid, or for --dev with
 * --frozen.
 */
int cr_settings_load(const struct cr_options *o, enum cr_trust_need need, struct cr_config *ret,
                     struct cr_err *why);

/*
 * The same for a command that runs or asks something; asks the person at the terminal whether the
 * project's file may be used. Prints warnings, unless the command is quiet,
 * and gives the configuration to |rt|, with the cache, --frozen and the permissions of the command
 * line. Starts nothing. Returns the configuration, which |rt| owns; or NULL, with CONFIG_ERROR or
 * USAGE.
 */
const struct cr_config *cr_settings_use(const struct cr_options *o, struct caprun_runtime *rt,
                                        struct cr_err *why);

/*
 * Applies the limits and sizes of the file and the command line to |rt|, whose zygote has not
 * started, and to |run|. |default_timeout_ms| is used if neither sets a time. Returns 0 or USAGE.
 */
int cr_settings_apply(const struct cr_config *c, const struct cr_options *o,
                      struct caprun_runtime *rt, struct caprun_run *run,
                      uint64_t default_timeout_ms, struct cr_err *why);

/* Applies only the settings for |rt|. */
int cr_settings_host(const struct cr_config *c, struct caprun_runtime *rt, struct cr_err *why);

/* Has all calls of |rt| audited, as "audit" says. Returns 0 or CONFIG_ERROR. */
int cr_settings_audit(const struct cr_config *c, struct caprun_runtime *rt, struct cr_err *why);

/* Prints warnings about unknown settings in the file, and about patterns that match no server. */
void cr_settings_warn(const struct cr_config *c, const struct cr_options *o);

/*
 * Appends the cache directory: "caprun" in XDG_CACHE_HOME, or in .cache of HOME. Appends nothing if
 * neither is an absolute path.
 */
void cr_settings_cache_dir(struct cr_buf *out);

/* Writes the directory of recorded runs: in XDG_STATE_HOME, or in .local/state of HOME; or "". */
void cr_settings_state_dir(char ret[PATH_MAX]);

/* Writes the path of the audit: the configuration's, or audit.jsonl in that directory; or "". */
void cr_settings_audit_file(const struct cr_config *c, char ret[PATH_MAX]);

#endif
