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

#define MAX_CODE (1024u * 1024)
#define MAX_ARGS (16u * 1024 * 1024)
#define EXEC_TIMEOUT_MS 30000

/* What could not be read is a matter of usage, what was read and is no good one of validation. */
static int reject(struct caprun_run *run, int code, const char *words)
{
    caprun_reject(run,
                  code == CAPRUN_E_SYS     ? CAPRUN_OUTCOME_USAGE
                  : code == CAPRUN_E_NOMEM ? CAPRUN_OUTCOME_INTERNAL
                                           : CAPRUN_OUTCOME_VALIDATION_ERROR,
                  words, NULL);
    return -1;
}

static int load_code(struct caprun_runtime *rt, struct caprun_run *run, const char *path)
{
    struct cr_buf code;
    struct cr_err err;
    int r;

    cr_buf_init(&code, MAX_CODE);
    r = cr_input_read(path, &code, &err);
    if (r < 0) {
        r = reject(run, r, err.text);
    } else {
        r = caprun_run_set_code(run, code.data ? (const char *)code.data : "", code.len);
        if (r < 0)
            r = reject(run, r, caprun_error(rt));
    }
    cr_buf_clear(&code);
    return r;
}

static int load_args(struct caprun_runtime *rt, struct caprun_run *run, const char *word)
{
    struct cr_buf args;
    struct cr_err err;
    int r = 0;

    if (!word)
        return 0;
    cr_buf_init(&args, MAX_ARGS);
    if (word[0] == '{')
        cr_buf_str(&args, word);
    else
        r = cr_input_read(word, &args, &err);
    if (r < 0) {
        r = reject(run, r, err.text);
    } else {
        r = caprun_run_set_args(run, args.data ? (const char *)args.data : "", args.len);
        if (r < 0)
            r = reject(run, r, caprun_error(rt));
    }
    cr_buf_clear(&args);
    return r;
}

static int set_limits(struct caprun_runtime *rt, struct caprun_run *run,
                      const struct cr_options *o)
{
    if (caprun_run_set_timeout(run, o->timeout_ms ? o->timeout_ms : EXEC_TIMEOUT_MS) == 0 &&
        caprun_run_set_cpu(run, o->cpu_ms) == 0 &&
        caprun_run_set_call_timeout(run, o->rpc_timeout_ms) == 0 &&
        caprun_run_set_memory(run, o->memory) == 0)
        return 0;
    caprun_reject(run, CAPRUN_OUTCOME_USAGE, caprun_error(rt), NULL);
    return -1;
}

/*
 * Runs to the end, or to a signal that asks for it. The signals are blocked from here on and read
 * as data, so that none can come between the run's end and the envelope.
 */
static int run_with_signals(struct caprun_runtime *rt, struct caprun_run *run)
{
    cr_autoclose int signals = -1;
    struct pollfd fds[2];
    sigset_t set;
    int cancelled = 0;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    (void)caprun_start(run);
    fds[0] = (struct pollfd){.fd = caprun_fd(rt), .events = POLLIN};
    fds[1] = (struct pollfd){.fd = signals, .events = POLLIN};
    while (!caprun_done(run)) {
        struct signalfd_siginfo info;

        (void)poll(fds, 2, -1);
        caprun_step(rt);
        if (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info) && !caprun_done(run)) {
            cancelled = (int)info.ssi_signo;
            caprun_cancel(run);
        }
    }
    return cancelled;
}

int cr_exec(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
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
    (void)caprun_warm(rt); /* while the input is read; if it fails, the start will say so */
    if (set_limits(rt, run, o) < 0 || load_code(rt, run, file) < 0 ||
        load_args(rt, run, args) < 0)
        return 0;
    if (!o->quiet)
        caprun_run_set_log(run, cr_output_log, NULL);
    return run_with_signals(rt, run);
}
