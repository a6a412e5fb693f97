/*
 * terminal.h - asks at the controlling terminal, beside the loop of a run: shows a text, and reads
 * a line.
 *
 * The terminal stays in its usual mode: a line counts when Enter is pressed, Ctrl-C is a signal,
 * and nothing has to be restored. What was typed before the question is drained, and so is what
 * comes in the first half second: the line to type at appears only afterwards. Only one question is
 * at a terminal, also of several caprun: the terminal itself is locked meanwhile.
 *
 * Nothing here waits: cr_terminal_fd() becomes readable when cr_terminal_step() has something to
 * do.
 *
 *     cr_terminal_open -> cr_terminal_ask, until there is an answer -> cr_terminal_close
 */
#ifndef CR_TERMINAL_H
#define CR_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"

#define CR_TERMINAL_LINE 64 /* characters of a line; more are no answer */

struct cr_terminal;

struct cr_terminal_ops {
    /* Appends the question, for a terminal of this size, and sets |t->prompt|. */
    void (*draw)(struct cr_terminal *t, size_t columns, size_t rows, struct cr_buf *out);
    /*
     * A person has typed |line|; it has no line feed. Appends what to show next, and the question
     * goes on, unless this calls cr_terminal_end() or cr_terminal_ask().
     */
    void (*line)(struct cr_terminal *t, const char *line, struct cr_buf *out);
    /* Nobody can answer any more: the terminal is gone, its input has ended, or it has other use.
     * The question has ended. */
    void (*lost)(struct cr_terminal *t, const char *why);
};

enum cr_terminal_state {
    CR_TERMINAL_IDLE,
    CR_TERMINAL_LOCKING,  /* waits until it has the terminal for itself */
    CR_TERMINAL_WRITING,  /* the question is on its way to the terminal */
    CR_TERMINAL_SETTLING, /* input does not count yet */
    CR_TERMINAL_READING,
};

struct cr_terminal {
    const struct cr_terminal_ops *ops;
    enum cr_terminal_state state;
    struct cr_loop loop;
    struct cr_watch tty, signals;
    struct cr_timer timer;
    sigset_t old;
    int lock; /* the terminal, opened for its lock; -1: it is not locked */
    bool settles;
    struct cr_buf out; /* not written yet */
    char prompt[128];  /* the last line of a question: what can be typed */
    char line[CR_TERMINAL_LINE + 1];
    size_t len; /* of the line so far; over CR_TERMINAL_LINE if it is too long */
};

/*
 * Is there somebody to ask? If the process has a controlling terminal in its usual mode, standard
 * error is that terminal, and the process is in its foreground.
 */
bool cr_terminal_is_there(void);

/* Returns 0; or an error, and nothing is to be closed. |t| must not be moved afterwards. */
int cr_terminal_open(struct cr_terminal *t, const struct cr_terminal_ops *ops, struct cr_err *err);
void cr_terminal_close(struct cr_terminal *t);

int cr_terminal_fd(const struct cr_terminal *t);
void cr_terminal_step(struct cr_terminal *t);

/*
 * Asks: draw() is called when the terminal is free, again if it is resized, then line(). Does
 * nothing after lost().
 */
void cr_terminal_ask(struct cr_terminal *t);

/* Ends the question, and shows |text|, which may be NULL. Others may use the terminal now. */
void cr_terminal_end(struct cr_terminal *t, const char *text);

/* The terminal has hung up. */
void cr_terminal_hang_up(struct cr_terminal *t);

/* Is a question shown, so that nothing else should be? */
bool cr_terminal_is_used(const struct cr_terminal *t);

#endif
