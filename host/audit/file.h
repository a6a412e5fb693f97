/*
 * file.h - the file of an audit, to which several processes append lines.
 *
 * A writer locks the record beside the file (record.h), and never waits for the lock. While it has
 * the lock:
 *
 *     cr_audit_file_take -> cr_audit_file_add, … -> cr_audit_file_commit
 *
 * The lines of a commit are in one write(). A writer knows that it is the only one as long as the
 * file is as long as it left it; otherwise it first reads the lines that others have added. The
 * record is only read at the beginning and after a surprise, so not each commit renews it: the
 * lines behind it are known by their chain. Whatever a
 * killed process, or a person, leaves, cr_audit_file_settle() puts right: if the lines do not
 * follow from each other, the file is full or gone, or another process has begun a new one. That
 * may take long, so it belongs in a helper thread.
 *
 * A full file FILE is renamed to FILE.N, with N from 1 on, and the chain goes on in a new one.
 */
#ifndef CR_AUDIT_FILE_H
#define CR_AUDIT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "audit/record.h"
#include "base/buf.h"
#include "base/err.h"

#define CR_AUDIT_FILE_BYTES (16u << 20) /* a file is full then */
#define CR_AUDIT_FILE_KEPT 15u          /* full files that are kept */

enum cr_audit_file_state {
    CR_AUDIT_FILE_READY,
    CR_AUDIT_FILE_BUSY,      /* another writer has the lock */
    CR_AUDIT_FILE_UNSETTLED, /* the lock is taken if it could be; settle() has to be called */
};

struct cr_audit_file {
    char *path, *record_path;
    int fd, record_fd; /* -1: not open */
    bool is_locked;
    bool has_settled;              /* |fd| is the file that |record| describes */
    struct cr_audit_record record; /* up to the last line that this process knows */
    struct cr_audit_record next;   /* after the lines that were added */
    struct cr_buf lines;           /* that were added */
    uint64_t max_bytes, kept;      /* set by tests; else the numbers above */
};

/* Opens nothing yet. Returns 0 or CAPRUN_E_NOMEM; cr_audit_file_clear() follows in any case. */
int cr_audit_file_init(struct cr_audit_file *f, const char *path);
void cr_audit_file_clear(struct cr_audit_file *f);

/* Takes the lock, and compares record and file. Returns an enum cr_audit_file_state or an error. */
int cr_audit_file_take(struct cr_audit_file *f, struct cr_err *err);

/*
 * After UNSETTLED: opens or repairs the files, or begins a new one. Keeps the lock; without it,
 * takes it first. Returns READY, and lines may be added; BUSY, and the file is not locked; or an
 * error, and it is not locked.
 */
int cr_audit_file_settle(struct cr_audit_file *f, struct cr_err *err);

/* Adds a line to the next commit. */
void cr_audit_file_add(struct cr_audit_file *f, const void *body, size_t len);

/*
 * Writes the added lines, and releases the lock. |renews|: writes the record, too. Returns 0; or an
 * error, and none of the lines is written.
 */
int cr_audit_file_commit(struct cr_audit_file *f, bool renews, struct cr_err *err);

/* Releases the lock without writing. */
void cr_audit_file_release(struct cr_audit_file *f);

/* Writes the path of the full file |number| to |ret|; false: it is too long. */
bool cr_audit_file_name(const char *path, uint64_t number, char *ret, size_t size);

#endif
