/*
 * walk.h - finds the members of a JSON-RPC object, whose text arrives in pieces of any size.
 *
 * A walk reads each byte once, stores none, and finds where the values of JSON-RPC's keys begin and
 * end at the top level. It does not validate JSON; that is the scanner's task. In invalid text it
 * may find wrong parts, but always the same ones, however the text is split into pieces.
 *
 *     cr_walk_init -> cr_walk_feed, as often as there are pieces -> ->why, ->parts, cr_walk_id
 *     cr_walk_init_result -> cr_walk_feed or cr_walk_follow -> ->parts[CR_WALK_RESULT_TYPE]
 *     cr_walk_init_array -> cr_walk_element until it returns false; again when there is more text
 */
#ifndef CR_WALK_H
#define CR_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cr_walk_part {
    CR_WALK_OTHER, /* any other key; or an element of an array */
    CR_WALK_JSONRPC,
    CR_WALK_ID,
    CR_WALK_METHOD,
    CR_WALK_PARAMS,
    CR_WALK_RESULT,
    CR_WALK_ERROR,
    CR_WALK_RESULT_TYPE, /* only in a walk over a result */
    CR_WALK_PARTS,       /* how many */
};

struct cr_walk {
    struct {
        size_t at, len; /* bytes of the text; |at| is valid only if cr_walk_has() */
    } parts[CR_WALK_PARTS];
    const char *why; /* why the text is not a message; NULL: no reason so far */

    /* private */
    uint8_t state;
    uint8_t part; /* the part that the current value belongs to */
    uint8_t seen; /* bits of the parts whose keys were found */
    bool is_array, is_result, in_string, escaped;
    uint8_t key_len, id_len;
    char key[12], id[24]; /* truncated if longer: then they match no known key or id */
    size_t at;            /* bytes walked over */
    size_t depth;         /* open brackets in the current value */
};

void cr_walk_init(struct cr_walk *w);

/* Consumes all bytes, or those up to the end of the object. */
void cr_walk_feed(struct cr_walk *w, const void *bytes, size_t len);

/*
 * For the object in "result". Finds only the first "resultType", as cr_locate_member() does. Keys
 * with escapes are skipped.
 */
void cr_walk_init_result(struct cr_walk *w);

/* For an array, whose opening bracket is before |start|. A walk of zeros finds no elements. */
void cr_walk_init_array(struct cr_walk *w, size_t start);

/*
 * Finds the next element as parts[CR_WALK_OTHER]. |array| is the whole text so far. Returns false
 * after the last element, or if the next one is incomplete.
 */
bool cr_walk_element(struct cr_walk *w, const void *array, size_t len);

/*
 * Feeds |inner| with the new bytes of |part|, which |outer| has found in |text| since the last
 * call.
 */
void cr_walk_follow(struct cr_walk *inner, const struct cr_walk *outer, enum cr_walk_part part,
                    const void *text);

bool cr_walk_has(const struct cr_walk *w, enum cr_walk_part part);

/* Returns the id if it is an unsigned integer, else 0. */
uint64_t cr_walk_id(const struct cr_walk *w);

#endif
