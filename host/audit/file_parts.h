/* file_parts.h - shared by file.c, which appends to an audit, and settle.c, which repairs one. */
#ifndef CR_AUDIT_FILE_PARTS_H
#define CR_AUDIT_FILE_PARTS_H

#include "audit/file.h"

/* Closes both files, and so releases the lock. */
void cr_audit_file_close(struct cr_audit_file *f);

/* Takes the lock, if this process does not have it. Returns READY, BUSY or an error. */
int cr_audit_file_lock(struct cr_audit_file *f, struct cr_err *err);

/* Sets the error for errno, and releases the lock. Returns CAPRUN_E_SYS. */
int cr_audit_file_fail(struct cr_audit_file *f, struct cr_err *err, const char *what,
                       const char *path);

/* Returns 0, or -1 with errno. */
int cr_audit_file_write_record(const struct cr_audit_file *f, const struct cr_audit_record *record);

/*
 * Takes over the lines of |fd| behind |record->bytes| that continue its chain. *|ret_is_full|: one
 * of them says that another file follows. Returns 0, or -1 with errno.
 */
int cr_audit_file_take_over(int fd, struct cr_audit_record *record, bool *ret_is_full);

#endif
