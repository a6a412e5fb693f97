/*
 * blobs.h - what is too long for a line of a journal: files in a directory beside it, PATH.d, each
 * called by the SHA-256 of what is in it, so that what comes twice is there once.
 */
#ifndef CR_BLOBS_H
#define CR_BLOBS_H

#include "base/buf.h"
#include "base/err.h"
#include "journal/line.h"

/* Writes |blob|. Returns 0; 1 if it was there; CAPRUN_E_SYS or CAPRUN_E_TOOBIG (the path). */
int cr_blobs_write(const char *path, const struct cr_line_blob *blob, struct cr_err *err);

/*
 * Appends the blob |name| of |len| bytes to |out|. Returns 0; CAPRUN_E_INVAL if it is not there, or
 * is not what its name says; CAPRUN_E_SYS, CAPRUN_E_NOMEM.
 */
int cr_blobs_read(const char *path, const char *name, size_t len, struct cr_buf *out,
                  struct cr_err *err);

/* Removes all that are there, and the directory. */
void cr_blobs_remove(const char *path);

/* How many bytes they have. */
uint64_t cr_blobs_size(const char *path);

#endif
