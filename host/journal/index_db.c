/* index_db.c - the SQL statements of the index of runs. */
#include "journal/index_db.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#define VERSION 2 /* of the columns, and of what they mean */
#define QUOTE_(x) #x
#define QUOTE(x) QUOTE_(x)
#define BUSY_MS 3000
#define MAX_IDS (64u << 20)

#define NAME(name) ", " #name
#define TEXT_COLUMN(name) ", " #name " TEXT NOT NULL"
#define NUMBER_COLUMN(name) ", " #name " INTEGER NOT NULL"
#define MARK(name) ", ?"
#define NAMES "mtime_ns, size" CR_SUMMARY_TEXTS(NAME) CR_SUMMARY_NUMBERS(NAME)

#define TABLE                                                                 \
    "runs (id TEXT PRIMARY KEY, mtime_ns INTEGER NOT NULL, size INTEGER NOT " \
    "NULL" CR_SUMMARY_TEXTS(TEXT_COLUMN) CR_SUMMARY_NUMBERS(NUMBER_COLUMN) ") WITHOUT ROWID"

static const char make_table[] = "BEGIN IMMEDIATE;"
                                 "CREATE TABLE IF NOT EXISTS " TABLE ";"
                                 "PRAGMA user_version = " QUOTE(VERSION) ";"
                                                                         "COMMIT";
static const char find_row[] =
    "SELECT " NAMES " FROM runs WHERE id = ? AND mtime_ns = ? AND size = ?";
static const char write_row[] =
    "INSERT OR REPLACE INTO runs (id, " NAMES ") VALUES (?, ?, ?" CR_SUMMARY_TEXTS(MARK)
        CR_SUMMARY_NUMBERS(MARK) ")";
static const char list_ids[] = "SELECT id FROM runs WHERE length(id) = 36";
static const char remove_row[] = "DELETE FROM runs WHERE id = ?";
_Static_assert(CR_STORE_ID == 36, "as in list_ids");

/* --- failing -------------------------------------------------------------------------------- */

/* Returns whether the file itself is damaged; other errors are locks, permissions or space. */
static bool is_damage(int code)
{
    code &= 0xff;
    return code == SQLITE_ERROR || code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
           code == SQLITE_SCHEMA || code == SQLITE_MISMATCH;
}

/* Always returns CAPRUN_E_SYS. */
static int fail_database(struct cr_index_db *db, int code, struct cr_err *err)
{
    db->is_damaged = db->is_damaged || is_damage(code);
    return cr_err_set(err, CAPRUN_E_SYS, "'%s' is not used: %s", db->path,
                      db->db ? db->lib.errmsg(db->db) : "no memory");
}

static void remove_files(const struct cr_index_db *db)
{
    static const char *const names[] = {"", "-journal", "-wal", "-shm"};
    char path[PATH_MAX + 16];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s%s", db->path, names[i]);
        (void)unlink(path);
    }
}

void cr_index_db_close(struct cr_index_db *db)
{
    (void)db->lib.finalize(db->find);
    (void)db->lib.close(db->db);
    db->find = NULL;
    db->db = NULL;
    if (db->is_damaged)
        remove_files(db);
}

/* --- opening -------------------------------------------------------------------------------- */

/* SQLite would make a file that other users can read, and use a file that they can write. */
static int make_file(const struct cr_index_db *db, struct cr_err *err)
{
    cr_autoclose int fd =
        open(db->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    char name[320];
    struct stat st;

    (void)snprintf(name, sizeof(name), "'%.300s'", db->path);
    if (fd < 0 || fstat(fd, &st) < 0)
        return cr_err_sys(err, "%s is not used", name);
    return cr_file_check_owner(&st, name, err) < 0 ? CAPRUN_E_SYS : 0;
}

/*
 * Gives -1 if the file has anything but our table: in a prepared file a view, a trigger, a check or
 * a generated column could make a statement run forever.
 */
static const char find_version[] =
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM sqlite_master WHERE sql <> 'CREATE TABLE " TABLE "') "
    "THEN -1 ELSE user_version END FROM pragma_user_version";

