/* replay.c - `caprun replay`: replays each journal in one runtime, and prints the comparison. */
#include "cli/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cli/colour.h"
#include "cli/input.h"
#include "cli/journal_limits.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "journal/journal.h"
#include "journal/replay.h"
#include "journal/store.h"

#define MAX_TEXT (64u << 20)

struct job {
    struct caprun_runtime *rt;
    const struct cr_options *options;
    struct cr_options quiet; /* for the runs: their logs were seen when they were recorded */
    char dir[PATH_MAX];      /* the state directory, or "" */
    uint8_t key[CR_HASH_BYTES];
    bool has_key;
    bool has_config; /* |config| was read, for a journal from elsewhere */
    struct cr_config config;
    enum cr_replay_compare compare;
    const char *compare_name;
    struct cr_buf code; /* from --code */
    struct cr_buf json;
    struct cr_signals signals;
    size_t done;
    int status; /* of the first replay that is not the same, or 0 */
};

/* --- inputs of a run ------------------------------------------------------------------------- */

/* May the journal get variable |name|? Yes if this user has recorded it: its key shows that. */
static bool may_have(const struct job *job, const struct cr_head *head, const char *name)
{
    char key[CR_HASH_DIGITS + 1] = "";

    for (int i = 0; i < job->options->env_count; i++)
        if (strcmp(job->options->envs[i], name) == 0)
            return true;
    if (job->has_key)
        cr_record_key_name(job->key, key);
    return key[0] && strcmp(key, head->env_key) == 0;
}

/* Sets the recorded variables that are allowed and exist. The start reports missing ones. */
static int give_env(const struct job *job, struct caprun_run *run)
{
    const struct cr_head *head = &cr_replay_journal(run)->head;
    struct cr_buf json;
    int r;

    cr_buf_init(&json, CAPRUN_MAX_ENV);
    for (const struct cJSON *v = cr_json_first(head->env); v; v = cr_json_next(v)) {
        if (!getenv(cr_json_key(v)) || !may_have(job, head, cr_json_key(v)))
            continue;
        cr_buf_str(&json, json.len ? "," : "{");
        cr_escape_json_str(&json, cr_json_key(v));
        cr_buf_str(&json, ":");
        cr_escape_json_str(&json, getenv(cr_json_key(v)));
    }
    if (json.len)
        cr_buf_str(&json, "}");
    r = cr_buf_err(&json);
    if (r == 0 && json.len)
        r = caprun_run_set_env(run, (const char *)json.data, json.len);
    cr_buf_clear(&json);
    return r;
}

/* A journal from elsewhere is untrusted: it gets the configured limits at most. */
static int give_limits(struct job *job, struct caprun_run *run, const char *path,
                       struct cr_err *why)
{
    bool is_own = job->dir[0] && cr_store_has(job->dir, path);

    if (!is_own && !job->has_config &&
        cr_settings_load(job->options, CR_TRUST_NEED_ASK, &job->config, why) < 0)
        return CAPRUN_E_INVAL;
    job->has_config = job->has_config || !is_own;
    if (cr_journal_limits_replay(run, job->options, is_own ? NULL : &job->config) < 0)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "%s", caprun_error(job->rt));
    return 0;
}

static int prepare(struct job *job, struct caprun_run *run, const char *path, struct cr_err *why)
{
    if (cr_replay_new(run, path, job->has_key ? job->key : NULL, why) < 0 ||
        give_limits(job, run, path, why) < 0)
        return CAPRUN_E_INVAL;
    if (give_env(job, run) < 0 ||
        (job->options->code &&
         caprun_run_set_code(run, job->code.data ? (const char *)job->code.data : "",
                             job->code.len) < 0))
        return cr_err_end(why, CAPRUN_OUTCOME_VALIDATION_ERROR, NULL, "%s", caprun_error(job->rt));
    cr_replay_set_compare(run, job->compare);
    caprun_run_set_real_time(run, job->options->speed != NULL);
    return 0;
}

/* --- reports ---------------------------------------------------------------------------------- */

