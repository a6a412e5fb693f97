/*
 * fqdn.h - the names of capabilities: org.project.namespace.action, then optionally .hash.
 *
 * Each of the four parts is [a-zA-Z_][a-zA-Z0-9_-]*, at most 64 characters; the hash is 4 to 64
 * lower-case hexadecimal digits. A name that passed is safe in a path and in a URL as it is.
 */
#ifndef CR_FQDN_H
#define CR_FQDN_H

#include <stdbool.h>

#include "base/err.h"

#define CR_FQDN_PART 64
#define CR_FQDN_MAX (5 * CR_FQDN_PART + 4)

struct cr_fqdn {
    char full[CR_FQDN_MAX + 1];          /* as it was given, with four parts or five */
    char name[CR_FQDN_MAX + 1];          /* the first four */
    char hash[CR_FQDN_PART + 1];         /* the fifth, or "" */
    char tool[2 * CR_FQDN_PART + 1 + 1]; /* "namespace:action" */
};

/*
 * Reads |text|, touching nothing but memory. Returns 0, or CAPRUN_E_INVAL with words that say which
 * part is wrong; |ret| is then untouched.
 */
int cr_fqdn_parse(const char *text, struct cr_fqdn *ret, struct cr_err *err);

/* Could |a| mean |b|? All of its parts are those of |b|, which may have a hash besides. */
bool cr_fqdn_finds(const struct cr_fqdn *a, const struct cr_fqdn *b);

#endif
