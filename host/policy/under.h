/*
 * under.h - is a path below a directory? The predicate "under" of rules.
 *
 * A path is read in two ways, because servers differ: as the kernel does, links before "..", and
 * as a program that first removes ".." from the text. A path that does not exist yet is judged by
 * its deepest part that exists. The server opens the path later, and by itself: a link that is
 * made in between is not noticed.
 */
#ifndef CR_UNDER_H
#define CR_UNDER_H

#include <stddef.h>

#include "base/err.h"
#include "base/truth.h"

/*
 * Resolves |dir|, an absolute path, to the path that is compared from now on: if a part of it is
 * replaced by a link later, paths through that link are not below it. |dir| need not exist. On
 * success the caller frees *|ret|. Returns 0, CAPRUN_E_INVAL if |dir| cannot be resolved, or
 * CAPRUN_E_NOMEM.
 */
int cr_under_resolve(const char *dir, char **ret, struct cr_err *err);

/*
 * Is |path|, of |len| bytes, the directory |dir|, from cr_under_resolve(), or below it? A relative
 * |path| starts in |base|; if |base| is NULL, the answer is UNCLEAR. The answer is also UNCLEAR if
 * the two readings of |path| differ; for "~", for URLs, for /proc (where the server sees other
 * files than we do), for another mount below |dir|, and for a path that cannot be looked up.
 *
 * Reads directories, so call it in a helper thread.
 */
enum cr_truth cr_under_holds(const char *dir, const char *base, const char *path, size_t len);

#endif
