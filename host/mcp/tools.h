/*
 * tools.h - parses and stores the tools that a server lists, with their definitions.
 *
 * The list is untrusted, and checked as far as the host relies on it: each tool has a name, no name
 * is used twice, and all parsers read the bytes in the same way (strict scanner).
 */
#ifndef CR_TOOLS_H
#define CR_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#define CR_TOOLS_MAX 10000u
#define CR_TOOLS_MAX_BYTES (4u << 20)
#define CR_TOOLS_MAX_VALUES 500000u                     /* JSON values, in all pages */
#define CR_TOOLS_MAX_ESSENCES (2u * CR_TOOLS_MAX_BYTES) /* bytes, of one page */
#define CR_TOOLS_MAX_PAGES 1000u
#define CR_TOOLS_COMPARED 500u /* most names that cr_tools_nearest() compares */

struct cr_tool {
    const char *name;  /* not empty */
    const char *bytes; /* its definition as the server sent it, |len| bytes */
    size_t len;
    /*
     * The pinned part: those of name, title, description, inputSchema, outputSchema and annotations
     * that exist, in canonical form (cr_json_canonical()): equal values have equal bytes. Not
     * NUL-terminated.
     */
    const char *essence;
    size_t essence_len;
};

/* An entry of an index of tools. */
struct cr_tools_key {
    const char *text;
    size_t at; /* the tool's place in the list */
};

struct cr_tools {
    struct cr_tool *list; /* in the server's order */
    size_t count, cap;
    struct cr_tools_key *by_name;  /* sorted by text, then by place; as long as |list| */
    struct cr_tools_key *by_alias; /* the same for aliases; several may be equal */
    struct cr_tools_page *pages;   /* the last one first */
    size_t page_count, bytes, values;
    struct cr_buf cursor; /* of the next page, as JSON with its quotes; empty: no next page */
};

void cr_tools_init(struct cr_tools *t);
void cr_tools_clear(struct cr_tools *t);

/*
 * Adds a page: |result| is the result of tools/list, and is copied. Afterwards |t->cursor| is the
 * cursor of the next page. The last page has no nextCursor, or null; an empty string is a cursor.
 * Pointers into |t->list| become invalid. Uses only its arguments: threads may call it for
 * different lists. Returns 0; CAPRUN_E_PEER for an invalid result, a tool without a name, or a
 * repeated name or cursor; CAPRUN_E_TOOBIG over a limit above or of the scanner; CAPRUN_E_NOMEM.
 * After an error, |t| may only be cleared.
 */
int cr_tools_add_page(struct cr_tools *t, const char *result, size_t len, struct cr_err *err);

/*
 * Returns the tool with exactly the name |action|; else the only tool with this alias: its name
 * with "_" for each character that an identifier cannot have. Returns NULL if no tool matches, or
 * several. If several match, |*ret_first| and |*ret_second| are two of them, else NULL.
 */
const struct cr_tool *cr_tools_find(const struct cr_tools *t, const char *action,
                                    const struct cr_tool **ret_first,
                                    const struct cr_tool **ret_second);

/*
 * Returns the name of the tool that was perhaps meant by |action|, which is no tool's name; NULL if
 * no name is similar. Compares |action| with at most CR_TOOLS_COMPARED names: in a longer list,
 * with its neighbours in sorted order.
 */
const char *cr_tools_nearest(const struct cr_tools *t, const char *action);

/* Is |alias| the alias of |name|, which is UTF-8? Identifiers consist of A-Z a-z 0-9 _ $. */
bool cr_tools_is_alias(const char *alias, const char *name);

#endif
