/* people_parts.h - shared by the files of people/: the calls of a run that wait, and what was
 * decided. */
#ifndef CR_PEOPLE_PARTS_H
#define CR_PEOPLE_PARTS_H

#include "base/buf.h"
#include "people/people.h"

/* A call that waits for a person. */
struct cr_waiting {
    struct cr_waiting *next;
    struct cr_asked_call call; /* owns |tool| */
    uint32_t question;         /* in which it is; 0: in none yet */
    char *because;             /* why a person is asked */
    char *grant;               /* of the first call that waits: what would allow it, or NULL */
    const char *server;        /* JSON */
    const char *args;          /* valid until the answer */
    size_t args_len;
    const char *dir, *from; /* where relative paths of the server and of rules start; or NULL */
    bool may_add, may_add_any_args; /* would a new rule, with and without conditions, allow it? */
    char definition[CR_HASH_DIGITS + 1]; /* its hash */
    struct cr_asking *asking;
    struct cr_pending *pending;
    const struct cr_known *known; /* the decision; NULL: none yet */
};

/* A decision about one call, or about further calls of one tool in this run. */
struct cr_known {
    struct cr_known *next;
    uint32_t number; /* of the call; 0: further calls */
    char binding[CR_HASH_DIGITS + 1];
    bool is_allowed;
    bool is_limited; /* only |left| further calls */
    uint32_t left;
    const char *tool; /* its exact name, after |by| */
    char by[];        /* stays as long as the run */
};

/* What is asked and decided in one run. */
struct cr_asking {
    struct cr_people *people;
    struct caprun_run *run;
    struct cr_waiting *first, **last;
    struct cr_known *known; /* the newest first */
    uint32_t question;      /* the number of the last question */
    bool is_open;           /* it waits for a decision */
    bool is_shown;          /* the application knows it, and does not know its end yet */
    bool is_suspending;     /* nobody can decide now */
    struct cr_timer limit;  /* of the open question */
    struct cr_task task;    /* asks, and lets decided calls go on */
};

/* The question about all calls of |a| that are in it, as JSON. */
void cr_question_write(const struct cr_asking *a, struct cr_buf *out);

/* --- known.c -------------------------------------------------------------------------------- */

/* Returns a list of all that |d| decides, or NULL without memory. */
struct cr_known *cr_known_make(const struct cr_decision *d);

/* Adds |list|, which may be NULL, to what is known. */
void cr_known_add(struct cr_asking *a, struct cr_known *list);

/* Returns what was decided about this very call, or NULL. */
const struct cr_known *cr_known_find(const struct cr_asking *a, const struct cr_asked_call *call);

/* The same, or what was decided about all calls of its tool: then one of these is used. */
const struct cr_known *cr_known_use(struct cr_asking *a, const struct cr_asked_call *call);

void cr_known_free(struct cr_known *list);

#endif
