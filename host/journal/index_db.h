/*
 * index_db.h - reads and writes the database of index.h, which has one row for each run.
 *
 *     cr_index_db_open -> cr_index_db_find... -> cr_index_db_keep -> cr_index_db_close
 *
 * Two programs may use it at once: no lock is held while journals are read.
 */
#ifndef CR_INDEX_DB_H
#define CR_INDEX_DB_H

#include "journal/index.h"
#include "journal/sqlite_lib.h"

struct cr_index_db {
    struct cr_sqlite_lib lib;
    char path[PATH_MAX];
    sqlite3 *db;
    sqlite3_stmt *find;
    bool is_damaged; /* remove the file on close */
};

/*
 * Opens the database of |dir|; makes a new one if it is missing or unusable. Returns 0, and the
 * caller must close |ret| with cr_index_db_close(); or CAPRUN_E_SYS.
 */
int cr_index_db_open(const char *dir, struct cr_index_db *ret, struct cr_err *err);
void cr_index_db_close(struct cr_index_db *db);

/*
 * Fills the summary of |run| if there is a row with its id, time and size. Returns 1 if so, 0 if
 * not; or CAPRUN_E_SYS, and the database should not be used further.
 */
int cr_index_db_find(struct cr_index_db *db, struct cr_index_run *run, struct cr_err *err);

/*
 * Writes the rows of new |runs|, and removes rows of ids that are not in |runs|, which must be in
 * the order of |compare|. Returns 0; or CAPRUN_E_SYS or CAPRUN_E_NOMEM, and nothing has changed.
 */
int cr_index_db_keep(struct cr_index_db *db, const struct cr_index_run *runs, size_t count,
                     int (*compare)(const void *, const void *), struct cr_err *err);

#endif
