/*
 * config.h - .caprun.json: found, checked to the letter, and read.
 *
 * A deny list must not be lost to a typo: an unknown key, a wrong type, a value out of range or a
 * rule that cannot be parsed is an error with file, line, column and the nearest known key. Only in
 * a server of "mcpServers" are unknown keys let through, with a warning. A file is used only if it
 * belongs to the user or root and nobody else can write it.
 *
 *     cr_config_load -> fields, cr_config_env -> cr_config_clear
 */
#ifndef CR_CONFIG_H
#define CR_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/err.h"

#define CR_CONFIG_NAME ".caprun.json"

struct cr_config_limits { /* of "limits"; 0: the default */
    uint64_t timeout_ms, cpu_ms, rpc_timeout_ms;
    uint64_t memory_mb;
    uint64_t result_bytes, log_bytes;
    uint64_t max_calls, max_concurrent_calls, max_depth;
};

enum cr_config_record { CR_CONFIG_RECORD_ALL, CR_CONFIG_RECORD_FAILED, CR_CONFIG_RECORD_NONE };
enum cr_config_era { CR_CONFIG_ERA_AUTO, CR_CONFIG_ERA_MODERN, CR_CONFIG_ERA_LEGACY };

struct cr_config_server { /* of "mcpServers" */
    const char *name;
    char *url;   /* NULL: it is a command; else |argv|, |env| and |cwd| are NULL */
    char **argv; /* NULL at the end; a command with a slash in it as an absolute path */
    char **env;  /* "NAME=value", what is configured and nothing else; NULL at the end */
    char *cwd;   /* absolute; without one in the file, the directory of the file */
    enum cr_config_era era;
    uint64_t max_concurrent; /* without one in the file, 64 */
    char **idempotent;       /* globs over its actions; NULL at the end */
};

struct cr_config {
    char *path; /* absolute; NULL: there is none */
    char *dir;  /* absolute: where relative paths start, and where the lockfile is */
    struct cr_buf text;
    struct cr_json_doc doc; /* all zeros: there is no file */

    char **registries; /* directories as absolute paths, and URLs */
    size_t registry_count;
    struct cr_config_limits limits;
    uint64_t warm, max_workers, max_memory_mb; /* of "pool"; 0: the default */
    bool require_all_layers, fresh_program;    /* of "sandbox" */
    uint64_t uid_base;                         /* 0: the default */
    bool stop_when_denied;                     /* "onDenied": "stop" */
    bool has_record;                           /* "record" is there */
    enum cr_config_record record;
    uint64_t record_run_mb, record_total_mb, record_days; /* of "recordLimits"; 0: the default */
    struct cr_config_server *servers;
    size_t server_count;
    char **allow, **ask, **deny; /* of "permissions": patterns, NULL at the end; or NULL */
    struct cr_buf warnings;      /* lines, each with its end */
};

/*
 * Reads |path|; or, if that is NULL, the file CR_CONFIG_NAME that is found first from the working
 * directory upwards. None is fine: all fields are then 0, and |dir| is the working directory.
 * Returns 0, and the caller ends it with cr_config_clear(); or CONFIG_ERROR.
 */
int cr_config_load(const char *path, struct cr_config *ret, struct cr_err *why);
void cr_config_clear(struct cr_config *config);

/*
 * Does "env" grant the variable |variable| to the capability of the four-part |name|? The keys of
 * "env" are four-part names.
 */
bool cr_config_grants(const struct cr_config *config, const char *name, const char *variable);

/*
 * Replaces each ${NAME} in |text| by that variable of the environment. The result is appended to
 * |out|, with a NUL behind it that is not counted. Returns 0; CAPRUN_E_INVAL with the name of one
 * that is not set, or for a "${" that is not closed or has no name in it; CAPRUN_E_TOOBIG or
 * CAPRUN_E_NOMEM. Loading has done so for every string of the file already.
 */
int cr_config_expand(const char *text, struct cr_buf *out, struct cr_err *err);

/* The same for a text of the file, as a text of its own, to be freed. NULL: no memory. */
char *cr_config_expanded(const char *text);

/*
 * Returns what |place| means: a URL as it is; a path, if it is relative, as one that starts at
 * |dir|. To be freed; NULL: no memory.
 */
char *cr_config_locate(const char *dir, const char *place);

/* The same of what can only be a path. */
char *cr_config_path(const char *dir, const char *path);

#endif
