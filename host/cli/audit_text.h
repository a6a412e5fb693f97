/* audit_text.h - shows a line of the audit to a person. */
#ifndef CR_CLI_AUDIT_TEXT_H
#define CR_CLI_AUDIT_TEXT_H

#include "audit/line.h"

/* Appends one line of text; all of |line| is untrusted. */
void cr_audit_text_add(struct cr_buf *out, const struct cr_audit_line *line);

#endif
