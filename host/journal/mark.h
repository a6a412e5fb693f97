/*
 * mark.h - the mark of a journal: a small file beside it, JOURNAL.mark, which says how far the
 * journal was written when the last call was sent.
 *
 * A journal that was cut off, or overwritten with an older copy of itself, looks like one whose run
 * was interrupted earlier; with the mark it is noticed that calls are missing. The mark is written
 * after the line of a call and before the call is sent, so the journal of a host that was killed
 * always reaches its mark.
 */
#ifndef CR_MARK_H
#define CR_MARK_H

#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

struct cr_journal;

/*
 * Writes the mark of the journal |path|, which is the file |identity| (cr_record_file()) and has
 * |len| bytes with the hash |chain|. *|fd| is the open mark, or -1:
 * then the mark is opened. Returns 0 or CAPRUN_E_SYS.
 */
int cr_mark_write(int *fd, const char *path, const char *identity, uint64_t len,
                  const uint8_t chain[CR_HASH_BYTES], struct cr_err *err);

/* Returns why |journal|, which is the file |identity|, may lack calls; NULL if it has them all. */
const char *cr_mark_doubt(const struct cr_journal *journal, const char *identity);

/* Removes the mark of the journal |path|, if it exists. */
void cr_mark_remove(const char *path);

#endif
