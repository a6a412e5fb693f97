/*
 * capability.c - name, settings, args, registry, lockfile, run; in this order.
 *
 * The name is checked before any file or URL is touched. The args are read before anything is
 * fetched, and the sandbox gets ready meanwhile.
 */
#include "cli/capability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "cli/call.h"
#include "capability/deps.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/places.h"
#include "cli/settings.h"

#define CAPABILITY_TIMEOUT_MS 300000
#define MAX_ENV (256u * 1024)

struct job {
    struct caprun_runtime *rt;
    struct caprun_run *run;
    const struct cr_options *options;
    struct cr_config config;
    struct cr_places places;
    struct cr_signals signals;
    struct cr_recording recording;
    const struct cr_pin *expected; /* what it has to be; NULL: what the lockfile says */
    bool has_env;
};

/* --- what it is ---------------------------------------------------------------------------- */

static int load(struct job *job, const struct cr_fqdn *want, struct cr_capability *ret,
                struct cr_problem *why)
{
    int r = cr_places_load(&job->places, want, &job->signals, job->options->quiet, ret, why);

    if (r < 0)
        return r;
    if (ret->offline_reason[0] && !job->options->quiet)
        cr_output_note("%s; running what was kept of it", ret->offline_reason);
    if (job->places.cache_note[0] && !job->options->quiet)
        cr_output_note("%s", job->places.cache_note);
    if (job->options->verbose)
        cr_output_note("%s from %s, %s", ret->pin.fqdn, ret->source, ret->pin.code);
    return 0;
}

/* The command that pins what |want| is now, between |before| and |after|. */
static int say_how_to_accept(const struct job *job, const struct cr_fqdn *want, const char *before,
                             const char *after, struct cr_problem *why)
{
    struct cr_buf hint;

    cr_buf_init(&hint, sizeof(why->hint));
    cr_buf_fmt(&hint, "%scaprun lock --accept %s", before, want->full);
    for (int i = 0; i < job->options->registry_count; i++)
        cr_buf_fmt(&hint, " --registry %s", job->options->registries[i]);
    cr_buf_str(&hint, after);
    if (cr_buf_text(&hint))
        (void)cr_problem_hint(why, "%s", cr_buf_text(&hint));
    cr_buf_clear(&hint);
    return CAPRUN_E_INVAL;
}

/* It is not what is pinned: accept it, or go on with the version that is, if it is another. */
static void say_what_to_do(const struct job *job, const struct cr_lockfile *lock,
                           const struct cr_fqdn *want, const struct cr_capability *c,
                           struct cr_problem *why)
{
    char after[CR_FQDN_MAX + 64] = "";
    struct cr_pin pinned;

    if (cr_lockfile_find(lock, c->meta.fqdn.name, &pinned) && strcmp(pinned.fqdn, c->pin.fqdn) != 0)
        (void)snprintf(after, sizeof(after), "; to go on with the pinned one: caprun %s",
                       pinned.fqdn);
    (void)say_how_to_accept(job, want, "if you expected that: ", after, why);
}

/* First use pins; but not if the lockfile is frozen. */
static int pin(const struct job *job, const struct cr_fqdn *want, const struct cr_capability *c,
               struct cr_problem *why)
{
    const char *name = c->meta.fqdn.name;

    if (job->options->frozen) {
        (void)cr_problem_set(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH, NULL,
                             "'%s' is not pinned in '%s/%s', which is frozen\n"
                             "  code:     %s\n"
                             "  metadata: %s",
                             name, job->config.dir, CR_LOCKFILE_NAME, c->pin.code, c->pin.metadata);
        return say_how_to_accept(job, want, "run it once without --frozen, or: ", "", why);
    }
    if (cr_lockfile_pin(job->config.dir, name, &c->pin, false, why) < 0)
        return CAPRUN_E_INVAL;
    if (job->options->verbose || (!job->options->quiet && isatty(STDERR_FILENO)))
        cr_output_note("pinned %s in %s/%s", c->pin.fqdn, job->config.dir, CR_LOCKFILE_NAME);
    return 0;
}

/* --- what it gets -------------------------------------------------------------------------- */

static int refuse(const struct job *job, const char *fqdn, struct cr_problem *why)
{
    return cr_problem_set(why, CAPRUN_OUTCOME_VALIDATION_ERROR, NULL, "'%s' cannot be run: %s",
                          fqdn, caprun_error(job->rt));
}

