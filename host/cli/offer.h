/*
 * offer.h - after a run that has ended early: the hint with the command that goes on with it.
 */
#ifndef CR_CLI_OFFER_H
#define CR_CLI_OFFER_H

#include "caprun.h"
#include "capability/recording.h"
#include "cli/options.h"
#include "journal/head.h"

/*
 * If the run that ended is recorded and can be resumed, adds the command for that to its hint. |o|
 * are the options of the command that ran it.
 */
void cr_offer_resume(struct caprun_run *run, const struct cr_recording *recording,
                     const struct cr_options *o);

/* The same for the journal |path|, which a person calls |word|. */
void cr_offer_resume_of(struct caprun_run *run, const char *path, const char *word,
                        const struct cr_options *o);

/*
 * Writes the option without which a resumed run would end at the same limit again; "" if there is
 * none, or none for this |outcome|.
 */
void cr_offer_option(const struct cr_head *h, const char *outcome, char ret[64]);

#endif
