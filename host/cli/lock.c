/* lock.c - `caprun lock`: compares pins with registries and servers, and accepts new ones. */
#include "cli/lock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "capability/host.h"
#include "cli/capability.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/launch.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/servers.h"
#include "cli/settings.h"
#include "registry/tool_pins.h"

#define MAX_TEXT (64u * 1024 * 1024)

struct lock {
    const struct cr_options *options;
    const struct cr_config *config;
    struct cr_signals signals;
    struct caprun_runtime *rt;
    struct cr_cli_servers servers; /* that were asked, if there are pinned tools */
    struct cr_lockfile file;
    struct cr_buf out;
    size_t pins, tools, bad;
};

static int load_capability(struct lock *l, const char *name, struct cr_capability *ret,
                           struct cr_err *why)
{
    struct cr_registry registry = cr_capability_host_registry(cr_capability_host_of(l->rt));
    struct cr_fqdn want;

    registry.always_ask = true;
    if (cr_cli_parse_name(name, &want, why) < 0 ||
        cr_cli_load(l->rt, &registry, &want, &l->signals, l->options->quiet || l->options->json,
                    ret, why) < 0)
        return CAPRUN_E_INVAL;
    if (!ret->offline_reason[0])
        return 0;
    (void)cr_err_end(why, CAPRUN_OUTCOME_REGISTRY_UNREACHABLE,
                     "a cached copy does not show what the registry has now", "%s",
                     ret->offline_reason);
    cr_capability_clear(ret);
    return CAPRUN_E_INVAL;
}

/* Do the registries have now what is pinned? If the state is not "ok", |why| says why. */
static const char *state_of(struct lock *l, const char *name, struct cr_err *why)
{
    struct cr_capability c;
    int r;

    if (!l->config->registry_count)
        return "unknown";
    r = load_capability(l, name, &c, why);
    if (r < 0)
        return why->outcome == CAPRUN_OUTCOME_INTEGRITY_MISMATCH     ? "changed"
               : why->outcome == CAPRUN_OUTCOME_REGISTRY_UNREACHABLE ? "unreachable"
                                                                     : "missing";
    r = cr_lockfile_check(&l->file, name, &c.pin, why);
    cr_capability_clear(&c);
    return r < 0 ? "changed" : "ok";
}

static void add_pin_json(struct lock *l, const char *name, const struct cr_pin *pin,
                         const char *state, const char *words)
{
    struct cr_buf *out = &l->out;

    cr_buf_str(out, l->pins ? ",{\"name\":" : "{\"name\":");
    cr_escape_json_str(out, name);
    cr_escape_member(out, "state", state);
    cr_escape_member(out, "fqdn", pin->fqdn);
    cr_escape_member(out, "code", pin->code);
    cr_escape_member(out, "metadata", pin->metadata);
    if (words[0])
        cr_escape_member(out, "message", words);
    cr_buf_str(out, "}");
}

#define INDENT "             "
#define HASH_AT 23u /* column */

static void add_state(struct lock *l, const char *state)
{
    enum cr_colour colour = strcmp(state, "ok") == 0 ? CR_COLOUR_GOOD : CR_COLOUR_BAD;

    cr_buf_fmt(&l->out, "%s%-11s%s  ", cr_colour_code(STDOUT_FILENO, colour), state,
               cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
}

/* A terminal that is too narrow gets the beginning of the hash; --json has all of it. */
static void add_hash(struct lock *l, const char *what, const char *hash)
{
    cr_buf_fmt(&l->out, INDENT "%-8s  ", what);
    cr_columns_cut(&l->out, hash, cr_columns_available(STDOUT_FILENO) - HASH_AT);
    cr_buf_str(&l->out, "\n");
}

/* Appends |text|, after |lead|, in lines that are indented. */
static void add_words(struct lock *l, const char *lead, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");

        cr_buf_fmt(&l->out, INDENT "%s", lead);
        cr_columns_wrap(&l->out, text, len, strlen(INDENT) + strlen(lead), strlen(INDENT) + 2,
                        cr_columns_available(STDOUT_FILENO));
        cr_buf_str(&l->out, "\n");
        text += len + (text[len] == '\n');
    }
}

