/* journal.c - lines, one after the other: hash, grammar, sense. */
#include "journal/journal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/locate.h"
#include "base/scan.h"
#include "base/unescape.h"
#include "base/utf8.h"
#include "journal/blobs.h"
#include "journal/line.h"
#include "run/envelope.h"
#include "wire.h"

#define MAX_JOURNAL (1u << 30)
#define MAX_US ((int64_t)1 << 52) /* 142 years */
#define ESCAPED 6u                /* bytes that one can become */
#define BESIDE (8u << 10)         /* names, numbers and the hash of a line */

static const struct {
    const char *key, *value;
} kinds[] = {
#define XX(name, key, value) {key, value},
    CR_JOURNAL_MAP(XX)
#undef XX
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* What makes sense now depends on what was before. */
struct reading {
    struct cr_journal *j;
    size_t number;     /* of the line at hand */
    uint8_t *answered; /* by the number of a call: it has been */
    size_t answered_cap;
    size_t cap;      /* of lines */
    int64_t base_us; /* what Date shows at time 0 */
    bool told;       /* something after the job */
    bool is_over;    /* the worker has said its last */
    bool has_end, has_cut;
    struct cr_err *why;
};

static int __attribute__((format(printf, 2, 3))) refuse(struct reading *r, const char *fmt, ...)
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

static int refuse_header(struct reading *r, const char *what)
{
    return cr_err_end(r->why, CAPRUN_OUTCOME_JOURNAL_INVALID,
                      "--record FILE makes one; caprun runs lists those that caprun has made",
                      "%s:1: no journal of caprun begins like this: the first line %s", r->j->path,
                      what);
}

static int refuse_stranger(struct reading *r)
{
    return cr_err_end(r->why, CAPRUN_OUTCOME_JOURNAL_INVALID,
                      "--record FILE makes one; caprun runs lists those that caprun has made",
                      "%s:%zu: it is not a journal of caprun", r->j->path, r->number);
}

/* --- one line -----------------------------------------------------------------------------------
 */

/* The value |key| of the line, which is JSON if there were a brace behind it. */
static const char *peek(const struct cr_journal_line *line, const char *key, size_t *ret_len)
{
    return cr_locate_member(line->text, line->len, key, ret_len);
}

static bool take_number(const struct cr_journal_line *line, const char *key, int64_t most,
                        int64_t *ret)
{
    size_t len = 0;
    const char *text = peek(line, key, &len);
    int64_t value = 0;

    if (!text || len == 0 || len > 18 || (len > 1 && text[0] == '0'))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (text[i] - '0');
    }
    *ret = value;
    return value <= most;
}

static void show_outcome(const struct cr_journal_line *line, char ret[64])
{
    size_t len = 0;
    const char *text = peek(line, "end", &len);
    int shown = text && len > 2 && len < 64 ? (int)len - 2 : 0;

    (void)snprintf(ret, 64, "%.*s", shown, shown ? text + 1 : "");
}

/* The body begins with what it is. */
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
    (void)refuse(r, "no line of this version of caprun is like this");
    return false;
}

/* {"at":12, and then the body. */
static bool find_body(struct reading *r, struct cr_journal_line *line)
{
    static const char start[] = "{\"at\":";
    const char *comma = NULL;

    if (line->len >= sizeof(start) && memcmp(line->text, start, sizeof(start) - 1) == 0 &&
        take_number(line, "at", MAX_US, &line->at_us))
        comma = memchr(line->text, ',', line->len);
    if (!comma) {
        (void)refuse(r, "it does not begin with its time, or there is nothing more in it");
        return false;
    }
    line->body = comma + 1;
    line->body_len = line->len - (size_t)(comma + 1 - line->text);
    return true;
}

/* Bytes of a line that was written: of values that are not long, and texts that are escaped. */
static size_t longest(enum cr_journal_kind kind)
{
    switch (kind) {
    case CR_JOURNAL_REPLY:
    case CR_JOURNAL_DONE:
        return CR_LINE_INLINE + BESIDE;
    case CR_JOURNAL_JOB:
    case CR_JOURNAL_FAIL:
    case CR_JOURNAL_WAKE:
    case CR_JOURNAL_CALL:
    case CR_JOURNAL_LOG:
    case CR_JOURNAL_BLOCKED:
    case CR_JOURNAL_THREW:
    case CR_JOURNAL_LATE:
    case CR_JOURNAL_FULL:
    case CR_JOURNAL_SEND:
    case CR_JOURNAL_RESUME:
    case CR_JOURNAL_END:
    case CR_JOURNAL_CUT:
        break;
    }
    return ESCAPED *
               (LIMIT_ERROR_MESSAGE_BYTES + LIMIT_ERROR_STACK_BYTES + (size_t)CR_LINE_INLINE) +
           BESIDE;
}

