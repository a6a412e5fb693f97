/*
 * inquiry.h - what a person is asked, read from JSON (docs/approvals.md): who asks, and which calls
 * of which tools wait for the answer.
 *
 * The args are the very bytes that are hashed and sent: nothing here prints them again.
 */
#ifndef CR_INQUIRY_H
#define CR_INQUIRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

struct cr_inquiry_call {
    uint32_t number; /* in its run, from 1 */
    char *args;
    size_t len;
};

#define CR_INQUIRY_RULES 4u

/* A rule that would allow calls without a question: JSON, as it would be in each file. */
struct cr_inquiry_rule {
    char *own, *project;
};

/* Calls of one tool. */
struct cr_inquiry_tool {
    char *name;                          /* "server:exact-name"; the name is the server's text */
    char *server;                        /* its command line or URL */
    char *cwd;                           /* where a command is started, or NULL */
    char *pin;                           /* sha256 of the tool's definition */
    char server_pin[CR_HASH_DIGITS + 1]; /* of what the configuration says of the server */
    char *because;                       /* why a person is asked */
    struct cr_inquiry_call *calls;
    size_t count; /* at least 1 */
    /* Rules that would allow all these calls without a question, from the narrowest. */
    struct cr_inquiry_rule rules[CR_INQUIRY_RULES];
    size_t rule_count;
};

struct cr_inquiry {
    char *capability; /* NULL: the code is in no registry */
    char *file;       /* the name of such code, or NULL */
    char *pin;        /* sha256 of the code */
    struct cr_inquiry_tool *tools;
    size_t tool_count; /* at least 1 */
    bool can_suspend;  /* may the run be suspended? */
};

/* Returns the args of call |number|, which are copied at once. */
typedef const char *cr_inquiry_args_fn(void *data, uint32_t number, size_t *ret_len);

/*
 * Reads |json|; |args| gives the args of each call. The question is ours, so it is not scanned: the
 * library has written it. Returns 0, and the caller frees |ret| with cr_inquiry_clear(); or
 * CAPRUN_E_INVAL if it is not a question, or CAPRUN_E_NOMEM.
 */
int cr_inquiry_read(const char *json, size_t len, cr_inquiry_args_fn *args, void *data,
                    struct cr_inquiry *ret, struct cr_err *err);
void cr_inquiry_clear(struct cr_inquiry *q);

#endif
