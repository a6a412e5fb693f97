/* load.c - reads a journal and prepares a run to replay or resume it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "journal/line.h"
#include "journal/replay_parts.h"
#include "journal/undo.h"
#include "run/envelope.h"

#define MAX_TEXTS (256u << 20)

/* --- lines by kind -------------------------------------------------------------------------- */

/* Copies the text |name| of the line. Returns its offset in |p->texts|, or 0 if it is missing. */
static size_t keep_text(struct cr_replay *p, const struct cr_journal_line *line, const char *name)
{
    size_t at = p->texts.len;

    cr_journal_text(line, name, &p->texts);
    if (p->texts.len == at)
        return 0;
    cr_buf_add(&p->texts, "", 1);
    return cr_buf_err(&p->texts) ? 0 : at;
}

/* A handler of the application gets the name that the code used, not an exact name. */
static bool is_sent_to_handler(const struct cr_journal_line *line)
{
    static const char application[] = "\"application\"";
    size_t len = 0;
    const char *by = cr_journal_member(line, "by", &len);

    return by && len == sizeof(application) - 1 && memcmp(by, application, len) == 0;
}

/*
 * A call may have been sent several times, by earlier resumes. Journals of earlier versions have no
 * exact names: then it is not known which tool was called.
 */
static void add_send(struct cr_replay *p, struct cr_replay_call *call,
                     const struct cr_journal_line *line)
{
    size_t before = call->tool_at;
    const char *texts;

    call->tool_at = keep_text(p, line, "tool");
    texts = (const char *)p->texts.data;
    if (!call->tool_at || is_sent_to_handler(line) ||
        (before && strcmp(texts + before, texts + call->tool_at) != 0))
        call->has_unclear_tool = true;
    call->sent = line;
    call->is_sent = true;
}

/* |by_at| is the offset of what allowed a call that was sent. */
static void add_allowed(struct cr_replay *p, size_t by_at)
{
    static const char rule[] = "rule:";
    size_t at = by_at + sizeof(rule) - 1;

    if (by_at && p->is_resume &&
        strncmp((const char *)p->texts.data + by_at, rule, sizeof(rule) - 1) == 0)
        cr_buf_add(&p->allowed, &at, sizeof(at));
}

static void add_to_call(struct cr_replay *p, const struct cr_journal_line *line)
{
    struct cr_replay_call *call = &p->calls[line->n - 1];
    bool is_send = line->kind == CR_JOURNAL_SEND;
    size_t by_at;

    if (line->kind == CR_JOURNAL_CALL) {
        call->made = line;
        return;
    }
    if (is_send)
        add_send(p, call, line);
    else
        call->answer = line;
    if (call->by_at && !is_send)
        return;
    by_at = keep_text(p, line, "by");
    if (!call->by_at)
        call->by_at = by_at;
    if (is_send)
        add_allowed(p, by_at);
}

/* The texts do not move any longer. */
static int sum_allowed(struct cr_replay *p)
{
    size_t count = p->allowed.len / sizeof(size_t), at;

    p->earlier = calloc(count + 1, sizeof(*p->earlier));
    if (!p->earlier || cr_buf_err(&p->allowed))
        return CAPRUN_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        memcpy(&at, p->allowed.data + i * sizeof(at), sizeof(at));
        p->earlier[i] =
            (struct cr_budgets_earlier){.rule = (const char *)p->texts.data + at, .count = 1};
    }
    cr_buf_clear(&p->allowed);
    p->earlier_count = cr_budgets_sum_earlier(p->earlier, count);
    return 0;
}

