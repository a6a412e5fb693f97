/*
 * journal.h - reads a journal file and checks it.
 *
 * A journal is untrusted: each line has to be JSON, must have the hash that follows from all lines
 * before it, and must be possible at its place. Values are not copied out of a line; they are read
 * in place when they are needed.
 *
 *     cr_journal_read -> ->head, ->lines, cr_journal_* -> cr_journal_clear
 */
#ifndef CR_JOURNAL_H
#define CR_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/err.h"
#include "journal/head.h"

/*
 * XX(name, the key that marks this kind, its value (NULL: any), the other critical fields) The
 * fields are those of version 2; other critical fields are rejected.
 */
#define CR_JOURNAL_MAP(XX)                                                    \
    XX(JOB, "to", "job", " date")                                             \
    XX(REPLY, "to", "reply", " n kind json jsonBlob jsonBytes")               \
    XX(FAIL, "to", "fail", " n state by code message")                        \
    XX(WAKE, "to", "wake", "")                                                \
    XX(CALL, "from", "call", " n method args argsBlob argsBytes argsText")    \
    XX(LOG, "from", "log", " line lineBlob lineBytes cut")                    \
    XX(BLOCKED, "from", "blocked", " api access target message")              \
    XX(DONE, "from", "done", " result resultBlob resultBytes")                \
    XX(THREW, "from", "threw", " why call blocked name message stack")        \
    XX(LATE, "from", "late", " stack")                                        \
    XX(FULL, "from", "full", "")                                              \
    XX(SEND, "send", NULL, " tool decision by")                               \
    XX(ASK, "ask", NULL, " calls")                                            \
    XX(DECIDE, "decide", NULL, " calls decision for maxCalls by waited date") \
    XX(RESUME, "resume", NULL, " date boot limits")                           \
    XX(UNDO, "undo", NULL, " boot limits")                                    \
    XX(END, "end", NULL, " message calls cpuUs memoryBytes")                  \
    XX(CUT, "cut", NULL, "")

enum cr_journal_kind {
#define XX(name, key, value, fields) CR_JOURNAL_##name,
    CR_JOURNAL_MAP(XX)
#undef XX
};

struct cr_journal_line {
    enum cr_journal_kind kind;
    size_t number;          /* in the file, from 1 */
    uint32_t n;             /* the number of the call concerned, or 0 */
    int64_t at_us, date_us; /* date_us: what Date showed then, or would have shown */
    const char *text;       /* the line without its hash and its last brace */
    size_t len;
    const char *body; /* compared by a replay: the line without time and optional fields */
    size_t body_len;
};

struct cr_journal {
    char *path;
    struct cr_buf text;
    struct cr_json_doc doc; /* of the first line */
    struct cr_head head;
    struct cr_journal_line *lines; /* without the header, optional lines, and what is taken back */
    size_t count;
    size_t line_count; /* complete lines of the file */
    uint32_t calls;    /* number of calls */
    bool has_job;
    const struct cr_journal_line *end; /* NULL: the end of the run is missing, or taken back */
    const struct cr_journal_line *cut; /* NULL: the recording was not stopped */
    /* At the start or the last resume: the boot id; the identity of the file, NULL if missing. */
    const char *boot, *file;
    size_t boot_len, file_len;
    int64_t last_at_us;
    size_t whole_len; /* bytes of all complete lines; the rest of the file is incomplete */
    uint8_t chain[CR_HASH_BYTES];
};

/*
 * Reads the journal |path|, or if |fd| is not -1, from |fd|. Returns 0, and the caller must free
 * |ret| with cr_journal_clear(); or JOURNAL_INVALID with the line, USAGE if the file cannot be
 * read, or INTERNAL.
 */
int cr_journal_read(const char *path, int fd, struct cr_journal *ret, struct cr_err *why);

/* |journal| may be all zeros. */
void cr_journal_clear(struct cr_journal *journal);

/* Returns the JSON text of |key| in |line|, which is not copied, or NULL. */
const char *cr_journal_member(const struct cr_journal_line *line, const char *key, size_t *ret_len);

/* The same for a text, without its quotes; escapes stay as they are. */
const char *cr_journal_raw_text(const struct cr_journal_line *line, const char *key,
                                size_t *ret_len);

/* Reads an integer from 0 to |most| of |line|. Returns false if it is missing or invalid. */
bool cr_journal_take_number(const struct cr_journal_line *line, const char *key, int64_t most,
                            int64_t *ret);

/*
 * Appends the JSON |name| of |line|, or its blob, to |out|. Returns 0; or JOURNAL_INVALID, or
 * INTERNAL.
 */
int cr_journal_json(const struct cr_journal *journal, const struct cr_journal_line *line,
                    const char *name, struct cr_buf *out, struct cr_err *why);

/*
 * Checks whether the JSON |name| of |line| is a blob. Returns 1 with the blob's name and length; 0
 * if the value is in the line; or JOURNAL_INVALID.
 */
int cr_journal_blob(const struct cr_journal *journal, const struct cr_journal_line *line,
                    const char *name, char ret[CR_HASH_DIGITS + 1], size_t *ret_len,
                    struct cr_err *why);

/* Sets |why| to the error |err| of a blob of line |number|. Returns what cr_journal_json() does. */
int cr_journal_reject_blob(const struct cr_journal *journal, size_t number,
                           const struct cr_err *err, struct cr_err *why);

/* Appends the recorded code, after checking that it is valid as code. */
int cr_journal_code(const struct cr_journal *journal, struct cr_buf *out, struct cr_err *why);

/* Like cr_journal_json(), for "args" or "schema" of the header; appends nothing if missing. */
int cr_journal_input(const struct cr_journal *journal, const char *name, struct cr_buf *out,
                     struct cr_err *why);

/* Appends the text |name| of |line|, unescaped; nothing if it is missing. */
void cr_journal_text(const struct cr_journal_line *line, const char *name, struct cr_buf *out);

/* Writes the outcome of the run, as "SUCCESS", to |ret|; "" if the journal has no end. */
void cr_journal_outcome(const struct cr_journal *journal, char ret[64]);

/* The same for |line|, which is of the kind END. */
void cr_journal_show_outcome(const struct cr_journal_line *line, char ret[64]);

#endif
