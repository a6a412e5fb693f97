/*
 * verify.h - finds lines of an audit that were changed, removed, inserted or cut off. Blocks: not
 * for the loop's thread.
 */
#ifndef CR_AUDIT_VERIFY_H
#define CR_AUDIT_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct cr_audit_verdict {
    uint64_t lines, first, last; /* how many there are, and the numbers of the first and the last */
    uint64_t problems;
    uint64_t torn; /* bytes of an unfinished line at the end, which is no problem */
};

/*
 * Verifies the audit |path|. Calls |report| for each problem, with words that may have the paths of
 * files in them. Returns 0; 1 if there is no audit; or an error if it cannot be read.
 */
int cr_audit_verify(const char *path, void (*report)(void *data, const char *words), void *data,
                    struct cr_audit_verdict *ret, struct cr_err *err);

#endif
