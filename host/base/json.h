/*
 * json.h - parses JSON that the host itself reads (configs, metadata, lockfiles) into a tree.
 *
 * The strict scanner (scan.h) checks the text first, so the tree is built from bytes that every
 * parser reads in the same way: no duplicate key, no NUL in a string. The tree is cJSON's. Only
 * json.c includes cJSON, because its other functions ignore the case of keys, convert numbers to
 * doubles or have hooks for the whole process. A number here is its text, as written.
 *
 *     cr_json_parse -> cr_json_get, cr_json_first, cr_json_next -> cr_json_clear
 *
 * A value does not know its parent or its place in the text. Error messages that name them search
 * for them, in a time that grows with the text.
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

struct cJSON; /* a value; the document owns it */

struct cr_json_doc {
    const char *bytes; /* owned by the caller */
    size_t len;
    struct cJSON *root;
    size_t value_count; /* at most this many */
};

/*
 * Parses |bytes|, which must outlive the document. Returns 0, and the caller frees the document
 * with cr_json_clear(); or CAPRUN_E_INVAL, CAPRUN_E_TOOBIG (also for more than CR_JSON_MAX_VALUES
 * values) or CAPRUN_E_NOMEM, with the scanner's message, and |ret| is unchanged.
 */
int cr_json_parse(const void *bytes, size_t len, struct cr_json_doc *ret, struct cr_err *err);

/*
 * The same with a limit of |max_values|, at least 1. Each array, object, string, number and word is
 * one value; keys are not. Too many values are rejected before the scan, and cost no memory.
 */
int cr_json_parse_within(const void *bytes, size_t len, size_t max_values, struct cr_json_doc *ret,
                         struct cr_err *err);

/* A document of zeros is allowed. */
void cr_json_clear(struct cr_json_doc *doc);

/* --- values --------------------------------------------------------------------------------- */

enum cr_json_type cr_json_type(const struct cJSON *value);

/* The key of |value|, unescaped; NULL if its parent is not an object. */
const char *cr_json_key(const struct cJSON *value);

/* The unescaped text of a string, or the text of a number as written; NULL for other types. */
const char *cr_json_text(const struct cJSON *value);

/* The first child of |value|, which may be NULL, and the child after |child|; NULL at the end. */
const struct cJSON *cr_json_first(const struct cJSON *value);
const struct cJSON *cr_json_next(const struct cJSON *child);

/* Counts the children of |value|, which may be NULL, in linear time. */
size_t cr_json_count(const struct cJSON *value);

/* The member |key| of |object|; NULL if it is missing, or |object| is NULL or not an object. */
const struct cJSON *cr_json_get(const struct cJSON *object, const char *key);

bool cr_json_is_bool(const struct cJSON *value);

/*
 * Reads a whole number from 0 to |max|, written without a fraction or an exponent. Returns 0;
 * CAPRUN_E_INVAL if |value| is anything else; CAPRUN_E_TOOBIG if it is over |max|, or over 2^53,
 * which other programs could read as a different number. After an error |ret| is unchanged.
 */
int cr_json_number(const struct cJSON *value, uint64_t max, uint64_t *ret);

/* The name of |type| in messages: "an object", "a string". */
const char *cr_json_type_name(enum cr_json_type type);

/* --- places --------------------------------------------------------------------------------- */

struct cr_json_place {
    size_t at, len;
    size_t key_at; /* where its key begins, quote included; equal to |at| without a key */
};

/* Finds the place of |value| in the text. */
struct cr_json_place cr_json_place_of(const struct cr_json_doc *doc, const struct cJSON *value);

/* The array or object that |value| is in; NULL if it is the root. */
const struct cJSON *cr_json_parent(const struct cr_json_doc *doc, const struct cJSON *value);

/* Appends the JSON Pointer of |value|: "" for the root, "/a/0/b~1c". */
void cr_json_pointer(struct cr_buf *out, const struct cr_json_doc *doc, const struct cJSON *value);

/* Line and column of the byte |at|, from 1; columns count bytes, as the scanner's do. */
void cr_json_line_of(const struct cr_json_doc *doc, size_t at, size_t *ret_line,
                     size_t *ret_column);

/* --- text ----------------------------------------------------------------------------------- */

/* Appends |value| without spaces, and with only the escapes that JSON requires. */
void cr_json_print(struct cr_buf *out, const struct cJSON *value);

/* The same in canonical form: keys are sorted by their bytes, so equal values have equal texts. */
void cr_json_canonical(struct cr_buf *out, const struct cJSON *value);

#endif