/* --- does it make sense? ------------------------------------------------------------------------
 */

static int add_call(struct reading *r, struct cr_journal_line *line)
{
    uint32_t count = r->j->calls + 1;
    size_t len = 0;

    if (line->n != count || count > LIMIT_MAX_CALLS)
        return refuse(r, "call %u comes after call %u", line->n, r->j->calls);
    if (peek(line, "args", &len) && len > CR_LINE_INLINE)
        return refuse(r,
                      "its args are longer than they can be: long values are files of their own");
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
        return refuse(r, "it is about call %u, which has not been made", line->n);
    if (r->answered[line->n])
        return refuse(r, "it is about call %u, which was answered", line->n);
    return 0;
}

static int check_told(struct reading *r, struct cr_journal_line *line)
{
    static const char success[] = "\"SUCCESS\"";
    const char *code;
    size_t len = 0;

    if (line->kind != CR_JOURNAL_JOB && !r->j->has_job)
        return refuse(r, "the worker is told something before its job");
    if (line->kind == CR_JOURNAL_JOB) {
        if (r->told || r->j->calls || !take_number(line, "date", MAX_US, &r->base_us))
            return refuse(r, "this is no job, or not its place");
        r->j->has_job = true;
    } else {
        r->told = true;
    }
    line->date_us = r->base_us + line->at_us;
    if (line->kind != CR_JOURNAL_REPLY && line->kind != CR_JOURNAL_FAIL)
        return 0;
    if (check_open(r, line) < 0)
        return CAPRUN_E_INVAL;
    code = line->kind == CR_JOURNAL_FAIL ? peek(line, "code", &len) : NULL;
    if (code && len == sizeof(success) - 1 && memcmp(code, success, len) == 0)
        return refuse(r, "a call cannot fail with SUCCESS");
    r->answered[line->n] = 1;
    return 0;
}

static int check_heard(struct reading *r, struct cr_journal_line *line)
{
    if (!r->j->has_job)
        return refuse(r, "the worker says something before it has a job");
    if (line->kind == CR_JOURNAL_CALL)
        return add_call(r, line);
    r->is_over = line->kind == CR_JOURNAL_DONE || line->kind == CR_JOURNAL_THREW ||
                 line->kind == CR_JOURNAL_LATE || line->kind == CR_JOURNAL_FULL;
    return 0;
}

static int check_resume(struct reading *r, const struct cr_journal_line *line)
{
    if (!r->j->has_job || !take_number(line, "date", MAX_US, &r->base_us))
        return refuse(r, "there is nothing to resume here");
    r->told = true;
    r->j->boot = peek(line, "boot", &r->j->boot_len);
    if (!r->j->boot || r->j->boot_len < 2)
        return refuse(r, "\"boot\" is missing");
    r->j->boot++;
    r->j->boot_len -= 2;
    return 0;
}

static int check_end(struct reading *r, const struct cr_journal_line *line)
{
    char outcome[64];

    show_outcome(line, outcome);
    if (strcmp(cr_envelope_code(cr_envelope_outcome(outcome)), outcome) != 0 ||
        strcmp(outcome, "REPLAY_DIFFERED") == 0 || strcmp(outcome, "JOURNAL_INVALID") == 0)
        return refuse(r, "there is no such end");
    return 0;
}

static int check_sense(struct reading *r, struct cr_journal_line *line)
{
    int64_t n = 0;

    if (r->has_end || r->has_cut)
        return refuse(r, "there is a line after the end");
    if (r->is_over && line->kind != CR_JOURNAL_END && line->kind != CR_JOURNAL_CUT)
        return refuse(r, "the worker had said its last");
    if (line->at_us < r->j->last_at_us && line->kind != CR_JOURNAL_JOB)
        return refuse(r, "it is earlier than the line before");
    r->j->last_at_us = line->at_us;
    if (line->kind == CR_JOURNAL_CALL || line->kind == CR_JOURNAL_REPLY ||
        line->kind == CR_JOURNAL_FAIL) {
        if (!take_number(line, "n", LIMIT_MAX_CALLS, &n))
            return refuse(r, "it does not say which call it is about");
    } else if (line->kind == CR_JOURNAL_SEND && !take_number(line, "send", LIMIT_MAX_CALLS, &n)) {
        return refuse(r, "it does not say which call was sent");
    }
    line->n = (uint32_t)n;
    switch (line->kind) {
    case CR_JOURNAL_JOB:
    case CR_JOURNAL_REPLY:
    case CR_JOURNAL_FAIL:
    case CR_JOURNAL_WAKE:
        return check_told(r, line);
    case CR_JOURNAL_CALL:
    case CR_JOURNAL_LOG:
    case CR_JOURNAL_BLOCKED:
    case CR_JOURNAL_DONE:
    case CR_JOURNAL_THREW:
    case CR_JOURNAL_LATE:
    case CR_JOURNAL_FULL:
        return check_heard(r, line);
    case CR_JOURNAL_SEND:
        return check_open(r, line);
    case CR_JOURNAL_RESUME:
        return check_resume(r, line);
    case CR_JOURNAL_END:
        return check_end(r, line);
    case CR_JOURNAL_CUT:
        break;
    }
    return 0;
}

