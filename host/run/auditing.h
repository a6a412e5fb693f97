/*
 * auditing.h - has each call written to the audit before it is sent, and when it has ended.
 */
#ifndef CR_AUDITING_H
#define CR_AUDITING_H

#include "run/run_parts.h"

/*
 * Call |number|, which is open, is about to be sent to |tool|: has its line written. Returns 0; or
 * CR_AUDITOR_LATER, and then the gate's resume(), or call_handler() of run/decide.c, sends it
 * again later; or an error, and the call has failed. |args| must stay until the call has ended, or
 * cr_auditing_hold() was called.
 */
int cr_auditing_before(struct caprun_run *run, uint32_t number, const char *tool, const char *args,
                       size_t len);

/* The handler's call |number| waits: keeps its args, which are in *|block|, or a copy of them. */
bool cr_auditing_hold(struct caprun_run *run, uint32_t number, uint8_t **block);

/* For the auditor: the line of the ticket's call is written; or |why| not. Frees the ticket. */
void cr_auditing_written(struct cr_audit_ticket *ticket, const struct cr_err *why);

/* Call |number| has ended. */
void cr_auditing_after(struct caprun_run *run, uint32_t number);

/* The run begins, goes on after a replay, or has ended. */
void cr_auditing_begin(struct caprun_run *run, bool is_resumed);
void cr_auditing_end(struct caprun_run *run);

#endif
