/*
 * output.h - prints the result on standard output, and the rest on standard error. Untrusted text
 * is escaped on its way to either, if it is a terminal or may be shown on one.
 */
#ifndef CR_OUTPUT_H
#define CR_OUTPUT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "caprun.h"

/*
 * Lines on their way to standard error. If standard error blocks, the run's clock must not stop, so
 * the lines wait here until there is room. A run's log is bounded, and so is this queue.
 */
struct cr_output {
    struct cr_buf waiting;
};

void cr_output_init(struct cr_output *o);

/* Writes all waiting lines, however long that takes, and frees the queue. */
void cr_output_finish(struct cr_output *o);

/* A callback for caprun_run_set_log(); |o| is a struct cr_output. Queues the line, escaped. */
void cr_output_log(void *o, const char *line, size_t len);

/* Queues "caprun: " and the text, escaped. */
void cr_output_line(struct cr_output *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Shows |text|, escaped and cut to the width, as the last line of the terminal on standard error;
 * any other output erases it first. Does nothing while the terminal takes no output, or if TERM is
 * dumb.
 */
void cr_output_status(const char *text);
void cr_output_end_status(void);

/*
 * While |holds|, queued lines stay in their queues, and there is no status line: a question is on
 * the terminal, and nothing may look like a part of it.
 */
void cr_output_hold(bool holds);

/* Does |o| have lines that may be written now? */
bool cr_output_is_ready(const struct cr_output *o);

/* Standard error has room: writes as much as cannot block. */
void cr_output_some(struct cr_output *o);

/* Writes "caprun: " and the text, escaped, to standard error. */
void cr_output_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Prints the end of a run: the result on standard output, or with |json| the envelope; an error
 * always on standard error, with the line of the code where it arose if |shows_code|. On a terminal
 * it is indented, or on one line if that would be too long. Returns 0, CAPRUN_E_SYS if standard
 * output cannot be written, or CAPRUN_E_NOMEM or CAPRUN_E_TOOBIG if there is no room for the text.
 */
int cr_output_end(struct caprun_run *run, bool json, bool quiet, bool shows_code,
                  struct cr_err *err);

/*
 * Appends each line of |text|, escaped, after |lead|: no line can look like one of caprun's own. If
 * standard output is a terminal, long lines are wrapped.
 */
void cr_output_add_lines(struct cr_buf *out, const char *lead, const char *text);

/*
 * Writes |text| to standard output. Returns 0; or -1, after a note on standard error, if that fails
 * or |text| has an error.
 */
int cr_output_text(const struct cr_buf *text);

/* The same for a line of JSON that contains untrusted text: a terminal gets it escaped. */
int cr_output_json(const struct cr_buf *json);

/* Writes |text|, which is escaped, to standard error, and clears it. */
void cr_output_error_text(struct cr_buf *text);

#endif
