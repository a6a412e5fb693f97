/* settings.c - applies the settings: the command line's, else the file's, else the default. */
#include "cli/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pattern.h"
#include "capability/host.h"
#include "cli/output.h"
#include "cli/remember.h"
#include "config/text.h"

#define MIB (1024u * 1024)

const char *cr_settings_file(const struct cr_options *o)
{
    const char *named = getenv("CAPRUN_CONFIG");

    if (o->config)
        return o->config;
    return named && *named ? named : NULL;
}

/* --- registries --------------------------------------------------------------------------- */

static void clear_registries(struct cr_config *c)
{
    while (c->registry_count)
        free(c->registries[--c->registry_count]);
    free(c->registries);
    free(c->registry_dev);
    c->registries = NULL;
    c->registry_dev = NULL;
}

static int fill_registries(struct cr_config *c, const struct cr_options *o, const char *here,
                           struct cr_err *why)
{
    c->registries = calloc(CR_OPTIONS_REGISTRIES, sizeof(*c->registries));
    c->registry_dev = calloc(CR_OPTIONS_REGISTRIES, sizeof(*c->registry_dev));
    if (!c->registries || !c->registry_dev)
        return cr_err_memory(why);
    for (int i = 0; i < o->registry_count; i++) {
        const char *word = o->registries[i];
        char *path;

        if (!cr_text_registry.is(word))
            return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun --help lists the options",
                              "--registry has to be %s", cr_text_registry.what);
        path = cr_config_locate(here, word);
        if (!path)
            return cr_err_memory(why);
        c->registries[c->registry_count++] = path;
    }
    return 0;
}

static int replace_registries(struct cr_config *c, const struct cr_options *o, struct cr_err *why)
{
    char *here = getcwd(NULL, 0);
    int r;

    clear_registries(c);
    if (here)
        r = fill_registries(c, o, here, why);
    else
        r = cr_err_end(why, CAPRUN_OUTCOME_USAGE, "change to an existing directory",
                       "--registry: there is no working directory: %s", strerror(errno));
    free(here);
    return r;
}

int cr_settings_load(const struct cr_options *o, enum cr_trust_need need, struct cr_config *ret,
                     struct cr_err *why)
{
    struct cr_trust trust = {.options = o, .need = need};
    struct cr_config_gate gate = {cr_trust_decide, &trust};
    char user[PATH_MAX];
    int r;

    if (o->dev && o->frozen)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "leave one of them out",
                          "--dev renews pins in the lockfile, and --frozen forbids it");
    cr_settings_user_file(user);
    r = cr_config_load_gated(cr_settings_file(o), user[0] ? user : NULL, &gate, ret, why);
    if (r < 0)
        return r;
    r = cr_remember_load(ret, why);
    if (r == 0 && o->registry_count)
        r = replace_registries(ret, o, why);
    if (r < 0)
        cr_config_clear(ret);
    for (size_t i = 0; r == 0 && o->dev && i < ret->registry_count; i++)
        if (ret->registries[i] && !strstr(ret->registries[i], "://"))
            ret->registry_dev[i] = true;
    return r;
}

/* --- the library -------------------------------------------------------------------------- */

static uint64_t first_set(uint64_t a, uint64_t b)
{
    return a ? a : b;
}

static int apply_to_runtime(const struct cr_config *c, struct caprun_runtime *rt)
{
    /* a command makes one run, so no worker is kept ready, whatever "warm" says */
    if (caprun_set_warm(rt, CAPRUN_WARM_NONE) < 0 ||
        caprun_set_max_workers(rt, (uint32_t)c->max_workers) < 0 ||
        caprun_set_max_memory(rt, c->max_memory_mb * MIB) < 0 ||
        caprun_set_memory(rt, c->limits.memory_mb * MIB) < 0 ||
        caprun_set_fresh_program(rt, c->fresh_program) < 0 ||
        caprun_set_require_all_layers(rt, c->require_all_layers) < 0 ||
        caprun_set_uid_base(rt, (uint32_t)c->uid_base) < 0)
        return -1;
    return 0;
}

