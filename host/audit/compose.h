/* compose.h - composes the lines about a run and its calls, which docs/audit.md describes. */
#ifndef CR_AUDIT_COMPOSE_H
#define CR_AUDIT_COMPOSE_H

#include "base/buf.h"
#include "base/hash.h"
#include "run/auditing.h"

/* The members about a run, which all its lines have, composed once. */
struct cr_audit_who {
    char run[37]; /* its id; "": none yet */
    struct cr_buf text;
};

void cr_audit_who_init(struct cr_audit_who *who);
void cr_audit_who_clear(struct cr_audit_who *who);

/* |event|: "run", "resume" or "off". */
void cr_audit_compose_begin(struct cr_buf *out, struct cr_audit_who *who, struct caprun_run *run,
                            const char *event);
void cr_audit_compose_end(struct cr_buf *out, struct cr_audit_who *who, struct caprun_run *run);

/* The call is about to be sent; |hash| is that of its args. */
void cr_audit_compose_call(struct cr_buf *out, struct cr_audit_who *who,
                           const struct cr_audit_ticket *ticket, const uint8_t hash[CR_HASH_BYTES],
                           bool has_args);

/* The call has ended; |is_known|: there is a line of the function above. */
void cr_audit_compose_result(struct cr_buf *out, struct cr_audit_who *who, struct caprun_run *run,
                             uint32_t number, bool is_known);

#endif
