/* reader.c - reads the file of an audit line by line. */
#include "audit/reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "audit/line.h"

#define PIECE (64u << 10)

void cr_audit_reader_init(struct cr_audit_reader *r, int fd, uint64_t offset)
{
    *r = (struct cr_audit_reader){.fd = fd, .offset = offset};
    cr_buf_init(&r->buf, CR_AUDIT_MAX_LINE + 2 * PIECE);
}

void cr_audit_reader_clear(struct cr_audit_reader *r)
{
    cr_buf_clear(&r->buf);
}

uint64_t cr_audit_reader_offset(const struct cr_audit_reader *r)
{
    return r->offset - (r->buf.len - r->at);
}

/* Returns the number of bytes that were read; 0 at the end; or -1. */
static ssize_t read_more(struct cr_audit_reader *r)
{
    uint8_t *room;
    ssize_t n;

    cr_buf_drop(&r->buf, r->at);
    r->at = 0;
    room = cr_buf_room(&r->buf, PIECE);
    if (!room) {
        errno = ENOMEM;
        return -1;
    }
    do {
        n = pread(r->fd, room, PIECE, (off_t)r->offset);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
        r->buf.len += (size_t)n;
        r->offset += (size_t)n;
    }
    return n;
}

enum cr_audit_read cr_audit_reader_next(struct cr_audit_reader *r, const char **ret,
                                        size_t *ret_len)
{
    size_t searched = 0;
    bool is_long = false;

    for (;;) {
        const char *start = r->buf.data ? (const char *)r->buf.data + r->at : "";
        size_t have = r->buf.len - r->at;
        const char *end = memchr(start + searched, '\n', have - searched);
        ssize_t n;

        if (end) {
            *ret = start;
            *ret_len = (size_t)(end - start);
            r->at += *ret_len + 1;
            return is_long || *ret_len > CR_AUDIT_MAX_LINE ? CR_AUDIT_READ_LONG
                                                           : CR_AUDIT_READ_LINE;
        }
        searched = have;
        if (have > CR_AUDIT_MAX_LINE) {
            is_long = true;
            r->at = r->buf.len; /* its end is all that matters */
            searched = 0;
        }
        n = read_more(r);
        if (n < 0)
            return CR_AUDIT_READ_FAILED;
        if (n == 0) {
            *ret = r->buf.data ? (const char *)r->buf.data : "";
            *ret_len = r->buf.len;
            return is_long || r->buf.len ? CR_AUDIT_READ_TORN : CR_AUDIT_READ_END;
        }
    }
}
