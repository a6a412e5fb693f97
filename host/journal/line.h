/*
 * line.h - the lines of a journal, as they are written. docs/journal.md describes each.
 *
 *     {"at":1234,"from":"call","n":1,"method":"files:read","args":{"path":"a"},"h":"…"}
 *
 * The body, which is what stands between the time and the hash, is a function of what happened
 * alone: two runs that do the same have the same bodies, byte for byte. That is how a replay
 * compares. The hash ties each line to all before it.
 *
 * JSON of strangers stands in a line as it is, but for line ends between its values, which are
 * spaces there. What is longer than CR_LINE_INLINE is a file of its own beside the journal, called
 * by its SHA-256, and the line has that instead: "argsBlob" and "argsBytes" for "args".
 */
#ifndef CR_LINE_H
#define CR_LINE_H

#include "base/buf.h"
#include "base/hash.h"
#include "run/recorder.h"
#include "wire.h"

#define CR_LINE_INLINE (64u << 10)
#define CR_LINE_HASH 32u /* digits that stand in a line */
#define CR_LINE_SEAL 41u /* bytes of ,"h":"…"} and the line end */
#define CR_LINE_BLOBS 4  /* that one line can have: the header, in origin, code, schema and args */
#define CR_LINE_MAX (128u << 20)

struct cr_call;

struct cr_line {
    struct cr_buf *text; /* where the body goes */
    struct cr_line_blob {
        const void *bytes; /* of whoever gave them */
        size_t len;
        char name[CR_HASH_DIGITS + 1];
        size_t name_at; /* where in the text its name stands */
        bool is_stored;
    } blobs[CR_LINE_BLOBS];
    int blob_count;
    const struct cr_kept *known; /* a blob that has its name already, or NULL */
    bool is_nameless;            /* names of others are zeros, and will be put in later */
};

/*
 * Is |value| too long for a line? |is_json|: is it too long, or too deep? It may be no JSON all the
 * same; if not, it is a text.
 */
bool cr_line_is_long(const void *value, size_t len, bool is_json);

/* Appends to |text|, which is the caller's. */
void cr_line_init(struct cr_line *line, struct cr_buf *text);

/* The same of any line but the first: begins it with its time, which is not negative. */
void cr_line_begin(struct cr_line *line, struct cr_buf *text, int64_t at_us);

/* Appends ,"|name|": and |json|, or its blob. */
void cr_line_json(struct cr_line *line, const char *name, const void *json, size_t len);

/* Appends ,"|name|": and |text| as a string; the second, or its blob, which has the text as it is.
 */
void cr_line_text(struct cr_line *line, const char *name, const char *text, size_t len);
void cr_line_long_text(struct cr_line *line, const char *name, const char *text, size_t len);

/* Appends the body of a frame that a worker has sent, and that makes sense. */
void cr_line_from_worker(struct cr_line *line, const struct wire_header *header,
                         const uint8_t *payload);

/* The same of a frame for the worker; |call| is the one that it is about, or NULL. */
void cr_line_to_worker(struct cr_line *line, const struct wire_header *header,
                       const struct wire_part *parts, size_t count, const struct cr_call *call);

/* How the first of two stacks, in bodies of THREW and LATE, is found: they come last. */
extern const char cr_line_stack[];

/*
 * Ends the line that begins at |start| of |text|: its hash and a line end. |chain| is that of all
 * lines before, and then of this one too; before the first it is all zeros.
 */
void cr_line_seal(struct cr_buf *text, size_t start, uint8_t chain[CR_HASH_BYTES]);

/*
 * Does |line|, without its line end, have the hash that it should have after |chain|? Returns the
 * length of what stands before the hash, and |chain| is that of this line too; or 0.
 */
size_t cr_line_check(const char *line, size_t len, uint8_t chain[CR_HASH_BYTES]);

#endif
