/*
 * audit.h - implements run/auditor.h: writes the lines of calls and runs to a file (file.h).
 *
 * No line waits in the loop's thread. If the file is locked or has to be repaired, all lines wait
 * in a queue, and the calls among them with it, until the lock is free or a helper thread has
 * repaired the file. A call waits for CR_AUDIT_WAIT_US at most, and then fails. The other lines are
 * written with the next ones that can be, in the order in which things happened.
 */
#ifndef CR_AUDIT_H
#define CR_AUDIT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/loop.h"
#include "run/auditor.h"

#define CR_AUDIT_WAIT_US 5000000

struct cr_audit;

struct cr_audit_spec {
    const char *path; /* absolute */
    bool has_args;    /* lines have the text of the args, too */
    bool is_off;      /* only one line for each run: that it is not audited */
};

/*
 * Creates an audit. Opens its file, if no other process has locked it; if that fails, the error is
 * shown when a call needs it. Returns 0 or CAPRUN_E_NOMEM.
 */
int cr_audit_new(struct cr_loop *loop, const struct cr_audit_spec *spec, struct cr_audit **ret,
                 struct cr_err *err);

/* Writes what is left, for which it may wait a little. No run may use it any more. Takes NULL. */
void cr_audit_free(struct cr_audit *a);

/* For NULL, returns NULL. */
struct cr_auditor *cr_audit_auditor(struct cr_audit *a);

#endif
