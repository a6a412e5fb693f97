/* output.c - writes results to standard output, and notes, logs and errors to standard error. */
#include "cli/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/excerpt.h"

#define MAX_TEXT (256u * 1024 * 1024)
#define MAX_STATUS 16384
#define DEFAULT_COLUMNS 80u
#define INDENT 4u /* of the lines of a message after the first */
#define ERASE                                                                          \
    "\r\033[J" /* also what a terminal that became narrower has moved to the next line \
                */

static bool is_held;
static bool has_status; /* is the last line of the terminal one of cr_output_status()? */

/* Another process may have made the descriptor non-blocking. */
static bool wait_for_room(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

void cr_output_end_status(void)
{
    if (has_status)
        (void)!write(STDERR_FILENO, ERASE, strlen(ERASE));
    has_status = false;
}

/* The cursor stays at the start of the line, so that Ctrl-C leaves no "^C" behind it. */
void cr_output_status(const char *text)
{
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
    cr_autobuf struct cr_buf out = CR_BUF(MAX_STATUS);
    const char *term = getenv("TERM");

    if (is_held || (term && strcmp(term, "dumb") == 0) || poll(&p, 1, 0) != 1 ||
        !(p.revents & POLLOUT))
        return;
    cr_buf_str(&out, ERASE);
    cr_columns_cut(&out, text, cr_columns_available(STDERR_FILENO) - 1);
    cr_buf_str(&out, "\r");
    if (!cr_buf_err(&out))
        has_status = write(STDERR_FILENO, out.data, out.len) > 0 || has_status;
}

static int write_all(int fd, const struct cr_buf *b, struct cr_err *err)
{
    size_t done = 0;

    cr_output_end_status();
    if (cr_buf_err(b))
        return cr_err_set(err, cr_buf_err(b), "no memory for the output");
    while (done < b->len) {
        ssize_t n = write(fd, b->data + done, b->len - done);

        if (n < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_room(fd))))
            continue;
        if (n < 0)
            return cr_err_sys(err, "cannot write standard output");
        done += (size_t)n;
    }
    return 0;
}

/* Ignores failures: if standard error fails, they cannot be reported. */
static void flush_to_stderr(struct cr_buf *b)
{
    (void)write_all(STDERR_FILENO, b, NULL);
    cr_buf_clear(b);
}

void cr_output_init(struct cr_output *o)
{
    cr_buf_init(&o->waiting, MAX_TEXT);
}

void cr_output_finish(struct cr_output *o)
{
    flush_to_stderr(&o->waiting);
}

void cr_output_log(void *o, const char *line, size_t len)
{
    struct cr_output *output = o;

    cr_escape_terminal(&output->waiting, line, len);
    cr_buf_str(&output->waiting, "\n");
}

void cr_output_hold(bool holds)
{
    if (holds)
        cr_output_end_status();
    is_held = holds;
}

bool cr_output_is_ready(const struct cr_output *o)
{
    return o->waiting.len && !is_held;
}

void cr_output_some(struct cr_output *o)
{
    size_t len = o->waiting.len < PIPE_BUF ? o->waiting.len : PIPE_BUF;
    ssize_t n;

    cr_output_end_status();
    n = write(STDERR_FILENO, o->waiting.data, len);
    /* drop the line if standard error is closed */
    if (n < 0)
        n = errno == EINTR || errno == EAGAIN ? 0 : (ssize_t)len;
    cr_buf_drop(&o->waiting, (size_t)n);
}

/* All of this is for standard error. */
static void add_coloured(struct cr_buf *out, enum cr_colour colour, const char *text)
{
    cr_buf_fmt(out, "%s%s%s", cr_colour_code(STDERR_FILENO, colour), text,
               cr_colour_code(STDERR_FILENO, CR_COLOUR_NONE));
}

