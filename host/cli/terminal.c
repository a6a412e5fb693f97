/* terminal.c - shows questions at the controlling terminal, and reads lines from it. */
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define MAX_OUT (16u << 20)
#define SETTLE_US 500000  /* input that comes earlier does not count */
#define LOCK_US 100000    /* between two tries */
#define RESIZED_US 200000 /* without another resize */
#define USUAL_COLUMNS 80u
#define USUAL_ROWS 24u
#define LEAST_COLUMNS 40u
#define MOST_COLUMNS 200u

static bool is_in_foreground(int tty)
{
    return tcgetpgrp(tty) == getpgrp();
}

static bool has_usual_mode(int tty)
{
    struct termios mode;

    return tcgetattr(tty, &mode) == 0 && (mode.c_lflag & ICANON);
}

static int open_tty(void)
{
    return open("/dev/tty", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

bool cr_terminal_is_there(void)
{
    cr_autoclose int tty = open_tty();

    /* for any other terminal than the controlling one, tcgetpgrp() fails */
    return tty >= 0 && is_in_foreground(STDERR_FILENO) && has_usual_mode(tty);
}

bool cr_terminal_is_used(const struct cr_terminal *t)
{
    return t->state > CR_TERMINAL_LOCKING;
}

/* --- the lock --------------------------------------------------------------------------------- */

/*
 * Locks the terminal's own file, so that there is no file to clean up. If it cannot be opened, as
 * after su, nothing is locked. Returns false if another process has it.
 */
static bool take_lock(struct cr_terminal *t)
{
    if (t->lock < 0)
        t->lock = open("/proc/self/fd/2", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return t->lock < 0 || cr_file_lock(t->lock) == 0 || errno != EAGAIN;
}

static void drop_lock(struct cr_terminal *t)
{
    if (t->lock >= 0)
        (void)close(t->lock);
    t->lock = -1;
}

/* --- the end of a question -------------------------------------------------------------------- */

static void stop_asking(struct cr_terminal *t)
{
    cr_loop_unset(&t->loop, &t->timer);
    if (t->tty.fd >= 0)
        cr_loop_change(&t->loop, &t->tty, 0);
    cr_buf_clear(&t->out);
    t->state = CR_TERMINAL_IDLE;
    drop_lock(t);
}

void cr_terminal_end(struct cr_terminal *t, const char *text)
{
    bool was_used = cr_terminal_is_used(t);

    /* what does not fit now is lost: nobody waits for it */
    if (was_used && text)
        (void)!write(t->tty.fd, text, strlen(text));
    stop_asking(t);
}

/* From now on nothing is asked here. A terminal that has hung up would be ready for ever. */
static void lose(struct cr_terminal *t, const char *why)
{
    cr_terminal_end(t, "\n");
    cr_loop_remove(&t->loop, &t->tty);
    (void)close(t->tty.fd);
    t->tty.fd = -1;
    t->ops->lost(t, why);
}

void cr_terminal_hang_up(struct cr_terminal *t)
{
    if (t->tty.fd >= 0)
        lose(t, "the terminal is gone");
}

/* --- showing ---------------------------------------------------------------------------------- */

static void read_size(int tty, size_t *ret_columns, size_t *ret_rows)
{
    struct winsize size = {0};

    (void)ioctl(tty, TIOCGWINSZ, &size);
    *ret_columns = size.ws_col ? size.ws_col : USUAL_COLUMNS;
    *ret_rows = size.ws_row ? size.ws_row : USUAL_ROWS;
    if (*ret_columns < LEAST_COLUMNS)
        *ret_columns = LEAST_COLUMNS;
    if (*ret_columns > MOST_COLUMNS)
        *ret_columns = MOST_COLUMNS;
}

static void written(struct cr_terminal *t)
{
    cr_buf_clear(&t->out);
    if (t->settles) {
        t->state = CR_TERMINAL_SETTLING;
        cr_loop_change(&t->loop, &t->tty, 0);
        cr_loop_set(&t->loop, &t->timer, cr_loop_now() + SETTLE_US);
    } else {
        t->state = CR_TERMINAL_READING;
        cr_loop_change(&t->loop, &t->tty, EPOLLIN);
    }
}

/* Writes as much as the terminal takes: somebody may have stopped its output with Ctrl-S. */
static void write_some(struct cr_terminal *t)
{
    while (t->out.len) {
        ssize_t n = write(t->tty.fd, t->out.data, t->out.len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN) {
            lose(t, "the terminal is gone");
            return;
        }
        if (n < 0) {
            cr_loop_change(&t->loop, &t->tty, EPOLLOUT);
            return;
        }
        cr_buf_drop(&t->out, (size_t)n);
    }
    written(t);
}

/* Shows what is in |t->out|, and then waits for a line. */
static void show(struct cr_terminal *t, bool settles)
{
    t->state = CR_TERMINAL_WRITING;
    t->settles = settles;
    cr_loop_change(&t->loop, &t->tty, 0);
    if (!settles)
        cr_buf_str(&t->out, t->prompt);
    if (cr_buf_err(&t->out))
        lose(t, "there is no memory for the question");
    else
        write_some(t);
}

static void draw(struct cr_terminal *t)
{
    size_t columns, rows;

    cr_loop_unset(&t->loop, &t->timer);
    cr_loop_change(&t->loop, &t->tty, 0);
    if (!is_in_foreground(t->tty.fd)) {
        lose(t, "caprun is in the background");
        return;
    }
    if (!has_usual_mode(t->tty.fd)) {
        lose(t, "another program has changed the mode of the terminal");
        return;
    }
    read_size(t->tty.fd, &columns, &rows);
    (void)tcflush(t->tty.fd, TCIFLUSH);
    t->len = 0;
    cr_buf_clear(&t->out);
    t->ops->draw(t, columns, rows, &t->out);
    show(t, true);
}

/* The half second is over: what was typed in it goes, and the line to type at appears. */
static void settled(struct cr_terminal *t)
{
    (void)tcflush(t->tty.fd, TCIFLUSH);
    cr_buf_str(&t->out, "\r"); /* over what was typed */
    show(t, false);
}

static void try_to_begin(struct cr_terminal *t)
{
    if (take_lock(t))
        draw(t);
    else
        cr_loop_set(&t->loop, &t->timer, cr_loop_now() + LOCK_US);
}

void cr_terminal_ask(struct cr_terminal *t)
{
    if (t->tty.fd < 0)
        return;
    if (cr_terminal_is_used(t)) {
        draw(t);
        return;
    }
    t->state = CR_TERMINAL_LOCKING;
    cr_loop_set(&t->loop, &t->timer, cr_loop_now());
}

static void timer_due(struct cr_timer *timer)
{
    struct cr_terminal *t = cr_container(timer, struct cr_terminal, timer);

    if (t->state == CR_TERMINAL_LOCKING)
        try_to_begin(t);
    else if (t->state == CR_TERMINAL_SETTLING)
        settled(t);
    else
        draw(t); /* the size has changed */
}

/* --- reading ---------------------------------------------------------------------------------- */

static void take_line(struct cr_terminal *t)
{
    size_t len = t->len;

    t->len = 0;
    if (len > CR_TERMINAL_LINE || memchr(t->line, '\0', len))
        t->line[0] = '?'; /* not an answer */
    t->line[len > CR_TERMINAL_LINE ? 1 : len] = '\0';
    cr_buf_clear(&t->out);
    t->ops->line(t, t->line, &t->out);
    if (t->state == CR_TERMINAL_READING)
        show(t, false);
}

static void take_byte(struct cr_terminal *t, char c)
{
    if (c == '\n') {
        take_line(t);
        return;
    }
    if (t->len < CR_TERMINAL_LINE)
        t->line[t->len] = c;
    if (t->len <= CR_TERMINAL_LINE)
        t->len++;
}

/* In its usual mode, a terminal gives one line for each read. Nothing at all is Ctrl-D. */
static void read_some(struct cr_terminal *t)
{
    char bytes[256];
    ssize_t n;

    if (!is_in_foreground(t->tty.fd)) {
        lose(t, "caprun is in the background");
        return;
    }
    n = read(t->tty.fd, bytes, sizeof(bytes));
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        lose(t, n == 0 ? "its input has ended" : "the terminal is gone");
        return;
    }
    for (ssize_t i = 0; i < n && t->state == CR_TERMINAL_READING; i++)
        take_byte(t, bytes[i]);
}

static void tty_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_terminal *t = cr_container(watch, struct cr_terminal, tty);

    if (t->state == CR_TERMINAL_READING)
        read_some(t);
    else if (t->state == CR_TERMINAL_WRITING)
        write_some(t);
    else if (events & (EPOLLHUP | EPOLLERR))
        lose(t, "the terminal is gone");
}

/* --- signals ---------------------------------------------------------------------------------- */

/* The terminal was resized, or caprun continues after Ctrl-Z: asks again. */
static void signal_ready(struct cr_watch *watch, uint32_t events)
{
    struct cr_terminal *t = cr_container(watch, struct cr_terminal, signals);
    struct signalfd_siginfo info;

    (void)events;
    while (read(watch->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (!cr_terminal_is_used(t))
            continue;
        t->state = CR_TERMINAL_WRITING;
        cr_loop_change(&t->loop, &t->tty, 0);
        cr_loop_set(&t->loop, &t->timer,
                    cr_loop_now() + (info.ssi_signo == SIGCONT ? 0 : RESIZED_US));
    }
}

/*
 * Blocks also the signals that would stop caprun for ever if it used the terminal in the
 * background: the calls fail instead.
 */
static int begin_signals(struct cr_terminal *t, struct cr_err *err)
{
    sigset_t blocked, read;

    (void)sigemptyset(&read);
    (void)sigaddset(&read, SIGWINCH);
    (void)sigaddset(&read, SIGCONT);
    blocked = read;
    (void)sigaddset(&blocked, SIGTTIN);
    (void)sigaddset(&blocked, SIGTTOU);
    t->signals.fd = signalfd(-1, &read, SFD_CLOEXEC | SFD_NONBLOCK);
    if (t->signals.fd < 0)
        return cr_err_sys(err, "signalfd");
    (void)sigprocmask(SIG_BLOCK, &blocked, &t->old);
    return cr_loop_add(&t->loop, &t->signals, EPOLLIN, err);
}

/* --- life cycle ------------------------------------------------------------------------------- */

int cr_terminal_open(struct cr_terminal *t, const struct cr_terminal_ops *ops, struct cr_err *err)
{
    int r;

    memset(t, 0, sizeof(*t));
    t->ops = ops;
    t->tty = (struct cr_watch){.fd = -1, .ready = tty_ready, .name = "terminal"};
    t->signals = (struct cr_watch){.fd = -1, .ready = signal_ready, .name = "terminal"};
    t->timer = (struct cr_timer){.when_us = -1, .due = timer_due, .name = "terminal"};
    t->lock = -1;
    cr_buf_init(&t->out, MAX_OUT);
    r = cr_loop_init(&t->loop, err);
    if (r < 0)
        return r;
    t->tty.fd = open_tty();
    if (t->tty.fd < 0)
        r = cr_err_sys(err, "open '/dev/tty'");
    if (r == 0)
        r = cr_loop_add(&t->loop, &t->tty, 0, err);
    if (r == 0)
        r = begin_signals(t, err);
    if (r < 0)
        cr_terminal_close(t);
    return r;
}

void cr_terminal_close(struct cr_terminal *t)
{
    cr_terminal_end(t, "\n");
    if (t->signals.fd >= 0) {
        cr_loop_remove(&t->loop, &t->signals);
        (void)close(t->signals.fd);
        (void)sigprocmask(SIG_SETMASK, &t->old, NULL);
    }
    if (t->tty.fd >= 0) {
        cr_loop_remove(&t->loop, &t->tty);
        (void)close(t->tty.fd);
    }
    cr_loop_clear(&t->loop);
    cr_buf_clear(&t->out);
}

int cr_terminal_fd(const struct cr_terminal *t)
{
    return cr_loop_fd(&t->loop);
}

void cr_terminal_step(struct cr_terminal *t)
{
    cr_loop_step(&t->loop, 0);
}
