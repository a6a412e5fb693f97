/*
 * index.h - the runs that a state directory has (store.h), the latest first.
 *
 * What was read of a journal is kept in DIR/index.db, an SQLite database, beside the time and the
 * size that its file had; a journal whose file has changed is read again. The index is nothing but
 * a cache: one that is damaged, or of another version, is removed and made anew, and where there
 * can be none, for want of libsqlite3, of room or of rights, the journals are read instead.
 *
 *     cr_index_list -> ->runs -> cr_index_clear
 */
#ifndef CR_INDEX_H
#define CR_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "journal/store.h"
#include "journal/summary.h"

struct cr_index_run {
    char id[CR_STORE_ID + 1];
    int64_t mtime_ns, size; /* of its file, before it was read */
    struct cr_summary summary;
    bool is_live; /* somebody writes it now: looked at each time, and only if it has no end */
    bool is_new;  /* the index does not have it */
};

struct cr_index_list {
    struct cr_index_run *runs;
    size_t count;       /* of these */
    size_t total;       /* that the directory has */
    struct cr_err note; /* code not 0: why the index was not used, or not kept */
};

/*
 * Lists the latest |most| runs of |dir|, an absolute path. Returns 0, and the caller ends |ret|
 * with cr_index_clear(); or CAPRUN_E_SYS if the directory cannot be read, or CAPRUN_E_NOMEM. A
 * directory that is not there has no runs.
 */
int cr_index_list(const char *dir, size_t most, struct cr_index_list *ret, struct cr_err *err);

/* Takes a list of zeros, too. */
void cr_index_clear(struct cr_index_list *list);

#endif