/* Appends |text|, escaped, to a line of which |used| columns are taken. */
static void add_wrapped(struct cr_buf *out, const char *text, size_t len, size_t used)
{
    cr_columns_wrap(out, text, len, used, INDENT, cr_columns_available(STDERR_FILENO));
}

static void __attribute__((format(printf, 2, 0)))
add_note(struct cr_buf *out, const char *fmt, va_list ap)
{
    char text[1024];

    (void)vsnprintf(text, sizeof(text), fmt, ap);
    add_coloured(out, CR_COLOUR_HEAD, "caprun:");
    cr_buf_str(out, " ");
    add_wrapped(out, text, strlen(text), strlen("caprun: "));
    cr_buf_str(out, "\n");
}

void cr_output_note(const char *fmt, ...)
{
    struct cr_buf out;
    va_list ap;

    cr_buf_init(&out, MAX_TEXT);
    va_start(ap, fmt);
    add_note(&out, fmt, ap);
    va_end(ap);
    flush_to_stderr(&out);
}

void cr_output_line(struct cr_output *o, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_note(&o->waiting, fmt, ap);
    va_end(ap);
}

/*
 * Appends lines, escaped and indented, so that no untrusted text can look like a line of caprun.
 * The lines of a stack are indented already, except if a function's name contains a newline.
 */
static void add_lines(struct cr_buf *out, const char *text, size_t len, bool indented)
{
    while (len) {
        const char *end = memchr(text, '\n', len);
        size_t line = end ? (size_t)(end - text) : len;

        if (!indented || line < 4 || memcmp(text, "    ", 4) != 0)
            cr_buf_str(out, "    ");
        cr_escape_terminal(out, text, line);
        cr_buf_str(out, "\n");
        if (!end)
            break;
        text += line + 1;
        len -= line + 1;
    }
}

void cr_output_add_lines(struct cr_buf *out, const char *lead, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");

        cr_buf_str(out, lead);
        cr_columns_wrap(out, text, len, strlen(lead), strlen(lead),
                        cr_columns_available(STDOUT_FILENO));
        cr_buf_str(out, "\n");
        text += len + (text[len] == '\n');
    }
}

/* A hint may have several lines. */
static void add_hint(struct cr_buf *out, const char *hint)
{
    for (size_t len; *hint; hint += len + (hint[len] == '\n')) {
        len = strcspn(hint, "\n");
        cr_buf_str(out, "  ");
        add_coloured(out, CR_COLOUR_HINT, "hint:");
        cr_buf_str(out, " ");
        add_wrapped(out, hint, len, strlen("  hint: "));
        cr_buf_str(out, "\n");
    }
}

/*
 * The messages of code, tools and checks may have several lines: all but the first are indented, so
 * that none can look like a line of caprun. In caprun's own messages a line end is part of a path.
 */
static void add_message(struct cr_buf *out, const char *text, size_t len, size_t used,
                        enum caprun_outcome outcome)
{
    bool is_own = outcome == CAPRUN_OUTCOME_USAGE || outcome == CAPRUN_OUTCOME_CONFIG_ERROR ||
                  outcome == CAPRUN_OUTCOME_INTERNAL;
    const char *end = is_own ? NULL : memchr(text, '\n', len);
    size_t first = end ? (size_t)(end - text) : len;

    add_wrapped(out, text, first, used);
    cr_buf_str(out, "\n");
    if (end)
        add_lines(out, end + 1, len - first - 1, false);
}

/*
 * Appends the stack, and below the first frame with a place its line of the code. Below the place
 * of a syntax error, the stack already has that line, but not cut to the width.
 */
