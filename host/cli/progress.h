/*
 * progress.h - shows a line on the terminal while caprun fetches or waits for longer than half a
 * second; removes it afterwards.
 */
#ifndef CR_PROGRESS_H
#define CR_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define CR_PROGRESS_MS 200 /* the line is redrawn at most this often */

struct cr_progress {
    bool wanted; /* standard error is a terminal, and there is no -q */
    bool shown;
    int64_t began_us, drawn_us;
};

void cr_progress_init(struct cr_progress *p, bool quiet);

/* Shows how much of |url| has arrived, if it takes long enough; |total| is 0 if unknown. */
void cr_progress_show(struct cr_progress *p, const char *url, uint64_t got, uint64_t total);

/* Shows |text|, which must not be untrusted, if it takes long enough. */
void cr_progress_set_text(struct cr_progress *p, const char *text);

/* Removes the line. */
void cr_progress_end(struct cr_progress *p);

#endif
