/*
 * progress.h - a line on the terminal while something is fetched or waited for, if that takes
 * longer than half a second; gone again when it is there.
 */
#ifndef CR_PROGRESS_H
#define CR_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define CR_PROGRESS_MS 200 /* it is drawn anew that often, at most */

struct cr_progress {
    bool wanted; /* standard error is a terminal, and there is no -q */
    bool shown;
    int64_t began_us, drawn_us;
};

void cr_progress_init(struct cr_progress *p, bool quiet);

/* Shows how much of |url| is there, if it has taken long enough; |total| is 0 if it is not known.
 */
void cr_progress_show(struct cr_progress *p, const char *url, uint64_t got, uint64_t total);

/* Shows |text|, without strangers' words in it, if it has taken long enough. */
void cr_progress_set_text(struct cr_progress *p, const char *text);

/* Takes the line away. */
void cr_progress_end(struct cr_progress *p);

#endif
