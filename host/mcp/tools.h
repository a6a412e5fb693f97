/*
 * tools.h - the tools that a server lists, with their definitions.
 *
 * A server's own words, checked as far as the host relies on them: each has a name, no name is
 * there twice, and the bytes are read alike by all (strict scanner).
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
#define CR_TOOLS_MAX_VALUES 500000u                     /* of JSON, of all pages */
#define CR_TOOLS_MAX_ESSENCES (2u * CR_TOOLS_MAX_BYTES) /* bytes, of one page */
#define CR_TOOLS_MAX_PAGES 1000u
#define CR_TOOLS_COMPARED 500u /* names that cr_tools_nearest() looks at */

struct cr_tool {
    const char *name;  /* not empty */
    const char *bytes; /* its definition, |len| of them, as the server gave it */
    size_t len;
    /*
     * What of it is pinned: name, title, description, inputSchema, outputSchema, annotations, those
     * that it has, in the one form that equal ones share (cr_json_canonical()). Not a string.
     */
    const char *essence;
    size_t essence_len;
};

/* What a tool is found by. */
struct cr_tools_key {
    const char *text;
    size_t at; /* the tool's place in the list */
};

struct cr_tools {
    struct cr_tool *list; /* in the server's order */
    size_t count, cap;
    struct cr_tools_key *by_name;  /* sorted by text, then by place; as long as |list| */
    struct cr_tools_key *by_alias; /* the same for aliases, of which several may be equal */
    struct cr_tools_page *pages;   /* the last one first */
    size_t page_count, bytes, values;
    struct cr_buf cursor; /* of the next page, as JSON with its quotes; empty: there is none */
};

void cr_tools_init(struct cr_tools *t);
void cr_tools_clear(struct cr_tools *t);

/*
 * Touches nothing but its arguments: another thread may call it for a list of its own.
 *
 * Adds a page: |result| is the result of tools/list, and is copied. Afterwards |t->cursor| is what
 * to ask for next: pages end where nextCursor is absent or null; an empty string is a cursor. What
 * points into |t->list| is not valid any more. Returns 0; CAPRUN_E_PEER for what is no such result,
 * a tool without a name or with one that was there, a cursor that was there; CAPRUN_E_TOOBIG over a
 * limit above or the scanner's; CAPRUN_E_NOMEM. After an error |t| is good for cr_tools_clear()
 * only.
 */
int cr_tools_add_page(struct cr_tools *t, const char *result, size_t len, struct cr_err *err);

/*
 * The tool that |action| names: the one of exactly that name; else the only one that is called so
 * once each character of its name that an identifier cannot have is a "_". NULL if there is none;
 * if there are several, |*ret_first| and |*ret_second| are two of them, else NULL.
 */
const struct cr_tool *cr_tools_find(const struct cr_tools *t, const char *action,
                                    const struct cr_tool **ret_first,
                                    const struct cr_tool **ret_second);

/*
 * The name of the tool that was perhaps meant by |action|, which is no tool's name; NULL if none is
 * near. Compares |action| with CR_TOOLS_COMPARED names at most: of a longer list those that stand
 * beside it in the order of names.
 */
const char *cr_tools_nearest(const struct cr_tools *t, const char *action);

/* Is |alias| what |name|, which is UTF-8, becomes that way? Identifiers are of A-Z a-z 0-9 _ $. */
bool cr_tools_is_alias(const char *alias, const char *name);

#endif
