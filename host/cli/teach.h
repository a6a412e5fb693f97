/*
 * teach.h - shows what would allow a call that was denied: a diff of the configuration, which a
 * person can paste and `patch -p0` can apply.
 *
 * A line with a secret is never shown: a literal value of "env" or "headers", a URL, or an argument
 * of a server that looks like one. If the
 * change is on such a line, what has to be added is shown without the rest of the line.
 */
#ifndef CR_TEACH_H
#define CR_TEACH_H

#include "base/buf.h"
#include "config/config.h"

/*
 * Appends the lines for |grant|, JSON as "grant" in the envelope: a hint, then the diff. Appends
 * nothing if |grant| is not about a file of |config|, or cannot be applied to it.
 */
void cr_teach_add(struct cr_buf *out, const struct cr_config *config, const char *grant);

/*
 * Writes the same to standard error, unless the last diff that this process has shown has it all.
 * |config| may be NULL: no configuration was used.
 */
void cr_teach_show(const struct cr_config *config, const char *grant);

#endif
