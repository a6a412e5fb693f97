/*
 * declare.h - writes the tools of servers as declarations of TypeScript: what `mcp` has.
 *
 *     cr_types_begin -> cr_types_server, for each -> cr_types_end
 */
#ifndef CR_TYPES_DECLARE_H
#define CR_TYPES_DECLARE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"

struct cr_types {
    struct cr_buf out;          /* the text */
    struct cr_buf declarations; /* of schemas that are referred to by name; for the end */
    size_t tools;               /* so far: each has a number in the names of its declarations */
};

/* |max|: of the text, in bytes. */
void cr_types_begin(struct cr_types *types, size_t max);

/*
 * Adds the server |name|; |alias| is the name under which code finds it, too, or NULL. |tools| is
 * an array of tools as tools/list has them; |about| is shown above it, "" for nothing.
 */
void cr_types_server(struct cr_types *types, const char *name, const char *alias, const char *about,
                     const struct cJSON *tools);

/* Adds the end. Returns the text, or NULL with a failure of |types->out|. */
const char *cr_types_end(struct cr_types *types);

void cr_types_clear(struct cr_types *types);

#endif
