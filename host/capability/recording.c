/* recording.c - from settings to a recorder. */
#include "capability/recording.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/escape.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "journal/record.h"
#include "journal/store.h"

#define DEFAULT_RUN_MB (CR_RECORD_DEFAULT_BYTES >> 20)
#define DEFAULT_TOTAL_MB 1024u
#define DEFAULT_DAYS 30u
#define MAX_RUNS 5000u
#define MIB (1024u * 1024u)
#define MAX_ORIGIN (32u * 1024u)
#define SWEEP_ONE_OF 64u /* runs, by chance, cleans up after the others */

static uint64_t otherwise(uint64_t given, uint64_t value)
{
    return given ? given : value;
}

uint64_t cr_recording_run_bytes(const struct cr_config *config)
{
    return otherwise(config->record_run_mb, DEFAULT_RUN_MB) * MIB;
}

void cr_recording_init(struct cr_recording *rec, const struct cr_config *config,
                       const struct cr_options *o)
{
    *rec = (struct cr_recording){.options = o,
                                 .which = config->record,
                                 .is_asked_for = o->record || config->has_record,
                                 .is_in_store = !o->record,
                                 .run_bytes = cr_recording_run_bytes(config),
                                 .total_bytes =
                                     otherwise(config->record_total_mb, DEFAULT_TOTAL_MB) * MIB,
                                 .days = otherwise(config->record_days, DEFAULT_DAYS)};
    if (config->path)
        (void)snprintf(rec->config, sizeof(rec->config), "%s", config->path);
    cr_settings_state_dir(rec->dir);
}

static void add(struct cr_buf *out, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    cr_buf_fmt(out, "%s\"%s\":", out->len ? "," : "{", name);
    cr_escape_json_str(out, text);
}

static int give_origin(const struct cr_recording *rec, struct caprun_run *run,
                       const struct cr_recording_origin *origin)
{
    struct cr_buf json;
    int r;

    cr_buf_init(&json, MAX_ORIGIN);
    add(&json, "command", origin->command);
    add(&json, "file", origin->file);
    add(&json, "tool", origin->tool);
    add(&json, "fqdn", origin->fqdn);
    add(&json, "code", origin->code_pin);
    add(&json, "metadata", origin->metadata_pin);
    add(&json, "registry", origin->registry);
    add(&json, "config", rec->config);
    cr_buf_str(&json, "}");
    r = cr_buf_err(&json) ? -1 : caprun_run_set_origin(run, (const char *)json.data, json.len);
    cr_buf_clear(&json);
    return r;
}

static int make_recorder(const struct cr_recording *rec, struct caprun_run *run, bool has_env,
                         struct cr_err *err)
{
    uint8_t key[CR_HASH_BYTES];
    struct cr_record_spec spec = {
        .path = rec->path,
        .max_bytes = rec->is_in_store ? rec->run_bytes : CR_RECORDING_MAX_BYTES,
        .may_give_up = rec->is_in_store,
        .only_if_failed = rec->is_in_store && rec->which == CR_CONFIG_RECORD_FAILED};

    if (rec->is_in_store && cr_store_make(rec->dir, err) < 0)
        return err->code;
    if (has_env && rec->dir[0] && cr_store_make(rec->dir, err) == 0 &&
        cr_store_key(rec->dir, key, err) == 0)
        spec.key = key;
    return cr_record_new(run, &spec, err);
}

/* What nobody has asked for is missed by nobody, but for who wants to know all. */
static int do_without(struct cr_recording *rec, const char *reason)
{
    const struct cr_options *o = rec->options;

    rec->path[0] = '\0';
    if (!o->quiet && (rec->is_asked_for || o->verbose))
        cr_output_note("the run is not recorded: %s", reason);
    return 0;
}

int cr_recording_begin(struct cr_recording *rec, struct caprun_run *run,
                       const struct cr_recording_origin *origin, bool has_env,
                       struct cr_problem *why)
{
    struct cr_err err;

    if (rec->is_in_store && rec->which == CR_CONFIG_RECORD_NONE)
        return 0;
    if (rec->is_in_store && !rec->dir[0])
        return do_without(rec, "neither XDG_STATE_HOME nor HOME is an absolute path");
    if (rec->is_in_store)
        cr_store_path(rec->dir, caprun_get_id(run), rec->path);
    else
        (void)snprintf(rec->path, sizeof(rec->path), "%s", rec->options->record);
    if (give_origin(rec, run, origin) < 0)
        return cr_problem_memory(why);
    if (make_recorder(rec, run, has_env, &err) == 0)
        return 0;
    if (rec->is_in_store)
        return do_without(rec, err.text);
    return cr_problem_set(why, CAPRUN_OUTCOME_USAGE, "--record needs the name of a new file",
                          "--record: %s", err.text);
}

/* By the id, which is chance: no clock and no counter has to be kept. */
static bool is_sweeper(const struct cr_recording *rec, const char *id)
{
    static const char digits[] = "0123456789abcdef";
    size_t len = strlen(id);
    const char *a = strchr(digits, id[len - 1]), *b = strchr(digits, id[len - 2]);
    struct stat st;

    if (a && b && ((size_t)(a - digits) + 16 * (size_t)(b - digits)) % SWEEP_ONE_OF == 0)
        return true;
    /* a long one may be what is too much */
    return stat(rec->path, &st) == 0 && (uint64_t)st.st_size > rec->total_bytes / 64;
}

void cr_recording_end(struct cr_recording *rec, struct caprun_run *run)
{
    const struct cr_options *o = rec->options;

    if (!rec->path[0])
        return;
    if (cr_record_note(run)[0] && !o->quiet)
        cr_output_note("%s", cr_record_note(run));
    else if (o->verbose)
        cr_output_note("recorded in %s", rec->path);
    if (rec->is_in_store && is_sweeper(rec, caprun_get_id(run)))
        cr_store_sweep(rec->dir, (unsigned)rec->days, rec->total_bytes, MAX_RUNS);
}
