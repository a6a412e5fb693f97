/*
 * output.h - what a person or a script sees: the result on standard output, the rest on standard
 * error. Whatever a stranger wrote is escaped on its way to either, if a person may be reading.
 */
#ifndef CR_OUTPUT_H
#define CR_OUTPUT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "caprun.h"

/*
 * Lines on their way to standard error. A reader who does not read must not stop the run's clock,
 * so the lines wait here, and go out when there is room. A run's log is bounded, and so is the
 * queue.
 */
struct cr_output {
    struct cr_buf waiting;
};

/*
 * What begins a colour on |fd|, and with CR_COLOUR_NONE ends it: "" unless that is a terminal that
 * knows colours, and never if NO_COLOR is set to anything.
 */
enum cr_colour { CR_COLOUR_NONE, CR_COLOUR_BAD, CR_COLOUR_GOOD, CR_COLOUR_DIM };
const char *cr_output_colour(int fd, enum cr_colour colour);

void cr_output_init(struct cr_output *o);

/* Writes all that waits, however long that takes, and frees the queue. */
void cr_output_finish(struct cr_output *o);

/* A callback for caprun_run_set_log(); |o| is a struct cr_output. Queues the line, escaped. */
void cr_output_log(void *o, const char *line, size_t len);

/* Queues "caprun: " and the words, escaped. */
void cr_output_line(struct cr_output *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Standard error has room: writes as much as cannot block. */
void cr_output_some(struct cr_output *o);

/* "caprun: " and the words, escaped, on standard error. */
void cr_output_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The end of a run: the result on standard output, or with |json| the envelope; an error on
 * standard error in any case. A terminal gets it indented, or on one line if that would be too
 * long. Returns 0, CAPRUN_E_SYS when standard output does not take it, or CAPRUN_E_NOMEM or
 * CAPRUN_E_TOOBIG when it cannot be put together.
 */
int cr_output_end(struct caprun_run *run, bool json, bool quiet, struct cr_err *err);

/* Appends each line of |text|, escaped, with |lead| before it: none can look like ours. */
void cr_output_add_lines(struct cr_buf *out, const char *lead, const char *text);

/*
 * Writes |text| to standard output. Returns 0; or, after it has said so on standard error, -1 if
 * that does not take it, or if |text| has failed before.
 */
int cr_output_text(const struct cr_buf *text);

/* The same for a line of JSON, which has strangers' texts in it: a terminal gets it escaped. */
int cr_output_json(const struct cr_buf *json);

#endif
