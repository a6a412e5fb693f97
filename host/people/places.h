/*
 * places.h - finds the paths and URLs in args: what a person has to see first, wherever in long
 * args they are.
 */
#ifndef CR_PLACES_H
#define CR_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#define CR_PLACES_SHOWN 4u

struct cr_place_in_args {
    const char *key, *value; /* as written, with quotes; |key| is NULL outside of objects */
    size_t key_len, value_len;
};

struct cr_places {
    struct cr_place_in_args shown[CR_PLACES_SHOWN]; /* those of the outermost members first */
    size_t shown_count, outer; /* how many of |shown| are of the outermost members */
    size_t count;              /* of all */
};

/*
 * Adds the strings in |json|, a value or members of an object, that look like a path or a URL, or
 * whose key says so. Takes time in proportion to |len|.
 */
void cr_places_find(struct cr_places *places, const char *json, size_t len);

/* Has |value|, JSON, characters outside of ASCII, or escapes for others? They may mislead. */
bool cr_places_is_unusual(const char *value, size_t len);

#endif
