/*
 * calls.h - the calls of a run: from the worker's frame to the answer.
 *
 *     OPEN --reply--> DONE
 *          --fail, or the time for one call is over--> FAILED
 *          --it is not in the capability's list of tools, or policy forbids it--> DENIED
 *          --it was sent before the run was interrupted, and may have been carried out--> UNKNOWN
 *
 * The time for one call begins anew when it is sent to whoever answers, and whenever that tells of
 * progress; while it waits because others are being answered, or for a person, only the run's own
 * limit ends it.
 *
 * A call that is still open when the run ends stays OPEN: it was never sent, or nobody knows what
 * became of it.
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
    CR_CALL_UNKNOWN, /* it was sent in an earlier life of the run, and nobody knows the rest */
};

struct cr_call {
    enum cr_call_state state;
    const char *by;              /* who decided; NULL: nobody did */
    bool is_asked;               /* of the application, through its handler */
    bool is_answered;            /* and the answer is being stored before the worker is told */
    const char *rule;            /* what comes behind |by|, or NULL; the gate's */
    enum caprun_outcome outcome; /* that it leads to, if nobody catches its failure */
    char *method;
    char *message; /* of its failure */
    char *hint;    /* for the user alone, or NULL */
    void *handle;  /* the gate's, for its cancel(); NULL: the gate does not have the call */
    int64_t started_us;
    int64_t sent_us;  /* to whoever answers; 0: not yet */
    int64_t heard_us; /* since when its time runs; 0: it does not */
    uint64_t us;      /* how long it took */
    size_t args_len, answer_len;
    uint32_t clock_prev, clock_next; /* numbers of calls whose time runs, by |heard_us|; 0: none */
};

/* A new call, which is open; its number is |run->call_count|. NULL: no memory. */
struct cr_call *cr_calls_add(struct caprun_run *run, const char *ns, int ns_len, const char *action,
                             int action_len, size_t args_len);

/* Call |number|, which the run has made. */
const struct cr_call *cr_calls_at(const struct caprun_run *run, uint32_t number);

bool cr_calls_is_open(struct caprun_run *run, uint32_t number);

/* Its time begins; cr_run_schedule() follows. */
void cr_calls_start(struct caprun_run *run, uint32_t number);

/*
 * Answers call |number| with |json|. |block|: NULL, or *|block| is the memory from malloc() that
 * |json| is in; it may be taken, and then is NULL afterwards. Returns 0; CAPRUN_E_STATE if it is
 * not open (any more); CAPRUN_E_INVAL for what is not JSON, and the call stays open;
 * CAPRUN_E_TOOBIG over LIMIT_ANSWER_BYTES, or when too much waits for the worker already, and the
 * call fails; CAPRUN_E_NOMEM, and the run has ended.
 */
int cr_calls_reply(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                   const char *json, size_t len, uint8_t **block, struct cr_err *err);

/* The same with JSON that cr_scan_json() has accepted already. */
int cr_calls_reply_scanned(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                           const char *json, size_t len, uint8_t **block);

/* For run/keep.c: tells the worker the answer to the open call |number|; and its time stops. */
void cr_calls_tell(struct caprun_run *run, uint32_t number, enum wire_reply_kind kind,
                   const char *json, size_t len, uint8_t **block);
void cr_calls_stop_clock(struct caprun_run *run, uint32_t number);

/* For the gate: forgets the handle of call |number|, so that the call is not cancelled. */
void cr_calls_release(struct caprun_run *run, uint32_t number);

/*
 * Call |number| is about to be sent to whoever answers: that is written down, and its time begins
 * anew. |tool| is the exact name of the tool, "server:tool"; NULL if the application's handler is
 * asked. Returns 0; or an error, and it may not be sent: it is over, or the run has ended by this,
 * and of this call the gate has not been told.
 */
int cr_calls_send(struct caprun_run *run, uint32_t number, const char *tool);

/*
 * For the gate: call |number| waits for its turn, or for a person; |json|, the params of a progress
 * notification, came.
 */
void cr_calls_queued(struct caprun_run *run, uint32_t number);
void cr_calls_progress(struct caprun_run *run, uint32_t number, const char *json, size_t len);

/* What helps the user with the failure to come of call |number|, and is none of the code's
 * business. */
void cr_calls_hint(struct caprun_run *run, uint32_t number, const char *hint);

/* For the prompter: call |number| was sent, then; it took |us|. */
void cr_calls_show_sent(struct caprun_run *run, uint32_t number);
void cr_calls_show_time(struct caprun_run *run, uint32_t number, uint64_t us);

/* For the gate: one more call of the run was of a tool that does not exist. Returns how many. */
size_t cr_calls_miss(struct caprun_run *run);

/* The run has ended: cancels all calls that the gate has. */
void cr_calls_cancel(struct caprun_run *run);

/* Fails call |number| with the code of |outcome|. Returns 0, CAPRUN_E_STATE or CAPRUN_E_NOMEM. */
int cr_calls_fail(struct caprun_run *run, uint32_t number, enum caprun_outcome outcome,
                  const char *message, size_t len, struct cr_err *err);

/* Also for calls that are denied or unknown: |state| is FAILED, DENIED or UNKNOWN. */
int cr_calls_end(struct caprun_run *run, uint32_t number, enum cr_call_state state,
                 enum caprun_outcome outcome, const char *message, size_t len, struct cr_err *err);

/* When the next call has waited too long, as cr_loop_now() counts, or INT64_MAX. */
int64_t cr_calls_next(struct caprun_run *run);

/* Fails every call that has waited too long. */
void cr_calls_expire(struct caprun_run *run);

void cr_calls_clear(struct caprun_run *run);

#endif
