/*
 * entry.h - the format of a cache file: a line of JSON, then the body as received.
 *
 *     {"version":1,"url":"…","accept":"…","etag":"…","fetched":1700000000,"maxAge":60,
 *      "length":5,"sha256":"…"}                              (one line, ended by a line feed)
 *
 * The file's name is cr_entry_key(). A file that a crash, a full disk or an editor has damaged is
 * rejected.
 */
#ifndef CR_ENTRY_H
#define CR_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"

#define CR_ENTRY_KEY CR_HASH_DIGITS
#define CR_ENTRY_URL 2048
#define CR_ENTRY_ACCEPT 255
#define CR_ENTRY_LINE_MAX (8u << 10) /* bytes, line feed included */

struct cr_entry {
    char url[CR_ENTRY_URL + 1], accept[CR_ENTRY_ACCEPT + 1], etag[256];
    int64_t fetched_s; /* since 1970 */
    int64_t max_age_s; /* how long it is fresh: usable without asking the server */
    uint64_t length;   /* of the body */
    char sha256[CR_ENTRY_KEY + 1];
};

/* Returns the file name for |url|, requested with |accept|. */
void cr_entry_key(const char *url, const char *accept, char ret[CR_ENTRY_KEY + 1]);

/* Fills |ret| except for etag and max_age_s. Returns false if |url| or |accept| is too long. */
bool cr_entry_make(const char *url, const char *accept, const struct cr_buf *body, int64_t now_s,
                   struct cr_entry *ret);

/* Appends the line. */
void cr_entry_write(struct cr_buf *out, const struct cr_entry *entry);

/*
 * Parses the line at the beginning of |bytes|. Returns its length, line feed included; or 0 if the
 * line is invalid, and |ret| is untouched.
 */
size_t cr_entry_read(const uint8_t *bytes, size_t len, struct cr_entry *ret);

/* Does |body| have the length and the hash of the entry? */
bool cr_entry_holds(const struct cr_entry *entry, const uint8_t *body, size_t len);

/* Is the entry fresh? An entry from the future is not: a clock was wrong, then or now. */
bool cr_entry_is_fresh(const struct cr_entry *entry, int64_t now_s);

#endif
