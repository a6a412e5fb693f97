/*
 * auditor.h - the interface to audit/, which writes down what calls do before they do it.
 *
 * A run without an auditor is not audited. The line of a call is in the file before the call is
 * sent: until then the call waits, in a ticket. A call whose line cannot be written fails. Nothing
 * else waits for the audit: the lines of results, denials and runs are written in later steps.
 */
#ifndef CR_AUDITOR_H
#define CR_AUDITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct caprun_run;

#define CR_AUDITOR_LATER 1

/* A call that waits for its line. */
struct cr_audit_ticket {
    struct caprun_run *run;
    uint32_t number;
    char *tool;       /* exact name */
    const char *args; /* must stay unchanged until the ticket has ended */
    size_t args_len;
    uint8_t *block; /* for run/auditing.c: memory of the args from malloc(), freed with the ticket;
                       NULL: they belong to the gate */
};

struct cr_auditor {
    /* The run starts; or, if |is_resumed|, goes on after its journal has been played back. */
    void (*begin)(struct cr_auditor *a, struct caprun_run *run, bool is_resumed);
    /*
     * Call |number| is about to be sent to |tool|. Returns 0 if the line is written; LATER with a
     * ticket, and cr_auditing_written() is called in a later step; or an error, and the call may
     * not be sent.
     */
    int (*before)(struct cr_auditor *a, struct caprun_run *run, uint32_t number, const char *tool,
                  const char *args, size_t len, struct cr_audit_ticket **ret_ticket,
                  struct cr_err *err);
    /* The call that waits in |ticket| has ended. Frees the ticket. */
    void (*forget)(struct cr_auditor *a, struct cr_audit_ticket *ticket);
    /* Call |number| has ended, or its run has; |is_known|: its line was written. */
    void (*after)(struct cr_auditor *a, struct caprun_run *run, uint32_t number, bool is_known);
    /* The run, for which begin() was called, has its outcome. */
    void (*end)(struct cr_auditor *a, struct caprun_run *run);
};

#endif
