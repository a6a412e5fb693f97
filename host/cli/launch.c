/* launch.c - reads args, sets up recording, and runs a run to its end. */
#include "cli/launch.h"

#include <poll.h>
#include <unistd.h>

#include "cli/input.h"
#include "cli/offer.h"
#include "cli/output.h"
#include "cli/questions.h"
#include "cli/settings.h"
#include "cli/trace.h"
#include "cli/unattended.h"

int cr_launch_reject(struct caprun_run *run, const struct cr_err *why)
{
    caprun_reject(run, why->outcome, why->text, why->hint[0] ? why->hint : NULL);
    return -1;
}

/* Input that cannot be read is a usage error; input that is invalid is a validation error. */
static int reject_input(struct caprun_run *run, int code, const char *words, const char *hint)
{
    caprun_reject(run,
                  code == CAPRUN_E_SYS     ? CAPRUN_OUTCOME_USAGE
                  : code == CAPRUN_E_NOMEM ? CAPRUN_OUTCOME_INTERNAL
                                           : CAPRUN_OUTCOME_VALIDATION_ERROR,
                  words, hint);
    return -1;
}

int cr_launch_hand_over(struct caprun_runtime *rt, struct caprun_run *run, int r,
                        const struct cr_err *err, struct cr_buf *read,
                        int (*set)(struct caprun_run *, const char *, size_t), const char *hint)
{
    if (r < 0) {
        r = reject_input(run, r, err->text, r == CAPRUN_E_SYS ? hint : NULL);
    } else {
        r = set(run, read->data ? (const char *)read->data : "", read->len);
        if (r < 0)
            r = reject_input(run, r, caprun_error(rt), NULL);
    }
    cr_buf_clear(read);
    return r;
}

int cr_launch_args(struct caprun_runtime *rt, struct caprun_run *run, const char *word)
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
    return cr_launch_hand_over(rt, run, r, &err, &args, caprun_run_set_args,
                               "ARGS is a path, - or JSON that starts with {");
}

/* A terminal that hangs up while it asks decides nothing: the run is suspended. */
static void take_signal(struct caprun_run *run, struct cr_signals *signals,
                        struct cr_questions *questions)
{
    if (caprun_done(run) || !cr_signals_take(signals))
        return;
    if (signals->taken == SIGHUP && cr_questions_hang_up(questions))
        signals->taken = 0;
    else
        caprun_cancel(run);
}

/*
 * Waits for the run, a signal, a person at the terminal, for standard error to take more lines, or
 * to draw progress.
 */
static void wait_and_step(struct caprun_runtime *rt, struct caprun_run *run,
                          struct cr_signals *signals, struct cr_questions *questions,
                          struct cr_trace *trace)
{
    struct cr_output *out = trace->out;
    struct pollfd fds[] = {
        {.fd = caprun_fd(rt), .events = POLLIN},
        {.fd = signals->fd, .events = POLLIN},
        {.fd = cr_questions_fd(questions), .events = POLLIN},
        {.fd = cr_output_is_ready(out) ? STDERR_FILENO : -1, .events = POLLOUT},
    };

    (void)poll(fds, sizeof(fds) / sizeof(fds[0]), cr_trace_wait_ms(trace));
    caprun_step(rt);
    if (fds[3].revents)
        cr_output_some(out);
    cr_questions_step(questions);
    cr_trace_draw(trace, run);
    take_signal(run, signals, questions);
}

static void note_recording(void *data, bool is_detail, const char *text)
{
    const struct cr_options *o = data;

    if (o->verbose || (!is_detail && !o->quiet))
        cr_output_note("%s", text);
}

void cr_launch_recording(struct cr_recording *ret, const struct cr_config *config,
                         const struct cr_options *o)
{
    char dir[PATH_MAX];

    cr_settings_state_dir(dir);
    cr_recording_init(ret, config, dir, o->record);
    ret->note = note_recording;
    ret->note_data = (void *)(uintptr_t)o;
}

int cr_launch_recorded(struct caprun_runtime *rt, struct caprun_run *run,
                       struct cr_recording *recording, const struct cr_recording_origin *origin,
                       const struct cr_options *o)
{
    struct cr_recording_place place;
    struct cr_signals signals;
    struct cr_err why;
    int signal;

    cr_recording_place(recording, false, &place);
    cr_recording_make_place(&place);
    if (cr_recording_begin(recording, run, origin, &place, &why) < 0) {
        (void)cr_launch_reject(run, &why);
        return 0;
    }
    cr_signals_begin(&signals);
    signal = cr_launch_run(rt, run, &signals, o);
    cr_recording_end(recording, run);
    cr_offer_resume(run, recording, o);
    return signal;
}

int cr_launch_run(struct caprun_runtime *rt, struct caprun_run *run, struct cr_signals *signals,
                  const struct cr_options *o)
{
    struct cr_questions questions;
    struct cr_unattended unattended;
    struct cr_output out;
    struct cr_trace trace;

    cr_questions_begin(&questions, rt, o);
    cr_unattended_begin(&unattended, rt, o);
    cr_output_init(&out);
    if (!o->quiet)
        caprun_run_set_log(run, cr_output_log, &out);
    cr_trace_begin(&trace, run, &out, o);
    (void)caprun_start(run);
    while (!caprun_done(run))
        wait_and_step(rt, run, signals, &questions, &trace);
    caprun_step(rt); /* the last events */
    cr_questions_end(&questions);
    cr_trace_end(&trace);
    cr_signals_end(signals); /* from now on a signal ends caprun, if standard error blocks */
    cr_output_finish(&out);
    return caprun_get_outcome(run) == CAPRUN_OUTCOME_CANCELLED ? signals->taken : 0;
}
