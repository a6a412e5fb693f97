/*
 * journal.h - a journal that was written, read and checked.
 *
 * A journal is believed to be no more than a text: each line has to be JSON with the hash that the
 * lines before it lead to, and has to make sense where it stands. What is in a line is looked at
 * when it is needed, in place.
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
 * XX(name, the key that says so, its value (NULL: a number or anything), other critical fields)
 * The fields are those of version 2; a reader of it rejects others.
 */
#define CR_JOURNAL_MAP(XX)                                                 \
    XX(JOB, "to", "job", " date")                                          \
    XX(REPLY, "to", "reply", " n kind json jsonBlob jsonBytes")            \
    XX(FAIL, "to", "fail", " n state by code message")                     \
    XX(WAKE, "to", "wake", "")                                             \
    XX(CALL, "from", "call", " n method args argsBlob argsBytes argsText") \
    XX(LOG, "from", "log", " line lineBlob lineBytes cut")                 \
    XX(BLOCKED, "from", "blocked", " api access target message")           \
    XX(DONE, "from", "done", " result resultBlob resultBytes")             \
    XX(THREW, "from", "threw", " why call blocked name message stack")     \
    XX(LATE, "from", "late", " stack")                                     \
    XX(FULL, "from", "full", "")                                           \
    XX(SEND, "send", NULL, " tool decision by")                            \
    XX(RESUME, "resume", NULL, " date boot limits")                        \
    XX(END, "end", NULL, " message calls cpuUs memoryBytes")               \
    XX(CUT, "cut", NULL, "")

enum cr_journal_kind {
#define XX(name, key, value, fields) CR_JOURNAL_##name,
    CR_JOURNAL_MAP(XX)
#undef XX
};

struct cr_journal_line {
    enum cr_journal_kind kind;
    size_t number;          /* in the file, from 1 */
    uint32_t n;             /* the call that it is about, or 0 */
    int64_t at_us, date_us; /* date_us: of a frame to the worker, what Date showed */
    const char *text;       /* the whole line, but for its hash and the last brace */
    size_t len;
    const char *body; /* what a replay compares: without the time and the optional fields */
    size_t body_len;
};

struct cr_journal {
    char *path;
    struct cr_buf text;
    struct cr_json_doc doc; /* of the first line */
    struct cr_head head;
    struct cr_journal_line *lines; /* without the header and the optional lines */
    size_t count;
    size_t line_count; /* whole lines of the file */
    uint32_t calls;    /* that it has */
    bool has_job;
    const struct cr_journal_line *end; /* NULL: it ends early */
    const struct cr_journal_line *cut; /* NULL: the recording was not stopped */
    const char *boot;                  /* of the machine, when it was last resumed, or begun */
    size_t boot_len;
    int64_t last_at_us;
    size_t whole_len; /* bytes of all whole lines: what is behind them is torn */
    uint8_t chain[CR_HASH_BYTES];
};

/*
 * Reads |path|, or what |fd| gives if that is not -1. Returns 0, and the caller ends it with
 * cr_journal_clear(); or JOURNAL_INVALID with the line, USAGE if it cannot be read, or INTERNAL.
 */
int cr_journal_read(const char *path, int fd, struct cr_journal *ret, struct cr_err *why);

/* Takes a journal of zeros, too. */
void cr_journal_clear(struct cr_journal *journal);

/* The value of |key| in |line|, as it is written, or NULL. */
const char *cr_journal_member(const struct cr_journal_line *line, const char *key, size_t *ret_len);

/* Reads a whole number of |line|, |most| at most. Returns false if it is missing or no such number.
 */
bool cr_journal_take_number(const struct cr_journal_line *line, const char *key, int64_t most,
                            int64_t *ret);

/*
 * Appends the JSON |name| of |line| to |out|, from its blob if it is one. Returns 0; or
 * JOURNAL_INVALID, or INTERNAL.
 */
int cr_journal_json(const struct cr_journal *journal, const struct cr_journal_line *line,
                    const char *name, struct cr_buf *out, struct cr_err *why);

/*
 * Is the JSON |name| of |line| a blob? Returns 1 with its name and length; 0 if it stands in the
 * line; or JOURNAL_INVALID.
 */
int cr_journal_blob(const struct cr_journal *journal, const struct cr_journal_line *line,
                    const char *name, char ret[CR_HASH_DIGITS + 1], size_t *ret_len,
                    struct cr_err *why);

/* What is wrong with a blob of the line |number|, as cr_journal_json() says it. */
int cr_journal_refuse_blob(const struct cr_journal *journal, size_t number,
                           const struct cr_err *err, struct cr_err *why);

/* Appends the code that was run; what is code is checked. */
int cr_journal_code(const struct cr_journal *journal, struct cr_buf *out, struct cr_err *why);

/* As cr_journal_json(), for "args" or "schema" of the header; appends nothing if it is absent. */
int cr_journal_input(const struct cr_journal *journal, const char *name, struct cr_buf *out,
                     struct cr_err *why);

/*
 * Appends the text |name| of |line|, unescaped; nothing if it has none.
 */
void cr_journal_text(const struct cr_journal_line *line, const char *name, struct cr_buf *out);

/* "SUCCESS" and others: how it ended, into |ret|; "" if it did not. */
void cr_journal_outcome(const struct cr_journal *journal, char ret[64]);

/* The same for |line|, an end. */
void cr_journal_show_outcome(const struct cr_journal_line *line, char ret[64]);

#endif