static int give_tools(struct caprun_run *run, const struct cr_json *tools)
{
    size_t count = tools ? tools->count : 0;
    const char **names = calloc(count + 1, sizeof(*names));
    size_t n = 0;
    int r;

    if (!names)
        return CAPRUN_E_NOMEM;
    for (const struct cr_json *v = tools ? tools->first : NULL; v; v = v->next)
        names[n++] = v->text;
    r = caprun_run_set_tools(run, names, count);
    free(names);
    return r;
}

static bool stands_before(const struct cr_json *list, const struct cr_json *value)
{
    const struct cr_json *v = list->first;

    while (v != value && strcmp(v->text, value->text) != 0)
        v = v->next;
    return v != value;
}

/* Of the variables that it would like, those that the config grants and that are set. */
static int give_env(struct job *job, const struct cr_metadata *meta, struct cr_problem *why)
{
    struct cr_buf json;
    int r = 0;

    cr_buf_init(&json, MAX_ENV);
    for (const struct cr_json *v = meta->env ? meta->env->first : NULL; v; v = v->next) {
        const char *value = getenv(v->text);

        if (!value || stands_before(meta->env, v) ||
            !cr_config_grants(&job->config, meta->fqdn.name, v->text))
            continue;
        cr_buf_str(&json, json.len ? "," : "{");
        cr_escape_json_str(&json, v->text);
        cr_buf_str(&json, ":");
        cr_escape_json_str(&json, value);
    }
    if (json.len)
        cr_buf_str(&json, "}");
    if (cr_buf_err(&json) == CAPRUN_E_TOOBIG)
        r = cr_problem_set(
            why, CAPRUN_OUTCOME_VALIDATION_ERROR, "grant it fewer in \"env\" of .caprun.json",
            "the variables that '%s' is granted are over %u bytes", meta->fqdn.full, MAX_ENV);
    else if (cr_buf_err(&json))
        r = cr_problem_memory(why);
    else if (json.len && caprun_run_set_env(job->run, (const char *)json.data, json.len) < 0)
        r = refuse(job, meta->fqdn.full, why);
    job->has_env = json.len > 0;
    cr_buf_clear(&json);
    return r;
}

static int give_schema(struct caprun_run *run, const struct cr_metadata *meta)
{
    if (!meta->schema)
        return 0;
    return caprun_run_set_schema(run, meta->doc.bytes + meta->schema->at, meta->schema->len);
}

/* The bytes that were hashed are the bytes that run. */
static int give_code(struct caprun_run *run, const struct cr_capability *c)
{
    int r = caprun_run_set_code(run, c->code.data ? (const char *)c->code.data : "", c->code.len);

    return r < 0 ? r : give_tools(run, c->meta.tools);
}

/* A capability that is a server's tool is a call of it, and nothing else. */
static int give_call(struct caprun_run *run, const struct cr_metadata *meta)
{
    const char *method = meta->fqdn.tool;
    int r = cr_call_write(run, method);

    return r < 0 ? r : caprun_run_set_tools(run, &method, 1);
}

static int give(struct job *job, const struct cr_capability *c, struct cr_problem *why)
{
    int r =
        c->meta.type == CR_METADATA_CODE ? give_code(job->run, c) : give_call(job->run, &c->meta);

    if (r < 0 || give_schema(job->run, &c->meta) < 0)
        return refuse(job, c->pin.fqdn, why);
    return give_env(job, &c->meta, why);
}

/* -------------------------------------------------------------------------------------------- */

/* A run that goes on has to be of what it was of. */
static int check_expected(const struct job *job, const struct cr_capability *c,
                          struct cr_problem *why)
{
    const struct cr_pin *then = job->expected;

    if (!then ||
        (strcmp(then->code, c->pin.code) == 0 && strcmp(then->metadata, c->pin.metadata) == 0))
        return 0;
    return cr_problem_set(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH,
                          "a run goes on only with what it began with",
                          "'%s' is not what it was when the run began\n"
                          "  code then:     %s\n"
                          "  code now:      %s\n"
                          "  metadata then: %s\n"
                          "  metadata now:  %s",
                          c->pin.fqdn, then->code, c->pin.code, then->metadata, c->pin.metadata);
}

static int record(struct job *job, const struct cr_capability *c, struct cr_problem *why)
{
    struct cr_recording_origin origin = {.fqdn = c->pin.fqdn,
                                         .code_pin = c->pin.code,
                                         .metadata_pin = c->pin.metadata,
                                         .registry = c->source};

    if (job->expected)
        return 0; /* it goes on, and so does its journal */
    return cr_recording_begin(&job->recording, job->run, &origin, job->has_env, why);
}

