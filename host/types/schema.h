/*
 * schema.h - writes a JSON Schema as a type of TypeScript.
 *
 * The schema is a stranger's. Every string of it becomes a literal or a comment, never code; the
 * work and the text for one schema are bounded, and what is beyond the bounds, or has no form in
 * TypeScript, becomes `unknown`. What a type cannot say (a minimum, a pattern) is left out: the
 * type then has more values than the schema.
 */
#ifndef CR_TYPES_SCHEMA_H
#define CR_TYPES_SCHEMA_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"

/* The most values of schemas that one tool's types are written from, and the most bytes of them. */
#define CR_TYPES_MAX_STEPS 20000u
#define CR_TYPES_MAX_BYTES (256u * 1024)

/*
 * Appends the type of |schema|, whose first line begins where |out| ends, and whose other lines
 * begin with |indent| more spaces. Schemas that |schema| refers to by "$ref" from within an object
 * or an array become declarations, which are appended to |declarations|; their names begin with
 * |name|, an identifier that is used for nothing else. |schema| may be NULL: anything.
 */
void cr_types_schema(struct cr_buf *out, struct cr_buf *declarations, const char *name,
                     const struct cJSON *schema, unsigned indent);

/* Needs |schema| an argument: may the value not be left out? */
bool cr_types_is_required(const struct cJSON *schema);

#endif
