/* audit.c - `caprun audit`: finds the audit, filters and prints its lines, verifies it. */
#include "cli/audit.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audit/line.h"
#include "audit/trail.h"
#include "audit/verify.h"
#include "base/escape.h"
#include "base/pattern.h"
#include "base/units.h"
#include "cli/audit_text.h"
#include "cli/colour.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/settings.h"

#define SHOWN 100   /* lines, if nothing says which */
#define FOLLOWED 10 /* lines before --follow waits for more */
#define SHOWN_PROBLEMS 50
#define PIECE (256u << 10)
#define LOOK_AGAIN_MS 100
#define DAY_S 86400u

struct filter {
    const char *run, *tool, *decision; /* NULL: any */
    char since[40];                    /* the beginning of a time; "": any */
};

/* --- the options ---------------------------------------------------------------------------- */

/* Writes the time |age_s| ago as the lines write times. */
static void show_time_ago(uint64_t age_s, char ret[40])
{
    time_t then = time(NULL) - (time_t)age_s;
    struct tm utc;

    ret[0] = '\0';
    if (gmtime_r(&then, &utc))
        (void)strftime(ret, 40, "%Y-%m-%dT%H:%M:%S", &utc);
}

/* "7d", "12h" or "90s"; or the beginning of a time: "2025-01-31" or "2025-01-31T12:00". */
static int read_since(const char *text, char ret[40], struct cr_err *why)
{
    static const char form[] = "0000-00-00T00:00:00.000000Z";
    size_t len = strlen(text), days = strspn(text, "0123456789");
    uint64_t ms = 0, count = 0;

    if (days && days < 6 && strcmp(text + days, "d") == 0) {
        for (size_t i = 0; i < days; i++)
            count = count * 10 + (uint64_t)(text[i] - '0');
        show_time_ago(count * DAY_S, ret);
        return 0;
    }
    if (len >= 10 && len < sizeof(form)) {
        size_t i = 0;

        while (i < len && (form[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i]))
            i++;
        if (i == len) {
            (void)snprintf(ret, 40, "%s", text);
            return 0;
        }
    }
    if (cr_units_duration(text, &ms, NULL) == 0) {
        show_time_ago((ms + 999) / 1000, ret);
        return 0;
    }
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL,
                      "--since: '%.60s' is not a time; write it like 12h, 7d, 2025-01-31 or "
                      "2025-01-31T12:00 (UTC)",
                      text);
}

static int read_filter(const struct cr_options *o, struct filter *ret, struct cr_err *why)
{
    *ret = (struct filter){.run = o->of_run, .tool = o->of_tool, .decision = o->decision};
    if (ret->tool && !cr_pattern_is(ret->tool))
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL,
                          "--tool: '%.60s' is not " CR_PATTERN_WHAT, ret->tool);
    if (ret->decision && strcmp(ret->decision, "allow") != 0 && strcmp(ret->decision, "deny") != 0)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL,
                          "--decision: '%.60s' is not allow or deny", ret->decision);
    if (o->verify && (o->follow || ret->run || ret->tool || ret->decision || o->since))
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun audit --verify [FILE]",
                          "--verify looks at all lines, and takes no other option");
    return o->since ? read_since(o->since, ret->since, why) : 0;
}

/* Does |word| name the run |id|: in full, or by the beginning or the end of its id? */
static bool is_run(const char *id, const char *word)
{
    size_t len = strlen(id), n = strlen(word);

    return n && n <= len && (strncmp(id, word, n) == 0 || strcmp(id + len - n, word) == 0);
}

static bool is_wanted(const struct filter *f, const struct cr_audit_line *line)
{
    const char *tool = cr_audit_line_get(line, "tool");

    if (f->run && !is_run(cr_audit_line_get(line, "run"), f->run))
        return false;
    if (f->tool && (!tool[0] || !cr_pattern_matches_alias(f->tool, tool)))
        return false;
    if (f->decision && strcmp(cr_audit_line_get(line, "decision"), f->decision) != 0)
        return false;
    return !f->since[0] ||
           strncmp(cr_audit_line_get(line, "time"), f->since, strlen(f->since)) >= 0;
}

/* --- printing ------------------------------------------------------------------------------- */

