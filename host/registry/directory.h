/*
 * directory.h - loads capabilities from a registry that is a directory with FQDN.json and FQDN.js.
 */
#ifndef CR_DIRECTORY_H
#define CR_DIRECTORY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/helper.h"
#include "registry/metadata.h"

/*
 * Finds |want| in the directory |path|, and reads its metadata and its code, into |code|. A name of
 * four parts finds the version with the latest `publishedAt`. Returns 0, and the caller clears
 * both; 1 if |want| is not in the directory; or an error: METADATA_INVALID (also if two versions
 * were published at the same time, or there are too many), NOT_FOUND (metadata without code, or no
 * such directory), VALIDATION_ERROR (the code is too long), CANCELLED (|job|, for which this is
 * done, was abandoned meanwhile). |ret_owned|, unless it is NULL, is filled with code 0 if
 * directory and files belong to this process's user, and no other user can write them; else with
 * the reason.
 */
int cr_directory_load(const struct cr_job *job, const char *path, const struct cr_fqdn *want,
                      struct cr_metadata *ret, struct cr_buf *code, struct cr_err *ret_owned,
                      struct cr_err *why);

/*
 * Calls |each| for every file of metadata in |path|, with the name from its file name. Calls
 * |stray|, which may be NULL, for every FILE.json beside FILE.js if FILE is not the name of a
 * capability. Returns 0, or NOT_FOUND if the directory cannot be opened.
 */
int cr_directory_list(const char *path, void (*each)(void *data, const struct cr_fqdn *name),
                      void (*stray)(void *data, const char *file, const char *wrong), void *data,
                      struct cr_err *why);

#endif
