/* check.c - checks before the start of a replay or resume: limits, env, restart of the machine. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/words.h"
#include "journal/mark.h"
#include "journal/replay_parts.h"
#include "run/envelope.h"

#define SLOWER_FACTOR 10u /* a replay may take this many times the recorded limit */
#define LEAST_MS 60000u

/* --- limits --------------------------------------------------------------------------------- */

uint32_t cr_replay_time(uint64_t recorded_ms)
{
    uint64_t ms = recorded_ms * SLOWER_FACTOR < LEAST_MS ? LEAST_MS : recorded_ms * SLOWER_FACTOR;

    return ms < LIMIT_MAX_MS ? (uint32_t)ms : LIMIT_MAX_MS;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* |given| is the limit that the application has set, or 0: then the limit is |most| at most. */
static uint64_t choose(const struct cr_replay *p, uint64_t recorded, uint64_t given, uint64_t most)
{
    if (p->may_raise && given)
        return given;
    return smaller(recorded, given ? given : most);
}

static uint32_t choose_time(const struct cr_replay *p, uint64_t recorded_ms, uint64_t given)
{
    if (p->is_resume)
        return (uint32_t)choose(p, recorded_ms, given, LIMIT_DEFAULT_WALL_MS);
    return (uint32_t)choose(p, cr_replay_time(recorded_ms), given,
                            cr_replay_time(LIMIT_DEFAULT_WALL_MS));
}

/* If no limit of CPU time was set, it equals the limit of wall time and is raised with it. */
static uint32_t choose_cpu(const struct cr_replay *p, uint32_t given, uint32_t wall)
{
    const struct cr_head *head = &p->journal.head;

    if (!given && p->may_raise && head->cpu_ms == head->timeout_ms && wall)
        return wall;
    return choose_time(p, head->cpu_ms, given ? given : p->may_raise ? 0 : wall);
}

/* The same for the other limits; if nothing was set, the recorded limit counts. */
static uint32_t limit_count(uint64_t recorded, uint32_t given)
{
    return (uint32_t)(given ? smaller(recorded, given) : recorded);
}

/* If nothing was set, the limit is the recorded one or the default |otherwise|. */
static uint32_t raise_count(uint64_t recorded, uint32_t given, uint32_t otherwise)
{
    return given ? given : recorded > otherwise ? (uint32_t)recorded : otherwise;
}

/* The worker's log, and the order of its calls, depend on these two limits: they are not raised. */
static struct wire_limits choose_counts(const struct cr_replay *p, const struct wire_limits *given)
{
    const struct cr_head *h = &p->journal.head;
    struct wire_limits most = {limit_count(h->result_bytes, given->result_bytes),
                               limit_count(h->log_bytes, given->log_bytes),
                               limit_count(h->max_calls, given->calls),
                               limit_count(h->max_calls_at_once, given->calls_at_once)};

    if (p->may_raise) {
        most.result_bytes =
            raise_count(h->result_bytes, given->result_bytes, LIMIT_DEFAULT_RESULT_BYTES);
        most.calls = raise_count(h->max_calls, given->calls, LIMIT_DEFAULT_CALLS);
    }
    return most;
}

/*
 * The limits in a header are untrusted. The limits that the application has set are the maximum;
 * where it has set none, the defaults are the maximum of memory and time. Only with |may_raise| a
 * limit can be larger than the recorded one.
 */
static void take_limits(struct cr_replay *p, struct caprun_run *run)
{
    const struct cr_head *head = &p->journal.head;
    struct cr_spec *spec = cr_run_spec(run);
    struct cr_run_limits *l = &spec->limits;

    l->memory = choose(p, head->memory, l->memory, cr_run_default_memory(run));
    l->cpu_ms = choose_cpu(p, l->cpu_ms, l->wall_ms);
    l->wall_ms = choose_time(p, head->timeout_ms, l->wall_ms);
    l->call_ms = (uint32_t)choose(p, head->rpc_timeout_ms, l->call_ms, LIMIT_MAX_MS);
    l->most = choose_counts(p, &l->most);
    spec->recorded.memory = l->memory < head->memory ? head->memory : 0;
    spec->recorded.wall_ms = l->wall_ms < head->timeout_ms ? (uint32_t)head->timeout_ms : 0;
    spec->recorded.cpu_ms = l->cpu_ms < head->cpu_ms ? (uint32_t)head->cpu_ms : 0;
}

/* Refuses to resume a run that has no time left; its journal is not changed. */
static int check_time(const struct cr_replay *p, struct caprun_run *run, struct cr_err *why)
{
    const struct cr_spec *spec = cr_run_spec(run);
    bool was_late = p->has_ended && p->ended == CAPRUN_OUTCOME_EXECUTION_TIMEOUT &&
                    spec->limits.wall_ms <= p->journal.head.timeout_ms;
    char used[32], most[32];

    if (!p->is_resume ||
        (!was_late && p->journal.last_at_us < (int64_t)spec->limits.wall_ms * 1000))
        return 0;
    cr_units_show_duration((uint64_t)p->journal.last_at_us / 1000, used);
    cr_units_show_duration(spec->limits.wall_ms, most);
    (void)cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL,
                     "the run of '%s' has used %s already, and may have %s here", p->journal.path,
                     used, most);
    return cr_err_hint(why, "raise the limit with %s", cr_words[CR_WORD_TIMEOUT]);
}

