/* exec.c - from two words to a run that has ended. */
#include "cli/exec.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/input.h"
#include "cli/output.h"

#define EXEC_TIMEOUT_MS 30000

/* What could not be read is a matter of usage, what was read and is no good one of validation. */
static int reject(struct caprun_run *run, int code, const char *words, const char *hint)
{
    caprun_reject(run,
                  code == CAPRUN_E_SYS     ? CAPRUN_OUTCOME_USAGE
                  : code == CAPRUN_E_NOMEM ? CAPRUN_OUTCOME_INTERNAL
                                           : CAPRUN_OUTCOME_VALIDATION_ERROR,
                  words, hint);
    return -1;
}

/*
 * Gives what was read to the run, or says why it could not be read: |r| and |err| are of the
 * reading, |hint| is for a path that leads nowhere. Frees |read|.
 */
static int hand_over(struct caprun_runtime *rt, struct caprun_run *run, int r,
                     const struct cr_err *err, struct cr_buf *read,
                     int (*set)(struct caprun_run *, const char *, size_t), const char *hint)
{
    if (r < 0) {
        r = reject(run, r, err->text, r == CAPRUN_E_SYS ? hint : NULL);
    } else {
        r = set(run, read->data ? (const char *)read->data : "", read->len);
        if (r < 0)
            r = reject(run, r, caprun_error(rt), NULL);
    }
    cr_buf_clear(read);
    return r;
}

static int load_code(struct caprun_runtime *rt, struct caprun_run *run, const char *path)
{
    struct cr_buf code;
    struct cr_err err;
    int r;

    cr_buf_init(&code, CAPRUN_MAX_CODE);
    r = cr_input_read(path, &code, &err);
    return hand_over(rt, run, r, &err, &code, caprun_run_set_code,
                     "FILE is a path; code itself goes in as: echo CODE | caprun exec -");
}

static int load_args(struct caprun_runtime *rt, struct caprun_run *run, const char *word)
{
    struct cr_buf args;
    struct cr_err err;
    int r = 0;

    if (!word)
        return 0;
    cr_buf_init(&args, CAPRUN_MAX_ARGS);
    if (word[0] != '{') {
        r = cr_input_read(word, &args, &err);
    } else {
        cr_buf_str(&args, word);
        if (cr_buf_err(&args))
            r = cr_err_set(&err, cr_buf_err(&args), "no room for the args");
    }
    return hand_over(rt, run, r, &err, &args, caprun_run_set_args,
                     "ARGS is a path, - or JSON that starts with {");
}

static int set_limits(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
{
    if (caprun_run_set_timeout(run, o->timeout_ms ? o->timeout_ms : EXEC_TIMEOUT_MS) == 0 &&
        caprun_run_set_cpu(run, o->cpu_ms) == 0 &&
        caprun_run_set_call_timeout(run, o->rpc_timeout_ms) == 0 &&
        caprun_run_set_memory(run, o->memory) == 0)
        return 0;
    caprun_reject(run, CAPRUN_OUTCOME_USAGE, caprun_error(rt), NULL);
    return -1;
}

/* The signals that end a run, less those that whoever started us wants ignored (nohup). */
static sigset_t ending_signals(void)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old;
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (sigaction(all[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaddset(&set, all[i]);
    return set;
}

/* Waits for what comes first: the run, a signal, or room for the lines that wait. */
static int step(struct caprun_runtime *rt, struct caprun_run *run, int signals,
                struct cr_output *out)
{
    struct signalfd_siginfo info;
    struct pollfd fds[] = {
        {.fd = caprun_fd(rt), .events = POLLIN},
        {.fd = signals, .events = POLLIN},
        {.fd = out->waiting.len ? STDERR_FILENO : -1, .events = POLLOUT},
    };

    (void)poll(fds, 3, -1);
    caprun_step(rt);
    if (fds[2].revents)
        cr_output_some(out);
    if (!caprun_done(run) && read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        caprun_cancel(run);
        return (int)info.ssi_signo;
    }
    return 0;
}

/*
 * Runs to the end, or to a signal that asks for it. The signals are blocked meanwhile and read as
 * data, so that a run that is cancelled still gets its envelope.
 */
static int run_with_signals(struct caprun_runtime *rt, struct caprun_run *run, bool quiet)
{
    sigset_t set = ending_signals(), old;
    cr_autoclose int signals = -1;
    struct cr_output out;
    int cancelled = 0;

    (void)sigprocmask(SIG_BLOCK, &set, &old);
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        (void)sigprocmask(SIG_SETMASK, &old, NULL); /* then they end us the plain way */
    cr_output_init(&out);
    if (!quiet)
        caprun_run_set_log(run, cr_output_log, &out);
    (void)caprun_start(run);
    while (!caprun_done(run))
        cancelled = step(rt, run, signals, &out);
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    cr_output_finish(&out);
    return cancelled;
}

int cr_exec_run(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
{
    const char *file = o->words[1], *args = o->words[2];

    if (!file) {
        caprun_reject(run, CAPRUN_OUTCOME_USAGE, "exec needs a FILE", "caprun exec FILE [ARGS]");
        return 0;
    }
    if (args && strcmp(file, "-") == 0 && strcmp(args, "-") == 0) {
        caprun_reject(run, CAPRUN_OUTCOME_USAGE,
                      "FILE and ARGS cannot both come from standard input",
                      "put one of them into a file");
        return 0;
    }
    (void)caprun_set_warm(rt, CAPRUN_WARM_NONE);
    (void)caprun_warm(rt); /* while the input is read; if it fails, the start will say so */
    if (set_limits(rt, run, o) < 0 || load_code(rt, run, file) < 0 || load_args(rt, run, args) < 0)
        return 0;
    return run_with_signals(rt, run, o->quiet);
}
