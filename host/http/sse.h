/*
 * sse.h - splits a stream of server-sent events into the data of each event, while its bytes
 * arrive. Nothing is copied or allocated, however long an event is.
 *
 * Lines end with LF, CR or CRLF. Comments and unknown fields are skipped. The id and the time to
 * wait before a reconnection are kept for the caller. Events of a type other than "message" are
 * dropped. An event that is not ended by an empty line does not count.
 *
 *     cr_sse_init -> cr_sse_next until it returns false, for each chunk
 */
#ifndef CR_SSE_H
#define CR_SSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CR_SSE_ID_MAX 255 /* characters; a longer id is ignored */

enum cr_sse_kind {
    CR_SSE_DATA, /* the next bytes of the event's data */
    CR_SSE_END,  /* the event is complete, and has data */
    CR_SSE_DROP, /* the event is complete, and its data so far has to be ignored */
};

struct cr_sse_piece {
    enum cr_sse_kind kind;
    const uint8_t *at; /* of DATA: in the chunk, or constant */
    size_t len;
};

struct cr_sse {
    char last_id[CR_SSE_ID_MAX + 1]; /* of the last event with one; "": none */
    int64_t retry_ms;                /* -1: not given */

    /* private */
    enum { CR_SSE_NAME, CR_SSE_SPACE, CR_SSE_VALUE } place; /* in the line */
    enum { CR_SSE_OTHER, CR_SSE_IS_DATA, CR_SSE_IS_ID, CR_SSE_IS_EVENT, CR_SSE_IS_RETRY } field;
    unsigned mark;    /* bytes of a byte order mark so far; 3: the stream has begun */
    bool after_cr;    /* the last byte was a CR: a LF belongs to it */
    bool has_data;    /* this event has a data field */
    bool needs_break; /* a line break comes before the next data */
    bool is_other;    /* this event has another type than "message" */
    bool has_new_id;  /* |id| is of this event */
    char name[8];     /* of the field, cut */
    size_t name_len, value_len;
    char value[CR_SSE_ID_MAX + 1]; /* of a field that is not data, cut */
    char id[CR_SSE_ID_MAX + 1];
};

void cr_sse_init(struct cr_sse *s);

/*
 * Consumes bytes from the front of the |*len| bytes at |*bytes|, and advances both. Returns true
 * with a piece, which is valid as long as the chunk; or false when all bytes are consumed. Between
 * two lines of data there is one "\r", which JSON allows wherever it allows "\n"; empty lines of
 * data are left out.
 */
bool cr_sse_next(struct cr_sse *s, const uint8_t **bytes, size_t *len, struct cr_sse_piece *ret);

#endif
