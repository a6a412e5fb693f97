/*
 * sqlite_lib.h - loads libsqlite3 at run time, only to list runs: no run ever loads it.
 *
 * The functions are called as in SQLite's manual, through the struct: lib->step() is
 * sqlite3_step().
 */
#ifndef CR_SQLITE_LIB_H
#define CR_SQLITE_LIB_H

#include <sqlite3.h>

#include "base/err.h"

#define CR_SQLITE_LIB_MAP(XX) \
    XX(open_v2)               \
    XX(close)                 \
    XX(busy_timeout)          \
    XX(exec)                  \
    XX(prepare_v2)            \
    XX(bind_int64)            \
    XX(bind_text)             \
    XX(step)                  \
    XX(reset)                 \
    XX(finalize)              \
    XX(column_int64)          \
    XX(column_text)           \
    XX(column_bytes)          \
    XX(errmsg)

struct cr_sqlite_lib {
#define XX(name) __typeof__ (&sqlite3_##name)(name);
    CR_SQLITE_LIB_MAP(XX)
#undef XX
};

/*
 * Opens libsqlite3, which stays loaded; |ret| needs no cleanup. Returns 0, or CAPRUN_E_SYS with
 * what to install.
 */
int cr_sqlite_lib_init(struct cr_sqlite_lib *ret, struct cr_err *err);

#endif
