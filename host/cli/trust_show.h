/*
 * trust_show.h - says in words what a configuration would start and allow.
 */
#ifndef CR_CLI_TRUST_SHOW_H
#define CR_CLI_TRUST_SHOW_H

#include "base/buf.h"
#include "config/wider.h"

/* Kinds of things to say, in the order in which they are shown. */
enum cr_trust_part {
    CR_TRUST_START,
    CR_TRUST_CONNECT,
    CR_TRUST_ALLOW,
    CR_TRUST_WEAKEN,
    CR_TRUST_REGISTRY,
    CR_TRUST_GRANT,
    CR_TRUST_READ,
    CR_TRUST_SET,
    CR_TRUST_PARTS,
};

struct cr_trust_show {
    struct cr_buf parts[CR_TRUST_PARTS];
    size_t counts[CR_TRUST_PARTS];
    size_t columns; /* of the output; all unless the caller sets it */
};

void cr_trust_show_init(struct cr_trust_show *s);
void cr_trust_show_clear(struct cr_trust_show *s);

/* Adds |found|; |s| is a struct cr_trust_show. For cr_wider_find(). */
void cr_trust_show_add(void *s, const struct cr_wider *found);

/* Appends all that was added, escaped, below headings. */
void cr_trust_show_text(struct cr_buf *out, const struct cr_trust_show *s);

/* Appends a line for each, as an array of JSON strings. */
void cr_trust_show_json(struct cr_buf *out, const struct cr_trust_show *s);

/* Writes how much that is: "start 2 servers, allow 3 patterns or rules and read 1 variable". */
void cr_trust_show_summary(const struct cr_trust_show *s, char ret[256]);

#endif
