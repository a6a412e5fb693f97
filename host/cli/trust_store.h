/*
 * trust_store.h - the configurations that this user has accepted: one file for each place in
 * "trust" of the state directory, named by the SHA-256 of the place. The file has a line of JSON
 * with the place and the SHA-256 of the accepted bytes, then these bytes.
 *
 * A place is the path of a configuration with all links of its directory resolved, but not those of
 * its last part: that directory is where its relative paths start.
 */
#ifndef CR_TRUST_STORE_H
#define CR_TRUST_STORE_H

#include <limits.h>

#include "base/buf.h"
#include "base/err.h"

/* Writes the place of |path|. Returns 0, or CONFIG_ERROR if its directory cannot be resolved. */
int cr_trust_store_place(const char *path, char ret[PATH_MAX], struct cr_err *why);

/*
 * Appends what was accepted at |place|. Returns 0; 1 if nothing was; or CONFIG_ERROR if that cannot
 * be known, also because others can write the file, or it is damaged.
 */
int cr_trust_store_read(const char *place, struct cr_buf *ret, struct cr_err *why);

/* Keeps that the user has accepted |len| bytes at |place|, instead of what was accepted before. */
int cr_trust_store_write(const char *place, const void *bytes, size_t len, struct cr_err *why);

/* Forgets what was accepted at |place|. Returns 0, 1 if nothing was, or CONFIG_ERROR. */
int cr_trust_store_remove(const char *place, struct cr_err *why);

/*
 * Calls |each| for all places, in any order; |trouble| is NULL, or says why what was accepted there
 * does not count: then |place| may be the path in the state directory. Returns 0 or CONFIG_ERROR.
 */
int cr_trust_store_each(void (*each)(void *data, const char *place, const char *trouble),
                        void *data, struct cr_err *why);

#endif