/* --- all lines ----------------------------------------------------------------------------------
 */

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
    struct cr_journal_line line = {.text = text, .len = len};

    if (!find_body(r, &line) || !find_kind(r, &line))
        return CAPRUN_E_INVAL;
    if (line.len > longest(line.kind))
        return refuse(r,
                      "it is longer than such a line can be: long values are files of their own");
    if (check_sense(r, &line) < 0)
        return CAPRUN_E_INVAL;
    if (make_room(r) < 0)
        return CAPRUN_E_NOMEM;
    j->lines[j->count++] = line;
    r->has_end = line.kind == CR_JOURNAL_END;
    r->has_cut = line.kind == CR_JOURNAL_CUT;
    return 0;
}

/* The whole of the first line is wanted as a tree. */
static int read_head(struct reading *r, const char *text, size_t len)
{
    struct cr_journal *j = r->j;
    struct cr_err err;

    if (cr_json_parse_within(text, len, CR_HEAD_MAX_VALUES, &j->doc, &err) < 0)
        return err.code == CAPRUN_E_NOMEM    ? cr_err_memory(r->why)
               : err.code == CAPRUN_E_TOOBIG ? refuse_header(r, "has too many values")
                                             : refuse_stranger(r);
    if (!cr_json_get(j->doc.root, "journal"))
        return refuse_stranger(r);
    if (cr_head_read(j->doc.root, &j->head, &err) < 0)
        return refuse(r, "%s", err.text);
    j->boot = j->head.boot;
    j->boot_len = strlen(j->boot);
    return 0;
}

