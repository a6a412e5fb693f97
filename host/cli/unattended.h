/*
 * unattended.h - what happens to questions that nobody at a terminal answers: recorded runs are
 * suspended; but `caprun approve --yes` and `caprun deny` decide about the calls that a suspended
 * run waits for.
 */
#ifndef CR_UNATTENDED_H
#define CR_UNATTENDED_H

#include <stdbool.h>

#include "caprun.h"
#include "cli/options.h"

struct cr_unattended {
    const struct cr_options *options;
    bool has_decided; /* about the first question; later ones suspend the run again */
};

/*
 * After cr_questions_begin(): decides about the questions of all runs of |rt| that nobody is asked
 * about at the terminal. |u| has to stay.
 */
void cr_unattended_begin(struct cr_unattended *u, struct caprun_runtime *rt,
                         const struct cr_options *o);

#endif
