/* recording.c - creates the recorder of a run from the settings, and reports on it at the end. */
#include "capability/recording.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/words.h"
#include "journal/line.h"
#include "journal/record.h"
#include "journal/store.h"
#include "run/run.h"

#define DEFAULT_RUN_MB (CR_RECORD_DEFAULT_BYTES >> 20)
#define DEFAULT_TOTAL_MB 1024u
#define DEFAULT_DAYS 30u
#define MAX_RUNS 5000u
#define MIB (1024u * 1024u)
#define SWEEP_ONE_OF 64u /* one run in so many, at random, deletes old journals */

static uint64_t value_or(uint64_t given, uint64_t value)
{
    return given ? given : value;
}

uint64_t cr_recording_run_bytes(const struct cr_config *config)
{
    return value_or(config->record_run_mb, DEFAULT_RUN_MB) * MIB;
}

void cr_recording_init(struct cr_recording *rec, const struct cr_config *config,
                       const char *state_dir, const char *file)
{
    *rec = (struct cr_recording){.file = file,
                                 .which = config->record,
                                 .is_asked_for = file || config->has_record,
                                 .is_in_store = !file,
                                 .run_bytes = cr_recording_run_bytes(config),
                                 .total_bytes =
                                     value_or(config->record_total_mb, DEFAULT_TOTAL_MB) * MIB,
                                 .days = value_or(config->record_days, DEFAULT_DAYS)};
    if (config->path)
        (void)snprintf(rec->config, sizeof(rec->config), "%s", config->path);
    (void)snprintf(rec->dir, sizeof(rec->dir), "%s", state_dir);
}

__attribute__((format(printf, 3, 4))) static void show_note(const struct cr_recording *rec,
                                                            bool is_detail, const char *fmt, ...)
{
    char text[PATH_MAX + 256];
    va_list args;

    if (!rec->note)
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    rec->note(rec->note_data, is_detail, text);
}

static void add_member(struct cr_buf *out, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    cr_buf_fmt(out, "%s\"%s\":", out->len ? "," : "{", name);
    cr_escape_json_str(out, text);
}

int cr_recording_give_origin(struct caprun_run *run, const struct cr_recording_origin *origin,
                             const char *config)
{
    struct cr_buf *ret = &cr_run_spec(run)->origin;
    struct cr_buf json;

    cr_buf_init(&json, ret->max);
    add_member(&json, "command", origin->command);
    add_member(&json, "file", origin->file);
    add_member(&json, "tool", origin->tool);
    add_member(&json, "fqdn", origin->fqdn);
    add_member(&json, "code", origin->code_pin);
    add_member(&json, "metadata", origin->metadata_pin);
    add_member(&json, "registry", origin->registry);
    add_member(&json, "config", config);
    if (ret->len) {
        cr_buf_str(&json, json.len ? ",\"application\":" : "{\"application\":");
        cr_buf_add(&json, ret->data, ret->len);
    }
    cr_buf_str(&json, json.len ? "}" : "{}");
    /* an origin in a blob would not be found when the run is resumed */
    if (cr_buf_err(&json) || cr_line_is_long(json.data, json.len, true)) {
        cr_buf_clear(&json);
        return -1;
    }
    cr_buf_clear(ret);
    *ret = json;
    return 0;
}

static bool is_recorded(const struct cr_recording *rec)
{
    return !rec->is_in_store || rec->which != CR_CONFIG_RECORD_NONE;
}

void cr_recording_place(const struct cr_recording *rec, bool has_env,
                        struct cr_recording_place *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (!is_recorded(rec) || (!rec->is_in_store && !has_env))
        return;
    (void)snprintf(ret->dir, sizeof(ret->dir), "%s", rec->dir);
    ret->has_to_be = rec->is_in_store;
    ret->has_env = has_env;
}

/* Without a key, which is not an error, the journal has no hashes of variables. */
void cr_recording_make_place(struct cr_recording_place *place)
{
    struct cr_err unused;

    if (!place->dir[0])
        return;
    place->code = cr_store_make(place->dir, &place->err);
    place->has_key =
        place->code == 0 && place->has_env && cr_store_key(place->dir, place->key, &unused) == 0;
}

static int make_recorder(const struct cr_recording *rec, struct caprun_run *run,
                         const struct cr_recording_place *place, struct cr_err *err)
{
    struct cr_record_spec spec = {
        .path = rec->path,
        .max_bytes = rec->is_in_store ? rec->run_bytes : CR_RECORDING_MAX_BYTES,
        .may_give_up = rec->is_in_store,
        .only_if_failed = rec->is_in_store && rec->which == CR_CONFIG_RECORD_FAILED,
        .key = place->has_key ? place->key : NULL};

    if (place->has_to_be && place->code < 0) {
        *err = place->err;
        return place->code;
    }
    return cr_record_new(run, &spec, err);
}

/* If the recording was not requested, the note is shown only with -v. */
static int skip_recording(struct cr_recording *rec, const char *reason)
{
    rec->path[0] = '\0';
    show_note(rec, !rec->is_asked_for, "the run is not recorded: %s", reason);
    return 0;
}

int cr_recording_begin(struct cr_recording *rec, struct caprun_run *run,
                       const struct cr_recording_origin *origin,
                       const struct cr_recording_place *place, struct cr_err *why)
{
    struct cr_err err;

    if (!is_recorded(rec))
        return 0;
    if (rec->is_in_store && !rec->dir[0])
        return skip_recording(rec, "neither XDG_STATE_HOME nor HOME is an absolute path");
    if (rec->is_in_store)
        cr_store_path(rec->dir, caprun_get_id(run), rec->path);
    else
        (void)snprintf(rec->path, sizeof(rec->path), "%s", rec->file);
    if (cr_recording_give_origin(run, origin, rec->config) < 0)
        return cr_err_memory(why);
    if (make_recorder(rec, run, place, &err) == 0)
        return 0;
    if (rec->is_in_store)
        return skip_recording(rec, err.text);
    (void)cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "%s: %s", cr_words[CR_WORD_RECORD], err.text);
    return cr_err_hint(why, "%s needs the name of a new file", cr_words[CR_WORD_RECORD]);
}

/* Decides by the random id of the run: needs no clock and no counter. */
static bool should_sweep(const struct cr_recording *rec, const char *id)
{
    static const char digits[] = "0123456789abcdef";
    size_t len = strlen(id);
    const char *a = strchr(digits, id[len - 1]), *b = strchr(digits, id[len - 2]);
    struct stat st;

    if (a && b && ((size_t)(a - digits) + 16 * (size_t)(b - digits)) % SWEEP_ONE_OF == 0)
        return true;
    /* a large journal may bring the total over its limit */
    return stat(rec->path, &st) == 0 && (uint64_t)st.st_size > rec->total_bytes / 64;
}

void cr_recording_end(struct cr_recording *rec, struct caprun_run *run)
{
    if (!rec->path[0])
        return;
    if (cr_record_note(run)[0])
        show_note(rec, false, "%s", cr_record_note(run));
    else
        show_note(rec, true, "recorded in %s", rec->path);
    if (rec->is_in_store && should_sweep(rec, caprun_get_id(run)))
        cr_store_sweep(rec->dir, (unsigned)rec->days, rec->total_bytes, MAX_RUNS);
}
