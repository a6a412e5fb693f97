/* info.c - `caprun info`: loads the capability, and compares what it needs with the settings. */
#include "cli/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capability/deps.h"
#include "capability/host.h"
#include "cli/capability.h"
#include "cli/info_parts.h"
#include "cli/launch.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/servers.h"
#include "cli/settings.h"

#define MAX_TEXT (64u << 20)
#define NAMED 4u /* tools in a reason */

/* --- facts ----------------------------------------------------------------------------------- */

const char *cr_info_text_of(const struct cr_info *i, const char *key)
{
    return cr_cli_servers_text(i->c.meta.doc.root, key);
}

const char *cr_info_hash_state(const struct cr_info *i, const char *pinned, const char *now)
{
    return !i->is_pinned ? "not pinned" : strcmp(pinned, now) == 0 ? "same" : "changed";
}

const char *cr_info_pin_state(const struct cr_info *i)
{
    if (!i->is_pinned)
        return "not pinned";
    if (strcmp(i->pinned.fqdn, i->c.pin.fqdn) != 0)
        return "other version";
    return strcmp(i->pinned.code, i->c.pin.code) == 0 &&
                   strcmp(i->pinned.metadata, i->c.pin.metadata) == 0
               ? "same"
               : "changed";
}

bool cr_info_is_callable(const struct cr_info_tool *tool)
{
    return tool->server && tool->verdict.answer == CR_POLICY_ALLOW;
}

const char *cr_info_permission(const struct cr_info_tool *tool)
{
    return tool->verdict.answer == CR_POLICY_ALLOW ? "allowed"
           : tool->verdict.answer == CR_POLICY_ASK ? "would ask"
                                                   : "denied";
}

/* Permissions are about the server's own name, which |name| may be an alias of. */
static int add_tool(struct cr_info *i, const struct cr_policy *policy, const char *name)
{
    struct cr_info_tool *tool = &i->tools[i->tool_count++];
    size_t len = strcspn(name, ":");
    char called[CR_PATTERNS_NAME_MAX + 80];

    tool->name = name;
    tool->server = cr_cli_servers_find(i->config, name, len);
    (void)snprintf(called, sizeof(called), "%.*s%s", tool->server ? 80 : (int)len,
                   tool->server ? tool->server->name : name, name + len);
    tool->looks_at_args = !cr_policy_foresee(policy, called, i->c.meta.fqdn.name, &tool->verdict);
    return 0;
}

/* A capability that is a server's tool may call that tool only. */
static int take_tools(struct cr_info *i, const struct cr_policy *policy, struct cr_err *why)
{
    const struct cr_metadata *meta = &i->c.meta;

    i->tools = calloc(cr_json_count(meta->tools) + 1, sizeof(*i->tools));
    if (!i->tools)
        return cr_err_memory(why);
    if (meta->type != CR_METADATA_CODE)
        return add_tool(i, policy, meta->fqdn.tool);
    for (const struct cJSON *v = cr_json_first(meta->tools); v; v = cr_json_next(v))
        (void)add_tool(i, policy, cr_json_text(v));
    return 0;
}

/* --- what is missing ------------------------------------------------------------------------- */

static void prevent(struct cr_info *i, const char *reason)
{
    cr_buf_fmt(&i->reasons, "%s\n", reason);
    i->can_start = false;
}

static void find_obstacles(struct cr_info *i)
{
    bool differs = i->is_pinned && strcmp(cr_info_pin_state(i), "same") != 0;

    if (i->c.meta.type == CR_METADATA_HTTP)
        prevent(i, "it is a remote MCP server, which this version of caprun does not support");
    if (differs && !(i->c.in_development && !i->frozen))
        prevent(i, strcmp(cr_info_pin_state(i), "changed") == 0
                       ? "it is not what caprun.lock pins"
                       : "caprun.lock pins another version");
    if (!i->is_pinned && i->frozen)
        prevent(i, "it is not pinned, and --frozen forbids to pin it");
    i->server_missing.text[0] = '\0';
    if (i->c.meta.type != CR_METADATA_HTTP &&
        cr_deps_check(i->config, &i->c.meta, &i->server_missing) < 0)
        prevent(i, "a server that it needs is not in mcpServers");
}

