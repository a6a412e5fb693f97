/*
 * json.h - a tree of a JSON text, for what the host itself reads: configs, metadata, lockfiles.
 *
 * The text passes the strict scanner first (scan.h), so that the tree is built of bytes that every
 * parser reads alike: no key twice, no NUL in a string. Each value remembers where it stands, for
 * messages with line and column, and its own bytes, so that nothing has to be printed again.
 *
 *     cr_json_parse -> cr_json_get, ->first, ->next -> cr_json_clear
 */
#ifndef CR_JSON_H
#define CR_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CR_JSON_MAX_VALUES (1u << 20) /* in a tree; each takes about 80 bytes */

enum cr_json_type {
    CR_JSON_NULL,
    CR_JSON_FALSE,
    CR_JSON_TRUE,
    CR_JSON_NUMBER,
    CR_JSON_STRING,
    CR_JSON_ARRAY,
    CR_JSON_OBJECT,
};

/* One value. All of it belongs to the document. */
struct cr_json {
    enum cr_json_type type;
    const char *key;  /* unescaped; NULL if its parent is no object */
    const char *text; /* of a string, unescaped, and of a number, as it is written; else NULL */
    size_t at, len;   /* its bytes in the document */
    size_t key_at;    /* where its key begins, quote included; without a key as |at| */
    size_t count;     /* of children */
    const struct cr_json *parent, *first, *next;
};

struct cr_json_doc {
    const char *bytes; /* the caller's, who keeps them */
    size_t len;
    const struct cr_json *root;
    struct cr_json *values; /* all of them, in the order of the text */
    size_t value_count;     /* at most so many */
    char *strings;
};

/*
 * Reads |bytes|, which must outlive the document. Returns 0, and the caller ends it with
 * cr_json_clear(); or CAPRUN_E_INVAL, CAPRUN_E_TOOBIG or CAPRUN_E_NOMEM with the scanner's words,
 * and |ret| is untouched. More than CR_JSON_MAX_VALUES values are CAPRUN_E_TOOBIG, too.
 */
int cr_json_parse(const void *bytes, size_t len, struct cr_json_doc *ret, struct cr_err *err);

/*
 * The same with a ceiling of |max_values|, at least 1. Each array, object, string, number and word
 * is one value; keys are not. Too many values are found before the scan and before memory is taken.
 */
int cr_json_parse_within(const void *bytes, size_t len, size_t max_values, struct cr_json_doc *ret,
                         struct cr_err *err);

/* Takes a document of zeros, too. */
void cr_json_clear(struct cr_json_doc *doc);

/* The member |key| of |object|, or NULL; also if |object| is NULL or no object. */
const struct cr_json *cr_json_get(const struct cr_json *object, const char *key);

/*
 * The value of the member |key| of the object |bytes|, which cr_scan_json() has accepted, found
 * without a tree; of several the first, and a key with escapes is none. NULL if there is none.
 */
const char *cr_json_peek(const char *bytes, size_t len, const char *key, size_t *ret_len);

/*
 * Appends what the string |text|, without its quotes, means. The scanner has accepted it, under
 * either rules: half of a surrogate pair becomes U+FFFD.
 */
void cr_json_unescape(struct cr_buf *out, const char *text, size_t len);

bool cr_json_is_bool(const struct cr_json *value);

/*
 * A whole number from 0 to |max|, written without a fraction or an exponent. Returns 0; or
 * CAPRUN_E_INVAL if |value| is none, CAPRUN_E_TOOBIG if it is over |max|, and |ret| is untouched.
 */
int cr_json_number(const struct cr_json *value, uint64_t max, uint64_t *ret);

/* "an object", "a string": what |type| is called. */
const char *cr_json_type_name(enum cr_json_type type);

/* Line and column of the byte |at|, from 1; columns count bytes, as the scanner's do. */
void cr_json_place(const struct cr_json_doc *doc, size_t at, size_t *ret_line, size_t *ret_column);

/* Appends the JSON Pointer of |value|: "" for the root, "/a/0/b~1c". */
void cr_json_pointer(struct cr_buf *out, const struct cr_json *value);

/*
 * Appends |value| in the one form that equal values share: no spaces, keys in the order of their
 * bytes, strings escaped no more than they must be, numbers as they are written.
 */
void cr_json_canonical(struct cr_buf *out, const struct cr_json *value);

#endif