struct listing {
    const struct cr_options *options;
    struct filter filter;
    struct cr_audit_trail trail;
    struct cr_buf out;
    uint64_t skip; /* wanted lines that are not printed */
    uint64_t count;
};

static int flush(struct listing *l)
{
    int r = l->out.len ? cr_output_text(&l->out) : 0;

    cr_buf_drop(&l->out, l->out.len);
    return r;
}

/* The file may be somebody else's work: a terminal gets every line escaped. */
static void add_raw(struct cr_buf *out, const char *text, size_t len)
{
    if (isatty(STDOUT_FILENO))
        cr_escape_terminal(out, text, len);
    else
        cr_buf_add(out, text, len);
    cr_buf_str(out, "\n");
}

static void add_line(struct listing *l, const char *text, size_t len)
{
    struct cr_audit_line line;

    if (cr_audit_line_parse(text, len, &line) < 0)
        return; /* --verify reports it */
    if (is_wanted(&l->filter, &line) && l->count++ >= l->skip) {
        if (l->options->json)
            add_raw(&l->out, text, len);
        else
            cr_audit_text_add(&l->out, &line);
    }
    cr_audit_line_clear(&line);
}

/* Reads to the end. Returns 0, or an error. */
static int read_lines(struct listing *l, struct cr_err *err)
{
    enum cr_audit_read got;
    const char *text;
    size_t len;

    while ((got = cr_audit_trail_next(&l->trail, &text, &len, err)) != CR_AUDIT_READ_END &&
           got != CR_AUDIT_READ_TORN) {
        if (got == CR_AUDIT_READ_LINE)
            add_line(l, text, len);
        if (got == CR_AUDIT_READ_FAILED && err->code != CAPRUN_E_INVAL)
            return err->code;
        if (l->out.len > PIECE && flush(l) < 0)
            return CAPRUN_E_SYS;
    }
    return 0;
}

/* Counts the wanted lines, so that only the last ones are printed. */
static int skip_all_but(struct listing *l, const char *path, uint64_t shown, struct cr_err *err)
{
    struct listing counting = {.options = l->options, .filter = l->filter, .skip = UINT64_MAX};
    int r = cr_audit_trail_open(&counting.trail, path, err);

    if (r == 0)
        r = read_lines(&counting, err);
    cr_audit_trail_close(&counting.trail);
    l->skip = counting.count > shown ? counting.count - shown : 0;
    return r;
}

static int follow(struct listing *l, struct cr_err *err)
{
    int r = 0;

    while (r == 0 && flush(l) == 0) {
        struct pollfd reader = {.fd = STDOUT_FILENO};

        if (poll(&reader, 1, LOOK_AGAIN_MS) > 0 && reader.revents & (POLLERR | POLLHUP))
            return 0; /* nobody reads it any more */
        r = read_lines(l, err);
    }
    return r;
}

static bool has_filter(const struct filter *f)
{
    return f->run || f->tool || f->decision || f->since[0];
}

static int list_lines(struct listing *l, const char *path, struct cr_err *err)
{
    const struct cr_options *o = l->options;
    int r = 0;

    if (o->follow)
        r = skip_all_but(l, path, FOLLOWED, err);
    else if (!o->json && !has_filter(&l->filter))
        r = skip_all_but(l, path, SHOWN, err);
    if (r == 0)
        r = cr_audit_trail_open(&l->trail, path, err);
    if (r != 0)
        return r;
    r = read_lines(l, err);
    if (r == 0 && l->skip && !o->follow && !o->quiet)
        cr_output_note("the last %d of %" PRIu64 " lines; --since, --run, --tool and --json show "
                       "others",
                       SHOWN, l->count);
    if (r == 0 && o->follow)
        r = follow(l, err);
    else if (r == 0 && flush(l) < 0)
        r = CAPRUN_E_SYS;
    cr_audit_trail_close(&l->trail);
    return r;
}

/* --- verifying ------------------------------------------------------------------------------ */

struct findings {
    bool is_json;
    uint64_t count;
    struct cr_buf out;
};

