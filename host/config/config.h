/*
 * config.h - finds, checks and reads .caprun.json.
 *
 * A typo must not disable a deny list: an unknown key, a wrong type, a value out of range or a rule
 * that cannot be parsed is an error with file, line, column and the nearest known key. Only a
 * server of "mcpServers" may have unknown keys; they cause a warning. A file is used only if it
 * belongs to the user or root and no other user can write it.
 *
 * The user may have a file of their own, for all projects. It is merged below the project's file:
 * by whole top-level keys, but "mcpServers", "env", "limits" and "approvals" by name; patterns of
 * both files hold, each with the strength of its file.
 *
 * A project's file may come from anyone. Before a ${NAME} in it is replaced, and before it takes
 * effect, a gate decides whether this user has accepted it. The library has no gate: the
 * application names the file, and so decides.
 *
 *     cr_config_load -> fields, cr_config_granted, cr_config_find -> cr_config_clear
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
    const char *file; /* that it comes from, absolute */
    char *url;        /* NULL: the server is a command; else |argv|, |env| and |cwd| are NULL */
    char **headers;   /* with |url|: "Name: value", or "Name;" without a value; ends with NULL */
    char *ca_file, *proxy; /* with |url|; a path and a URL; NULL: not configured */
    char **argv;           /* ends with NULL; a command with a slash is an absolute path */
    char **env;            /* "NAME=value", only what is configured; ends with NULL */
    char *cwd;             /* absolute; default: the directory of the file */
    enum cr_config_era era;
    uint64_t max_concurrent; /* default: 64 */
    char **idempotent;       /* globs over its actions; ends with NULL */
};

struct cr_config_rule { /* of "permissions.rules" */
    char *id;           /* NULL: none */
    char *tool;         /* a pattern */
    char *caller;       /* "for"; NULL: any */
    char *when;         /* JSON, or NULL */
    enum caprun_permission then;
    uint64_t max_calls, rate_calls, rate_ms; /* 0: any number */
    /* "remembered": the hashes that have to be the same; NULL: the rule is not a remembered one */
    char *pin, *tool_pin, *server_pin;
    size_t at; /* where it is in the text */
};

struct cr_config_audit { /* "audit" */
    bool is_set;
    char *file; /* absolute; NULL: the default */
    bool has_args, is_off;
};

struct cr_config {
    char *path;             /* absolute; NULL: there is no file */
    char *dir;              /* absolute: where relative paths start, and where the lockfile is */
    bool is_users;          /* this is the user's own file */
    bool is_plain;          /* shown only: no ${NAME} is replaced */
    bool by_environment;    /* accepted for this process, by a variable of the environment */
    struct cr_config *user; /* the user's own file; NULL: none. What holds of it is merged into the
                               fields here, except for its patterns and warnings */
    struct cr_config *remembered; /* rules that the user has let caprun remember; NULL: none */
    struct cr_buf text;
    struct cr_json_doc doc; /* all zeros: there is no file */

    char **registries; /* directories as absolute paths, and URLs */
    size_t registry_count;
    bool *registry_dev; /* for each: may its capabilities change without being accepted? */
    struct cr_config_limits limits;
    uint64_t warm, max_workers, max_memory_mb; /* of "pool"; 0: the default */
    bool require_all_layers, fresh_program;    /* of "sandbox" */
    uint64_t uid_base;                         /* 0: the default */
    bool stop_when_denied;                     /* "onDenied": "stop" */
    uint64_t approval_ms; /* "approvals": how long a question may wait; 0: for ever */
    bool scripts_approve; /* the user's own file permits `caprun approve --yes` */
    bool has_record;      /* the file has "record" */
    enum cr_config_record record;
    uint64_t record_run_mb, record_total_mb, record_days; /* of "recordLimits"; 0: the default */
    struct cr_config_audit audit;
    struct cr_config_server *servers;
    size_t server_count;
    struct cr_config_grant {
        const char *name; /* four parts, of a capability; the document's */
        char **variables; /* that it may get; ends with NULL */
    } * grants;           /* "env" */
    size_t grant_count;
    char **allow, **ask, **deny;  /* "permissions" of this file: patterns, then NULL; or NULL */
    struct cr_config_rule *rules; /* the same: its rules */
    size_t rule_count;
    struct cr_buf warnings; /* about this file: lines, each with a line feed */
};

