/*
 * capability.c - `caprun FQDN`: checks the name, applies settings, reads args, runs; in this order.
 *
 * The name is checked before any file or URL is touched. The args are read before anything is
 * fetched, while the sandbox gets ready. The library loads the capability.
 */
#include "cli/capability.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capability/host.h"
#include "capability/loader.h"
#include "cli/foresee.h"
#include "cli/launch.h"
#include "cli/offer.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/settings.h"

#define CAPABILITY_TIMEOUT_MS 300000
#define MAX_HINT 4096

struct job {
    struct caprun_runtime *rt;
    struct caprun_run *run;
    const struct cr_options *options;
    struct cr_progress progress;
};

/* --- while the capability is loaded ----------------------------------------------------------- */

static void show_loading(void *data, struct caprun_run *run, enum caprun_loading what,
                         const char *text, uint64_t got, uint64_t total)
{
    struct job *job = data;
    const struct cr_options *o = job->options;

    (void)run;
    if (what == CAPRUN_LOADING_FETCH) {
        cr_progress_show(&job->progress, text, got, total);
        return;
    }
    cr_progress_end(&job->progress);
    if (what == CAPRUN_LOADING_OFFLINE && !o->quiet)
        cr_output_note("%s; running the cached copy", text);
    if ((what == CAPRUN_LOADING_UNCACHED || what == CAPRUN_LOADING_UNGRANTED) && !o->quiet)
        cr_output_note("%s", text);
    if (what == CAPRUN_LOADING_LOADED && o->verbose)
        cr_output_note("%s", text);
    if (what == CAPRUN_LOADING_RENEWED && !o->quiet)
        cr_output_note("%s", text);
    if (what == CAPRUN_LOADING_PINNED && (o->verbose || (!o->quiet && isatty(STDERR_FILENO))))
        cr_output_note("pinned %s", text);
}

static void foresee(void *data, const struct cr_metadata *meta)
{
    struct job *job = data;

    cr_progress_end(&job->progress);
    if (!job->options->quiet)
        cr_cli_foresee(job->rt, job->run, job->options, meta);
}

/* The registry options, for the hint that shows how to accept a changed capability. */
static void add_registries(struct cr_buf *out, const struct cr_options *o)
{
    for (int i = 0; i < o->registry_count; i++)
        cr_buf_fmt(out, " --registry %s", o->registries[i]);
}

static int run_capability(struct job *job, const char *name, const struct cr_config *config)
{
    struct caprun_run *run = job->run;
    struct cr_recording recording;
    struct cr_signals signals;
    struct cr_buf options;
    int signal;

    if (caprun_run_load(run, name) < 0) {
        caprun_reject(run, CAPRUN_OUTCOME_INTERNAL, caprun_error(job->rt), NULL);
        return 0;
    }
    cr_buf_init(&options, MAX_HINT);
    add_registries(&options, job->options);
    if (options.len)
        cr_loader_set_options(run, cr_buf_text(&options));
    cr_launch_recording(&recording, config, job->options);
    cr_loader_record(run, &recording);
    cr_loader_on_checked(run, foresee, job);
    cr_progress_init(&job->progress, job->options->quiet || job->options->json);
    caprun_run_set_loading(run, show_loading, job);
    cr_signals_begin(&signals);
    signal = cr_launch_run(job->rt, run, &signals, job->options);
    cr_progress_end(&job->progress);
    cr_recording_end(&recording, run);
    cr_offer_resume(run, &recording, job->options);
    cr_buf_clear(&options);
    return signal;
}

/* --- commands --------------------------------------------------------------------------------- */

int cr_cli_parse_name(const char *text, struct cr_fqdn *ret, struct cr_err *why)
{
    if (cr_capability_host_parse(text, ret, why) == 0)
        return 0;
    if (strchr(text, '/') || (strlen(text) > 3 && strcmp(text + strlen(text) - 3, ".js") == 0))
        (void)cr_err_hint(why, "to run a file: caprun exec %s", text);
    return CAPRUN_E_INVAL;
}

int cr_cli_capability(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                      const char *name, const char *args)
{
    struct job job = {.rt = rt, .run = run, .options = o};
    const struct cr_config *config = NULL;
    struct cr_err why;
    struct cr_fqdn want;

    if (cr_cli_parse_name(name, &want, &why) == 0)
        config = cr_settings_use(o, rt, &why);
    if (!config || cr_settings_apply(config, o, rt, run, CAPABILITY_TIMEOUT_MS, &why) < 0) {
        (void)cr_launch_reject(run, &why);
        return 0;
    }
    (void)caprun_warm(rt); /* while the args are read; if it fails, the start reports it */
    return cr_launch_args(rt, run, args) < 0 ? 0 : run_capability(&job, name, config);
}

int cr_cli_capability_resume(struct caprun_runtime *rt, struct caprun_run *run,
                             const struct cr_options *o, const struct cr_config *config,
                             const char *name)
{
    struct job job = {.rt = rt, .run = run, .options = o};

    return run_capability(&job, name, config);
}
