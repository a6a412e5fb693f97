/*
 * line.h - the lines of an audit: JSON objects, each with its number and the hash of the line
 * before. docs/audit.md describes them.
 *
 *     {"n":12,"time":"2025-01-02T03:04:05.678901Z","event":"call", … ,"prev":"…"}
 *
 * The hash of a line is the SHA-256 of its bytes without the line end. Before the first line it is
 * zeros.
 */
#ifndef CR_AUDIT_LINE_H
#define CR_AUDIT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"

/* Args over this many bytes are in no line, only their hash: a line has an end within reach. */
#define CR_AUDIT_MAX_ARGS (64u << 10)
#define CR_AUDIT_MAX_LINE (256u << 10)

/* Begins a body with the time and |event|. A body ends without a brace: a line is made of it. */
void cr_audit_line_begin(struct cr_buf *body, const char *event);

/* Appends a line with the number |n|, and replaces |chain|, the hash of the line before. */
void cr_audit_line_add(struct cr_buf *out, uint64_t n, const void *body, size_t len,
                       uint8_t chain[CR_HASH_BYTES]);

/* A line that was read; the document owns its texts. */
struct cr_audit_line {
    struct cr_json_doc doc;
    uint64_t n;
    uint8_t prev[CR_HASH_BYTES];
    const char *event;
};

/*
 * Parses |text|, which is without its line end and has to stay. Returns 0, and the caller calls
 * cr_audit_line_clear(); CAPRUN_E_INVAL if it is not a line of an audit; or CAPRUN_E_NOMEM.
 */
int cr_audit_line_parse(const char *text, size_t len, struct cr_audit_line *ret);
void cr_audit_line_clear(struct cr_audit_line *line);

/* Returns the text of a member that is a string or a number; "" if it is missing. */
const char *cr_audit_line_get(const struct cr_audit_line *line, const char *name);

#endif
