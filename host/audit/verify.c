/*
 * verify.c - follows the chain of an audit from its first line to its last, and compares it with
 * the record.
 *
 * A line is at fault if its number or its link does not follow from the line before. A line that
 * was changed is found by the next line, whose link is the hash of what was there; the last line by
 * the record.
 */
#include "audit/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "audit/line.h"
#include "audit/trail.h"

struct check {
    struct cr_audit_trail trail;
    struct cr_audit_verdict verdict;
    void (*report)(void *data, const char *words);
    void *data;
    uint64_t next;               /* the number that the next line must have; 0: any */
    uint8_t hash[CR_HASH_BYTES]; /* of the line before it */
    bool is_known;               /* |hash| is known; not behind a gap */
};

__attribute__((format(printf, 2, 3))) static void problem(struct check *c, const char *fmt, ...)
{
    char words[PATH_MAX + 256];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, args);
    va_end(args);
    c->verdict.problems++;
    c->report(c->data, words);
}

static void report_gap(struct check *c, uint64_t from, uint64_t to, const char *where)
{
    if (from == to)
        problem(c, "line %" PRIu64 " is missing%s", from, where);
    else
        problem(c, "lines %" PRIu64 " to %" PRIu64 " are missing%s", from, to, where);
}

/* Some repairs mean that lines may be gone without a gap. */
static void check_event(struct check *c, const struct cr_audit_line *line)
{
    const char *what = cr_audit_line_get(line, "what");

    if (strcmp(line->event, "repaired") != 0)
        return;
    if (strcmp(what, "no-record") == 0 || strcmp(what, "bad-record") == 0)
        problem(c,
                "before line %" PRIu64 ", the record beside the audit was %s: it is not known how "
                "many lines there were",
                line->n, strcmp(what, "no-record") == 0 ? "missing" : "broken");
}

static void check_line(struct check *c, const struct cr_audit_line *line, const char *text,
                       size_t len)
{
    if (c->next && line->n < c->next) {
        problem(c,
                "line %" PRIu64 " of '%s' was inserted or changed: it has the number %" PRIu64
                ", and %" PRIu64 " is next",
                c->trail.line, c->trail.name, line->n, c->next);
        return;
    }
    if (c->next && line->n > c->next)
        report_gap(c, c->next, line->n - 1, "");
    else if (c->is_known && memcmp(line->prev, c->hash, CR_HASH_BYTES) != 0)
        problem(c, "line %" PRIu64 " was changed: line %" PRIu64 " has another hash for it",
                line->n - 1, line->n);
    check_event(c, line);
    cr_hash_take(text, len, c->hash);
    c->is_known = true;
    c->next = line->n + 1;
    c->verdict.lines++;
    if (!c->verdict.first)
        c->verdict.first = line->n;
    c->verdict.last = line->n;
    if (line->n == c->trail.record.count &&
        memcmp(c->hash, c->trail.record.hash, CR_HASH_BYTES) != 0)
        problem(c, "line %" PRIu64 " was changed: the record has another hash for it", line->n);
}

static int check_text(struct check *c, const char *text, size_t len, struct cr_err *err)
{
    struct cr_audit_line line;
    int r = cr_audit_line_parse(text, len, &line);

    if (r == CAPRUN_E_NOMEM)
        return cr_err_memory(err);
    if (r < 0) {
        problem(c, "line %" PRIu64 " of '%s' was inserted or changed: it is not a line of an audit",
                c->trail.line, c->trail.name);
        return 0;
    }
    check_line(c, &line, text, len);
    cr_audit_line_clear(&line);
    return 0;
}

static void check_end(struct check *c, bool is_torn)
{
    const struct cr_audit_record *record = &c->trail.record;

    if (c->trail.has_record != CR_AUDIT_RECORD_GOOD)
        problem(c, "the record '%s.state' is %s: lines may be missing at the end", c->trail.path,
                c->trail.has_record == CR_AUDIT_RECORD_MISSING ? "missing" : "broken");
    else if (c->next <= record->count)
        report_gap(c, c->next, record->count,
                   is_torn ? " at the end, where there is a part of a line" : " at the end");
}

static int check_all(struct check *c, struct cr_err *err)
{
    for (;;) {
        const char *text = "";
        size_t len = 0;
        int r = 0;

        switch (cr_audit_trail_next(&c->trail, &text, &len, err)) {
        case CR_AUDIT_READ_LINE:
            r = check_text(c, text, len, err);
            break;
        case CR_AUDIT_READ_LONG:
            problem(c, "line %" PRIu64 " of '%s' was inserted: it is too long", c->trail.line,
                    c->trail.name);
            break;
        case CR_AUDIT_READ_FAILED:
            if (err->code != CAPRUN_E_INVAL)
                return err->code;
            problem(c, "%s", err->text);
            break;
        case CR_AUDIT_READ_TORN:
            c->verdict.torn = len;
            check_end(c, true);
            return 0;
        case CR_AUDIT_READ_END:
            check_end(c, false);
            return 0;
        }
        if (r < 0)
            return r;
    }
}

int cr_audit_verify(const char *path, void (*report)(void *data, const char *words), void *data,
                    struct cr_audit_verdict *ret, struct cr_err *err)
{
    struct check c = {.report = report, .data = data, .is_known = true};
    int r = cr_audit_trail_open(&c.trail, path, err);

    if (r != 0)
        return r;
    c.next = c.trail.record.first;
    memcpy(c.hash, c.trail.record.before, CR_HASH_BYTES);
    if (c.trail.has_record != CR_AUDIT_RECORD_GOOD) {
        c.next = 0;
        c.is_known = false;
    }
    r = check_all(&c, err);
    cr_audit_trail_close(&c.trail);
    if (r == 0)
        *ret = c.verdict;
    return r;
}
