/*
 * prompter.h - the interface to people/, which asks a person about calls of a run.
 *
 * A call that policy sends to a person is marked with cr_asked_begin(). When the worker has nothing
 * to do, and every open call was sent or waits for a person, the run calls ask(). While all open
 * calls wait for a person, the run's clock stands still (run/asked.c).
 */
#ifndef CR_PROMPTER_H
#define CR_PROMPTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "caprun.h"

/* A call that a person is, or was, asked about. */
struct cr_asked_call {
    uint32_t number;
    const char *tool;                 /* its exact name, "server:tool" */
    char binding[CR_HASH_DIGITS + 1]; /* hash of the tool, its definition, and its server's place */
};

/* What was decided about calls of one question. */
struct cr_decision {
    uint32_t question;
    bool is_allowed;
    bool for_run;       /* also for further calls of these tools */
    uint32_t max_calls; /* of the further calls; 0: any number */
    const char *by;
    const struct cr_asked_call *calls;
    size_t count;
};

struct cr_prompter {
    /* The code waits, and a call of |run| waits for a person. May be called again and again. */
    void (*ask)(struct cr_prompter *p, struct caprun_run *run);
    /* A resumed run: this question was asked, or this was decided, before it was interrupted. */
    int (*recall_question)(struct cr_prompter *p, struct caprun_run *run, uint32_t question);
    int (*recall_decision)(struct cr_prompter *p, struct caprun_run *run,
                           const struct cr_decision *decision);
    /* After the decisions before it: call |number| of |tool| was sent, as |by| has decided. */
    void (*recall_sent)(struct cr_prompter *p, struct caprun_run *run, uint32_t number,
                        const char *tool, const char *by);
    /* The run has ended: its question is withdrawn. */
    void (*end)(struct cr_prompter *p, struct caprun_run *run);
    /* The run is freed. */
    void (*forget)(struct cr_prompter *p, struct caprun_run *run);
};

/* --- for people/ ------------------------------------------------------------------------------ */

/* |data| belongs to the prompter of the run; it is kept until forget(). */
void cr_asked_set_data(struct caprun_run *run, void *data);
void *cr_asked_data(const struct caprun_run *run);

/* Call |number| waits for a person from now on, or not any longer. */
void cr_asked_begin(struct caprun_run *run, uint32_t number);
void cr_asked_stop(struct caprun_run *run, uint32_t number);

/* Does the code wait, so that a question can be asked? */
bool cr_asked_is_time(const struct caprun_run *run);

/* Does the run wait only for a person? */
bool cr_asked_is_paused(const struct caprun_run *run);

/*
 * Record that a question about |calls| is asked, and what was decided about it; the latter starts
 * the run's clock again. If that cannot be recorded, the run has ended, and they return false.
 */
bool cr_asked_record_question(struct caprun_run *run, uint32_t question,
                              const struct cr_asked_call *calls, size_t count);
bool cr_asked_record_decision(struct caprun_run *run, const struct cr_decision *decision);

/* Can the run be suspended, because a resume could bring it to the same point? */
bool cr_asked_can_suspend(const struct caprun_run *run);

/*
 * Ends a run that waits only for a person with APPROVAL_REQUIRED. The error names call |number|,
 * and has |grant|, JSON of what would allow that call; NULL: nothing.
 */
void cr_asked_suspend(struct caprun_run *run, uint32_t number, const char *grant);

/* For the player: the run's prompter, or NULL; and how long the run has waited for a person before.
 */
struct cr_prompter *cr_asked_prompter(const struct caprun_run *run);
void cr_asked_show_waited(struct caprun_run *run, int64_t us);

/* Returns the hash of the run's code. */
const uint8_t *cr_asked_code_hash(const struct caprun_run *run);

#endif
