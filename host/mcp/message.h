/*
 * message.h - splits a stream of untrusted bytes into lines of JSON-RPC, and finds the parts of
 * each message.
 *
 * The parts are found without building a tree, so that an answer of megabytes is passed on as the
 * bytes that came. A line over the limit is discarded as it arrives, but its id is still found, so
 * that the call which it answers can fail. A line that is an array is a batch: each element is a
 * message. A batch of more than CR_BATCH_MAX messages is noise.
 *
 * A line that arrives in several chunks is scanned and walked over chunk by chunk, so that the cost
 * of a chunk depends only on its own size.
 *
 * Messages that two parsers could understand differently are rejected: a duplicate part, or a key
 * at the top level that contains escapes.
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
    CR_MESSAGE_NOISE,        /* not JSON, or not a message, as a banner; |why| says what is wrong */
    CR_MESSAGE_REQUEST,      /* method and id */
    CR_MESSAGE_NOTIFICATION, /* method, no id */
    CR_MESSAGE_RESULT,       /* id and result */
    CR_MESSAGE_ERROR,        /* id and error, an object; the id may be null or missing */
    /*
     * Longer than the limit, nested too deeply for the scanner (base/scan.h), or no memory: |why|
     * says which. Only |id| is known, and only for an answer; else it is 0.
     */
    CR_MESSAGE_TOO_LONG,
};

/*
 * |method| is without its quotes, and "\/" in it is replaced by "/": some libraries escape every
 * slash. Other escapes are kept, so that such a method matches no known name.
 */
struct cr_message {
    enum cr_message_kind kind;
    const char *bytes; /* the line, without its end; NULL if it was discarded */
    size_t len;
    struct cr_span {
        const char *at; /* NULL: the part is missing */
        size_t len;
    } id_text, method, params, result, error; /* raw JSON, except |method|; NULL for NOISE */
    uint64_t id; /* for RESULT, ERROR, TOO_LONG: the id if it is an integer, as ours are; else 0 */
    /*
     * For RESULT: the value of "resultType" in it, as cr_locate_member() would find it. Only known
     * if |has_type|: it is found for batches, and after cr_reader_find_types() for lines of several
     * chunks.
     */
    bool has_type;
    struct cr_span type;
    const char *why; /* for NOISE and TOO_LONG; printable ASCII */
    /*
     * If not NULL, *|block| is the malloc() memory that holds all these bytes. A caller that wants
     * to keep the bytes takes over the memory and sets *|block| to NULL.
     */
    uint8_t **block;
};

struct cr_reader; /* defined below; private to message.c */

/* |max| is the most bytes that a line may have. */
void cr_reader_init(struct cr_reader *r, size_t max);
void cr_reader_clear(struct cr_reader *r);

/* From now on the type of a result is found while the result arrives. */
void cr_reader_find_types(struct cr_reader *r);

/*
 * Consumes bytes from the front of the |*len| bytes at |*bytes|, and advances both. Returns true
 * with a message, valid until the next call (it may lie in |bytes| itself); or false when all bytes
 * are consumed and the line is incomplete. Empty and blank lines are skipped. A line for which
 * there is no memory becomes TOO_LONG, too.
 */
bool cr_reader_next(struct cr_reader *r, const uint8_t **bytes, size_t *len,
                    struct cr_message *ret);

struct cr_reader {
    size_t max;
    bool finds_types;
    struct cr_buf line;    /* the bytes so far of a line in several chunks, or a batch */
    bool done;             /* |line| was given to the caller, and can be released */
    const char *dropping;  /* why the line is discarded; NULL: it is kept */
    size_t start;          /* number of blanks at the start of |line| */
    struct cr_scan scan;   /* of |line| */
    struct cr_walk walk;   /* over |line|, or the discarded line */
    struct cr_walk type;   /* over the result in |line| */
    struct cr_batch batch; /* in |line| */
    char method[64];       /* the last method with unescaped slashes */
    struct cr_err noise;   /* what is wrong with the last line that is not JSON */
};

#endif
