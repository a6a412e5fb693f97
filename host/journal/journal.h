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

/* XX(name, the key that says so, its value; NULL: a number or anything) */
#define CR_JOURNAL_MAP(XX)         \
    XX(JOB, "to", "job")           \
    XX(REPLY, "to", "reply")       \
    XX(FAIL, "to", "fail")         \
    XX(WAKE, "to", "wake")         \
    XX(CALL, "from", "call")       \
    XX(LOG, "from", "log")         \
    XX(BLOCKED, "from", "blocked") \
    XX(DONE, "from", "done")       \
    XX(THREW, "from", "threw")     \
    XX(LATE, "from", "late")       \
    XX(FULL, "from", "full")       \
    XX(SEND, "send", NULL)         \
    XX(RESUME, "resume", NULL)     \
    XX(END, "end", NULL)           \
    XX(CUT, "cut", NULL)

enum cr_journal_kind {
#define XX(name, key, value) CR_JOURNAL_##name,
    CR_JOURNAL_MAP(XX)
#undef XX
};

struct cr_journal_line {
    enum cr_journal_kind kind;
    uint32_t n;             /* the call that it is about, or 0 */
    int64_t at_us, date_us; /* date_us: of a frame to the worker, what Date showed */
    const char *text;       /* the whole line, but for its hash and the last brace */
    size_t len;
    const char *body;
    size_t body_len;
};

struct cr_journal {
    char *path;
    struct cr_buf text;
    struct cr_json_doc doc; /* of the first line */
    struct cr_head head;
    struct cr_journal_line *lines; /* after the first, which is line 1 */
    size_t count;
    uint32_t calls; /* that it has */
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

/* The number of |line| in the file, from 1. */
size_t cr_journal_number(const struct cr_journal *journal, const struct cr_journal_line *line);

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

#endif