static void take_problem(void *data, const char *words)
{
    struct findings *f = data;

    if (++f->count > SHOWN_PROBLEMS)
        return;
    if (f->is_json) {
        cr_buf_str(&f->out, f->count > 1 ? "," : "");
        cr_escape_json_str(&f->out, words);
    } else {
        cr_escape_terminal(&f->out, words, strlen(words));
        cr_buf_str(&f->out, "\n");
    }
}

static int say_verdict(struct findings *f, const struct cr_audit_verdict *v)
{
    cr_autobuf struct cr_buf out = CR_BUF(PIECE);

    if (f->is_json) {
        cr_buf_fmt(&out,
                   "{\"verified\":%s,\"lines\":%" PRIu64 ",\"first\":%" PRIu64 ",\"last\":%" PRIu64
                   ",\"unfinishedBytes\":%" PRIu64 ",\"problemCount\":%" PRIu64 ",\"problems\":[",
                   v->problems ? "false" : "true", v->lines, v->first, v->last, v->torn,
                   v->problems);
        cr_buf_add(&out, f->out.data, f->out.len);
        cr_buf_str(&out, "]}\n");
        return cr_output_json(&out);
    }
    cr_buf_add(&out, f->out.data, f->out.len);
    if (v->problems > SHOWN_PROBLEMS)
        cr_buf_fmt(&out, "and %" PRIu64 " more\n", v->problems - SHOWN_PROBLEMS);
    if (v->torn)
        cr_buf_fmt(&out,
                   "%" PRIu64 " bytes at the end are a line that its writer did not finish; the "
                   "next run removes them\n",
                   v->torn);
    if (!v->problems && v->lines)
        cr_buf_fmt(&out, "ok: %" PRIu64 " lines, %" PRIu64 " to %" PRIu64 "\n", v->lines, v->first,
                   v->last);
    else if (!v->problems)
        cr_buf_str(&out, "ok: no lines\n");
    return cr_output_text(&out);
}

static int verify(const char *path, const struct cr_options *o, int *ret_status, struct cr_err *err)
{
    struct findings f = {.is_json = o->json, .out = CR_BUF(PIECE)};
    struct cr_audit_verdict v;
    int r = cr_audit_verify(path, take_problem, &f, &v, err);

    if (r == 0) {
        *ret_status = v.problems ? 1 : 0;
        if (say_verdict(&f, &v) < 0)
            *ret_status = caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    }
    cr_buf_clear(&f.out);
    return r;
}

/* --- the command ---------------------------------------------------------------------------- */

/* Writes the path of the audit: the word's, or the configuration's. */
static int find_audit(const struct cr_options *o, char ret[PATH_MAX], struct cr_err *why)
{
    struct cr_config config;

    if (o->words[1]) {
        (void)snprintf(ret, PATH_MAX, "%s", o->words[1]);
        return 0;
    }
    if (cr_settings_load(o, CR_TRUST_NEED_REFUSE, &config, why) < 0)
        return CAPRUN_E_INVAL;
    cr_settings_audit_file(&config, ret);
    cr_config_clear(&config);
    if (ret[0])
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "set HOME, or write the path of an audit",
                      "there is no audit: neither XDG_STATE_HOME nor HOME is an absolute path");
}

static int refuse_missing(const char *path, struct cr_err *why)
{
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                      "a run with calls begins it: caprun FQDN, or caprun exec FILE",
                      "there is no audit '%s'", path);
}

int cr_cli_audit(struct caprun_run *run, const struct cr_options *o)
{
    struct listing l = {.options = o, .out = CR_BUF(2 * PIECE + 8 * CR_AUDIT_MAX_LINE)};
    char path[PATH_MAX];
    struct cr_err why, err;
    int status = 0, r;

    if (read_filter(o, &l.filter, &why) < 0 || find_audit(o, path, &why) < 0)
        return cr_launch_reject(run, &why);
    r = o->verify ? verify(path, o, &status, &err) : list_lines(&l, path, &err);
    cr_buf_clear(&l.out);
    if (r == 1)
        r = refuse_missing(path, &why);
    else if (r < 0)
        r = cr_err_end(&why, CAPRUN_OUTCOME_INTERNAL, NULL, "%s", err.text);
    return r < 0 ? cr_launch_reject(run, &why) : status;
}
