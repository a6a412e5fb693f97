/*
 * grant.h - which additions to the permissions would allow a call? For denials, which show them,
 * and for the answer "always" of a person.
 *
 * The proposals only look at the call. Whether one of them is strong enough to win against the
 * other patterns and rules is for the caller to find out (denial.h does, for denials).
 *
 * Values from the args are untrusted. A proposal with a value that is long, not clear to every
 * server, or not shown by a terminal as it is, is left out.
 */
#ifndef CR_GRANT_H
#define CR_GRANT_H

#include "policy/policy.h"

/* What a proposal allows, from the narrowest. */
enum cr_grant_kind {
    CR_GRANT_ARGS,   /* this capability, this tool, exactly these args: a rule */
    CR_GRANT_PLACE,  /* this capability, this tool, below the directory of its path, or at the host
                        of its URL: a rule */
    CR_GRANT_CALLER, /* this capability, this tool, any args: a rule */
    CR_GRANT_TOOL,   /* this tool, for everybody: a pattern for "allow" */
};
#define CR_GRANT_KINDS 4

struct cr_grants {
    /* For each kind: JSON that is to be added, without a line feed, or NULL: there is no such
     * proposal. A rule is an object for "permissions.rules", a pattern a string for
     * "permissions.allow". */
    char *json[CR_GRANT_KINDS];
};

/*
 * Fills |ret| with the proposals for the call of |q|, of which |tool| or else |called|, |args|,
 * |caller| and |dir| are used. |from| is the directory in which relative paths of the configuration
 * start, or NULL. Reads no files. Returns 0, and the caller calls cr_grants_clear(); or
 * CAPRUN_E_NOMEM. A tool whose name no pattern can spell has no proposals.
 */
int cr_grants_make(const struct cr_question *q, const char *from, struct cr_grants *ret);
void cr_grants_clear(struct cr_grants *grants);

#endif
