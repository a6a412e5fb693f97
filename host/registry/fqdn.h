/*
 * fqdn.h - parses names of capabilities: org.project.namespace.action, then optionally .hash.
 *
 * Each of the four parts is [a-zA-Z_][a-zA-Z0-9_-]*, at most 64 characters; the hash is 4 to 64
 * lower-case hexadecimal digits. A valid name is safe in a path and in a URL without escaping.
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
 * Parses |text|, without I/O. Returns 0, or CAPRUN_E_INVAL with a text that names the wrong part;
 * |ret| is then untouched.
 */
int cr_fqdn_parse(const char *text, struct cr_fqdn *ret, struct cr_err *err);

/* Does |a| match |b|? Their parts must be equal, but |a| without a hash matches any hash. */
bool cr_fqdn_finds(const struct cr_fqdn *a, const struct cr_fqdn *b);

#endif
