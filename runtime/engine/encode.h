/*
 * encode.h - JSON.stringify, without a replacer or an indent, to UTF-8 up to a maximum length.
 *
 * It reads what the specification reads (`toJSON`, properties, the traps of a proxy), each once and
 * in the same order, and nothing else that a capability can replace. It ignores a `toJSON` on
 * Object.prototype or Array.prototype, which would change everything that is sent. A value that has
 * no JSON causes a TypeError that says where it is.
 *
 * engine/encode.c and engine/encode_text.c are parts of engine.c, because they read objects and
 * strings with the engine's internals.
 */
#ifndef CRW_ENCODE_H
#define CRW_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "quickjs.h"

struct crw_encode_rules {
    const char *root;      /* the name of the whole value in a path */
    const char *undefined; /* the text for `undefined` as the whole value */
    size_t max;            /* bytes of text */
    bool strict;           /* a lone surrogate is a TypeError; if false, it becomes U+FFFD */
};

/* Text in the arena: valid UTF-8, not NUL-terminated. */
struct crw_text {
    char *bytes;
    size_t len;
};

/*
 * Writes |value| as JSON. Returns 0; 1 if the text is too long, and then |ret| has its beginning;
 * or -1 with a pending exception: one thrown by untrusted code, a TypeError for a value without
 * JSON, a RangeError for a value nested too deeply. After 0 and 1 the caller releases |ret|.
 */
int crw_encode_json(JSContext *ctx, JSValueConst value, const struct crw_encode_rules *rules,
                    struct crw_text *ret);
void crw_encode_release(struct crw_text *text);

#endif
