/*
 * encode.h - JSON.stringify, without a replacer or an indent, to UTF-8 and up to a ceiling.
 *
 * It looks up what the specification looks up (`toJSON`, properties, the traps of a proxy), each
 * once and in the same order, and nothing else that a capability can replace; a `toJSON` on
 * Object.prototype or Array.prototype it does not see, for that is meant for everything there is
 * and would change what is sent. What it cannot write is a TypeError that says where in the value
 * it is.
 *
 * engine/encode.c and engine/encode_text.c are parts of engine.c, because they read objects and
 * strings by the engine's insides.
 */
#ifndef CRW_ENCODE_H
#define CRW_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "quickjs.h"

struct crw_encode_rules {
    const char *root;      /* what a path calls the value */
    const char *undefined; /* the text for `undefined` as the whole value */
    size_t max;            /* bytes of text */
    bool strict;           /* half of a surrogate pair is a TypeError, and not U+FFFD */
};

/* Text in the arena, always valid UTF-8 and never with a NUL at its end. */
struct crw_text {
    char *bytes;
    size_t len;
};

/*
 * Writes |value| as JSON. Returns 0; 1 if the text is over the ceiling, and then |ret| has the
 * beginning of it; or -1 with an exception pending: what a stranger's code threw, a TypeError for
 * what has no JSON, a RangeError for what is nested too deeply. After 0 and 1 the caller releases
 * |ret|.
 */
int crw_encode_json(JSContext *ctx, JSValueConst value, const struct crw_encode_rules *rules,
                    struct crw_text *ret);
void crw_encode_release(struct crw_text *text);

#endif
