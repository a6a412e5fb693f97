/*
 * directory.h - a registry that is a directory: FQDN.json and FQDN.js, side by side.
 */
#ifndef CR_DIRECTORY_H
#define CR_DIRECTORY_H

#include "base/buf.h"
#include "base/err.h"
#include "registry/metadata.h"

/*
 * Finds |want| in the directory |path|, and reads metadata and code, the latter into |code|. A
 * name of four parts finds the one with the latest `publishedAt`. Returns 0, and the caller clears
 * both; 1 if there is none; or a problem: METADATA_INVALID (also for two that were published at the
 * same time), NOT_FOUND (metadata without code, or no such directory), VALIDATION_ERROR (code that
 * is too long).
 */
int cr_directory_load(const char *path, const struct cr_fqdn *want, struct cr_metadata *ret,
                      struct cr_buf *code, struct cr_err *why);

/* Calls |each| with every name that has metadata in |path|, as its file has it. */
void cr_directory_list(const char *path, void (*each)(void *data, const struct cr_fqdn *name),
                       void *data);

#endif