static void add_stack(struct cr_buf *out, struct caprun_run *run, const char *text, size_t len,
                      bool shows_code)
{
    size_t columns = cr_columns_available(STDERR_FILENO);
    bool is_syntax = strcmp(caprun_get_type(run), "SyntaxError") == 0, is_shown = false;
    size_t code_len = 0;
    const char *code = shows_code ? caprun_get_code(run, &code_len) : NULL;

    while (len && !(is_shown && is_syntax)) {
        const char *end = memchr(text, '\n', len);
        size_t line = end ? (size_t)(end - text) : len, before;

        add_lines(out, text, line, true);
        before = out->len;
        if (code && !is_shown)
            cr_excerpt_add(out, code, code_len, text, line,
                           columns == CR_COLUMNS_ALL ? DEFAULT_COLUMNS : columns);
        is_shown = is_shown || out->len > before;
        text += line + (end != NULL);
        len -= line + (end != NULL);
    }
}

static void print_error(struct caprun_run *run, bool quiet, bool shows_code)
{
    const char *hint = caprun_get_hint(run);
    const char *text;
    char lead[128];
    struct cr_buf out;
    bool said;
    size_t len;

    cr_buf_init(&out, MAX_TEXT);
    (void)snprintf(lead, sizeof(lead), "caprun: %s (%s):", caprun_get_type(run),
                   caprun_outcome_name(caprun_get_outcome(run)));
    add_coloured(&out, CR_COLOUR_BAD, lead);
    cr_buf_str(&out, " ");
    text = caprun_get_message(run, &len);
    /* the message of a denied access ends with the hint already */
    said = caprun_get_outcome(run) == CAPRUN_OUTCOME_PERMISSION_DENIED && text &&
           len >= strlen(hint) && strcmp(text + len - strlen(hint), hint) == 0;
    add_message(&out, text ? text : "", len, strlen(lead) + 1, caprun_get_outcome(run));
    text = caprun_get_stack(run, &len);
    if (text && !quiet)
        add_stack(&out, run, text, len, shows_code);
    if (hint[0] && !said && !quiet)
        add_hint(&out, hint);
    flush_to_stderr(&out);
}

/* Indents the JSON; if that becomes too long (up to a thousand times for deep values), does not. */
static void add_for_terminal(struct cr_buf *out, const char *json, size_t len)
{
    cr_escape_pretty(out, (const uint8_t *)json, len);
    cr_buf_str(out, "\n");
    if (!cr_buf_err(out))
        return;
    cr_buf_clear(out);
    cr_escape_terminal(out, json, len);
    cr_buf_str(out, "\n");
}

static int print_json(const char *json, size_t len, struct cr_err *err)
{
    struct cr_buf out;
    int r;

    cr_buf_init(&out, MAX_TEXT);
    if (isatty(STDOUT_FILENO)) {
        add_for_terminal(&out, json, len);
    } else {
        cr_buf_add(&out, json, len);
        cr_buf_str(&out, "\n");
    }
    r = write_all(STDOUT_FILENO, &out, err);
    cr_buf_clear(&out);
    return r;
}

int cr_output_end(struct caprun_run *run, bool json, bool quiet, bool shows_code,
                  struct cr_err *err)
{
    bool success = caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS;
    const char *text;
    size_t len;

    if (caprun_get_note(run) && !quiet && shows_code)
        cr_output_note("%s", caprun_get_note(run));
    if (!success)
        print_error(run, quiet, shows_code);
    if (!json && !success)
        return 0;
    text = json ? caprun_result_json(run, &len) : caprun_get_result(run, &len);
    if (!text)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the output");
    return print_json(text, len, err);
}

static int say_failure(int r, const struct cr_err *err)
{
    if (r == 0)
        return 0;
    cr_output_note("%s", err->text);
    return -1;
}

int cr_output_text(const struct cr_buf *text)
{
    struct cr_err err;

    return say_failure(write_all(STDOUT_FILENO, text, &err), &err);
}

int cr_output_json(const struct cr_buf *json)
{
    struct cr_err err;

    /* without the newline at its end */
    return cr_buf_err(json) || !isatty(STDOUT_FILENO)
               ? cr_output_text(json)
               : say_failure(print_json((const char *)json->data, json->len - 1, &err), &err);
}

void cr_output_error_text(struct cr_buf *text)
{
    flush_to_stderr(text);
}