static int apply_to_run(const struct cr_config *c, const struct cr_options *o,
                        struct caprun_run *run, uint64_t default_timeout_ms)
{
    const struct cr_config_limits *l = &c->limits;
    uint64_t timeout_ms = first_set(o->timeout_ms, first_set(l->timeout_ms, default_timeout_ms));

    if (caprun_run_set_timeout(run, timeout_ms) < 0 ||
        caprun_run_set_cpu(run, first_set(o->cpu_ms, l->cpu_ms)) < 0 ||
        caprun_run_set_call_timeout(run, first_set(o->rpc_timeout_ms, l->rpc_timeout_ms)) < 0 ||
        caprun_run_set_memory(run, first_set(o->memory, l->memory_mb * MIB)) < 0 ||
        caprun_run_set_max_result(run, l->result_bytes) < 0 ||
        caprun_run_set_max_log(run, l->log_bytes) < 0 ||
        caprun_run_set_max_calls(run, l->max_calls) < 0 ||
        caprun_run_set_max_calls_at_once(run, l->max_concurrent_calls) < 0)
        return -1;
    caprun_run_set_stop_when_denied(run, c->stop_when_denied);
    caprun_run_set_allow_declared(run, o->allow_declared);
    return 0;
}

static int permit(const struct cr_options *o, struct caprun_runtime *rt)
{
    for (int i = 0; i < o->permission_count; i++)
        if (caprun_permit(rt, (enum caprun_permission)o->permissions[i].answer,
                          o->permissions[i].pattern) < 0)
            return -1;
    return 0;
}

static int give_cache(struct caprun_runtime *rt)
{
    struct cr_buf cache;
    int r = 0;

    cr_buf_init(&cache, 4096);
    cr_settings_cache_dir(&cache);
    if (cache.len && cr_buf_text(&cache))
        r = caprun_set_cache(rt, cr_buf_text(&cache));
    cr_buf_clear(&cache);
    return r;
}

/* Takes ownership of |config|. */
static int give_config(struct cr_config *config, const struct cr_options *o,
                       struct caprun_runtime *rt, struct cr_err *why)
{
    if (cr_capability_host_configure(rt, config) == 0 && caprun_set_frozen(rt, o->frozen) == 0 &&
        permit(o, rt) == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "%s", caprun_error(rt));
}

const struct cr_config *cr_settings_use(const struct cr_options *o, struct caprun_runtime *rt,
                                        struct cr_err *why)
{
    struct cr_config config = {0};

    if (cr_settings_load(o, CR_TRUST_NEED_ASK, &config, why) < 0)
        return NULL;
    if (!o->quiet)
        cr_settings_warn(&config, o);
    if (give_cache(rt) < 0) {
        (void)cr_err_memory(why);
        cr_config_clear(&config);
        return NULL;
    }
    if (give_config(&config, o, rt, why) < 0)
        return NULL;
    cr_capability_host_of(rt)->is_alone = true;
    return cr_capability_host_of(rt)->config;
}

int cr_settings_host(const struct cr_config *c, struct caprun_runtime *rt, struct cr_err *why)
{
    if (apply_to_runtime(c, rt) == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "%s", caprun_error(rt));
}

int cr_settings_audit(const struct cr_config *c, struct caprun_runtime *rt, struct cr_err *why)
{
    char path[PATH_MAX];

    cr_settings_audit_file(c, path);
    if (caprun_set_audit(rt, path, cr_config_audit_flags(&c->audit)) == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "%s", caprun_error(rt));
}

int cr_settings_apply(const struct cr_config *c, const struct cr_options *o,
                      struct caprun_runtime *rt, struct caprun_run *run,
                      uint64_t default_timeout_ms, struct cr_err *why)
{
    cr_capability_host_note_trust(run, c);
    if (cr_settings_host(c, rt, why) < 0 || cr_settings_audit(c, rt, why) < 0)
        return CAPRUN_E_INVAL;
    if (apply_to_run(c, o, run, default_timeout_ms) == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "%s", caprun_error(rt));
}

/* --- patterns ------------------------------------------------------------------------------ */

