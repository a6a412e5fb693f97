/*
 * calls.h - the calls of a run: from the worker's frame to the answer.
 *
 *     OPEN --reply--> DONE
 *          --fail, or the time for one call is over--> FAILED
 *          --it is not in the capability's list of tools, or policy forbids it--> DENIED
 *          --it was sent before the run was interrupted, and may have been carried out--> UNKNOWN
 *
 * The clock of a call starts when the call passes to the gate. It starts again when the call is
 * sent, and at each progress notification. It stands still while the call waits for a free place at
 * its server, for a person's decision, or for its answer to be stored: then only the run's own
 * limit ends it.
 *
 * A call that is still open when the run ends stays OPEN: it was never sent, or it was sent and no
 * answer came, or its answer was not stored yet.
 */
#ifndef CR_CALLS_H
#define CR_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "caprun.h"
#include "wire.h"

enum cr_call_state {
    CR_CALL_OPEN,
    CR_CALL_DONE,
    CR_CALL_FAILED,
    CR_CALL_DENIED,
    CR_CALL_UNKNOWN, /* it was sent before the run was interrupted, and its result is unknown */
};

struct cr_call {
    enum cr_call_state state;
    const char *by;              /* what decided about it, a constant; NULL: not decided */
    bool is_with_handler;        /* the handler of the application was called */
    bool is_lost;                /* it failed because its server was lost, not by an answer */
    bool was_sent;               /* before a resume, and its result is unknown */
    bool is_asked;               /* it waits for a person, or did when the run was suspended */
    bool is_answered;            /* the answer is being stored; the worker does not have it yet */
    const char *rule;            /* what follows |by|, or NULL; belongs to the gate */
    enum caprun_outcome outcome; /* of the run, if the code does not catch the call's failure */
    char *method;
    char *message;       /* of its failure */
    char *hint;          /* for the user only, or NULL */
    char *grant;         /* JSON, for the user only: what would allow it; or NULL */
    const char *must_be; /* its exact tool before a resume; no other may be called; NULL: any */
    void *handle;        /* the gate's, for its cancel(); NULL: the gate does not have the call */
    int64_t started_us;
    int64_t sent_us;  /* when it was sent to the server or handler; 0: not yet */
    int64_t clock_us; /* when its clock was started; 0: it stands still */
    uint64_t us;      /* how long it took */
    size_t args_len, answer_len;
    struct cr_audit_ticket *ticket; /* it waits for its line in the audit; NULL: it does not */
    bool is_audited;                /* the audit has that line, for |audited_tool| if that is set */
    char *audited_tool;
    uint32_t clock_prev, clock_next; /* neighbours in the list of running clocks; 0: none */
};

/* Adds a call, which is open. Its number is |run->call_count|. Returns NULL if out of memory. */
struct cr_call *cr_calls_add(struct caprun_run *run, const char *ns, int ns_len, const char *action,
                             int action_len, size_t args_len);

/* Returns call |number|, which the run has made. */
const struct cr_call *cr_calls_at(const struct caprun_run *run, uint32_t number);

/* Can the call still be answered? Not if its answer came, nor if the run is not RUNNING. */
bool cr_calls_is_open(struct caprun_run *run, uint32_t number);

/* Was the call sent before a resume, but not again yet? */
bool cr_calls_is_doubtful(const struct cr_call *call);

/* Starts the clock of the call; the caller calls cr_run_schedule() afterwards. */
void cr_calls_start(struct caprun_run *run, uint32_t number);

/*
 * Answers call |number| with |json|. |block| is NULL; or *|block| is the memory from malloc() that
 * |json| is in, and is set to NULL if it is taken over. Returns 0; CAPRUN_E_STATE if the call is
 * not open, or the run has just ended because its worker does not read; CAPRUN_E_INVAL if |json| is
 * invalid, and the call stays open; CAPRUN_E_TOOBIG over LIMIT_ANSWER_BYTES, or when too much is
 * queued for the worker, and the call fails; CAPRUN_E_NOMEM, and the run has ended.
 */
int cr_calls_reply(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                   const char *json, size_t len, uint8_t **block, struct cr_err *err);

