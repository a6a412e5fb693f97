/*
 * progress.h - shows a line on the terminal while caprun fetches or waits for longer than half a
 * second; removes it afterwards. cr_output_status() draws it.
 */
#ifndef CR_PROGRESS_H
#define CR_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define CR_PROGRESS_MS 200 /* the line is redrawn at most this often */

struct cr_progress {
    bool wanted; /* standard error is a terminal, and there is no -q */
    int64_t began_us, drawn_us;
};

void cr_progress_init(struct cr_progress *p, bool quiet);

/* Shows how much of |url| has arrived, if it takes long enough; |total| is 0 if unknown. */
void cr_progress_show(struct cr_progress *p, const char *url, uint64_t got, uint64_t total);

/* Shows |text|, if it takes long enough. */
void cr_progress_set_text(struct cr_progress *p, const char *text);

/* Has it taken |patience_us| since |began_us|, and is it time to draw? If so, notes the time. */
bool cr_progress_is_due(struct cr_progress *p, int64_t patience_us);

/* Removes the line. */
void cr_progress_end(struct cr_progress *p);

#endif
