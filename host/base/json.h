/*
 * json.h - a tree of a JSON text, for what the host itself reads: configs, metadata, lockfiles.
 *
 * The text passes the strict scanner first (scan.h), so that the tree is built from bytes that
 * every parser reads alike: no key twice, no NUL in a string. The tree is cJSON's, and cJSON.h is
 * included by json.c alone: its other functions ignore the case of keys, convert numbers to doubles
 * or have hooks for the whole process. A number here is the text that was written.
 *
 *     cr_json_parse -> cr_json_get, cr_json_first, cr_json_next -> cr_json_clear
 *
 * A value does not know its parent or its place in the text. Where an error has to name them, they
 * are searched for, in a time that grows with the text.
 */
#ifndef CR_JSON_H
#define CR_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CR_JSON_MAX_VALUES (1u << 20) /* in a tree; each takes about 100 bytes */

enum cr_json_type {
    CR_JSON_NULL,
    CR_JSON_FALSE,
    CR_JSON_TRUE,
    CR_JSON_NUMBER,
    CR_JSON_STRING,
    CR_JSON_ARRAY,
    CR_JSON_OBJECT,
};

struct cJSON; /* a value; it belongs to its document */

struct cr_json_doc {
    const char *bytes; /* the caller's, who keeps them */
    size_t len;
    struct cJSON *root;
    size_t value_count; /* at most so many */
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

/* --- values --------------------------------------------------------------------------------- */

enum cr_json_type cr_json_type(const struct cJSON *value);

/* Its key, unescaped; NULL if its parent is not an object. */
const char *cr_json_key(const struct cJSON *value);

/* Of a string what it means, and of a number the text that was written; of others NULL. */
const char *cr_json_text(const struct cJSON *value);

/* The first child of |value|, which may be NULL, and the one behind |child|; NULL: there is none.
 */
const struct cJSON *cr_json_first(const struct cJSON *value);
const struct cJSON *cr_json_next(const struct cJSON *child);

/* How many children |value| has, which may be NULL; they are counted each time. */
size_t cr_json_count(const struct cJSON *value);

/* The member |key| of |object|, or NULL; also if |object| is NULL or not an object. */
const struct cJSON *cr_json_get(const struct cJSON *object, const char *key);

bool cr_json_is_bool(const struct cJSON *value);

/*
 * A whole number from 0 to |max|, written without a fraction or an exponent. Returns 0; or
 * CAPRUN_E_INVAL if |value| is something else, CAPRUN_E_TOOBIG if it is over |max| or, as other
 * programs would read another number, over 2^53; and then |ret| is untouched.
 */
int cr_json_number(const struct cJSON *value, uint64_t max, uint64_t *ret);

/* "an object", "a string": what |type| is called. */
const char *cr_json_type_name(enum cr_json_type type);

/* --- places --------------------------------------------------------------------------------- */

struct cr_json_place {
    size_t at, len;
    size_t key_at; /* where its key begins, quote included; without a key as |at| */
};

/* Where |value| stands in the text. */
struct cr_json_place cr_json_place_of(const struct cr_json_doc *doc, const struct cJSON *value);

/* The array or object that |value| is in; NULL if it is the root. */
const struct cJSON *cr_json_parent(const struct cr_json_doc *doc, const struct cJSON *value);

/* Appends the JSON Pointer of |value|: "" for the root, "/a/0/b~1c". */
void cr_json_pointer(struct cr_buf *out, const struct cr_json_doc *doc, const struct cJSON *value);

/* Line and column of the byte |at|, from 1; columns count bytes, as the scanner's do. */
void cr_json_line_of(const struct cr_json_doc *doc, size_t at, size_t *ret_line,
                     size_t *ret_column);

/* --- text ----------------------------------------------------------------------------------- */

/* Appends |value| without spaces, its strings escaped no more than they must be. */
void cr_json_print(struct cr_buf *out, const struct cJSON *value);

/* The same in the one form that equal values share: keys are in the order of their bytes. */
void cr_json_canonical(struct cr_buf *out, const struct cJSON *value);

#endif