static void sort_line(struct cr_replay *p, const struct cr_journal_line *line)
{
    switch (line->kind) {
    case CR_JOURNAL_REPLY:
    case CR_JOURNAL_FAIL:
        add_to_call(p, line);
        p->inputs[p->input_count++] = line;
        break;
    case CR_JOURNAL_WAKE:
        p->inputs[p->input_count++] = line;
        break;
    case CR_JOURNAL_CALL:
    case CR_JOURNAL_SEND:
        add_to_call(p, line);
        break;
    case CR_JOURNAL_LOG:
        p->logs[p->log_count++] = line;
        break;
    case CR_JOURNAL_BLOCKED:
        p->attempts[p->attempt_count++] = line;
        break;
    case CR_JOURNAL_DONE:
    case CR_JOURNAL_THREW:
    case CR_JOURNAL_LATE:
    case CR_JOURNAL_FULL:
        p->last = line;
        break;
    case CR_JOURNAL_JOB:
        cr_run_set_time(p->run, line->at_us, line->date_us);
        p->base_us = line->date_us - line->at_us;
        p->now_us = line->at_us;
        break;
    case CR_JOURNAL_ASK:
    case CR_JOURNAL_DECIDE:
    case CR_JOURNAL_RESUME:
    case CR_JOURNAL_UNDO:
    case CR_JOURNAL_END:
    case CR_JOURNAL_CUT:
        break;
    }
}

static int sort_lines(struct cr_replay *p, struct cr_err *why)
{
    const struct cr_journal *j = &p->journal;
    char outcome[64];

    p->calls = calloc(j->calls + 1, sizeof(*p->calls));
    p->inputs = calloc(j->count + 1, sizeof(const void *));
    p->logs = calloc(j->count + 1, sizeof(const void *));
    p->attempts = calloc(j->count + 1, sizeof(const void *));
    if (!p->calls || !p->inputs || !p->logs || !p->attempts)
        return cr_err_memory(why);
    for (size_t i = 0; i < j->count; i++)
        sort_line(p, &j->lines[i]);
    if (cr_buf_err(&p->texts) || sum_allowed(p) < 0)
        return cr_err_memory(why);
    cr_journal_outcome(j, outcome);
    p->outcome = cr_envelope_outcome(outcome);
    return 0;
}

static void free_replay(struct cr_player *hooks)
{
    struct cr_replay *p = cr_replay_of(hooks);
    struct cr_replay_args *args;

    cr_loop_unset(p->loop, &p->timer);
    cr_loop_forget_busy(p->loop, &p->rest);
    cr_helper_abandon(&p->loop->disk, p->reading ? &p->reading->job : NULL);
    free(p->calls);
    free(p->inputs);
    free(p->logs);
    free(p->attempts);
    cr_buf_clear(&p->texts);
    cr_buf_clear(&p->body);
    while ((args = p->new_args)) {
        p->new_args = args->next;
        cr_helper_free(&p->loop->helper, args, sizeof(*args) + args->len);
    }
    cr_buf_clear(&p->retries);
    cr_buf_clear(&p->allowed);
    free(p->earlier);
    free(p->index);
    cr_buf_clear(&p->open);
    cr_buf_clear(&p->matches);
    cr_journal_clear(&p->journal);
    free(p);
}

/* --- the recorded input of the run ---------------------------------------------------------- */

static int set_code_and_args(struct cr_replay *p, struct cr_err *why)
{
    struct caprun_run *run = p->run;
    struct cr_spec *spec = cr_run_spec(run);

    cr_buf_clear(&spec->code);
    cr_buf_clear(&spec->args);
    cr_buf_clear(&spec->schema);
    if (cr_journal_code(&p->journal, &spec->code, why) < 0)
        return CAPRUN_E_INVAL;
    if (!spec->code.data)
        (void)cr_buf_room(&spec->code, 1); /* empty code is valid; its data must not be NULL */
    if (cr_buf_err(&spec->code))
        return cr_err_memory(why);
    /* changed code gets the recorded name, too, or log lines would differ because of the name */
    cr_hash_take(spec->code.data, spec->code.len, p->code);
    if (p->journal.head.code_name)
        (void)snprintf(spec->code_name, sizeof(spec->code_name), "%s", p->journal.head.code_name);
    else
        cr_spec_name_code(spec, p->code);
    if (cr_journal_input(&p->journal, "args", &spec->args, why) < 0 ||
        cr_journal_input(&p->journal, "schema", &spec->schema, why) < 0)
        return CAPRUN_E_INVAL;
    return 0;
}

