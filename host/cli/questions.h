/*
 * questions.h - lets a person at the terminal decide about the calls of a run of this command.
 *
 * When the terminal goes away, or caprun is in the background, the run is suspended.
 */
#ifndef CR_QUESTIONS_H
#define CR_QUESTIONS_H

#include <limits.h>
#include <stdbool.h>

#include "caprun.h"
#include "cli/dialogue.h"
#include "cli/options.h"
#include "cli/output.h"
#include "config/config.h"

struct cr_questions {
    struct caprun_runtime *rt;
    const struct cr_config *config; /* as the project's file is now */
    struct cr_config changed;       /* its owner after a change; else all zeros */
    bool has_dialogue, is_lost;
    struct cr_dialogue dialogue;
    char grants[PATH_MAX];
};

/* Begins to answer the questions of all runs of |rt|; before its first run. */
void cr_questions_begin(struct cr_questions *q, struct caprun_runtime *rt,
                        const struct cr_options *o);

/* No question is answered any longer. */
void cr_questions_end(struct cr_questions *q);

/* The descriptor that is readable when cr_questions_step() has something to do; -1: never. */
int cr_questions_fd(const struct cr_questions *q);
void cr_questions_step(struct cr_questions *q);

/*
 * The terminal has hung up (SIGHUP). Returns true if a question was open: then its run is suspended
 * instead of cancelled.
 */
bool cr_questions_hang_up(struct cr_questions *q);

#endif