static const char *obstacle_of(const struct cr_info_tool *tool)
{
    return !tool->server ? "no server" : cr_info_permission(tool);
}

/* "these calls would fail: mail:send (would ask), web:get (no server) and 3 more" */
static void find_failing_calls(struct cr_info *i)
{
    size_t count = 0;

    for (size_t n = 0; n < i->tool_count; n++) {
        const struct cr_info_tool *tool = &i->tools[n];

        if (cr_info_is_callable(tool) || count++ >= NAMED)
            continue;
        cr_buf_fmt(&i->reasons, "%s%s (%s)", count == 1 ? "these calls would fail: " : ", ",
                   tool->name, obstacle_of(tool));
    }
    if (count > NAMED)
        cr_buf_fmt(&i->reasons, " and %zu more", count - NAMED);
    if (count)
        cr_buf_str(&i->reasons, "\n");
}

/* --- the command ----------------------------------------------------------------------------- */

static int load(struct cr_info *i, struct caprun_runtime *rt, const struct cr_options *o,
                int *ret_signal, struct cr_err *why)
{
    struct cr_registry registry = cr_capability_host_registry(cr_capability_host_of(rt));
    struct cr_signals signals;
    struct cr_fqdn want;
    int r = cr_cli_parse_name(o->words[1], &want, why);

    if (r < 0 && strchr(o->words[1], ':'))
        (void)cr_err_hint(why, "to see a tool: caprun tools %s", o->words[1]);
    if (r < 0)
        return r;
    registry.is_for_display = true;
    cr_signals_begin(&signals);
    r = cr_cli_load(rt, &registry, &want, &signals, o->quiet || o->json, &i->c, why);
    cr_signals_end(&signals);
    *ret_signal = signals.taken;
    return r;
}

/* |i| has its capability. */
static int collect(struct cr_info *i, struct caprun_runtime *rt, struct cr_err *why)
{
    struct cr_lockfile lock;
    int r = cr_lockfile_read(i->config->dir, &lock, why);

    if (r < 0)
        return r;
    i->is_pinned = cr_lockfile_find(&lock, i->c.meta.fqdn.name, &i->pinned);
    cr_lockfile_clear(&lock);
    r = take_tools(i, cr_capability_host_policy(rt), why);
    if (r < 0)
        return r;
    cr_schema_flatten(cr_json_get(i->c.meta.doc.root, "parametersSchema"), &i->args);
    i->can_start = true;
    find_obstacles(i);
    find_failing_calls(i);
    return cr_buf_text(&i->reasons) ? 0 : cr_err_memory(why);
}

static int print(const struct cr_info *i, bool json)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_TEXT);
    int r;

    if (json)
        cr_info_write_json(i, &out);
    else
        cr_info_write_text(i, &out);
    r = json ? cr_output_json(&out) : cr_output_text(&out);
    return r < 0 ? caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL) : 0;
}

int cr_cli_info(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                int *ret_signal)
{
    struct cr_err why;
    struct cr_info *i = calloc(1, sizeof(*i)); /* too large for the stack */
    int r = -1;

    if (!i) {
        (void)cr_err_memory(&why);
        return cr_launch_reject(run, &why);
    }
    cr_buf_init(&i->reasons, CR_INFO_REASONS);
    i->frozen = o->frozen;
    i->config = cr_settings_use(o, rt, &why);
    if (!i->config || load(i, rt, o, ret_signal, &why) < 0) {
        r = cr_launch_reject(run, &why);
    } else {
        if (i->c.offline_reason[0] && !o->quiet)
            cr_output_note("%s; this is the cached copy", i->c.offline_reason);
        r = collect(i, rt, &why) < 0 ? cr_launch_reject(run, &why) : print(i, o->json);
        cr_capability_clear(&i->c);
    }
    cr_buf_clear(&i->reasons);
    free(i->tools);
    free(i);
    return r;
}
