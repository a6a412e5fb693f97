/*
 * fields.h - checks which fields a line of a journal has.
 *
 * Since version 2 of the format, a field whose name begins with "_" is optional: a reader that does
 * not know it ignores it. Every other field is critical: a reader that does not know it rejects the
 * journal. Optional fields come after all critical ones, so that the critical part of a line is one
 * piece of text, which a replay compares.
 */
#ifndef CR_FIELDS_H
#define CR_FIELDS_H

#include <stddef.h>

#include "base/err.h"

/*
 * Checks the fields of |line|, an object that cr_scan_json() has accepted; its last brace may be
 * missing. |known| has the names of the critical fields that it may have, separated by spaces, at
 * most 64. On success *|ret_critical| is the length of the line up to the first optional field.
 *
 * Returns 0; or CAPRUN_E_INVAL with a message for an unknown critical field, a duplicate critical
 * field, and a critical field after an optional one.
 */
int cr_fields_check(const char *line, size_t len, const char *known, size_t *ret_critical,
                    struct cr_err *err);

#endif