static void add_note(struct job *job, struct cr_buf *notes, const char *path, const char *what,
                     const char *then, const char *now)
{
    char text[512];

    if (strcmp(then, now) == 0)
        return;
    (void)snprintf(text, sizeof(text),
                   "it was recorded with another %s: %.100s, and this is %.100s", what, then, now);
    cr_buf_str(notes, notes->len ? "," : "");
    cr_escape_json_str(notes, text);
    if (!job->options->quiet)
        cr_output_note("%s: %s", path, text);
}

static void note_versions(struct job *job, const struct caprun_run *run, const char *path,
                          struct cr_buf *notes)
{
    const struct cr_journal *j = cr_replay_journal(run);

    if (!j)
        return;
    add_note(job, notes, path, "engine", j->head.engine, cr_record_engine);
    add_note(job, notes, path, "prelude", j->head.prelude, cr_record_prelude);
}

/* A replay without a difference ends with the recorded outcome. */
static bool is_same(struct caprun_run *run)
{
    char recorded[64] = "";

    if (cr_replay_journal(run))
        cr_journal_outcome(cr_replay_journal(run), recorded);
    return recorded[0] && strcmp(recorded, caprun_outcome_name(caprun_get_outcome(run))) == 0;
}

static void add_json(struct job *job, struct caprun_run *run, const char *path, bool same,
                     const struct cr_buf *notes)
{
    const struct cr_journal *j = cr_replay_journal(run);
    const char *message = caprun_get_message(run, NULL);
    struct cr_buf *out = &job->json;
    char recorded[64] = "";

    cr_buf_str(out, job->done ? ",{\"file\":" : "{\"replays\":[{\"file\":");
    cr_escape_json_str(out, path);
    cr_buf_fmt(out, ",\"same\":%s", same ? "true" : "false");
    if (j) {
        cr_journal_outcome(j, recorded);
        cr_escape_member(out, "run", j->head.run);
        cr_escape_member(out, "recorded", recorded);
        cr_buf_fmt(out, ",\"calls\":%u", j->calls);
    }
    cr_escape_member(out, "compare", job->compare_name);
    cr_escape_member(out, "outcome", caprun_outcome_name(caprun_get_outcome(run)));
    if (!same) {
        cr_escape_member(out, "message", message ? message : "");
        if (caprun_get_hint(run)[0])
            cr_escape_member(out, "hint", caprun_get_hint(run));
    }
    cr_buf_str(out, ",\"notes\":[");
    cr_buf_add(out, notes->data, notes->len);
    cr_buf_str(out, "]}");
}