static int refuse_same_limit(const struct cr_replay *p, const char *limit, enum cr_word setting,
                             struct cr_err *why)
{
    (void)cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL,
                     "the run of '%s' ended at its limit of %s, and would end there again: it "
                     "needs a larger one",
                     p->journal.path, limit);
    return cr_err_hint(why, "raise it with %s", cr_words[setting]);
}

/* A run that was ended by a limit would end there again, unless the limit is larger now. */
static int check_limits(const struct cr_replay *p, struct caprun_run *run, struct cr_err *why)
{
    const struct cr_run_limits *l = &cr_run_spec(run)->limits;
    const struct cr_head *head = &p->journal.head;

    if (!p->has_ended)
        return 0;
    switch ((int)p->ended) {
    case CAPRUN_OUTCOME_CPU_TIMEOUT:
        return l->cpu_ms > head->cpu_ms ? 0 : refuse_same_limit(p, "CPU time", CR_WORD_CPU, why);
    case CAPRUN_OUTCOME_MEMORY_LIMIT:
        return l->memory > head->memory ? 0 : refuse_same_limit(p, "memory", CR_WORD_MEMORY, why);
    case CAPRUN_OUTCOME_OUTPUT_LIMIT:
        return l->most.result_bytes > head->result_bytes
                   ? 0
                   : refuse_same_limit(p, "the result", CR_WORD_RESULT, why);
    case CAPRUN_OUTCOME_CALL_LIMIT:
        return l->most.calls > head->max_calls ? 0
                                               : refuse_same_limit(p, "calls", CR_WORD_CALLS, why);
    default:
        return 0;
    }
}

/* --- before the start ----------------------------------------------------------------------- */

static int reject_env(const struct cr_replay *p, const char *name, const char *what,
                      struct cr_err *why)
{
    (void)cr_err_end(why, CAPRUN_OUTCOME_VALIDATION_ERROR, NULL,
                     "the run of '%s' was given the variable %s, which %s", p->journal.path, name,
                     what);
    return cr_err_hint(why,
                       "a journal does not contain values: set the variable to its old value; if "
                       "the journal is from elsewhere and may have it: %s",
                       cr_words[CR_WORD_SET_ENV]);
}

static int check_variable(const struct cr_replay *p, const struct cJSON *recorded,
                          const struct cJSON *now, struct cr_err *why)
{
    char name[CR_HASH_DIGITS + 1] = "", hash[CR_HASH_DIGITS + 1];

    if (!now)
        return reject_env(p, cr_json_key(recorded), "it is not given now", why);
    if (p->has_key)
        cr_record_key_name(p->key, name);
    if (!name[0] || strcmp(name, p->journal.head.env_key) != 0)
        return 0; /* hashes with another key cannot be compared */
    cr_record_env_hash(p->key, cr_json_key(recorded), cr_json_text(now), hash);
    return strcmp(hash, cr_json_text(recorded)) == 0
               ? 0
               : reject_env(p, cr_json_key(recorded), "has another value now", why);
}

static int check_env(struct cr_replay *p, struct cr_err *why)
{
    const struct cJSON *recorded = p->journal.head.env;
    const struct cr_buf *env = &cr_run_spec(p->run)->env;
    struct cr_json_doc now = {0};
    int r = 0;

    if (env->len && cr_json_parse(env->data, env->len, &now, NULL) < 0)
        return cr_err_memory(why);
    for (const struct cJSON *v = cr_json_first(recorded); v && r == 0; v = cr_json_next(v))
        r = check_variable(p, v, cr_json_get(now.root, cr_json_key(v)), why);
    for (const struct cJSON *v = cr_json_first(now.root); v && r == 0; v = cr_json_next(v))
        if (!cr_json_get(recorded, cr_json_key(v)))
            r = cr_err_end(why, CAPRUN_OUTCOME_VALIDATION_ERROR, NULL,
                           "the run of '%s' was not given the variable %s", p->journal.path,
                           cr_json_key(v));
    cr_json_clear(&now);
    return r;
}