static void add_pin_text(struct lock *l, const struct cr_pin *pin, const char *state,
                         const struct cr_err *why)
{
    add_state(l, state);
    cr_buf_fmt(&l->out, "%s\n", pin->fqdn);
    add_hash(l, "code", pin->code);
    add_hash(l, "metadata", pin->metadata);
    add_words(l, "", why->text);
    add_words(l, "hint: ", why->hint);
}

static void add_pin(void *data, const char *name, const struct cr_pin *pin)
{
    struct lock *l = data;
    struct cr_err why = {0};
    const char *state;

    if (cr_signals_take(&l->signals))
        return;
    state = state_of(l, name, &why);
    if (l->options->json)
        add_pin_json(l, name, pin, state, why.text);
    else
        add_pin_text(l, pin, state, &why);
    l->pins++;
    l->bad += strcmp(state, "ok") != 0;
}

static void add_tool_json(struct lock *l, const char *server, const char *tool, const char *hash,
                          const char *state, const char *words)
{
    cr_buf_str(&l->out, l->tools ? ",{\"server\":" : "{\"server\":");
    cr_escape_json_str(&l->out, server);
    cr_escape_member(&l->out, "tool", tool);
    cr_escape_member(&l->out, "state", state);
    cr_escape_member(&l->out, "sha256", hash);
    if (words[0])
        cr_escape_member(&l->out, "message", words);
    cr_buf_str(&l->out, "}");
}

static void add_tool_text(struct lock *l, const char *server, const char *tool, const char *hash,
                          const char *state)
{
    add_state(l, state);
    cr_escape_terminal(&l->out, server, strlen(server));
    cr_buf_str(&l->out, ":");
    cr_escape_terminal(&l->out, tool, strlen(tool));
    cr_buf_str(&l->out, "\n");
    add_hash(l, "tool", hash);
}

static void add_tool(void *data, const char *server, const char *tool, const char *hash)
{
    struct lock *l = data;
    const char *words, *hint;
    const char *state = cr_cli_servers_state(&l->servers, server, tool, &words, &hint);

    if (l->options->json) {
        add_tool_json(l, server, tool, hash, state, words);
    } else {
        add_tool_text(l, server, tool, hash, state);
        add_words(l, "", words);
        add_words(l, "hint: ", hint);
    }
    l->tools++;
    /* a server that is not configured any more is no problem */
    l->bad += strcmp(state, "ok") != 0 && strcmp(state, "unknown") != 0;
}

static void note_a_tool(void *data, const char *server, const char *tool, const char *hash)
{
    (void)server;
    (void)tool;
    (void)hash;
    *(bool *)data = true;
}

/* Starts servers only if a tool is pinned. */
static int ask_servers(struct lock *l, struct cr_err *why)
{
    bool any = false;

    cr_tool_pins_each(&l->file, note_a_tool, &any);
    if (!any)
        return 0;
    return cr_cli_servers_ask(l->rt, NULL, l->config, &l->signals,
                              l->options->quiet || l->options->json, &l->servers, why);
}

static int show_pins(struct lock *l, struct cr_err *why)
{
    int r = cr_lockfile_read(l->config->dir, &l->file, why);

    if (r < 0)
        return r;
    r = ask_servers(l, why);
    if (r < 0) {
        cr_lockfile_clear(&l->file);
        return r;
    }
    if (l->options->json) {
        cr_buf_str(&l->out, "{\"file\":");
        cr_escape_json_str(&l->out, l->file.path);
        cr_buf_str(&l->out, ",\"capabilities\":[");
    }
    cr_lockfile_each(&l->file, add_pin, l);
    if (l->options->json)
        cr_buf_str(&l->out, "],\"servers\":[");
    cr_tool_pins_each(&l->file, add_tool, l);
    if (l->options->json)
        cr_buf_str(&l->out, "]}\n");
    else if (l->pins && !l->config->registry_count)
        cr_buf_str(&l->out, "no registry to compare with: --registry, or \"registries\" "
                            "in .caprun.json\n");
    else if (!l->pins && !l->tools)
        cr_buf_fmt(&l->out, "%s pins nothing yet: the first run of a capability does\n",
                   l->file.path);
    cr_lockfile_clear(&l->file);
    cr_cli_servers_clear(&l->servers);
    return 0;
}

struct wanted_hash {
    const char *server, *tool;
    char hash[CR_LOCKFILE_HASH + 1];
};

