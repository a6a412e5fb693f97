/*
 * message.h - lines of JSON-RPC out of a stream of bytes, and where the parts of each are.
 *
 * The parts are found without a tree, so that an answer of megabytes is passed on as the bytes that
 * came. A line over the ceiling is thrown away as it comes, but its id is still found: the call
 * that it answers can be told. A line that is an array is a batch, of which each element is a
 * message; a batch of more than CR_BATCH_MAX is noise.
 *
 * A line that arrives in several chunks is scanned and walked over chunk by chunk, so that no chunk
 * costs more than its own bytes.
 *
 * What two readers might understand in two ways is no message: a part that is there twice, or a key
 * at the top that is written with escapes.
 *
 *     cr_reader_init -> cr_reader_next until it returns false, for each chunk -> cr_reader_clear
 */
#ifndef CR_MESSAGE_H
#define CR_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/scan.h"
#include "mcp/batch.h"
#include "mcp/walk.h"

enum cr_message_kind {
    CR_MESSAGE_NOISE,        /* no JSON, or no message: a banner; |why| says what is wrong */
    CR_MESSAGE_REQUEST,      /* method and id */
    CR_MESSAGE_NOTIFICATION, /* method, no id */
    CR_MESSAGE_RESULT,       /* id and result */
    CR_MESSAGE_ERROR,        /* id and error, an object; the id may be null or missing */
    /*
     * Over the ceiling, or deeper than the scanner goes (base/scan.h), or no memory for it: |why|
     * says which. Only |id| is known, and only of an answer; else it is 0.
     */
    CR_MESSAGE_TOO_LONG,
};

/*
 * |method| has no quotes, and a slash in it no backslash, which some libraries put before each.
 * Other escapes are left, so that what is written with them is no method that anyone knows.
 */
struct cr_message {
    enum cr_message_kind kind;
    const char *bytes; /* the line, without its end; NULL if it was thrown away */
    size_t len;
    struct cr_span {
        const char *at; /* NULL: it is not there */
        size_t len;
    } id_text, method, params, result, error; /* JSON as it came, but |method|; NOISE has none */
    uint64_t id; /* of RESULT, ERROR, TOO_LONG: as a whole number, which all of ours are; else 0 */
    /*
     * Of RESULT: the value of "resultType" in it, as cr_locate_member() would find it. Only known
     * if |has_type|: it is looked for in lines of several chunks, after cr_reader_find_types().
     */
    bool has_type;
    struct cr_span type;
    const char *why; /* of NOISE and TOO_LONG; printable ASCII */
    /*
     * If not NULL, *|block| is the memory that all this is in, which malloc() made: who wants to
     * keep the bytes takes it, and leaves NULL.
     */
    uint8_t **block;
};

struct cr_reader; /* below: a caller holds one and looks at none of it */

/* |max|: bytes that a line may have. */
void cr_reader_init(struct cr_reader *r, size_t max);
void cr_reader_clear(struct cr_reader *r);

/* From now on the type of a result is looked for while it arrives. */
void cr_reader_find_types(struct cr_reader *r);

/*
 * Takes bytes from the front of the |*len| ones at |*bytes|, and moves both on. Returns true with a
 * message, which is valid until the next call (it may lie in |bytes| itself); false when all bytes
 * are taken and the line is not whole yet. A line that is empty or blank is passed over. What came
 * and cannot be kept for want of memory is TOO_LONG as well.
 */
bool cr_reader_next(struct cr_reader *r, const uint8_t **bytes, size_t *len,
                    struct cr_message *ret);

struct cr_reader {
    size_t max;
    bool finds_types;
    struct cr_buf line;    /* what came of a line that is in several chunks, or a batch */
    bool done;             /* that line was given to the caller, and is not needed any more */
    const char *dropping;  /* why the line is thrown away; NULL: it is not */
    size_t start;          /* blanks that |line| begins with */
    struct cr_scan scan;   /* of |line| */
    struct cr_walk walk;   /* over |line|, or the line that is thrown away */
    struct cr_walk type;   /* over the result in |line| */
    struct cr_batch batch; /* in |line| */
    char method[64];       /* the last one that had a slash to unescape */
    struct cr_err noise;   /* what is wrong with the last line that is no JSON */
};

#endif