/* Can |pattern| match a call of any configured server? */
static bool has_server(const struct cr_config *c, const char *pattern)
{
    size_t len = strcspn(pattern, ":");
    char of_server[80], any[80];

    if (strcspn(pattern, "*?") < len)
        return true;
    (void)snprintf(of_server, sizeof(of_server), "%.*s:*", (int)len, pattern);
    for (size_t i = 0; i < c->server_count; i++) {
        (void)snprintf(any, sizeof(any), "%s:x", c->servers[i].name);
        if (cr_pattern_matches_alias(of_server, any))
            return true;
    }
    return false;
}

/* Shows a pattern as the file has it: expanded, it may contain a value from the environment. */
static void warn_about_list(const struct cr_config *c, const char *name, char *const *list)
{
    const struct cJSON *written =
        cr_json_first(cr_json_get(cr_json_get(c->doc.root, "permissions"), name));

    for (; list && *list && written; list++, written = cr_json_next(written))
        if (!has_server(c, *list))
            cr_output_note("%s: \"%s\" in \"%s\" matches no server in mcpServers", c->path,
                           cr_json_text(written), name);
}

static void warn_about_patterns(const struct cr_config *c, const struct cr_options *o)
{
    static const char *const names[] = {
        [CAPRUN_ALLOW] = "--allow", [CAPRUN_ASK] = "--ask", [CAPRUN_DENY] = "--deny"};

    if (!c->server_count)
        return;
    warn_about_list(c, "allow", c->allow);
    warn_about_list(c, "ask", c->ask);
    warn_about_list(c, "deny", c->deny);
    for (int i = 0; i < o->permission_count; i++)
        if (!has_server(c, o->permissions[i].pattern))
            cr_output_note("%s %s matches no server in mcpServers", names[o->permissions[i].answer],
                           o->permissions[i].pattern);
}

/* --- the rest ----------------------------------------------------------------------------- */

static void warn_about_file(const struct cr_config *file)
{
    const char *line = (const char *)file->warnings.data, *end = line + file->warnings.len;

    while (line && line < end) {
        size_t len = (size_t)((const char *)memchr(line, '\n', (size_t)(end - line)) - line);

        cr_output_note("%.*s", (int)len, line);
        line += len + 1;
    }
}

void cr_settings_warn(const struct cr_config *c, const struct cr_options *o)
{
    warn_about_file(c);
    if (c->user)
        warn_about_file(c->user);
    warn_about_patterns(c, o);
}

static void add_dir(struct cr_buf *out, const char *variable, const char *in_home)
{
    const char *given = getenv(variable), *home = getenv("HOME");

    if (given && given[0] == '/')
        cr_buf_fmt(out, "%s/caprun", given);
    else if (home && home[0] == '/')
        cr_buf_fmt(out, "%s/%s/caprun", home, in_home);
}

void cr_settings_cache_dir(struct cr_buf *out)
{
    add_dir(out, "XDG_CACHE_HOME", ".cache");
}

/* Writes the path of that directory and |file|, or "". */
static void find_dir(const char *variable, const char *in_home, const char *file,
                     char ret[PATH_MAX])
{
    cr_autobuf struct cr_buf path = CR_BUF(PATH_MAX - 1);

    add_dir(&path, variable, in_home);
    if (path.len)
        cr_buf_str(&path, file);
    (void)snprintf(ret, PATH_MAX, "%s", path.len && cr_buf_text(&path) ? cr_buf_text(&path) : "");
}

void cr_settings_state_dir(char ret[PATH_MAX])
{
    find_dir("XDG_STATE_HOME", ".local/state", "", ret);
}

void cr_settings_audit_file(const struct cr_config *c, char ret[PATH_MAX])
{
    if (c->audit.file)
        (void)snprintf(ret, PATH_MAX, "%s", c->audit.file);
    else
        find_dir("XDG_STATE_HOME", ".local/state", "/audit.jsonl", ret);
}

void cr_settings_user_file(char ret[PATH_MAX])
{
    find_dir("XDG_CONFIG_HOME", ".config", "/config.json", ret);
}
