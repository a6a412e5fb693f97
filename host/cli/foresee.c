/* foresee.c - one note about all permissions that a capability lacks, and one diff for them. */
#include "cli/foresee.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"
#include "capability/host.h"
#include "cli/output.h"
#include "cli/servers.h"
#include "cli/teach.h"
#include "policy/denial.h"

#define MAX_TEXT (4u << 20)
#define NAMED 5u          /* tools in the note */
#define MOST_GRANTED 900u /* a configuration has at most 1,000 patterns */

struct foresight {
    const struct cr_config *config;
    struct cr_policy *policy;
    struct caprun_run *run;
    const struct cr_options *options;
    const char *caller;
    bool can_ask;
    struct cr_buf named;   /* "a:b, c:d (denied)" */
    struct cr_buf granted; /* JSON: patterns with commas between them */
    size_t lacking, grantable, would_ask;
};

static bool can_ask(const struct foresight *f)
{
    struct cr_asker *asker = f->policy->asker;

    return asker && asker->can_ask(asker, &(struct cr_question){.about = {.run = f->run}});
}

static void add_lacking(struct foresight *f, const char *called, const struct cr_verdict *v)
{
    bool may = cr_denial_may_allow(v);

    if (f->lacking++ < NAMED)
        cr_buf_fmt(&f->named, "%s%s%s", f->lacking > 1 ? ", " : "", called,
                   may                           ? ""
                   : v->answer == CR_POLICY_DENY ? " (forbidden)"
                                                 : " (has to ask)");
    f->would_ask += v->answer == CR_POLICY_ASK;
    if (!may || f->grantable == MOST_GRANTED)
        return;
    cr_buf_str(&f->granted, f->grantable++ ? ", " : "");
    cr_escape_json_str(&f->granted, called);
}

/* Permissions are about the server's own name, which |name| may be an alias of. */
static void add_tool(struct foresight *f, const char *name)
{
    size_t len = strcspn(name, ":");
    const struct cr_config_server *server = cr_cli_servers_find(f->config, name, len);
    char called[CR_PATTERNS_NAME_MAX + 80];
    struct cr_verdict v;

    if (!server)
        return;
    (void)snprintf(called, sizeof(called), "%s%s", server->name, name + len);
    if (!cr_policy_foresee(f->policy, called, f->caller, &v) || v.answer == CR_POLICY_ALLOW)
        return;
    if (v.answer == CR_POLICY_DENY || !(f->can_ask || f->options->allow_declared))
        add_lacking(f, called, &v);
}

static void say(struct foresight *f)
{
    cr_autobuf struct cr_buf grant = CR_BUF(MAX_TEXT), more = CR_BUF(64);

    if (f->lacking > NAMED)
        cr_buf_fmt(&more, " and %zu more", f->lacking - NAMED);
    cr_output_note("%s lacks permissions; these calls will be denied: %.600s%s%s", f->caller,
                   cr_buf_text(&f->named) ? cr_buf_text(&f->named) : "?",
                   more.len ? (const char *)more.data : "",
                   f->would_ask ? "; --allow-declared allows those that would ask, for one run"
                                : "");
    if (!f->grantable || !f->policy->file)
        return;
    cr_buf_str(&grant, "{\"file\": ");
    cr_escape_json_str(&grant, f->policy->file);
    cr_buf_fmt(&grant, ", \"permissions\": {\"allow\": [%s]}}", (const char *)f->granted.data);
    if (cr_buf_text(&grant))
        cr_teach_show(f->config, cr_buf_text(&grant));
}

void cr_cli_foresee(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                    const struct cr_metadata *meta)
{
    struct foresight f = {.config = cr_capability_host_of(rt)->config,
                          .policy = cr_capability_host_policy(rt),
                          .run = run,
                          .options = o,
                          .caller = meta->fqdn.name};

    cr_buf_init(&f.named, MAX_TEXT);
    cr_buf_init(&f.granted, MAX_TEXT);
    f.can_ask = can_ask(&f);
    if (meta->type != CR_METADATA_CODE)
        add_tool(&f, meta->fqdn.tool);
    for (const struct cJSON *v = cr_json_first(meta->tools); v && meta->type == CR_METADATA_CODE;
         v = cr_json_next(v))
        add_tool(&f, cr_json_text(v));
    /* what is forbidden on purpose needs no note in each run */
    if ((f.grantable || f.would_ask || (f.lacking && o->verbose)) &&
        (!f.grantable || cr_buf_text(&f.granted)))
        say(&f);
    cr_buf_clear(&f.named);
    cr_buf_clear(&f.granted);
}