static int prepare(struct job *job, const struct cr_fqdn *want, struct cr_problem *why)
{
    struct cr_capability c;
    struct cr_lockfile lock;
    int r = cr_lockfile_read(job->config.dir, &lock, why);

    if (r < 0)
        return r;
    r = load(job, want, &c, why);
    if (r == 0) {
        r = cr_lockfile_check(&lock, c.meta.fqdn.name, &c.pin, why);
        if (r < 0)
            say_what_to_do(job, &lock, want, &c, why);
        else if (check_expected(job, &c, why) < 0 ||
                 cr_deps_check(&job->config, &c.meta, why) < 0 || give(job, &c, why) < 0)
            r = CAPRUN_E_INVAL;
        else if (r > 0)
            r = pin(job, want, &c, why);
        if (r == 0)
            r = record(job, &c, why);
        cr_capability_clear(&c);
    }
    cr_lockfile_clear(&lock);
    return r;
}

static int run_it(struct job *job, const struct cr_fqdn *want)
{
    struct cr_problem why;

    cr_signals_begin(&job->signals);
    cr_places_init(&job->places, &job->config);
    cr_recording_init(&job->recording, &job->config, job->options);
    if (prepare(job, want, &why) == 0)
        (void)cr_launch_run(job->rt, job->run, &job->signals, job->options);
    else
        (void)cr_launch_reject(job->run, &why);
    cr_recording_end(&job->recording, job->run);
    cr_places_clear(&job->places);
    cr_signals_end(&job->signals);
    return caprun_get_outcome(job->run) == CAPRUN_OUTCOME_CANCELLED ? job->signals.taken : 0;
}

int cr_cli_parse_name(const char *text, struct cr_fqdn *ret, struct cr_problem *why)
{
    struct cr_err err;

    if (cr_fqdn_parse(text, ret, &err) == 0)
        return 0;
    (void)cr_problem_set(why, CAPRUN_OUTCOME_INVALID_FQDN,
                         "a name is org.project.namespace.action, then optionally .hash",
                         "'%s' is not the name of a capability: %s", text, err.text);
    if (strchr(text, '/') || (strlen(text) > 3 && strcmp(text + strlen(text) - 3, ".js") == 0))
        (void)cr_problem_hint(why, "to run a file: caprun exec %s", text);
    return CAPRUN_E_INVAL;
}

int cr_cli_capability(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                      const char *name, const char *args)
{
    struct job job = {.rt = rt, .run = run, .options = o};
    struct cr_problem why;
    struct cr_fqdn want;
    int signal = 0;

    if (cr_cli_parse_name(name, &want, &why) < 0 || cr_settings_load(o, &job.config, &why) < 0) {
        (void)cr_launch_reject(run, &why);
        return 0;
    }
    if (!o->quiet)
        cr_settings_warn(&job.config, o);
    if (cr_settings_apply(&job.config, o, rt, run, CAPABILITY_TIMEOUT_MS, &why) < 0) {
        (void)cr_launch_reject(run, &why);
    } else {
        (void)caprun_warm(rt); /* while the rest is read; if it fails, the start will say so */
        if (cr_launch_args(rt, run, args) == 0)
            signal = run_it(&job, &want);
    }
    cr_config_clear(&job.config);
    return signal;
}

int cr_cli_capability_resume(struct caprun_runtime *rt, struct caprun_run *run,
                             const struct cr_options *o, const struct cr_config *config,
                             const struct cr_pin *pin)
{
    struct job job = {.rt = rt, .run = run, .options = o, .config = *config, .expected = pin};
    struct cr_problem why;
    struct cr_fqdn want;

    if (cr_cli_parse_name(pin->fqdn, &want, &why) < 0) {
        (void)cr_launch_reject(run, &why);
        return 0;
    }
    return run_it(&job, &want);
}

static void print_name(void *data, const struct cr_fqdn *name)
{
    (void)data;
    (void)puts(name->name);
}

void cr_cli_names(const struct cr_options *o)
{
    struct cr_config config;
    struct cr_problem unused;
    struct cr_places places;

    if (cr_settings_load(o, &config, &unused) < 0)
        return;
    cr_places_init(&places, &config);
    cr_registry_list(&places.registry, print_name, NULL);
    cr_places_clear(&places);
    cr_config_clear(&config);
    (void)fflush(stdout);
}
