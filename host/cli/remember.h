/*
 * remember.h - writes the rules that a person has let caprun remember, and takes them back.
 *
 * The user's own are in grants.json of the state directory, which has the form of a configuration
 * with nothing but "permissions.rules"; on request they are in the project's configuration. Each
 * has "remembered": when and by whom it was given, and the hashes of the code, the tool and the
 * server that it is bound to. A file is replaced as a whole, and every other byte of it stays.
 */
#ifndef CR_REMEMBER_H
#define CR_REMEMBER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "config/config.h"
#include "policy/rules.h"

/* The path of the file of the user's own rules, or "" without a home directory. */
void cr_remember_file(char ret[PATH_MAX]);

/*
 * Adds the user's own rules to |config|->remembered, if that file is there. Returns 0 or
 * CONFIG_ERROR: a file that cannot be read, or has anything else in it, allows nothing.
 */
int cr_remember_load(struct cr_config *config, struct cr_err *why);

struct cr_remember_rule {
    const char *json; /* the rule, without "id" and "remembered" */
    size_t len;
    const char *by; /* who has decided */
    struct cr_pins pins;
};

/*
 * Writes |rule| into the user's own file, or if |project| is not NULL into that file, which must
 * still be as it was when it was read. Returns the id of the rule, and the file as it is now, which
 * the caller frees with cr_config_clear(). Returns 0; or an error, and nothing has changed, except
 * if another program has changed the file meanwhile.
 */
int cr_remember_write(const struct cr_remember_rule *rule, const struct cr_config *project,
                      char ret_id[80], struct cr_config *ret_file, struct cr_err *why);

/*
 * Takes back the rule |id|, of the user's own file, or of |project|, which is the project's
 * configuration. Returns 0, or an error, and nothing has changed.
 */
int cr_remember_withdraw(const char *id, const struct cr_config *project, struct cr_err *why);

#endif
