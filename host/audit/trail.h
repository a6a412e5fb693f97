/*
 * trail.h - reads the lines of an audit in their order, through all its files; also while others
 * write them. Blocks: not for the loop's thread.
 */
#ifndef CR_AUDIT_TRAIL_H
#define CR_AUDIT_TRAIL_H

#include <limits.h>
#include <stdbool.h>

#include "audit/reader.h"
#include "audit/record.h"
#include "base/err.h"

enum cr_audit_has { CR_AUDIT_RECORD_GOOD, CR_AUDIT_RECORD_MISSING, CR_AUDIT_RECORD_BROKEN };

struct cr_audit_trail {
    char path[PATH_MAX], name[PATH_MAX]; /* of the audit, and of the file that is read now */
    enum cr_audit_has has_record;
    struct cr_audit_record record; /* as it was when the trail was opened */
    uint64_t file;                 /* number of the file that is read; of the last one, the next */
    bool is_gone;                  /* the current file is missing, which was reported */
    bool is_last;                  /* it is the current one, which others may write */
    uint64_t line;                 /* in that file, from 1 on */
    int fd;
    struct cr_audit_reader reader;
};

/*
 * Opens the audit |path|. Returns 0, and cr_audit_trail_close() follows; 1 if there is no audit; or
 * an error.
 */
int cr_audit_trail_open(struct cr_audit_trail *t, const char *path, struct cr_err *err);
void cr_audit_trail_close(struct cr_audit_trail *t);

/*
 * Reads the next line. TORN and END come only at the end of the last file: when it has grown, or
 * another file has taken its place, the next call goes on. FAILED sets |err|; |err->code| is
 * CAPRUN_E_INVAL if a file is missing, and the next call goes on behind it.
 */
enum cr_audit_read cr_audit_trail_next(struct cr_audit_trail *t, const char **ret, size_t *ret_len,
                                       struct cr_err *err);

#endif
