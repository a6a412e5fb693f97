/*
 * index.h - lists the runs of a state directory (store.h), the latest first.
 *
 * A summary of each journal is cached in DIR/index.db, an SQLite database, with the time and the
 * size of the file; a journal whose file has changed is read again. An index that is damaged or of
 * another version is removed and rebuilt. If there can be no index, because libsqlite3, space or
 * permissions are missing, all journals are read.
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
    int64_t mtime_ns, size; /* of the journal's file, before it was read */
    struct cr_summary summary;
    bool is_live; /* the run has no end, and a process is writing the journal now */
    bool is_new;  /* not in the index yet */
};

struct cr_index_list {
    struct cr_index_run *runs;
    size_t count;       /* of |runs| */
    size_t total;       /* runs in the directory */
    struct cr_err note; /* code not 0: why the index was not used, or not updated */
};

/*
 * Lists the latest |most| runs of |dir|, an absolute path. Returns 0, and the caller must free
 * |ret| with cr_index_clear(); or CAPRUN_E_SYS if the directory cannot be read, or CAPRUN_E_NOMEM.
 * A missing directory has no runs.
 */
int cr_index_list(const char *dir, size_t most, struct cr_index_list *ret, struct cr_err *err);

/* |list| may be all zeros. */
void cr_index_clear(struct cr_index_list *list);

#endif
