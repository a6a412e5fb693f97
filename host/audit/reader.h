/* reader.h - reads the file of an audit line by line, with little memory. */
#ifndef CR_AUDIT_READER_H
#define CR_AUDIT_READER_H

#include <stdint.h>

#include "base/buf.h"

enum cr_audit_read {
    CR_AUDIT_READ_LINE,
    CR_AUDIT_READ_LONG, /* a line over CR_AUDIT_MAX_LINE: none of ours; it was skipped */
    CR_AUDIT_READ_TORN, /* bytes at the end, without a line end */
    CR_AUDIT_READ_END,
    CR_AUDIT_READ_FAILED, /* with errno */
};

struct cr_audit_reader {
    int fd;          /* not owned */
    uint64_t offset; /* of the bytes behind |buf| */
    struct cr_buf buf;
    size_t at; /* in |buf|: the next line */
};

void cr_audit_reader_init(struct cr_audit_reader *r, int fd, uint64_t offset);
void cr_audit_reader_clear(struct cr_audit_reader *r);

/*
 * Reads the next line; *|ret| is valid until the next call. After TORN and END it can be called
 * again when the file has grown.
 */
enum cr_audit_read cr_audit_reader_next(struct cr_audit_reader *r, const char **ret,
                                        size_t *ret_len);

/* Returns the offset of what comes next. */
uint64_t cr_audit_reader_offset(const struct cr_audit_reader *r);

#endif
