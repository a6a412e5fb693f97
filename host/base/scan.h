/*
 * scan.h - the JSON scanner: checks that untrusted bytes are one JSON value and nothing else.
 *
 * The scanner reads bytes that an attacker may have written, before anything else reads them. Two
 * parsers that read one text differently are a security hole, so the host decides only on text that
 * all parsers read in the same way. The scanner builds nothing, changes nothing and does no I/O.
 *
 * Both rules require valid UTF-8 without a byte-order mark, and exactly one value in the grammar of
 * RFC 8259. Numbers are checked as text and never converted, whatever their value.
 *
 * A long text is scanned as it arrives, so that no turn of the loop has to scan all of it:
 *
 *     cr_scan_begin -> cr_scan_feed, whenever there is more -> cr_scan_finish
 */
#ifndef CR_SCAN_H
#define CR_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/scan_keys.h"

#define CR_SCAN_MAX_LEN (1u << 30) /* bytes; callers have far lower limits of their own */

enum cr_scan_rules {
    /*
     * For bytes that the host itself reads or decides on. Also rejects: two equal keys in one
     * object, compared after unescaping, with regard to case; the character NUL (\u0000); a \u
     * escape that is half of a surrogate pair; more than CR_SCAN_MAX_KEYS keys.
     */
    CR_SCAN_STRICT,
    /* For answers and results that the host passes on. Accepts all these, and allocates nothing. */
    CR_SCAN_PASS,
};

/*
 * Checks that the |len| bytes are one JSON value and fit |rules|.
 *
 * Time is linear in |len|. CR_SCAN_STRICT stores the keys of all open objects, 16 bytes each; a
 * hash table for the keys of large objects, 12 MiB at most; and unescaped copies of keys with
 * escapes, |len| bytes at most. |bytes| may be NULL if |len| is 0.
 *
 * Returns 0, CAPRUN_E_INVAL, CAPRUN_E_TOOBIG (length, depth or keys) or CAPRUN_E_NOMEM. The message
 * is printable ASCII and says what is wrong and where: "line 3, column 7: duplicate key "a"". Lines
 * end at a line feed; columns count bytes, not characters, from 1.
 */
int cr_scan_json(const uint8_t *bytes, size_t len, enum cr_scan_rules rules, struct cr_err *err);

/* A scan that continues while bytes arrive. All fields are private. */
struct cr_scan {
    enum cr_scan_rules rules;
    uint8_t state;
    uint8_t number; /* the part of a number in which the text was cut */
    bool in_key, is_last;
    int code;           /* of the first error, which ends the scan */
    size_t done;        /* bytes that are scanned */
    size_t quote;       /* where the open string begins */
    uint32_t saved;     /* by how many bytes unescaping would shorten it, so far */
    size_t lines, line; /* line feeds so far, and where the last line begins */
    size_t depth;
    const uint8_t *start, *at, *end; /* valid inside of the functions below only */
    struct cr_err *err;
    uint8_t is_object[CR_SCAN_MAX_DEPTH / 8 + 1];
    struct cr_scan_keys keys;
};

/* The owner ends the scan with cr_scan_finish() or, before that, with cr_scan_clear(). */
void cr_scan_begin(struct cr_scan *s, enum cr_scan_rules rules);

/*
 * Scans the new part of |bytes|, which is the whole text so far, including the bytes that were fed
 * before; it may have moved. Returns 0, or an error as cr_scan_json() does. After an error, further
 * calls return the same error, without a message.
 */
int cr_scan_feed(struct cr_scan *s, const uint8_t *bytes, size_t len, struct cr_err *err);

/* The same with the complete text; then ends the scan. */
int cr_scan_finish(struct cr_scan *s, const uint8_t *bytes, size_t len, struct cr_err *err);

/* Frees the memory of the scan. May be called twice. */
void cr_scan_clear(struct cr_scan *s);

/* Returns the message without the place, and the place; 1 and 1 if the message has no place. */
const char *cr_scan_place(const struct cr_err *err, size_t *ret_line, size_t *ret_column);

#endif
