/*
 * tool_list.h - the tools that a capability may call: the list in its metadata.
 *
 * The names are kept in their given order, for the journal and for messages, and in an index that
 * is sorted once. A look-up takes about log2(count) comparisons.
 *
 *     cr_tool_list_init -> cr_tool_list_add, for each name -> cr_tool_list_set -> look-ups
 *
 * The alias of a name has a "_" for each "-", "." and "/". Names are literal: "*" and "?" have no
 * meaning here.
 */
#ifndef CR_TOOL_LIST_H
#define CR_TOOL_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct cr_tool_entry {
    const char *alias, *name;
};

struct cr_tool_list {
    bool is_set; /* false: there is no list; an empty list is set, too */
    size_t count;
    struct cr_buf names;         /* "namespace:action", each with a NUL at its end */
    char *aliases;               /* of all names, at the same offsets */
    struct cr_tool_entry *index; /* sorted by alias, then by name */
};

void cr_tool_list_init(struct cr_tool_list *list);

/* Frees and removes all names; the list may be used again. */
void cr_tool_list_clear(struct cr_tool_list *list);

/* Appends a copy of |name| to a list that is not set. cr_tool_list_set() reports a failure. */
void cr_tool_list_add(struct cr_tool_list *list, const char *name);

/*
 * Sorts the names that were added. Returns 0; CAPRUN_E_TOOBIG for more than LIMIT_TOOLS names or a
 * name of more than LIMIT_TOOL_CHARS bytes; CAPRUN_E_NOMEM. After an error no name is found in
 * |list|.
 */
int cr_tool_list_set(struct cr_tool_list *list);

/* The name after |name|, or the first one if |name| is NULL; NULL at the end. */
const char *cr_tool_list_next(const struct cr_tool_list *list, const char *name);

/* Is |method| in the list, by exactly that name? */
bool cr_tool_list_has(const struct cr_tool_list *list, const char *method);

/* Does a name in the list have the same alias as |method|? */
bool cr_tool_list_has_alias(const struct cr_tool_list *list, const char *method);

#endif