/* The same for JSON that cr_scan_json() has accepted already. */
int cr_calls_reply_scanned(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                           const char *json, size_t len, uint8_t **block);

/* For run/keep.c: sends the worker the answer to the open call |number|; stops its clock. */
void cr_calls_deliver(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                      const char *json, size_t len, uint8_t **block);
void cr_calls_stop_clock(struct caprun_run *run, uint32_t number);

/* For the gate: forgets the handle of call |number|, so that the call is not cancelled. */
void cr_calls_release(struct caprun_run *run, uint32_t number);

/*
 * For a resumed run: call |number| was sent before, as |tool| (NULL: not known), and is sent again
 * only if that is its exact tool now. If the call ends without being sent again, it is UNKNOWN.
 * |tool| has to stay as long as the run.
 */
void cr_calls_expect(struct caprun_run *run, uint32_t number, const char *tool);

/*
 * Call |number| is about to be sent: writes that to the audit and the journal, and starts the clock
 * again. |tool| is the exact name of the tool, "server:tool"; NULL if the application's handler is
 * called. Returns 0. Returns CR_AUDITOR_LATER while the audit is written: the caller keeps |args|,
 * and tries again in the gate's resume(). Returns an error if the call may not be sent: it has
 * ended, the run is LATE, it would go to another tool than before a resume or the audit cannot be
 * written (then it fails here), or the journal cannot be written and the run has ended. The gate's
 * cancel() is not called for this call then, and the caller frees it.
 */
int cr_calls_send(struct caprun_run *run, uint32_t number, const char *tool, const char *args,
                  size_t len);

/* For the gate: call |number| waits for its turn or for a person's decision; its clock stops. */
void cr_calls_queued(struct caprun_run *run, uint32_t number);

/*
 * For the gate: a progress notification came, whose params are |json|. Starts the clock again, and
 * tells the application.
 */
void cr_calls_progress(struct caprun_run *run, uint32_t number, const char *json, size_t len);

/* Sets a hint for the user, which the code never sees. Call it before the call fails. */
void cr_calls_hint(struct caprun_run *run, uint32_t number, const char *hint);

/* The same for the grant of a call that is denied. A run keeps a limited amount of them. */
void cr_calls_grant(struct caprun_run *run, uint32_t number, const char *grant);

/* For the gate: call |number| will fail because its server was lost. Call it before that. */
void cr_calls_lose(struct caprun_run *run, uint32_t number);

/* For the player: in the recorded run, call |number| was sent; and it took |us|. */
void cr_calls_show_sent(struct caprun_run *run, uint32_t number);
void cr_calls_show_time(struct caprun_run *run, uint32_t number, uint64_t us);

/*
 * For the player: shows call |number|, just added to a run that will not start, as it was recorded.
 */
void cr_calls_show(struct caprun_run *run, uint32_t number, enum cr_call_state state, bool is_sent,
                   uint64_t us);

/* For the gate: counts a call of a tool that does not exist. Returns how many the run has made. */
size_t cr_calls_count_missing(struct caprun_run *run);

/* The run has ended: cancels all calls that the gate has. */
void cr_calls_cancel(struct caprun_run *run);

/* Fails call |number| with the code of |outcome|. Returns 0, CAPRUN_E_STATE or CAPRUN_E_NOMEM. */
int cr_calls_fail(struct caprun_run *run, uint32_t number, enum caprun_outcome outcome,
                  const char *message, size_t len, struct cr_err *err);

/* The same for calls that are denied or unknown: |state| is FAILED, DENIED or UNKNOWN. */
int cr_calls_end(struct caprun_run *run, uint32_t number, enum cr_call_state state,
                 enum caprun_outcome outcome, const char *message, size_t len, struct cr_err *err);

/* Returns when the next call reaches its time limit, as cr_loop_now() counts, or INT64_MAX. */
int64_t cr_calls_next(struct caprun_run *run);

/* Fails every call that has reached its time limit. */
void cr_calls_expire(struct caprun_run *run);

void cr_calls_clear(struct caprun_run *run);

#endif