/* |len| is without the line's end. */
static int check_line(struct reading *r, const char *text, size_t len)
{
    struct cr_err err;
    size_t body;
    int code;

    if (r->number == 1 && len > CR_HEAD_MAX_BYTES)
        return refuse_header(r, "is over 12 MiB");
    code = cr_scan_json((const uint8_t *)text, len, CR_SCAN_PASS, &err);
    if (code == CAPRUN_E_NOMEM)
        return cr_err_memory(r->why);
    if (code < 0 && r->number == 1)
        return refuse_stranger(r);
    if (code < 0)
        return refuse(r, "it is not JSON: %s", err.text);
    /* another version may have another way to tie its lines together, so it is looked at first */
    if (r->number == 1 && read_head(r, text, len) < 0)
        return CAPRUN_E_INVAL;
    body = cr_line_check(text, len, r->j->chain);
    if (!body)
        return refuse(r, "its hash is wrong: this line, or one before it, is not what was written");
    return r->number == 1 ? 0 : read_line(r, text, body);
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
    r->number = r->number ? r->number : 1;
    if (!r->j->doc.root)
        return refuse_stranger(r);
    if (at < end && (r->has_end || r->has_cut)) {
        r->number++;
        return refuse(r, "there is something after the end");
    }
    r->j->end = r->has_end ? &r->j->lines[r->j->count - 1] : NULL;
    r->j->cut = r->has_cut ? &r->j->lines[r->j->count - 1] : NULL;
    return 0;
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

void cr_journal_clear(struct cr_journal *j)
{
    cr_json_clear(&j->doc);
    cr_buf_clear(&j->text);
    free(j->lines);
    free(j->path);
    *j = (struct cr_journal){0};
}

/* --- what is in it ------------------------------------------------------------------------------
 */

size_t cr_journal_number(const struct cr_journal *j, const struct cr_journal_line *line)
{
    return (size_t)(line - j->lines) + 2;
}

int cr_journal_refuse_blob(const struct cr_journal *j, size_t number, const struct cr_err *err,
                           struct cr_err *why)
{
    if (err->code == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    return cr_err_end(why, CAPRUN_OUTCOME_JOURNAL_INVALID, NULL, "%s:%zu: %s", j->path, number,
                      err->text);
}

static bool is_code(const struct cr_buf *text)
{
    return cr_utf8_valid_prefix(text->data, text->len) == text->len &&
           !memchr(text->data, '\0', text->len);
}

/* A blob's bytes have the right hash, but whoever wrote the hash may have meant what is no JSON. */
static int read_blob(const struct cr_journal *j, size_t number, const char *name, size_t len,
                     struct cr_buf *out, struct cr_err *why)
{
    size_t start = out->len;
    struct cr_err err;

    if (cr_blobs_read(j->path, name, len, out, &err) < 0 ||
        cr_scan_json(out->data + start, out->len - start, CR_SCAN_PASS, &err) < 0)
        return cr_journal_refuse_blob(j, number, &err, why);
    return 0;
}

int cr_journal_blob(const struct cr_journal *j, const struct cr_journal_line *line,
                    const char *name, char ret[CR_HASH_DIGITS + 1], size_t *ret_len,
                    struct cr_err *why)
{
    size_t len = 0;
    const char *json;
    int64_t bytes = 0;
    char key[32];

    if (peek(line, name, &len))
        return 0;
    (void)snprintf(key, sizeof(key), "%sBytes", name);
    if (!take_number(line, key, LIMIT_ANSWER_BYTES, &bytes))
        bytes = -1;
    (void)snprintf(key, sizeof(key), "%sBlob", name);
    json = peek(line, key, &len);
    if (bytes < 0 || !json || len != CR_HASH_DIGITS + 2 || memchr(json, '/', len))
        return cr_err_end(why, CAPRUN_OUTCOME_JOURNAL_INVALID, NULL, "%s:%zu: it has no \"%s\"",
                          j->path, cr_journal_number(j, line), name);
    (void)snprintf(ret, CR_HASH_DIGITS + 1, "%.*s", (int)CR_HASH_DIGITS, json + 1);
    *ret_len = (size_t)bytes;
    return 1;
}

int cr_journal_json(const struct cr_journal *j, const struct cr_journal_line *line,
                    const char *name, struct cr_buf *out, struct cr_err *why)
{
    char blob[CR_HASH_DIGITS + 1];
    size_t len = 0;
    const char *json;
    int r = cr_journal_blob(j, line, name, blob, &len, why);

    if (r < 0)
        return r;
    if (r > 0)
        return read_blob(j, cr_journal_number(j, line), blob, len, out, why);
    json = peek(line, name, &len);
    cr_buf_add(out, json, len);
    return cr_buf_err(out) ? cr_err_memory(why) : 0;
}

int cr_journal_code(const struct cr_journal *j, struct cr_buf *out, struct cr_err *why)
{
    const struct cr_head *head = &j->head;
    struct cr_err err;
    int r = 0;

    if (head->code)
        cr_buf_str(out, head->code);
    else
        r = cr_blobs_read(j->path, head->code_blob, (size_t)head->code_bytes, out, &err);
    if (cr_buf_err(out) == CAPRUN_E_TOOBIG || out->len > LIMIT_CODE_BYTES)
        r = cr_err_set(&err, CAPRUN_E_TOOBIG, "the code is over %u bytes", LIMIT_CODE_BYTES);
    else if (r == 0 && out->len && !is_code(out))
        r = cr_err_set(&err, CAPRUN_E_INVAL, "the code is not a text in UTF-8");
    if (r < 0)
        return cr_journal_refuse_blob(j, 1, &err, why);
    return cr_buf_err(out) ? cr_err_memory(why) : 0;
}

int cr_journal_input(const struct cr_journal *j, const char *name, struct cr_buf *out,
                     struct cr_err *why)
{
    bool is_args = strcmp(name, "args") == 0;
    const struct cJSON *value = is_args ? j->head.args : j->head.schema;
    const char *blob = is_args ? j->head.args_blob : j->head.schema_blob;
    uint64_t bytes = is_args ? j->head.args_bytes : j->head.schema_bytes;

    struct cr_json_place span;

    if (!value)
        return blob ? read_blob(j, 1, blob, (size_t)bytes, out, why) : 0;
    span = cr_json_place_of(&j->doc, value);
    cr_buf_add(out, j->doc.bytes + span.at, span.len);
    return cr_buf_err(out) ? cr_err_memory(why) : 0;
}

void cr_journal_text(const struct cr_journal_line *line, const char *name, struct cr_buf *out)
{
    size_t len = 0;
    const char *text = peek(line, name, &len);

    if (text && len >= 2 && text[0] == '"')
        cr_unescape(out, text + 1, len - 2);
}

void cr_journal_outcome(const struct cr_journal *j, char ret[64])
{
    ret[0] = '\0';
    if (j->end)
        show_outcome(j->end, ret);
}
