/*
 * resume.c - `caprun resume`: opens the journal, reads the configuration, loads the capability; in
 * this order.
 *
 * The code comes from the journal, which is not trusted more than any file: a capability is loaded
 * again, and has to match its pin and the code that the run began with. A journal in the state
 * directory says which configuration the run had; a journal from elsewhere may not choose one.
 */
#include "cli/resume.h"

#include <stdio.h>
#include <string.h>

#include "capability/host.h"
#include "capability/loader.h"
#include "cli/approve.h"
#include "cli/capability.h"
#include "cli/journal_limits.h"
#include "cli/launch.h"
#include "cli/offer.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "cli/undecided.h"
#include "journal/journal.h"
#include "journal/replay.h"
#include "journal/store.h"

struct job {
    struct caprun_runtime *rt;
    struct caprun_run *run;
    struct cr_options options;
    char dir[PATH_MAX], path[PATH_MAX];
    uint8_t key[CR_HASH_BYTES];
    bool is_in_store;
};

/* In the state directory each journal has the id of its run as its name; a copy has not. */
static int check_name(const struct job *job, struct cr_err *why)
{
    const char *id = cr_replay_journal(job->run)->head.run;
    char own[PATH_MAX];

    cr_store_path(job->dir, id, own);
    if (!job->is_in_store || strcmp(own, job->path) == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                      "caprun runs lists what was recorded; resume that run by its id",
                      "'%s' is a journal of the run %s, and has not its name", job->path, id);
}

static int open_journal(struct job *job, struct cr_err *why)
{
    struct cr_record_spec spec = {.path = job->path, .max_bytes = CR_RECORDING_MAX_BYTES};
    struct cr_err unused;

    cr_settings_state_dir(job->dir);
    if (cr_store_find(job->dir, job->options.words[1], job->path, why) < 0)
        return CAPRUN_E_INVAL;
    if (job->dir[0] && cr_store_look_up_key(job->dir, job->key, &unused) == 0)
        spec.key = job->key;
    job->is_in_store = job->dir[0] && cr_store_has(job->dir, job->path);
    return cr_replay_resume(job->run, &spec, why) < 0 ? CAPRUN_E_INVAL : check_name(job, why);
}

/* Takes the run's settings from a trusted journal, where the command line does not set them. */
static void take_settings(struct job *job)
{
    if (!job->is_in_store)
        return;
    if (!cr_settings_file(&job->options) && cr_replay_origin(job->run, "config")[0])
        job->options.config = cr_replay_origin(job->run, "config");
    if (!job->options.registry_count && cr_replay_origin(job->run, "registry")[0])
        job->options.registries[job->options.registry_count++] =
            cr_replay_origin(job->run, "registry");
}

static int allow_retries(struct job *job, struct cr_err *why)
{
    const struct cr_options *o = &job->options;
    int r = o->retry_unknown ? caprun_run_retry(job->run, 0) : 0;

    for (int i = 0; r == 0 && i < o->retry_count; i++)
        r = caprun_run_retry(job->run, o->retry_calls[i]);
    return r < 0 ? cr_err_memory(why) : 0;
}

static int decide_calls(struct job *job, struct cr_err *why)
{
    if (allow_retries(job, why) < 0 || cr_replay_check_doubt(job->run, why) < 0)
        return CAPRUN_E_INVAL;
    return cr_undecided_check(job->run, &job->options, why);
}

static int give_limits(struct job *job, const struct cr_config *config, struct cr_err *why)
{
    caprun_run_set_allow_declared(job->run, job->options.allow_declared);
    if (cr_journal_limits_resume(job->run, &job->options, config, job->is_in_store) < 0)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "%s", caprun_error(job->rt));
    return 0;
}

static int continue_run(struct job *job, const struct cr_config *config)
{
    struct cr_pin pin;
    struct cr_signals signals;

    if (cr_loader_recorded(job->run, &pin))
        return cr_cli_capability_resume(job->rt, job->run, &job->options, config, pin.fqdn);
    cr_signals_begin(&signals);
    return cr_launch_run(job->rt, job->run, &signals, &job->options);
}

static void say_what_is_unknown(const struct job *job)
{
    uint64_t count = caprun_get_metric(job->run, CAPRUN_METRIC_CALLS);

    for (uint32_t n = 1; n <= count && !job->options.quiet; n++)
        if (strcmp(caprun_get_call_state(job->run, n), "in_flight_unknown") == 0)
            cr_output_note("call %u, %s: it is not known whether it was carried out", n,
                           caprun_get_call_method(job->run, n));
}

static int run_with(struct job *job, const struct cr_config *config)
{
    struct cr_err why;
    int signal;

    cr_capability_host_note_trust(job->run, config);
    if (job->is_in_store)
        cr_record_limit(job->run, cr_recording_run_bytes(config));
    if (cr_approve_check(&job->options, config, &why) < 0 ||
        cr_settings_host(config, job->rt, &why) < 0 ||
        cr_settings_audit(config, job->rt, &why) < 0 || decide_calls(job, &why) < 0 ||
        give_limits(job, config, &why) < 0) {
        (void)cr_launch_reject(job->run, &why);
        return 0;
    }
    signal = continue_run(job, config);
    if (caprun_get_outcome(job->run) == CAPRUN_OUTCOME_SUCCESS && job->is_in_store &&
        config->record == CR_CONFIG_RECORD_FAILED)
        cr_record_remove(job->path);
    say_what_is_unknown(job);
    cr_offer_resume_of(job->run, job->path, job->options.words[1], &job->options);
    return signal;
}

int cr_cli_resume(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
{
    struct job job = {.rt = rt, .run = run, .options = *o};
    const struct cr_config *config;
    struct cr_err why;

    if (open_journal(&job, &why) < 0) {
        (void)cr_launch_reject(run, &why);
        return 0;
    }
    take_settings(&job);
    config = cr_settings_use(&job.options, rt, &why);
    if (config)
        return run_with(&job, config);
    (void)cr_launch_reject(run, &why);
    return 0;
}