static void add_line(const struct job *job, struct caprun_run *run, const char *path, bool same)
{
    const struct cr_journal *j = cr_replay_journal(run);
    bool differs = caprun_get_outcome(run) == CAPRUN_OUTCOME_REPLAY_DIFFERED;
    struct cr_buf line;
    char recorded[64] = "";

    if (job->options->quiet)
        return;
    cr_buf_init(&line, MAX_TEXT);
    cr_buf_fmt(&line, "%s%s%s  ",
               cr_colour_code(STDOUT_FILENO, same ? CR_COLOUR_GOOD : CR_COLOUR_BAD),
               same      ? "same   "
               : differs ? "differs"
                         : "failed ",
               cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    cr_escape_terminal(&line, path, strlen(path));
    if (same) {
        cr_journal_outcome(j, recorded);
        cr_buf_fmt(&line, "  %s, %u call%s", recorded, j->calls, j->calls == 1 ? "" : "s");
    }
    cr_buf_str(&line, "\n");
    (void)cr_output_text(&line);
    cr_buf_clear(&line);
}

static void report_replay(struct job *job, struct caprun_run *run, const char *path)
{
    bool same = is_same(run);
    struct cr_buf notes;
    struct cr_err unused;

    cr_buf_init(&notes, MAX_TEXT);
    note_versions(job, run, path, &notes);
    if (job->options->json)
        add_json(job, run, path, same, &notes);
    else
        add_line(job, run, path, same);
    if (!same) {
        (void)cr_output_end(run, false, job->options->quiet, true, &unused);
        if (!job->status)
            job->status = caprun_outcome_status(caprun_get_outcome(run));
    }
    cr_buf_clear(&notes);
    job->done++;
}

/* --- the command ----------------------------------------------------------------------------- */

static int replay_one(struct job *job, const char *word, struct cr_err *why)
{
    struct caprun_run *run;
    char path[PATH_MAX];

    if (caprun_run_new(job->rt, &run) < 0)
        return cr_err_memory(why);
    if (cr_store_find(job->dir, word, path, why) < 0) {
        (void)snprintf(path, sizeof(path), "%s", word);
        (void)cr_launch_reject(run, why);
    } else if (prepare(job, run, path, why) < 0) {
        (void)cr_launch_reject(run, why);
    } else {
        job->signals.taken = 0;
        cr_signals_begin(&job->signals);
        (void)cr_launch_run(job->rt, run, &job->signals, &job->quiet);
    }
    if (!job->signals.taken)
        report_replay(job, run, path);
    caprun_run_free(run);
    return 0;
}

static int load_code(struct job *job, struct cr_err *why)
{
    struct cr_err err;

    if (!job->options->code || cr_input_read(job->options->code, &job->code, &err) == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "--code needs the path of a file", "--code: %s",
                      err.text);
}

static int check_speed(const struct cr_options *o, struct cr_err *why)
{
    if (!o->speed || strcmp(o->speed, "real") == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                      "--speed real takes as long as the run took; without it, no time",
                      "'%.60s' is not a speed", o->speed);
}

static int check_compare(struct job *job, struct cr_err *why)
{
    static const char *const names[] = {"exact", "calls", "result"};
    const struct cr_options *o = job->options;
    size_t i = 0;

    while (o->compare && i < 3 && strcmp(o->compare, names[i]) != 0)
        i++;
    if (i == 3)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                          "--compare exact (the default), --compare calls (the same calls in any "
                          "order, and the same result), or --compare result",
                          "'%.60s' is not a way to compare", o->compare);
    if (i && o->speed)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "leave out --speed",
                          "--speed real needs the recorded order, and not --compare %s", names[i]);
    job->compare = (enum cr_replay_compare)i;
    job->compare_name = names[i];
    return 0;
}

static void find_state(struct job *job)
{
    struct cr_err unused;

    cr_settings_state_dir(job->dir);
    job->has_key = job->dir[0] && cr_store_look_up_key(job->dir, job->key, &unused) == 0;
}

static int finish_output(struct job *job)
{
    int status = job->status;

    if (job->options->json) {
        cr_buf_str(&job->json, "]}\n");
        if (cr_output_json(&job->json) < 0)
            status = caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    }
    return status;
}

int cr_cli_replay(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                  int *ret_signal)
{
    struct job job = {.rt = rt, .options = o, .quiet = *o};
    struct cr_err why;
    int status = -1, r;

    job.quiet.quiet = !o->verbose;
    cr_buf_init(&job.code, CAPRUN_MAX_CODE);
    cr_buf_init(&job.json, MAX_TEXT);
    find_state(&job);
    (void)caprun_set_warm(rt, o->word_count > 2 ? 2 : CAPRUN_WARM_NONE);
    r = check_speed(o, &why) < 0 || check_compare(&job, &why) < 0 || load_code(&job, &why) < 0 ? -1
                                                                                               : 0;
    for (int i = 1; r == 0 && i < o->word_count && !job.signals.taken; i++)
        r = replay_one(&job, o->words[i], &why);
    if (r < 0)
        (void)cr_launch_reject(run, &why);
    else if (job.signals.taken)
        caprun_reject(run, CAPRUN_OUTCOME_CANCELLED, "Cancelled", NULL);
    else
        status = finish_output(&job);
    *ret_signal = job.signals.taken;
    cr_config_clear(&job.config);
    cr_buf_clear(&job.code);
    cr_buf_clear(&job.json);
    return status;
}
