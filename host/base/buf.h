/*
 * buf.h - a growable byte buffer with a ceiling.
 *
 * A buffer remembers its first failure. Appends after that do nothing, so a
 * writer appends freely and asks cr_buf_err() once, at the end.
 *
 * Invariant: data is NULL only while cap is 0, and len <= cap <= max.
 */
#ifndef CR_BUF_H
#define CR_BUF_H

#include <stddef.h>
#include <stdint.h>

struct cr_buf {
    uint8_t *data;
    size_t len;
    size_t cap;
    size_t max; /* never grows past this */
    int err;    /* 0, CAPRUN_E_NOMEM or CAPRUN_E_TOOBIG; sticky */
};

/* An empty buffer that will hold at most |max| bytes. Allocates nothing yet. */
void cr_buf_init(struct cr_buf *b, size_t max);

/* Frees the bytes and forgets the failure; the ceiling stays. */
void cr_buf_clear(struct cr_buf *b);

/*
 * A local buffer that is cleared when it goes out of scope:
 *     cr_autobuf struct cr_buf text = CR_BUF(MAX_TEXT);
 */
#define CR_BUF(most) ((struct cr_buf){.max = (most)})
#define cr_autobuf __attribute__((cleanup(cr_buf_clear)))

void cr_buf_add(struct cr_buf *b, const void *bytes, size_t len);
void cr_buf_str(struct cr_buf *b, const char *text);
void cr_buf_number(struct cr_buf *b, uint64_t number); /* in decimal digits */
void cr_buf_fmt(struct cr_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Removes |len| bytes from the front; |len| is at most b->len. */
void cr_buf_drop(struct cr_buf *b, size_t len);

/*
 * Makes room for |len| more bytes. Returns where they go; the caller adds the number of bytes that
 * it wrote to b->len. If there is no room, sets the buffer's error and returns NULL.
 */
uint8_t *cr_buf_room(struct cr_buf *b, size_t len);

/* Grows the buffer to exactly |cap| bytes, for a caller that knows the final size. */
void cr_buf_grow_to(struct cr_buf *b, size_t cap);

/*
 * Puts a NUL after the bytes (not counted in len) and returns them, or NULL after a failure. Needs
 * one free byte below the ceiling; cr_buf_fmt() needs that byte, too, while it writes.
 */
const char *cr_buf_text(struct cr_buf *b);

/* Returns 0, CAPRUN_E_NOMEM or CAPRUN_E_TOOBIG: the first failure since init or clear. */
int cr_buf_err(const struct cr_buf *b);

#endif
