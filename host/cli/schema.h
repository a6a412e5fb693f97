/*
 * schema.h - flattens a JSON Schema, which is untrusted, into rows: one for each property.
 */
#ifndef CR_CLI_SCHEMA_H
#define CR_CLI_SCHEMA_H

#include <stdbool.h>

#include "base/json.h"

#define CR_SCHEMA_ROWS 200u
#define CR_SCHEMA_PATH 200u

/* The pointers point into the schema. */
struct cr_schema_row {
    char path[CR_SCHEMA_PATH];   /* "a", "a.b" for a property of it, "a[].b" for one of its items */
    char type[64];               /* "string", "string|null", "array of string", "one of 2", "any" */
    bool required;               /* in its object */
    const struct cJSON *value;   /* the default, or NULL */
    const struct cJSON *choices; /* "enum", or NULL */
    const struct cJSON *description; /* a string, or NULL */
};

struct cr_schema_rows {
    struct cr_schema_row list[CR_SCHEMA_ROWS];
    size_t count;
    bool is_cut; /* there are more */
};

/* Fills |ret| with the properties of |schema|, which may be NULL. Follows a $ref inside of it. */
void cr_schema_flatten(const struct cJSON *schema, struct cr_schema_rows *ret);

#endif
