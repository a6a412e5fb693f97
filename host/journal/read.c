/*
 * read.c - reads a journal and rejects a damaged one: checks for each line its hash, its fields,
 * and whether it is possible after the lines before it.
 */
#include "journal/journal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/locate.h"
#include "base/scan.h"
#include "base/words.h"
#include "journal/asked_line.h"
#include "journal/fields.h"
#include "journal/line.h"
#include "journal/undo.h"
#include "run/envelope.h"
#include "wire.h"

#define MAX_LIMITS 64 /* values of a resume line */
#define MAX_JOURNAL (1u << 30)
#define MAX_US ((int64_t)1 << 52) /* 142 years */
#define ESCAPED 6u                /* largest number of bytes for one escaped byte */
/* A question, and a decision: each call has a name and a hash, or a number. */
#define MAX_ASK (LIMIT_MAX_CALLS_AT_ONCE * (ESCAPED * 1024u + 256u) + MAX_REST)
#define MAX_DECIDE (LIMIT_MAX_CALLS_AT_ONCE * 8u + MAX_REST)
#define MAX_REST (8u << 10) /* names, numbers and the hash of a line */

static const struct {
    const char *key, *value;
    const char *fields; /* the critical ones, "at" and |key| included */
} kinds[] = {
#define XX(name, key, value, fields) {key, value, "at " key fields},
    CR_JOURNAL_MAP(XX)
#undef XX
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The state of reading: which lines are possible depends on the lines before. */
struct reading {
    struct cr_journal *j;
    size_t number;     /* of the current line */
    uint8_t *answered; /* for each call, by its number: whether it has an answer */
    size_t answered_cap;
    size_t cap;        /* of the array of lines */
    int64_t base_us;   /* what Date shows at time 0 */
    uint32_t question; /* the last one; 0: none */
    bool has_input;    /* the worker was sent something after its job */
    struct cr_err *why;
};

static int __attribute__((format(printf, 2, 3)))
reject_line(struct reading *r, const char *fmt, ...)
{
    char words[512];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    (void)cr_err_end(r->why, CAPRUN_OUTCOME_JOURNAL_INVALID,
                     "a journal is not to be edited; record the run again", "%s:%zu: %s",
                     r->j->path, r->number, words);
    return CAPRUN_E_INVAL;
}

static int reject_header(struct reading *r, const char *what)
{
    return cr_err_end(r->why, CAPRUN_OUTCOME_JOURNAL_INVALID, cr_words[CR_WORD_MAKES_JOURNAL],
                      "%s:1: this cannot be a journal of caprun: the first line %s", r->j->path,
                      what);
}

static int reject_file(struct reading *r)
{
    return cr_err_end(r->why, CAPRUN_OUTCOME_JOURNAL_INVALID, cr_words[CR_WORD_MAKES_JOURNAL],
                      "%s:%zu: it is not a journal of caprun", r->j->path, r->number);
}

/* --- one line ------------------------------------------------------------------------------- */

/* Since version 2: a line that has only optional fields. */
static bool is_optional(const struct reading *r, const struct cr_journal_line *line)
{
    return r->j->head.version > 1 && line->body_len > 2 && memcmp(line->body, "\"_", 2) == 0;
}

/* Checks which fields |line| has, and ends its body before the optional ones. */
static int check_fields(struct reading *r, struct cr_journal_line *line)
{
    struct cr_err err;
    size_t critical;

    if (r->j->head.version == 1)
        return 0;
    if (cr_fields_check(line->text, line->len, kinds[line->kind].fields, &critical, &err) < 0)
        return reject_line(r, "%s", err.text);
    line->body_len = critical - (size_t)(line->body - line->text);
    return 0;
}

/* Sets the kind of |line| from the first field of its body. */
static bool find_kind(struct reading *r, struct cr_journal_line *line)
{
    char start[32];

    for (size_t i = 0; i < KINDS; i++) {
        const char *value = kinds[i].value;
        int len = snprintf(start, sizeof(start), "\"%s\":%s%s%s", kinds[i].key, value ? "\"" : "",
                           value ? value : "", value ? "\"" : "");

        if (line->body_len >= (size_t)len && memcmp(line->body, start, (size_t)len) == 0) {
            line->kind = (enum cr_journal_kind)i;
            return true;
        }
    }
    (void)reject_line(r, "this version of caprun (%s) does not know such a line", CAPRUN_VERSION);
    return false;
}

/* Finds the body, which comes after {"at":12, */
static bool find_body(struct reading *r, struct cr_journal_line *line)
{
    static const char start[] = "{\"at\":";
    const char *comma = NULL;

    if (line->len >= sizeof(start) && memcmp(line->text, start, sizeof(start) - 1) == 0 &&
        cr_journal_take_number(line, "at", MAX_US, &line->at_us))
        comma = memchr(line->text, ',', line->len);
    if (!comma) {
        (void)reject_line(r, "it does not begin with its time, or has nothing else");
        return false;
    }
    line->body = comma + 1;
    line->body_len = line->len - (size_t)(comma + 1 - line->text);
    return true;
}

/* Returns the largest length of such a line, with values that are not blobs, and escaped texts. */
static size_t max_line_length(enum cr_journal_kind kind)
{
    if (kind == CR_JOURNAL_REPLY || kind == CR_JOURNAL_DONE)
        return CR_LINE_INLINE + MAX_REST;
    if (kind == CR_JOURNAL_ASK || kind == CR_JOURNAL_DECIDE)
        return kind == CR_JOURNAL_ASK ? MAX_ASK : MAX_DECIDE;
    return ESCAPED *
               (LIMIT_ERROR_MESSAGE_BYTES + LIMIT_ERROR_STACK_BYTES + (size_t)CR_LINE_INLINE) +
           MAX_REST;
}

/* --- which lines are possible --------------------------------------------------------------- */

static bool ends_with(const struct reading *r, enum cr_journal_kind kind)
{
    return r->j->count && r->j->lines[r->j->count - 1].kind == kind;
}

static bool worker_has_ended(const struct reading *r)
{
    return ends_with(r, CR_JOURNAL_DONE) || ends_with(r, CR_JOURNAL_THREW) ||
           ends_with(r, CR_JOURNAL_LATE) || ends_with(r, CR_JOURNAL_FULL);
}

static int add_call(struct reading *r, struct cr_journal_line *line)
{
    uint32_t count = r->j->calls + 1;
    size_t len = 0;

    if (line->n != count || count > LIMIT_MAX_CALLS)
        return reject_line(r, "call %u comes after call %u", line->n, r->j->calls);
    if (cr_journal_member(line, "args", &len) && len > CR_LINE_INLINE)
        return reject_line(
            r, "its args are longer than they can be: long values are files of their own");
    if (count >= r->answered_cap) {
        size_t cap = r->answered_cap ? 2 * r->answered_cap : 64;
        uint8_t *more = realloc(r->answered, cap);

        if (!more)
            return cr_err_memory(r->why);
        memset(more + r->answered_cap, 0, cap - r->answered_cap);
        r->answered = more;
        r->answered_cap = cap;
    }
    r->j->calls = count;
    return 0;
}

static int check_open(struct reading *r, const struct cr_journal_line *line)
{
    if (!line->n || line->n > r->j->calls)
        return reject_line(r, "it is about call %u, which has not been made", line->n);
    if (r->answered[line->n])
        return reject_line(r, "it is about call %u, which was answered", line->n);
    return 0;
}

static bool has_value(const struct cr_journal_line *line, const char *key, const char *json)
{
    size_t len = 0;
    const char *value = cr_journal_member(line, key, &len);

    return value && len == strlen(json) && memcmp(value, json, len) == 0;
}

/* A value that this version does not know would be taken for another one. */
static int check_answer(struct reading *r, const struct cr_journal_line *line)
{
    size_t len;

    if (r->j->head.version == 1)
        return 0;
    if (line->kind == CR_JOURNAL_REPLY && !has_value(line, "kind", "\"tool\"") &&
        !has_value(line, "kind", "\"value\""))
        return reject_line(r, "\"kind\" is not known to this version of caprun");
    if (line->kind == CR_JOURNAL_FAIL && !has_value(line, "state", "\"failed\"") &&
        !has_value(line, "state", "\"denied\"") && !has_value(line, "state", "\"unknown\""))
        return reject_line(r, "\"state\" is not known to this version of caprun");
    if (cr_journal_member(line, "json", &len) && cr_journal_member(line, "jsonBlob", &len))
        return reject_line(r, "its answer is there twice");
    return 0;
}

static int check_input(struct reading *r, struct cr_journal_line *line)
{
    if (line->kind != CR_JOURNAL_JOB && !r->j->has_job)
        return reject_line(r, "the worker is sent something before its job");
    if (line->kind == CR_JOURNAL_JOB) {
        if (r->has_input || r->j->calls ||
            !cr_journal_take_number(line, "date", MAX_US, &r->base_us))
            return reject_line(r, "this job is not valid, or not possible here");
        r->j->has_job = true;
    } else {
        r->has_input = true;
    }
    line->date_us = r->base_us + line->at_us;
    if (line->kind != CR_JOURNAL_REPLY && line->kind != CR_JOURNAL_FAIL)
        return 0;
    if (check_open(r, line) < 0)
        return CAPRUN_E_INVAL;
    if (line->kind == CR_JOURNAL_FAIL && has_value(line, "code", "\"SUCCESS\""))
        return reject_line(r, "a call cannot fail with SUCCESS");
    if (check_answer(r, line) < 0)
        return CAPRUN_E_INVAL;
    r->answered[line->n] = 1;
    return 0;
}

static int check_output(struct reading *r, struct cr_journal_line *line)
{
    if (!r->j->has_job)
        return reject_line(r, "the worker sends something before it has a job");
    return line->kind == CR_JOURNAL_CALL ? add_call(r, line) : 0;
}

/* Since version 2, a line for a sent call has the exact name of its tool, and what decided. */
static int check_send(struct reading *r, const struct cr_journal_line *line)
{
    size_t len;

    if (check_open(r, line) < 0)
        return CAPRUN_E_INVAL;
    if (r->j->head.version == 1)
        return 0;
    if (!has_value(line, "decision", "\"allow\"") || !cr_journal_member(line, "tool", &len) ||
        !cr_journal_member(line, "by", &len))
        return reject_line(r, "it does not say which tool was called, or who allowed that");
    return 0;
}

/* Since version 2: a question to a person, and a decision about it. */
static int check_question(struct reading *r, struct cr_journal_line *line)
{
    const char *problem;
    int code = cr_asked_line_check(r->j, line, r->answered, &r->question, &r->base_us, &problem);

    if (code == CAPRUN_E_NOMEM)
        return cr_err_memory(r->why);
    return code < 0 ? reject_line(r, "%s", problem) : 0;
}

/* A resumed run may have other limits than before; they replace the ones of the header. */
static int take_limits(struct reading *r, const struct cr_journal_line *line)
{
    size_t len = 0;
    const char *json = cr_journal_member(line, "limits", &len);
    struct cr_json_doc doc = {0};
    struct cr_err err;
    int code = json ? cr_json_parse_within(json, len, MAX_LIMITS, &doc, &err) : CAPRUN_E_INVAL;

    if (code == 0)
        code = cr_head_read_limits(json, len, doc.root, &r->j->head, &err);
    cr_json_clear(&doc);
    if (code == CAPRUN_E_NOMEM)
        return cr_err_memory(r->why);
    return code < 0 ? reject_line(r, "%s", json ? err.text : "\"limits\" is missing") : 0;
}

/* Takes where the run goes on: since this boot of the machine, in this file. */
static int take_place(struct reading *r, const struct cr_journal_line *line)
{
    r->j->boot = cr_journal_raw_text(line, "boot", &r->j->boot_len);
    r->j->file = cr_journal_raw_text(line, CR_HEAD_FILE, &r->j->file_len);
    return r->j->boot ? 0 : reject_line(r, "\"boot\" is missing");
}

static int check_resume(struct reading *r, const struct cr_journal_line *line)
{
    if (!r->j->has_job || !cr_journal_take_number(line, "date", MAX_US, &r->base_us))
        return reject_line(r, "there is nothing to resume here");
    if (r->j->head.version > 1 && !has_value(line, "resume", "true"))
        return reject_line(r, "\"resume\" is not true");
    r->has_input = true;
    if (take_place(r, line) < 0)
        return CAPRUN_E_INVAL;
    return r->j->head.version > 1 ? take_limits(r, line) : 0;
}

/* The end may be taken back, and only as far as cr_undo_find() says. */
static int check_undo(struct reading *r, const struct cr_journal_line *line)
{
    const char *why = "the run has not ended";
    size_t first = ends_with(r, CR_JOURNAL_END) ? cr_undo_find(r->j, &why) : 0;
    int64_t number = 0;

    if (!first)
        return reject_line(r, "it takes back the end of the run, but %s", why);
    if (!cr_journal_take_number(line, "undo", INT32_MAX, &number) ||
        (size_t)number != r->j->lines[first].number)
        return reject_line(r, "it takes back other lines than from line %zu on",
                           r->j->lines[first].number);
    cr_undo_apply(r->j, first, r->answered);
    return take_place(r, line) < 0 ? CAPRUN_E_INVAL : take_limits(r, line);
}

static int check_end(struct reading *r, const struct cr_journal_line *line)
{
    char outcome[64];

    cr_journal_show_outcome(line, outcome);
    if (strcmp(cr_envelope_code(cr_envelope_outcome(outcome)), outcome) != 0 ||
        strcmp(outcome, "REPLAY_DIFFERED") == 0 || strcmp(outcome, "JOURNAL_INVALID") == 0)
        return reject_line(r, "a recorded run cannot end with this outcome");
    if ((strcmp(outcome, "SUCCESS") == 0 && !ends_with(r, CR_JOURNAL_DONE)) ||
        (strcmp(outcome, "CODE_ERROR") == 0 && !ends_with(r, CR_JOURNAL_THREW)))
        return reject_line(r, "the line before does not say how the code has ended");
    return 0;
}

/* Checks what applies to lines of all kinds: nothing after the end, and the order of times. */
static int check_order(struct reading *r, const struct cr_journal_line *line)
{
    if (ends_with(r, CR_JOURNAL_CUT) ||
        (ends_with(r, CR_JOURNAL_END) && line->kind != CR_JOURNAL_UNDO))
        return reject_line(r, "there is a line after the end");
    if (line->at_us < r->j->last_at_us && line->kind != CR_JOURNAL_JOB)
        return reject_line(r, "it is earlier than the line before");
    r->j->last_at_us = line->at_us;
    return 0;
}

static int check_place(struct reading *r, struct cr_journal_line *line)
{
    int64_t n = 0;

    if (check_order(r, line) < 0)
        return CAPRUN_E_INVAL;
    if (worker_has_ended(r) && line->kind != CR_JOURNAL_END && line->kind != CR_JOURNAL_CUT)
        return reject_line(r, "the worker had already ended");
    if (line->kind == CR_JOURNAL_CALL || line->kind == CR_JOURNAL_REPLY ||
        line->kind == CR_JOURNAL_FAIL) {
        if (!cr_journal_take_number(line, "n", LIMIT_MAX_CALLS, &n))
            return reject_line(r, "it does not say which call it is about");
    } else if (line->kind == CR_JOURNAL_SEND &&
               !cr_journal_take_number(line, "send", LIMIT_MAX_CALLS, &n)) {
        return reject_line(r, "it does not say which call was sent");
    }
    line->n = (uint32_t)n;
    line->date_us = r->base_us + line->at_us;
    switch (line->kind) {
    case CR_JOURNAL_JOB:
    case CR_JOURNAL_REPLY:
    case CR_JOURNAL_FAIL:
    case CR_JOURNAL_WAKE:
        return check_input(r, line);
    case CR_JOURNAL_CALL:
    case CR_JOURNAL_LOG:
    case CR_JOURNAL_BLOCKED:
    case CR_JOURNAL_DONE:
    case CR_JOURNAL_THREW:
    case CR_JOURNAL_LATE:
    case CR_JOURNAL_FULL:
        return check_output(r, line);
    case CR_JOURNAL_SEND:
        return check_send(r, line);
    case CR_JOURNAL_ASK:
    case CR_JOURNAL_DECIDE:
        return check_question(r, line);
    case CR_JOURNAL_RESUME:
        return check_resume(r, line);
    case CR_JOURNAL_UNDO:
        return check_undo(r, line);
    case CR_JOURNAL_END:
        return check_end(r, line);
    case CR_JOURNAL_CUT:
        break;
    }
    return 0;
}

/* --- all lines ------------------------------------------------------------------------------ */

static int check_length(struct reading *r, const struct cr_journal_line *line)
{
    if (line->len <= max_line_length(line->kind))
        return 0;
    return reject_line(r,
                       "it is longer than such a line can be: long values are files of their own");
}

static int make_room(struct reading *r)
{
    struct cr_journal *j = r->j;
    struct cr_journal_line *more;

    if (j->count < r->cap)
        return 0;
    r->cap = r->cap ? 2 * r->cap : 64;
    more = realloc(j->lines, r->cap * sizeof(*more));
    if (!more)
        return cr_err_memory(r->why);
    j->lines = more;
    return 0;
}

static int read_line(struct reading *r, const char *text, size_t len)
{
    struct cr_journal *j = r->j;
    struct cr_journal_line line = {.text = text, .len = len, .number = r->number};

    if (!find_body(r, &line))
        return CAPRUN_E_INVAL;
    if (is_optional(r, &line))
        return check_length(r, &line) < 0 ? CAPRUN_E_INVAL : check_order(r, &line);
    if (!find_kind(r, &line) || check_length(r, &line) < 0 || check_fields(r, &line) < 0 ||
        check_place(r, &line) < 0)
        return CAPRUN_E_INVAL;
    if (make_room(r) < 0)
        return CAPRUN_E_NOMEM;
    j->lines[j->count++] = line;
    return 0;
}

/*
 * Parses the first line. Another version of the format may compute hashes in another way, so the
 * version is checked before the hash.
 */
static int parse_head(struct reading *r, const char *text, size_t len)
{
    struct cr_journal *j = r->j;
    struct cr_err err;

    if (cr_json_parse_within(text, len, CR_HEAD_MAX_VALUES, &j->doc, &err) < 0)
        return err.code == CAPRUN_E_NOMEM    ? cr_err_memory(r->why)
               : err.code == CAPRUN_E_TOOBIG ? reject_header(r, "has too many values")
                                             : reject_file(r);
    if (!cr_json_get(j->doc.root, "journal"))
        return reject_file(r);
    return cr_head_read_version(j->doc.root, &j->head, &err) < 0 ? reject_line(r, "%s", err.text)
                                                                 : 0;
}

/* |len| is without the hash. */
static int read_head(struct reading *r, const char *text, size_t len)
{
    struct cr_journal *j = r->j;
    struct cr_err err;

    if (cr_head_read(text, len, j->doc.root, &j->head, &err) < 0)
        return reject_line(r, "%s", err.text);
    j->boot = j->head.boot;
    j->boot_len = strlen(j->boot);
    j->file = j->head.file;
    j->file_len = j->file ? strlen(j->file) : 0;
    return 0;
}

/* |len| does not include the line end. */
static int check_line(struct reading *r, const char *text, size_t len)
{
    struct cr_err err;
    size_t body;
    int code;

    if (r->number == 1 && len > CR_HEAD_MAX_BYTES)
        return reject_header(r, "is over 12 MiB");
    code = cr_scan_json((const uint8_t *)text, len, CR_SCAN_PASS, &err);
    if (code == CAPRUN_E_NOMEM)
        return cr_err_memory(r->why);
    if (code < 0 && r->number == 1)
        return reject_file(r);
    if (code < 0)
        return reject_line(r, "it is not JSON: %s", err.text);
    if (r->number == 1 && parse_head(r, text, len) < 0)
        return CAPRUN_E_INVAL;
    body = cr_line_check(text, len, r->j->chain);
    if (!body)
        return reject_line(r, "its hash is wrong: this line, or one before it, was changed");
    return r->number == 1 ? read_head(r, text, body) : read_line(r, text, body);
}

/* Did a host die while it wrote the line that takes back the end? */
static bool has_torn_undo(const struct cr_journal *j, const char *rest, size_t len)
{
    const char *unused;

    return j->end && cr_undo_may_begin(rest, len) && cr_undo_find(j, &unused);
}

/*
 * Checks what comes after the last line end: the beginning of a line, or nothing. A disk that lost
 * what was written leaves NUL bytes, and they may replace several lines.
 */
static int check_rest(struct reading *r, const char *rest, size_t len)
{
    r->number++;
    if (len && (r->j->end || r->j->cut) && !has_torn_undo(r->j, rest, len))
        return reject_line(r, "there is something after the end");
    if (memchr(rest, '\0', len) || len > max_line_length(CR_JOURNAL_CALL) + CR_LINE_SEAL)
        return reject_line(r, "this is not the beginning of a line: the disk has lost lines");
    return 0;
}

static int read_lines(struct reading *r)
{
    const char *text = (const char *)r->j->text.data, *end = text + r->j->text.len;
    const char *at = text, *stop;

    while (at < end && (stop = memchr(at, '\n', (size_t)(end - at)))) {
        r->number++;
        if (check_line(r, at, (size_t)(stop - at)) < 0)
            return CAPRUN_E_INVAL;
        at = stop + 1;
        r->j->whole_len = (size_t)(at - text);
    }
    r->j->line_count = r->number;
    r->number = r->number ? r->number : 1;
    if (!r->j->doc.root)
        return reject_file(r);
    if (ends_with(r, CR_JOURNAL_END))
        r->j->end = &r->j->lines[r->j->count - 1];
    if (ends_with(r, CR_JOURNAL_CUT))
        r->j->cut = &r->j->lines[r->j->count - 1];
    return check_rest(r, at, (size_t)(end - at));
}

static int read_text(struct cr_journal *j, int fd, struct cr_err *why)
{
    struct cr_err err;
    char name[300];
    int r;

    (void)snprintf(name, sizeof(name), "'%.280s'", j->path);
    r = fd < 0 ? cr_file_read(AT_FDCWD, j->path, &j->text, NULL, &err)
               : cr_file_read_fd(fd, name, &j->text, &err);
    if (r == 1)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun runs lists what was recorded",
                          "there is no journal '%s'", j->path);
    if (r == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    return r < 0 ? cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "%s", err.text) : 0;
}

int cr_journal_read(const char *path, int fd, struct cr_journal *ret, struct cr_err *why)
{
    struct cr_journal j = {.path = strdup(path)};
    struct reading reading = {.j = &j, .why = why};
    int r;

    cr_buf_init(&j.text, MAX_JOURNAL);
    if (!j.path)
        return cr_err_memory(why);
    r = read_text(&j, fd, why);
    if (r == 0)
        r = read_lines(&reading);
    free(reading.answered);
    if (r < 0) {
        cr_journal_clear(&j);
        return r;
    }
    *ret = j;
    return 0;
}
