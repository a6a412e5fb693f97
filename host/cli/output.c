/* output.c - bytes to descriptors 1 and 2. */
#include "cli/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"

#define MAX_TEXT (256u * 1024 * 1024)

/* Somebody else may have made the descriptor non-blocking. */
static bool wait_for_room(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

static int write_all(int fd, const struct cr_buf *b, struct cr_err *err)
{
    size_t done = 0;

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

/* Standard error is written as well as can be: there is nobody left to tell if it fails. */
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

void cr_output_some(struct cr_output *o)
{
    size_t len = o->waiting.len < PIPE_BUF ? o->waiting.len : PIPE_BUF;
    ssize_t n = write(STDERR_FILENO, o->waiting.data, len);

    /* if nobody is there any more, nobody misses it */
    if (n < 0)
        n = errno == EINTR || errno == EAGAIN ? 0 : (ssize_t)len;
    cr_buf_drop(&o->waiting, (size_t)n);
}

void cr_output_note(const char *fmt, ...)
{
    char text[1024];
    struct cr_buf out;
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    cr_buf_init(&out, MAX_TEXT);
    cr_buf_str(&out, "caprun: ");
    cr_escape_terminal(&out, text, strlen(text));
    cr_buf_str(&out, "\n");
    flush_to_stderr(&out);
}

/* The lines of a stack, escaped and indented: a function's name can have a line's end in it. */
static void add_stack(struct cr_buf *out, const char *stack, size_t len)
{
    while (len) {
        const char *end = memchr(stack, '\n', len);
        size_t line = end ? (size_t)(end - stack) : len;

        if (line < 4 || memcmp(stack, "    ", 4) != 0)
            cr_buf_str(out, "    ");
        cr_escape_terminal(out, stack, line);
        cr_buf_str(out, "\n");
        if (!end)
            break;
        stack += line + 1;
        len -= line + 1;
    }
}

static void add_hint(struct cr_buf *out, const char *hint)
{
    cr_buf_str(out, "  hint: ");
    cr_escape_terminal(out, hint, strlen(hint));
    cr_buf_str(out, "\n");
}

static void print_error(struct caprun_run *run, bool quiet)
{
    const char *hint = caprun_get_hint(run);
    const char *text;
    struct cr_buf out;
    bool said;
    size_t len;

    cr_buf_init(&out, MAX_TEXT);
    cr_buf_fmt(&out, "caprun: %s (%s): ", caprun_get_type(run),
               caprun_outcome_name(caprun_get_outcome(run)));
    text = caprun_get_message(run, &len);
    said = text && strstr(text, hint); /* a refusal ends with it */
    cr_escape_terminal(&out, text ? text : "", len);
    cr_buf_str(&out, "\n");
    text = caprun_get_stack(run, &len);
    if (text && !quiet)
        add_stack(&out, text, len);
    if (hint[0] && !said && !quiet)
        add_hint(&out, hint);
    flush_to_stderr(&out);
}

/* Indented; but that makes a deep value up to a thousand times as long, so it may not fit. */
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

int cr_output_end(struct caprun_run *run, bool json, bool quiet, struct cr_err *err)
{
    bool success = caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS;
    const char *text;
    size_t len;

    if (!success)
        print_error(run, quiet);
    if (!json && !success)
        return 0;
    text = json ? caprun_result_json(run, &len) : caprun_get_result(run, &len);
    if (!text)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for the output");
    return print_json(text, len, err);
}