static int set_tools(struct cr_replay *p, struct cr_err *why)
{
    const struct cJSON *tools = p->journal.head.tools;
    struct cr_tool_list *list = &cr_run_spec(p->run)->tools;
    int r;

    cr_tool_list_clear(list);
    if (!tools)
        return 0;
    for (const struct cJSON *v = cr_json_first(tools); v; v = cr_json_next(v))
        cr_tool_list_add(list, cr_json_text(v));
    r = cr_tool_list_set(list);
    if (r == CAPRUN_E_TOOBIG)
        return cr_err_end(why, CAPRUN_OUTCOME_JOURNAL_INVALID, NULL, "%s:1: \"tools\" is too long",
                          p->journal.path);
    return r < 0 ? cr_err_memory(why) : 0;
}

static int set_spec(struct cr_replay *p, struct cr_err *why)
{
    const struct cr_head *head = &p->journal.head;
    struct cr_spec *spec = cr_run_spec(p->run);

    spec->stop_when_denied = head->stop_when_denied;
    spec->wording = (uint32_t)head->wording;
    spec->language = (uint32_t)head->language;
    memcpy(spec->seed, head->seed, sizeof(spec->seed));
    spec->has_seed = true;
    return set_code_and_args(p, why) < 0 ? CAPRUN_E_INVAL : set_tools(p, why);
}

/* --- loading -------------------------------------------------------------------------------- */

static int reject_early_end(const struct cr_journal *j, struct cr_err *why)
{
    const size_t line = j->cut ? j->cut->number : j->line_count;

    if (j->cut)
        return cr_err_end(
            why, CAPRUN_OUTCOME_JOURNAL_INVALID, "record the run again, with a larger limit",
            "%s:%zu: the recording was stopped here, because it was too long", j->path, line);
    return cr_err_end(why, CAPRUN_OUTCOME_JOURNAL_INVALID,
                      "the run was interrupted, or is still going on: caprun resume continues it",
                      "%s:%zu: it ends early: the end of the run is missing", j->path, line);
}

/* Takes back the end of the run, if it has one and that is possible. */
static int prepare_resume(struct cr_replay *p, struct cr_err *why)
{
    struct cr_journal *j = &p->journal;
    char outcome[64];
    const char *reason;
    size_t first;

    if (j->cut)
        return reject_early_end(j, why);
    if (!j->end)
        return 0;
    cr_journal_outcome(j, outcome);
    first = cr_undo_find(j, &reason);
    if (!first)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun replay runs it again from its journal",
                          "the run %s has ended (%s): %s", j->head.run, outcome, reason);
    p->has_ended = true;
    p->ended = cr_envelope_outcome(outcome);
    p->undo_from = j->lines[first].number;
    cr_undo_apply(j, first, NULL);
    return 0;
}

/* Loads the journal |path|, or if |fd| is not -1, from |fd|. Returns NULL and sets |why| if not. */
static struct cr_replay *load_replay(struct caprun_run *run, const char *path, int fd,
                                     const uint8_t *key, bool is_resume, struct cr_err *why)
{
    struct cr_replay *p = calloc(1, sizeof(*p));

    if (!p) {
        (void)cr_err_memory(why);
        return NULL;
    }
    *p = (struct cr_replay){.hooks = {.is_long = cr_line_is_long,
                                      .keep = cr_replay_keep,
                                      .begun = cr_replay_begun,
                                      .frame_received = cr_replay_frame_received,
                                      .next = cr_replay_next,
                                      .end = cr_replay_end,
                                      .free = free_replay},
                            .run = run,
                            .loop = cr_run_look(run).loop,
                            .is_resume = is_resume,
                            .has_key = key != NULL,
                            .timer = {.when_us = -1, .due = cr_replay_timer_due, .name = "replay"},
                            .rest = {.run = cr_replay_finish_calls_later, .name = "replay"}};
    if (key)
        memcpy(p->key, key, CR_HASH_BYTES);
    cr_buf_init(&p->texts, MAX_TEXTS);
    cr_buf_add(&p->texts, "", 1);
    cr_buf_init(&p->body, WIRE_CALL_MAX * 6);
    p->last_new_args = &p->new_args;
    cr_buf_init(&p->matches, LIMIT_MAX_CALLS * sizeof(struct cr_replay_match));
    cr_buf_init(&p->retries, LIMIT_MAX_CALLS * sizeof(uint32_t));
    cr_buf_init(&p->allowed, MAX_TEXTS);
    cr_buf_init(&p->open, LIMIT_MAX_CALLS * sizeof(uint32_t));
    if (cr_journal_read(path, fd, &p->journal, why) < 0 ||
        (is_resume && prepare_resume(p, why) < 0) || sort_lines(p, why) < 0 ||
        set_spec(p, why) < 0) {
        free_replay(&p->hooks);
        return NULL;
    }
    return p;
}