static bool is_same(const char *recorded, size_t len, const char *now)
{
    return strlen(now) == len && memcmp(now, recorded, len) == 0;
}

/*
 * The last lines before a crash of the machine may be lost, and with them calls that were made. But
 * if the journal has an end, such a crash has lost nothing: a resume takes the end back on disk
 * before it makes a call.
 */
const char *cr_replay_doubt(const struct cr_journal *j, bool has_ended, const char *file)
{
    char boot[CR_RECORD_MARK];

    cr_record_boot(boot);
    if (!has_ended && (!boot[0] || !j->boot_len))
        return "the kernel gave no boot id, so the machine may have been restarted since";
    if (!has_ended && !is_same(j->boot, j->boot_len, boot))
        return "the machine was restarted since, so its last second may be missing";
    if (!j->file)
        return NULL; /* an older journal */
    if (!j->file_len)
        return "it could not be locked, so its run may still go on";
    if (!is_same(j->file, j->file_len, file))
        return "it is not in its original file, and the run may have gone on there";
    return cr_mark_doubt(j, file);
}

int cr_replay_check_doubt(const struct caprun_run *run, struct cr_err *why)
{
    const struct cr_replay *p = cr_replay_find(run);
    const char *doubt = !p->is_resume || p->retries_all
                            ? NULL
                            : cr_replay_doubt(&p->journal, p->has_ended, p->file);

    if (!doubt)
        return 0;
    (void)cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL,
                     "calls may have been made that '%s' does not record: %s", p->journal.path,
                     doubt);
    return cr_err_hint(why,
                       "make sure that the run has ended, and check what was done, with caprun "
                       "runs; to go on nevertheless: %s that the journal does not have",
                       cr_words[CR_WORD_RETRY_ALL]);
}

/* A run that was ended by a limit or a person has no result to compare with. */
static int check_compare(const struct cr_replay *p, struct cr_err *why)
{
    if (p->compare == CR_REPLAY_EXACT || !cr_replay_ended_from_outside(p))
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                      "compare it exactly: then it is compared up to where it was ended",
                      "the run of '%s' has no result to compare with: it was ended with %s",
                      p->journal.path, cr_envelope_code(p->outcome));
}

void cr_replay_set_compare(struct caprun_run *run, enum cr_replay_compare compare)
{
    struct cr_replay *p = cr_replay_find(run);

    if (!p || p->is_resume)
        return;
    p->compare = compare;
    if (compare != CR_REPLAY_EXACT)
        cr_match_begin(p);
}

const char *cr_replay_origin(const struct caprun_run *run, const char *name)
{
    const struct cr_replay *p = cr_replay_find(run);
    const struct cJSON *origin = p && p->is_resume ? p->journal.head.origin : NULL;
    const struct cJSON *value = origin ? cr_json_get(origin, name) : NULL;

    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : "";
}

/* The loader has compared a capability with its pins, whatever code the journal has. */
static int check_code(const struct cr_replay *p, struct caprun_run *run, struct cr_err *why)
{
    if (!p->is_resume || !p->has_other_code || cr_replay_origin(run, "fqdn")[0])
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH,
                      "a resumed run goes on with its own code; start a new run for other code",
                      "the code is not the code that the run of '%s' began with", p->journal.path);
}

int cr_replay_check(struct caprun_run *run, struct cr_err *why)
{
    struct cr_replay *p = cr_replay_find(run);
    const struct cr_spec *spec = cr_run_spec(run);
    uint8_t code[CR_HASH_BYTES];

    if (!p)
        return 0;
    if (!p->is_resume)
        cr_run_answer_from_journal(run); /* a replay calls no tool */
    take_limits(p, run);
    cr_hash_take(spec->code.data, spec->code.len, code);
    p->has_other_code = memcmp(code, p->code, sizeof(code)) != 0;
    if (check_code(p, run, why) < 0 || cr_replay_check_doubt(run, why) < 0 ||
        check_time(p, run, why) < 0 || check_limits(p, run, why) < 0 || check_compare(p, why) < 0)
        return CAPRUN_E_INVAL;
    return check_env(p, why);
}

void cr_replay_raise_limits(struct caprun_run *run)
{
    struct cr_replay *p = cr_replay_find(run);

    if (p)
        p->may_raise = p->is_resume;
}

void cr_replay_set_real_time(struct caprun_run *run, bool on)
{
    struct cr_replay *p = cr_replay_find(run);

    if (p)
        p->in_real_time = on;
}

const struct cr_journal *cr_replay_journal(const struct caprun_run *run)
{
    const struct cr_replay *p = cr_replay_find(run);

    return p ? &p->journal : NULL;
}
