/*
 * walk.h - a walk over the top level of an object of JSON-RPC, in pieces of any size.
 *
 * The walk sees each byte once, keeps none, and finds where the values of the keys that JSON-RPC
 * has begin and end. It takes the text for JSON: who wants to be sure asks the scanner. In a text
 * that is none it finds something or nothing, but the same however it is cut in pieces.
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
    CR_WALK_RESULT_TYPE, /* only of a walk over a result */
    CR_WALK_PARTS,       /* how many */
};

struct cr_walk {
    struct {
        size_t at, len; /* bytes of the text; an |at| without cr_walk_has() means nothing */
    } parts[CR_WALK_PARTS];
    const char *why; /* what makes it no message; NULL: nothing so far */

    /* private */
    uint8_t state;
    uint8_t part; /* which one the value belongs to */
    uint8_t seen; /* bits: those whose keys were there */
    bool is_array, is_result, in_string, escaped;
    uint8_t key_len, id_len;
    char key[12], id[24]; /* cut, which makes them none of ours */
    size_t at;            /* bytes walked over */
    size_t depth;         /* brackets that are open in the value */
};

void cr_walk_init(struct cr_walk *w);

/* Takes all of the bytes, or as many as there are to the end of the object. */
void cr_walk_feed(struct cr_walk *w, const void *bytes, size_t len);

/*
 * For the object in "result", of which only "resultType" is found: the first one, as
 * cr_locate_member() does. Keys with escapes are passed over.
 */
void cr_walk_init_result(struct cr_walk *w);

/* For an array, whose first bracket is before |start|. A walk of zeros has no elements. */
void cr_walk_init_array(struct cr_walk *w, size_t start);

/*
 * Finds the next element as parts[CR_WALK_OTHER]. |array| is the text from its beginning, as far as
 * it has come. False: there are no more, or the next one is not whole yet.
 */
bool cr_walk_element(struct cr_walk *w, const void *array, size_t len);

/*
 * Feeds |inner| with what |outer|, which walks over |text|, has seen of |part| since the last time.
 */
void cr_walk_follow(struct cr_walk *inner, const struct cr_walk *outer, enum cr_walk_part part,
                    const void *text);

bool cr_walk_has(const struct cr_walk *w, enum cr_walk_part part);

/* The id if it is a whole number, else 0. */
uint64_t cr_walk_id(const struct cr_walk *w);

#endif
