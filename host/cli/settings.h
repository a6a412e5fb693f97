/*
 * settings.h - the configuration and the command line, which wins, put together.
 */
#ifndef CR_SETTINGS_H
#define CR_SETTINGS_H

#include <limits.h>

#include "base/buf.h"
#include "base/err.h"
#include "caprun.h"
#include "cli/options.h"
#include "config/config.h"

/* The file that is asked for by --config or CAPRUN_CONFIG, or NULL: one is to be searched for. */
const char *cr_settings_file(const struct cr_options *o);

/*
 * Reads that file, or the one that is found, if any. The registries of the command line, if there
 * are any, replace those of the file; relative ones start at the working directory. Returns 0, and
 * the caller ends it with cr_config_clear(); or CONFIG_ERROR, or USAGE if a --registry is no good.
 */
int cr_settings_load(const struct cr_options *o, struct cr_config *ret, struct cr_err *why);

/*
 * The same for a command that runs or asks something: says what has no meaning in it, unless the
 * command is quiet, and gives it to |rt|, with the cache, --frozen and the permissions of the
 * command line. Nothing is started. Returns the configuration, which is |rt|'s; or NULL, with
 * CONFIG_ERROR or USAGE.
 */
const struct cr_config *cr_settings_use(const struct cr_options *o, struct caprun_runtime *rt,
                                        struct cr_err *why);

/*
 * Gives |rt|, whose zygote has not started, and |run| the limits and sizes of the file and the
 * command line; |default_timeout_ms| is for a run to which neither gives a time. Returns 0 or
 * USAGE.
 */
int cr_settings_apply(const struct cr_config *c, const struct cr_options *o,
                      struct caprun_runtime *rt, struct caprun_run *run,
                      uint64_t default_timeout_ms, struct cr_err *why);

/* The part of it that is about |rt|. */
int cr_settings_host(const struct cr_config *c, struct caprun_runtime *rt, struct cr_err *why);

/* What the file, or a pattern of the command line, says that has no meaning, on standard error. */
void cr_settings_warn(const struct cr_config *c, const struct cr_options *o);

/*
 * Appends the directory where what was fetched is kept: "caprun" in XDG_CACHE_HOME, or in .cache of
 * HOME. Nothing, if neither is an absolute path.
 */
void cr_settings_cache_dir(struct cr_buf *out);

/* The same of where runs are recorded: in XDG_STATE_HOME, or in .local/state of HOME; or "". */
void cr_settings_state_dir(char ret[PATH_MAX]);

#endif
