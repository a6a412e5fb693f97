/*
 * scan.h - is this JSON, and nothing but JSON?
 *
 * The scanner reads bytes that an attacker wrote, before anything else reads them. Two parsers
 * that disagree about one text are a hole, so what the host decides on must be text that all
 * parsers read alike. The scanner builds nothing, changes nothing and does no I/O.
 *
 * Both rules demand valid UTF-8 without a byte-order mark, and exactly one value in the grammar of
 * RFC 8259, to the letter. Numbers are checked as text and never converted, whatever their value.
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
     * For bytes that the host itself reads or decides on. Refuses also: two equal keys in one
     * object, compared after unescaping and with regard to case; the character NUL (\u0000); a
     * \u escape that is half of a surrogate pair; more than CR_SCAN_MAX_KEYS keys.
     */
    CR_SCAN_STRICT,
    /* For answers and results that only pass through. Accepts all these, and allocates nothing. */
    CR_SCAN_PASS,
};

/*
 * Checks that the |len| bytes are one JSON value and fit |rules|.
 *
 * Time is linear in |len|. CR_SCAN_STRICT remembers the keys of the objects that are open, 16 bytes
 * each, and has a table for those of large objects, 12 MiB at most; and those of them that have
 * escapes also without, |len| bytes at most. |bytes| may be NULL if |len| is 0.
 *
 * Returns 0, CAPRUN_E_INVAL, CAPRUN_E_TOOBIG (length, depth or keys) or
 * CAPRUN_E_NOMEM. The words are printable ASCII and say what is wrong and where: "line 3, column 7:
 * duplicate key "a"". Lines end at a line feed; columns count bytes, not characters, from 1.
 */
int cr_scan_json(const uint8_t *bytes, size_t len, enum cr_scan_rules rules, struct cr_err *err);

/* A scan that goes on while bytes arrive. Its owner looks at none of it. */
struct cr_scan {
    enum cr_scan_rules rules;
    uint8_t state;
    uint8_t number; /* where in a number the text was cut */
    bool in_key, is_last;
    int code;           /* of the first failure; the scan is over */
    size_t done;        /* bytes that need not be looked at again */
    size_t quote;       /* where the string that is open begins */
    uint32_t saved;     /* bytes that unescaping it would save, so far */
    size_t lines, line; /* line feeds so far, and where the last line begins */
    size_t depth;
    const uint8_t *start, *at, *end; /* valid inside of the functions below only */
    struct cr_err *err;
    uint8_t is_object[CR_SCAN_MAX_DEPTH / 8 + 1];
    struct cr_scan_keys keys;
};

/* The owner ends it with cr_scan_finish() or, before that, cr_scan_clear(). */
void cr_scan_begin(struct cr_scan *s, enum cr_scan_rules rules);

/*
 * Scans what is new of |bytes|, which are all bytes of the text so far, also those that were fed
 * before; they may have moved. Returns 0, or an error as cr_scan_json() does; after an error it
 * returns that again, without words.
 */
int cr_scan_feed(struct cr_scan *s, const uint8_t *bytes, size_t len, struct cr_err *err);

/* The same of the whole text, and ends the scan. */
int cr_scan_finish(struct cr_scan *s, const uint8_t *bytes, size_t len, struct cr_err *err);

/* Frees what the scan holds. A second time, it does nothing. */
void cr_scan_clear(struct cr_scan *s);

/* The words of such an error behind the place, and the place; 1 and 1 if they have none. */
const char *cr_scan_place(const struct cr_err *err, size_t *ret_line, size_t *ret_column);

#endif