int cr_replay_new(struct caprun_run *run, const char *path, const uint8_t *key, struct cr_err *why)
{
    struct cr_replay *p = load_replay(run, path, -1, key, false, why);

    if (!p)
        return CAPRUN_E_INVAL;
    if (!p->journal.end) {
        (void)reject_early_end(&p->journal, why);
        free_replay(&p->hooks);
        return CAPRUN_E_INVAL;
    }
    cr_run_set_player(run, &p->hooks, true);
    return 0;
}

/* Locks the journal, and checks its owner: who can write the journal controls the resumed run. */
static int check_file(int fd, const char *path, struct cr_err *why)
{
    struct cr_err err;
    struct stat st;
    char name[4096];

    (void)snprintf(name, sizeof(name), "'%s'", path);
    if (cr_file_lock(fd) < 0)
        return errno == EAGAIN
                   ? cr_err_end(why, CAPRUN_OUTCOME_USAGE, "wait for its end: caprun runs shows it",
                                "the run of '%s' goes on, in another process", path)
                   : cr_err_end(
                         why, CAPRUN_OUTCOME_USAGE,
                         "without locks it is not known whether the run still goes on; if it has "
                         "ended, copy the journal to a file system with locks",
                         "cannot lock '%s': %s", path, strerror(errno));
    /* another process may have removed it as old, before it was locked */
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink == 0)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "'%s' is not a file, or was removed",
                          path);
    if (cr_file_check_owner(&st, name, &err) < 0)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "%s", err.text);
    return 0;
}

/* |fd| is locked. Takes ownership of it, also on failure. */
static int resume_locked(struct caprun_run *run, const struct cr_record_spec *spec, int fd,
                         struct cr_err *why)
{
    struct cr_replay *p = load_replay(run, spec->path, fd, spec->key, true, why);
    struct cr_err err;

    if (!p) {
        (void)close(fd);
    } else if (cr_record_continue(run, spec, fd, &p->journal, p->undo_from, &err) < 0) {
        (void)cr_err_end(why, CAPRUN_OUTCOME_INTERNAL, NULL, "%s", err.text);
    } else {
        cr_record_file(fd, "", p->file);
        (void)snprintf(cr_run_spec(run)->id, sizeof(cr_run_spec(run)->id), "%s",
                       p->journal.head.run);
        /* without a recorded job there is nothing to repeat */
        cr_run_set_player(run, &p->hooks, p->journal.has_job);
        return 0;
    }
    if (p)
        free_replay(&p->hooks);
    return CAPRUN_E_INVAL;
}

int cr_replay_resume(struct caprun_run *run, const struct cr_record_spec *spec, struct cr_err *why)
{
    int fd = open(spec->path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);

    if (fd < 0)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun runs lists what was recorded",
                          "cannot open '%s': %s", spec->path, strerror(errno));
    if (check_file(fd, spec->path, why) < 0) {
        (void)close(fd);
        return CAPRUN_E_INVAL;
    }
    return resume_locked(run, spec, fd, why);
}
