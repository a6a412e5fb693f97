/*
 * people.h - asks a person about calls: one question for all calls of a run that wait.
 *
 *     policy says ASK --> the call waits --the code has nothing to do--> it is in the question
 *          question --decided--> the calls are allowed or denied; the rest is asked about again
 *                   --nobody can decide now--> the run is suspended, or its calls are denied
 *                   --its time limit is over--> its calls are denied, "by": "timeout"
 *                   --the run ends--> it is withdrawn
 *
 * A run has one open question at a time. Its calls are those that wait at that moment; calls that
 * come later are in the next one. A decision is about the exact tool with the definition that it
 * has, at the server as it is configured; their hash is the binding. If it has changed when the
 * call is about to be sent, or when the run is resumed, the person is asked again.
 *
 * caprun.h has the functions for applications. caprun's own terminal and other channels use
 * cr_people_decide(), which accepts every |by|.
 */
#ifndef CR_PEOPLE_H
#define CR_PEOPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/loop.h"
#include "caprun.h"
#include "policy/policy.h"
#include "run/prompter.h"

struct cr_people {
    struct cr_asker asker;       /* for the policy */
    struct cr_prompter prompter; /* for runs */
    struct cr_loop *loop;
    caprun_ask_fn *ask; /* NULL: nobody can be asked */
    void *data;
    bool only_suspends;  /* |ask| asks nobody, and suspends each run that can be suspended */
    uint64_t timeout_ms; /* of a question; 0: none */
};

void cr_people_init(struct cr_people *people, struct cr_loop *loop);

/* A decision about calls of the open question, before it is applied. */
struct cr_people_answer {
    bool is_allowed;
    bool for_run;          /* also for further calls of the tools of these calls */
    uint32_t max_calls;    /* of the further calls; 0: any number */
    const char *by;        /* as in the envelope: "human:tty", "remembered:ID"; is copied */
    const uint32_t *calls; /* numbers of calls of the question; NULL: all */
    size_t count;
};

/*
 * Decides about |question| of |run|; the calls go on in a later step. Returns 0; CAPRUN_E_STATE if
 * that question is not open; CAPRUN_E_INVAL if a call is not in it; CAPRUN_E_NOMEM.
 */
int cr_people_decide(struct caprun_run *run, uint32_t question,
                     const struct cr_people_answer *answer, struct cr_err *err);

/* The same for the JSON of caprun_decide(), which only an application's |by| may have. */
int cr_people_decide_json(struct caprun_run *run, uint32_t question, const char *json, size_t len,
                          struct cr_err *err);

/* What caprun_suspend() and caprun_get_asked_args() do. */
int cr_people_suspend(struct caprun_run *run, struct cr_err *err);
const char *cr_people_args(const struct caprun_run *run, uint32_t call, size_t *ret_len);

#endif
