/*
 * blobs.h - stores values that are too long for a line of a journal as files (blobs) in the
 * directory PATH.d. The name of a file is the SHA-256 of its content, so equal values share a file.
 */
#ifndef CR_BLOBS_H
#define CR_BLOBS_H

#include "base/buf.h"
#include "base/err.h"
#include "journal/line.h"

/* Writes |blob|. Returns 0; 1 if it exists already; CAPRUN_E_SYS; CAPRUN_E_TOOBIG (the path). */
int cr_blobs_write(const char *path, const struct cr_line_blob *blob, struct cr_err *err);

/*
 * Appends the blob |name| of |len| bytes to |out|. Returns 0; CAPRUN_E_INVAL if it is missing, or
 * has another length or hash; CAPRUN_E_SYS, CAPRUN_E_NOMEM.
 */
int cr_blobs_read(const char *path, const char *name, size_t len, struct cr_buf *out,
                  struct cr_err *err);

/* Removes all blobs of the journal |path|, and their directory. */
void cr_blobs_remove(const char *path);

/* Returns the sum of the bytes of all blobs of the journal |path|. */
uint64_t cr_blobs_size(const char *path);

#endif
