/*
 * line.h - writes the lines of a journal and their hashes. docs/journal.md describes each line.
 *
 *     {"at":1234,"from":"call","n":1,"method":"files:read","args":{"path":"a"},"h":"…"}
 *
 * The body is the part between the time and the hash. It depends only on what happened: two runs
 * that do the same have the same bodies, byte for byte, so a replay compares bodies. The hash of a
 * line depends on all lines before it.
 *
 * Untrusted JSON is copied into a line unchanged, except that line ends between its values become
 * spaces. A value longer than CR_LINE_INLINE is a blob (blobs.h), and the line has its name and
 * length instead: "argsBlob" and "argsBytes" for "args".
 */
#ifndef CR_LINE_H
#define CR_LINE_H

#include "base/buf.h"
#include "base/hash.h"
#include "run/recorder.h"
#include "wire.h"

#define CR_LINE_INLINE (64u << 10)
#define CR_LINE_HASH 32u /* digits of the hash in a line */
#define CR_LINE_SEAL 41u /* bytes of ,"h":"…"} and the line end */
#define CR_LINE_BLOBS 4  /* at most in one line: origin, code, schema and args of the header */
#define CR_LINE_MAX (128u << 20)

struct cr_call;

struct cr_line {
    struct cr_buf *text; /* the line is appended to it */
    struct cr_line_blob {
        const void *bytes; /* not owned */
        size_t len;
        char name[CR_HASH_DIGITS + 1];
        size_t name_at; /* offset of the name in the text */
        bool is_stored;
    } blobs[CR_LINE_BLOBS];
    int blob_count;
    const struct cr_kept *known; /* a value whose hash is known already, or NULL */
    bool is_nameless;            /* write zeros for the names of other blobs; they are set later */
};

/*
 * Returns whether |value| is too long for a line. With |is_json|, also whether it is nested too
 * deep; |value| then need not be valid JSON.
 */
bool cr_line_is_long(const void *value, size_t len, bool is_json);

/* Prepares |line| to append to |text|, which stays the caller's. */
void cr_line_init(struct cr_line *line, struct cr_buf *text);

/* The same for every line except the first; writes its time, which is not negative. */
void cr_line_begin(struct cr_line *line, struct cr_buf *text, int64_t at_us);

/* Appends ,"|name|": and |json|, or its blob. */
void cr_line_json(struct cr_line *line, const char *name, const void *json, size_t len);

/* Append ,"|name|": and |text| as a string; cr_line_long_text() makes long text a blob. */
void cr_line_text(struct cr_line *line, const char *name, const char *text, size_t len);
void cr_line_long_text(struct cr_line *line, const char *name, const char *text, size_t len);

/* Appends the body of a valid frame from a worker. */
void cr_line_from_worker(struct cr_line *line, const struct wire_header *header,
                         const uint8_t *payload);

/* Appends the body of a frame to the worker; |call| is the call that it answers, or NULL. */
void cr_line_to_worker(struct cr_line *line, const struct wire_header *header,
                       const struct wire_part *parts, size_t count, const struct cr_call *call);

/* The text before the stack in bodies of THREW and LATE; the stack is the last field. */
extern const char cr_line_stack[];

/*
 * Ends the line that begins at |start| of |text|: appends its hash and a line end. |chain| is the
 * hash of all lines before, zeros before the first line; afterwards it includes this line.
 */
void cr_line_seal(struct cr_buf *text, size_t start, uint8_t chain[CR_HASH_BYTES]);

/*
 * Checks the hash of |line|, which is without its line end, after lines with the hash |chain|. If
 * it is right, adds the line to |chain| and returns the length of the line before its hash. Returns
 * 0 if the hash is wrong.
 */
size_t cr_line_check(const char *line, size_t len, uint8_t chain[CR_HASH_BYTES]);

/* Returns the CR_LINE_HASH digits of the hash of the line that ends at |end|, after its line end.
 */
const char *cr_line_hash(const char *text, size_t end);

#endif
