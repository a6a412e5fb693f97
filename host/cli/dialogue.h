/*
 * dialogue.h - asks a person at the terminal about the calls of runs: one question at a time, a
 * letter and Enter for each answer.
 *
 * An answer is about calls of one tool. The library then asks again about the calls that are left,
 * in a new question.
 */
#ifndef CR_DIALOGUE_H
#define CR_DIALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "caprun.h"
#include "cli/terminal.h"
#include "people/inquiry.h"
#include "people/show.h"

enum cr_dialogue_scope {
    CR_DIALOGUE_CALLS, /* these calls */
    CR_DIALOGUE_RUN,   /* these, and all other calls of the tool in this run */
    CR_DIALOGUE_RULE,  /* these, and what the rule allows, in later runs, too */
};

struct cr_dialogue_question {
    struct cr_dialogue_question *next;
    struct caprun_run *run;
    uint32_t number; /* of the question */
    struct cr_inquiry q;
};

/* What a person has decided about |count| calls of |tool|, from |first| on. */
struct cr_dialogue_answer {
    const struct cr_dialogue_question *question;
    const struct cr_inquiry_tool *tool;
    size_t first, count;
    bool allows;
    enum cr_dialogue_scope scope;
    const struct cr_inquiry_rule *rule; /* with CR_DIALOGUE_RULE */
    bool in_project; /* the rule is for the project's file, not for the user's own grants */
};

struct cr_dialogue;

struct cr_dialogue_ops {
    /*
     * A person has decided. Returns true, and perhaps lines to show in |out|; or false if that was
     * not possible, and |out| says why: then the question goes on.
     */
    bool (*decide)(struct cr_dialogue *d, const struct cr_dialogue_answer *answer,
                   struct cr_buf *out);
    /* Nobody can answer here, for the reason |why|. Nothing has been decided. */
    void (*lost)(struct cr_dialogue *d, const struct cr_dialogue_question *question,
                 const char *why);
};

enum cr_dialogue_page { CR_DIALOGUE_ASKS, CR_DIALOGUE_RULES };

struct cr_dialogue {
    const struct cr_dialogue_ops *ops;
    void *data;          /* of the owner */
    const char *project; /* the project's file; NULL: rules cannot go there */
    const char *grants;  /* the file of the user's own grants; NULL: no rules can be remembered */
    struct cr_terminal terminal;
    struct cr_dialogue_question *list; /* the first one is asked */
    size_t first, count;               /* which calls of the first tool are asked about */
    char *picked; /* the tool whose calls are asked about one by one, or NULL */
    struct caprun_run *picked_run;
    enum cr_dialogue_page page;
    struct cr_show show;
    size_t rows, columns; /* of the terminal, when the question was drawn */
    bool is_lost;
};

/* Returns 0; or an error, and there is nothing to end. |d| must not be moved afterwards. */
int cr_dialogue_begin(struct cr_dialogue *d, const struct cr_dialogue_ops *ops, struct cr_err *err);
void cr_dialogue_end(struct cr_dialogue *d);

/*
 * Asks question |number| of |run|. |json| and the args are copied. Returns 0; or an error, and
 * nobody is asked.
 */
int cr_dialogue_ask(struct cr_dialogue *d, struct caprun_run *run, uint32_t number,
                    const char *json, size_t len, struct cr_err *err);

/* The questions of |run| are not needed any longer. */
void cr_dialogue_withdraw(struct cr_dialogue *d, const struct caprun_run *run);

/* Is there a question, so that nothing else should be written to the terminal? */
bool cr_dialogue_is_asking(const struct cr_dialogue *d);

#endif
