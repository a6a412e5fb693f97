/*
 * asked_line.h - checks the lines of a journal that are about a person: questions and decisions.
 */
#ifndef CR_ASKED_LINE_H
#define CR_ASKED_LINE_H

#include <stdint.h>

#include "journal/journal.h"

#define CR_ASKED_LINE_MAX_US ((int64_t)1 << 52) /* of a date */

/*
 * Is |line|, of the kind ASK or DECIDE, possible after the lines of |j| so far? |answered| has a
 * byte for each call, |*question| is the number of the last question. Returns 0, and then sets
 * |line|->n to the largest call that it is about, |*question|, and for a decision |*base_us|;
 * CAPRUN_E_INVAL, and |*ret_problem| says why it is not; or CAPRUN_E_NOMEM.
 */
int cr_asked_line_check(const struct cr_journal *j, struct cr_journal_line *line,
                        const uint8_t *answered, uint32_t *question, int64_t *base_us,
                        const char **ret_problem);

#endif
