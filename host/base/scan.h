/*
 * scan.h - is this JSON, and nothing but JSON?
 *
 * The scanner reads bytes that an attacker wrote, before anything else reads them. Two parsers
 * that disagree about one text are a hole, so what the host decides on must be text that all
 * parsers read alike. The scanner builds nothing, changes nothing and does no I/O.
 *
 * Both rules demand valid UTF-8 without a byte-order mark, and exactly one value in the grammar of
 * RFC 8259, to the letter. Numbers are checked as text and never converted, whatever their size.
 */
#ifndef CR_SCAN_H
#define CR_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CR_SCAN_MAX_LEN (1u << 30) /* bytes; callers have far lower limits of their own */
#define CR_SCAN_MAX_DEPTH 1000     /* arrays and objects open at once */
#define CR_SCAN_MAX_KEYS 200000    /* in all objects together; CR_SCAN_STRICT only */

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
 * Time is linear in |len|, but for the keys of an object, which take n log n whatever they are.
 * CR_SCAN_STRICT remembers the keys of the objects that are open, 16 bytes each and as much again
 * while they are sorted, 8 MiB at most; and those of them that have escapes also without, |len|
 * bytes at most. |bytes| may be NULL if |len| is 0.
 *
 * Returns 0, CAPRUN_E_INVAL, CAPRUN_E_TOOBIG (length, depth or keys) or CAPRUN_E_NOMEM. The words
 * are printable ASCII and say what is wrong and where: "line 3, column 7: duplicate key "a"".
 * Lines end at a line feed; columns count bytes, not characters, from 1. Equal keys are noticed
 * where their object ends, so a mistake inside the object is reported first.
 */
int cr_scan_json(const uint8_t *bytes, size_t len, enum cr_scan_rules rules, struct cr_err *err);

/* The words of such an error behind the place, and the place; 1 and 1 if they have none. */
const char *cr_scan_place(const struct cr_err *err, size_t *ret_line, size_t *ret_column);

#endif