/*
 * Reads |path|. If |path| is NULL, reads the first file CR_CONFIG_NAME from the working directory
 * upwards; without such a file, all fields are 0, and |dir| is the working directory. Returns 0,
 * and the caller frees |ret| with cr_config_clear(); or CONFIG_ERROR.
 */
int cr_config_load(const char *path, struct cr_config *ret, struct cr_err *why);
void cr_config_clear(struct cr_config *config);

/*
 * The same, merged with the user's file |user|, an absolute path. If |user| is NULL, or the file is
 * missing, there is no user's file. The message of an error names the file with the error.
 */
int cr_config_load_both(const char *path, const char *user, struct cr_config *ret,
                        struct cr_err *why);

/* Decides about the project's file. */
struct cr_config_gate {
    /*
     * |config| has its path, dir, text and parsed document, and its user's file; nothing is checked
     * yet. May set |is_plain| and |by_environment|. Returns 0 if the file may be used, or only
     * shown; or an error.
     */
    int (*decide)(void *data, struct cr_config *config, struct cr_err *why);
    void *data;
};

/* The same, if |gate|, which may be NULL, agrees. */
int cr_config_load_gated(const char *path, const char *user, const struct cr_config_gate *gate,
                         struct cr_config *ret, struct cr_err *why);

/*
 * Finds the first file CR_CONFIG_NAME from the working directory upwards. Returns 0, and the caller
 * frees *|ret|; 1 without such a file; or CONFIG_ERROR.
 */
int cr_config_find_path(char **ret, struct cr_err *why);

/*
 * For a gate: checks the file without replacing any ${NAME}; a string that has one is not checked.
 * Returns 0 or CONFIG_ERROR.
 */
int cr_config_check_plain(struct cr_config *config, struct cr_err *why);

/*
 * Finds the value that is used for the setting |key| in |object|, or at the top if |object| is
 * NULL. Returns the file that has the value: |config| or its |user|; or NULL if neither has it and
 * the default is used. Of the lists in "permissions", the lists of both files are used; this
 * function finds the project's.
 */
const struct cr_config *cr_config_find(const struct cr_config *config, const char *object,
                                       const char *key, const struct cJSON **ret);

/* Returns "audit" as the flags of caprun_set_audit(). */
uint32_t cr_config_audit_flags(const struct cr_config_audit *audit);

/* Sets the CONFIG_ERROR that |rule|, of this file, is wrong in the way that |words| say. */
int cr_config_refuse_rule(const struct cr_config *config, const struct cr_config_rule *rule,
                          struct cr_err *why, const char *words);

/* The variables that "env" grants to the capability with the four-part |name|; or NULL. */
char *const *cr_config_granted(const struct cr_config *config, const char *name);

/*
 * Appends |text| to |out|, with each ${NAME} replaced by that variable of the environment, and a
 * NUL that is not counted. Returns 0; CAPRUN_E_INVAL with the name of a variable that is not set,
 * or for a "${" without a "}" or a valid name; CAPRUN_E_TOOBIG or CAPRUN_E_NOMEM. Loading has
 * checked every string of the file in this way.
 */
int cr_config_expand(const char *text, struct cr_buf *out, struct cr_err *err);

/*
 * Returns |text|, a string of the file, expanded, unless |config| is plain; the caller frees it.
 * NULL: no memory.
 */
char *cr_config_expanded(const struct cr_config *config, const char *text);

/*
 * Returns a URL unchanged; a relative path as a path that starts with |dir|. The caller frees the
 * result. NULL: no memory.
 */
char *cr_config_locate(const char *dir, const char *place);

/* The same for a text that can only be a path. */
char *cr_config_path(const char *dir, const char *path);

#endif