/* Reads the version, 0 for a new file, into |ret|. Returns SQLite's code. */
static int read_version(struct cr_index_db *db, int64_t *ret)
{
    sqlite3_stmt *s = NULL;
    int code = db->lib.prepare_v2(db->db, find_version, -1, &s, NULL);

    if (code == SQLITE_OK) {
        code = db->lib.step(s);
        if (code == SQLITE_ROW) {
            *ret = db->lib.column_int64(s, 0);
            code = SQLITE_OK;
        }
    }
    (void)db->lib.finalize(s);
    return code;
}

static int connect_to(struct cr_index_db *db)
{
    int64_t version = 0;
    int code =
        db->lib.open_v2(db->path, &db->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

    if (code == SQLITE_OK)
        code = db->lib.busy_timeout(db->db, BUSY_MS);
    if (code == SQLITE_OK)
        code = read_version(db, &version);
    if (code == SQLITE_OK && version && version != VERSION)
        return SQLITE_SCHEMA;
    if (code == SQLITE_OK && !version)
        code = db->lib.exec(db->db, make_table, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = db->lib.prepare_v2(db->db, find_row, -1, &db->find, NULL);
    return code;
}

static int try_open(struct cr_index_db *db, struct cr_err *err)
{
    int code;

    if (make_file(db, err) < 0)
        return CAPRUN_E_SYS;
    db->is_damaged = false;
    code = connect_to(db);
    if (code == SQLITE_OK)
        return 0;
    (void)fail_database(db, code, err);
    cr_index_db_close(db);
    return CAPRUN_E_SYS;
}

int cr_index_db_open(const char *dir, struct cr_index_db *ret, struct cr_err *err)
{
    struct cr_index_db db = {0};
    int r;

    if (snprintf(db.path, sizeof(db.path), "%s/index.db", dir) >= PATH_MAX)
        return cr_err_set(err, CAPRUN_E_SYS, "the path of the state directory is too long");
    if (cr_sqlite_lib_init(&db.lib, err) < 0)
        return CAPRUN_E_SYS;
    r = try_open(&db, err);
    if (r < 0 && db.is_damaged)
        r = try_open(&db, err);
    if (r < 0)
        return r;
    *err = (struct cr_err){0};
    *ret = db;
    return 0;
}

/* --- rows ----------------------------------------------------------------------------------- */

static int bind_key(const struct cr_index_db *db, sqlite3_stmt *s, const struct cr_index_run *run)
{
    int code = db->lib.bind_text(s, 1, run->id, -1, SQLITE_STATIC);

    if (code == SQLITE_OK)
        code = db->lib.bind_int64(s, 2, run->mtime_ns);
    return code == SQLITE_OK ? db->lib.bind_int64(s, 3, run->size) : code;
}

static char *take_text(const struct cr_index_db *db, int column)
{
    const unsigned char *text = db->lib.column_text(db->find, column);

    return text ? strdup((const char *)text) : NULL;
}

/* Returns 1; or 0 if there is no memory, as if the row did not exist. */
static int take_row(const struct cr_index_db *db, struct cr_summary *ret)
{
    struct cr_summary s = {0};
    int column = 2;

#define XX(name) s.name = take_text(db, column++);
    CR_SUMMARY_TEXTS(XX)
#undef XX
#define XX(name) s.name = db->lib.column_int64(db->find, column++);
    CR_SUMMARY_NUMBERS(XX)
#undef XX
    if (!cr_summary_is_whole(&s)) {
        cr_summary_clear(&s);
        return 0;
    }
    *ret = s;
    return 1;
}

int cr_index_db_find(struct cr_index_db *db, struct cr_index_run *run, struct cr_err *err)
{
    int code = bind_key(db, db->find, run);
    int r = 0;

    if (code == SQLITE_OK)
        code = db->lib.step(db->find);
    if (code == SQLITE_ROW)
        r = take_row(db, &run->summary);
    else if (code != SQLITE_DONE)
        r = fail_database(db, code, err);
    (void)db->lib.reset(db->find);
    return r;
}

static int write_one(const struct cr_index_db *db, sqlite3_stmt *s, const struct cr_index_run *run)
{
    int code = bind_key(db, s, run), place = 4;

#define XX(name)           \
    if (code == SQLITE_OK) \
        code = db->lib.bind_text(s, place++, run->summary.name, -1, SQLITE_STATIC);
    CR_SUMMARY_TEXTS(XX)
#undef XX
#define XX(name)           \
    if (code == SQLITE_OK) \
        code = db->lib.bind_int64(s, place++, run->summary.name);
    CR_SUMMARY_NUMBERS(XX)
#undef XX
    if (code == SQLITE_OK)
        code = db->lib.step(s);
    (void)db->lib.reset(s);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int write_rows(const struct cr_index_db *db, const struct cr_index_run *runs, size_t count)
{
    sqlite3_stmt *s = NULL;
    int code = db->lib.prepare_v2(db->db, write_row, -1, &s, NULL);

    for (size_t i = 0; code == SQLITE_OK && i < count; i++)
        if (runs[i].is_new)
            code = write_one(db, s, &runs[i]);
    (void)db->lib.finalize(s);
    return code;
}

/* --- rows of removed runs ------------------------------------------------------------------- */

/* Appends the ids of rows that are not in |runs|, CR_STORE_ID bytes each. */
static int list_removed(const struct cr_index_db *db, const struct cr_index_run *runs, size_t count,
                        int (*compare)(const void *, const void *), struct cr_buf *out)
{
    struct cr_index_run wanted = {0};
    sqlite3_stmt *s = NULL;
    int code = db->lib.prepare_v2(db->db, list_ids, -1, &s, NULL);

    if (code == SQLITE_OK)
        code = db->lib.step(s);
    for (; code == SQLITE_ROW; code = db->lib.step(s)) {
        const unsigned char *id = db->lib.column_text(s, 0);

        if (!id || db->lib.column_bytes(s, 0) != CR_STORE_ID)
            continue;
        memcpy(wanted.id, id, CR_STORE_ID);
        if (!bsearch(&wanted, runs, count, sizeof(*runs), compare))
            cr_buf_add(out, id, CR_STORE_ID);
    }
    (void)db->lib.finalize(s);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int remove_rows(const struct cr_index_db *db, const struct cr_buf *ids)
{
    sqlite3_stmt *s = NULL;
    int code = db->lib.prepare_v2(db->db, remove_row, -1, &s, NULL);

    for (size_t at = 0; code == SQLITE_OK && at < ids->len; at += CR_STORE_ID) {
        code = db->lib.bind_text(s, 1, (const char *)ids->data + at, CR_STORE_ID, SQLITE_STATIC);
        if (code == SQLITE_OK)
            code = db->lib.step(s);
        (void)db->lib.reset(s);
        code = code == SQLITE_DONE ? SQLITE_OK : code;
    }
    (void)db->lib.finalize(s);
    return code;
}

/* --- all changes at once -------------------------------------------------------------------- */

static bool has_new(const struct cr_index_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i].is_new)
            return true;
    return false;
}

static int write_changes(struct cr_index_db *db, const struct cr_index_run *runs, size_t count,
                         const struct cr_buf *removed, struct cr_err *err)
{
    int code = db->lib.exec(db->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

    if (code != SQLITE_OK)
        return fail_database(db, code, err);
    code = remove_rows(db, removed);
    if (code == SQLITE_OK)
        code = write_rows(db, runs, count);
    if (code == SQLITE_OK)
        code = db->lib.exec(db->db, "COMMIT", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        return 0;
    (void)fail_database(db, code, err);
    (void)db->lib.exec(db->db, "ROLLBACK", NULL, NULL, NULL);
    return CAPRUN_E_SYS;
}

int cr_index_db_keep(struct cr_index_db *db, const struct cr_index_run *runs, size_t count,
                     int (*compare)(const void *, const void *), struct cr_err *err)
{
    struct cr_buf removed;
    int code, r = 0;

    cr_buf_init(&removed, MAX_IDS);
    code = list_removed(db, runs, count, compare, &removed);
    if (code != SQLITE_OK)
        r = fail_database(db, code, err);
    else if (cr_buf_err(&removed))
        r = cr_err_set(err, cr_buf_err(&removed), "no memory to update '%s'", db->path);
    else if (removed.len || has_new(runs, count))
        r = write_changes(db, runs, count, &removed, err);
    cr_buf_clear(&removed);
    return r;
}