static void take_hash(void *data, const char *server, const char *tool, const char *hash)
{
    struct wanted_hash *w = data;

    if (strcmp(server, w->server) == 0 && strcmp(tool, w->tool) == 0)
        (void)snprintf(w->hash, sizeof(w->hash), "%s", hash);
}

/* Reports that the tool is pinned now; or the error, if the lockfile or its server failed. */
static int say_accepted(struct lock *l, const char *server, const char *tool, struct cr_err *why)
{
    struct wanted_hash now = {.server = server, .tool = tool};
    const char *words, *hint;
    const char *state = cr_cli_servers_state(&l->servers, server, tool, &words, &hint);

    if (cr_lockfile_read(l->config->dir, &l->file, why) < 0)
        return CAPRUN_E_INVAL;
    cr_tool_pins_each(&l->file, take_hash, &now);
    cr_lockfile_clear(&l->file);
    if (strcmp(state, "ok") != 0)
        return cr_err_end(why, CAPRUN_OUTCOME_NOT_FOUND, hint, "'%s:%s' was not accepted: %s",
                          server, tool, words);
    if (l->options->json) {
        add_tool_json(l, server, tool, now.hash, state, "");
        cr_buf_str(&l->out, "\n");
    } else {
        add_tool_text(l, server, tool, now.hash, state);
    }
    return 0;
}

static int accept_tool(struct lock *l, const char *name, struct cr_err *why)
{
    char server[CR_FQDN_PART + 1];
    int r;

    if (!l->config->server_count || caprun_accept_tool(l->rt, name) < 0)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                          "NS is the name of a server in mcpServers: caprun lock --accept "
                          "NS:ACTION",
                          "'%s' is no tool of a configured server", name);
    (void)snprintf(server, sizeof(server), "%.*s", (int)strcspn(name, ":"), name);
    r = cr_cli_servers_ask(l->rt, server, l->config, &l->signals,
                           l->options->quiet || l->options->json, &l->servers, why);
    if (r < 0)
        return r;
    r = say_accepted(l, server, name + strlen(server) + 1, why);
    cr_cli_servers_clear(&l->servers);
    return r;
}

static int accept_pin(struct lock *l, const char *name, struct cr_err *why)
{
    struct cr_capability c;
    int r;

    if (l->options->frozen)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "leave one of them out",
                          "--accept changes the lockfile, and --frozen forbids it");
    if (strchr(name, ':'))
        return accept_tool(l, name, why);
    r = load_capability(l, name, &c, why);
    if (r < 0)
        return r;
    r = cr_lockfile_pin(l->config->dir, c.meta.fqdn.name, &c.pin, true, why);
    if (r == 0 && l->options->json)
        add_pin_json(l, c.meta.fqdn.name, &c.pin, "ok", "");
    else if (r == 0)
        add_pin_text(l, &c.pin, "ok", &(struct cr_err){0});
    if (r == 0 && l->options->json)
        cr_buf_str(&l->out, "\n");
    cr_capability_clear(&c);
    return r;
}

static int carry_out(struct lock *l, struct cr_err *why)
{
    const struct cr_options *o = l->options;
    int r;

    cr_signals_begin(&l->signals);
    r = o->accept ? accept_pin(l, o->accept, why) : show_pins(l, why);
    if (r == 0 && l->signals.taken)
        r = cr_err_end(why, CAPRUN_OUTCOME_CANCELLED, NULL, "Cancelled");
    cr_signals_end(&l->signals);
    return r;
}

int cr_cli_lock(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                int *ret_signal)
{
    struct lock l = {.options = o, .rt = rt};
    struct cr_err why;
    int r;

    l.config = cr_settings_use(o, rt, &why);
    if (!l.config)
        return cr_launch_reject(run, &why);
    cr_buf_init(&l.out, MAX_TEXT);
    r = carry_out(&l, &why);
    *ret_signal = l.signals.taken;
    if (r < 0)
        r = cr_launch_reject(run, &why);
    else if ((o->json ? cr_output_json(&l.out) : cr_output_text(&l.out)) < 0)
        r = caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    else
        r = l.bad ? caprun_outcome_status(CAPRUN_OUTCOME_INTEGRITY_MISMATCH) : 0;
    cr_buf_clear(&l.out);
    return r;
}
