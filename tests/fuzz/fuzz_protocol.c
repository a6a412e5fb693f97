/*
 * fuzz_protocol.c - fuzzes a whole host with zygotes, workers and an application that do what the
 * input says: several runs at once, a stock of workers, calls answered at any time, limits.
 *
 * The input is a list of operations: a byte for the kind, then its data. Most frames and packets
 * are valid, so that much happens; a byte in each can change an id, a length or a slot. There are
 * no processes (fake_ends.h), and time passes only by an operation.
 *
 * What must hold: a run that has not ended waits for a timer or for the pool's next step; it ends
 * once, with an envelope that is JSON, and its events come in order; its memory is bounded by the
 * size of the input; the value returned by a worker that obeyed is the run's result. Afterwards an
 * honest run on the same runtime succeeds, and nothing is left, not even a descriptor.
 */
#include <stdint.h>
#include <stdio.h>

#include "bent_frames.h"
#include "fake_peers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RUNS 8
#define CALLS 1024
#define SLACK_US 1000000 /* timers due later than this do not interfere */

/* What the application knows of a run. */
struct known {
    struct caprun_run *run; /* NULL: freed */
    bool started, ended, frees;
    enum caprun_outcome outcome;
    uint8_t calls[CALLS]; /* '?' waits for an answer, '!' has one */
    uint32_t call_count;
};

static struct caprun_runtime *rt;
static struct cr_pool *pool;
static struct known runs[RUNS];
static size_t run_count, input_size;

/* --- the application ---------------------------------------------------------------------- */

static void check_ended_run(struct caprun_run *run)
{
    size_t len, result_len;
    const char *envelope = caprun_result_json(run, &len);
    const char *result = caprun_get_result(run, &result_len);

    insist(envelope);
    fake_check_envelope(envelope, len);
    insist((caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS) == (result != NULL));
    insist(!run->worker && run->timer.when_us < 0);
}

static void hear_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    struct known *known = data;

    insist(known->run == run && !known->ended && call <= known->call_count + 1);
    insist(known->started == (what != CAPRUN_EVENT_STARTED) || what == CAPRUN_EVENT_ENDED);
    switch (what) {
    case CAPRUN_EVENT_STARTED:
        known->started = true;
        break;
    case CAPRUN_EVENT_CALL:
        insist(call == ++known->call_count);
        known->calls[call % CALLS] = '?';
        break;
    case CAPRUN_EVENT_CALL_DONE:
    case CAPRUN_EVENT_CALL_LOST:
        insist(call > 0 && known->calls[call % CALLS] == '?');
        known->calls[call % CALLS] = '!';
        break;
    case CAPRUN_EVENT_BLOCKED:
        insist(call == 0);
        break;
    case CAPRUN_EVENT_ENDED:
        insist(caprun_done(run) && call == 0 && !memchr(known->calls, '?', CALLS));
        known->ended = true;
        known->outcome = caprun_get_outcome(run);
        check_ended_run(run);
        if (known->frees) {
            caprun_run_free(run);
            known->run = NULL;
        }
        break;
    }
}

static struct known *start_run(const char *code, uint8_t how, struct input *in);

/* The first letter of the action selects the answer; most calls are answered later, or never. */
static void hear_call(void *data, struct caprun_run *run, uint32_t call, const char *method,
                      const char *args, size_t args_len)
{
    (void)data;
    switch (strchr(method, ':')[1]) {
    case 'a':
        insist(caprun_call_reply(run, call, args, args_len) == 0);
        insist(caprun_call_reply(run, call, args, args_len) == CAPRUN_E_STATE);
        break;
    case 't':
        insist(caprun_call_reply_tool(run, call, args, args_len) == 0);
        break;
    case 'f':
        insist(caprun_call_fail(run, call, args, args_len) == 0);
        break;
    case 'c':
        caprun_cancel(run);
        break;
    case 's':
        if (run_count < RUNS - 1)
            (void)start_run("s", 1, &(struct input){0});
        break;
    default:
        break;
    }
}

static void hear_line(void *run, const char *line, size_t len)
{
    if (len && line[0] == 'C')
        caprun_cancel(run);
}

static struct known *start_run(const char *code, uint8_t how, struct input *in)
{
    struct known *known = &runs[run_count];
    struct caprun_run *run;
    char args[32];
    int r;

    insist(caprun_run_new(rt, &run) == 0);
    *known = (struct known){.run = run, .frees = how & 1};
    (void)snprintf(args, sizeof(args), "{\"run\":%zu}", run_count++);
    insist(caprun_run_set_code(run, code, strlen(code)) == 0);
    insist(caprun_run_set_args(run, args, strlen(args)) == 0);
    caprun_run_set_event(run, hear_event, known);
    caprun_run_set_log(run, hear_line, run);
    if (!(how & 2))
        caprun_run_set_handler(run, hear_call, NULL);
    caprun_run_set_stop_when_denied(run, how & 4);
    if (how & 8) {
        insist(caprun_run_set_timeout(run, input_byte(in) * 8u) == 0);
        insist(caprun_run_set_call_timeout(run, input_byte(in)) == 0);
        insist(caprun_run_set_cpu(run, input_byte(in)) == 0);
    }
    if (how & 16)
        insist(caprun_run_set_memory(run, 1u << input_byte(in) % 30) == 0);
    r = caprun_start(run);
    insist(r == 0 || r == CAPRUN_E_BUSY);
    if (r < 0) {
        caprun_run_free(run);
        known->run = NULL;
    }
    return known;
}

/* --- sending to the host ------------------------------------------------------------------ */

/* Must the run succeed with this frame? Its worker obeyed so far, and no timer is due soon. */
static bool has_to_succeed(const struct worker_end *w, unsigned type)
{
    const struct caprun_run *run = w->run >= 0 ? runs[w->run].run : NULL;

    return type == WIRE_DONE && w->obeys && run && run->state == CR_RUN_RUNNING &&
           run->timer.when_us > cr_loop_now() + SLACK_US;
}

static void step_some(unsigned times)
{
    while (times-- > 0) {
        caprun_step(rt);
        look_around();
    }
}

/* Sends the frame later with the next one, or now in two pieces, or only the first piece. */
static void send_frame(struct worker_end *w, bool succeeds, struct input *in)
{
    const struct cr_buf *b = &w->to_say;
    const struct known *known = &runs[w->run >= 0 ? w->run : 0];
    uint8_t how = input_byte(in);
    size_t first = how >= 0xe0 ? input_number(in) % (b->len + 1) : b->len;

    if (how >= 0xc0 && how < 0xe0)
        return;
    say(w, b->data, first);
    succeeds &= w->obeys && how < 0xf0;
    w->obeys &= how < 0xf0;
    if (first < b->len) {
        caprun_step(rt);
        if (how < 0xf0)
            say(w, b->data + first, b->len - first);
    }
    cr_buf_drop(&w->to_say, b->len);
    if (!succeeds)
        return;
    step_some(4);
    insist(known->ended && known->outcome == CAPRUN_OUTCOME_SUCCESS);
}

static void make_frame(struct worker_end *w, struct input *in)
{
    unsigned type = bent_frame(w, in);

    send_frame(w, has_to_succeed(w, type), in);
    /* an honest worker sends nothing after its last frame */
    w->obeys &= type == WIRE_CALL || type == WIRE_LOG || type == WIRE_IDLE;
}

/* --- operations of the application -------------------------------------------------------- */

static void answer_call(struct known *known, struct input *in)
{
    static char large[300 << 10];
    uint32_t call = bend(1 + input_byte(in) % (known->call_count + 1), in);
    uint8_t how = input_byte(in);
    struct input text = input_text(in);
    const char *json = (const char *)text.at;
    size_t len = text.len;
    int r;

    if (!large[0])
        memcpy(memset(large, ' ', sizeof(large)), "7", 1);
    if (how & 4) {
        json = how & 8 ? large : "{}";
        len = how & 8 ? sizeof(large) : 2;
    }
    r = how & 1   ? caprun_call_fail(known->run, call, json, len)
        : how & 2 ? caprun_call_reply_tool(known->run, call, json, len)
                  : caprun_call_reply(known->run, call, json, len);
    insist(r == 0 || r == CAPRUN_E_STATE || r == CAPRUN_E_INVAL || r == CAPRUN_E_TOOBIG);
    insist(r == CAPRUN_E_STATE || (known->call_count >= call && known->run->worker));
}

static void let_time_pass(struct input *in)
{
    static const uint32_t ms[] = {1, 2, 10, 30, 200, 1000, 2000, 10000, 30000, 60000, 300000};
    uint8_t which = input_byte(in);

    fake.cpu_us += input_byte(in) * 10000;
    fake_pass(pool->loop, (int64_t)ms[which % 11] * 1000);
    caprun_step(rt);
}

static void cancel_run(struct known *known, uint8_t how)
{
    if (how & 1) {
        caprun_run_free(known->run);
        known->run = NULL;
    } else {
        caprun_cancel(known->run);
    }
}

static void operate(struct input *in)
{
    uint8_t what = input_byte(in), which = input_byte(in);
    struct known *known = &runs[which % RUNS];
    struct zygote_end *z = &zygotes[which % ZYGOTES];
    struct worker_end *w = &workers[which % WORKERS];

    what %= 16;
    if (what == 0)
        step_some(which % 4 + 1u);
    else if (what == 1)
        let_time_pass(in);
    else if (what == 2 && run_count < RUNS - 1)
        (void)start_run(which & 0x80 ? "a" : "b", which, in);
    else if (what == 3 && known->run)
        cancel_run(known, input_byte(in));
    else if (what == 4 && known->run)
        answer_call(known, in);
    else if (what == 5)
        do_duties();
    else if (what == 6 && z->control >= 0)
        bent_packet(z, in);
    else if (what == 7 && z->control >= 0)
        end_zygote(z);
    else if (what == 8 && w->fd >= 0)
        end_worker(w);
    else if (what == 9)
        fake_set_world(which);
    else if (what == 10)
        (void)caprun_warm(rt);
    else if (what == 11 && w->fd >= 0)
        hear(w);
    else if (w->fd >= 0)
        make_frame(w, in);
}

/* --- the whole input ---------------------------------------------------------------------- */

static size_t kept_by(const struct caprun_run *run)
{
    return run->logs.cap + run->blocked.cap + run->attempts.cap + run->attempt_words.cap +
           run->result.cap + run->envelope.cap + run->calls_done.cap + run->error.message.cap +
           run->error.stack.cap + run->call_cap * sizeof(struct cr_call);
}

static void check_runs(void)
{
    for (size_t i = 0; i < run_count; i++) {
        const struct caprun_run *run = runs[i].run;

        if (!run)
            continue;
        insist(caprun_done(run) || fake_is_looked_after(run));
        insist(kept_by(run) <= (64 << 10) + 512 * input_size);
        /* the longest frame has a little over 16 MiB, and buffers grow by doubling */
        insist(!run->worker || run->worker->in.cap <= (32 << 20));
    }
}

static void end_everything(void)
{
    for (size_t i = 0; i < run_count; i++)
        caprun_run_free(runs[i].run);
    for (size_t i = 0; i < ZYGOTES; i++)
        end_zygote(&zygotes[i]);
    fake_set_world(2);
    run_count = 0;
}

/* An honest run with new code must succeed, whatever happened before. */
static void run_honestly(void)
{
    static const char bytes[] = "[42]";
    struct wire_header done = {.length = 4, .type = WIRE_DONE};
    struct known *known;

    /* the end of all earlier workers counts as a failure, too: wait until the pause after it is
     * over */
    for (int i = 0; i < 4; i++) {
        fake_pass(pool->loop, 2000000);
        step_some(1);
        do_duties();
    }
    known = start_run("honest", 0, &(struct input){0});
    for (int i = 0; i < 100 && !known->ended; i++) {
        do_duties();
        step_some(2);
        for (struct worker_end *w = workers; w < workers + WORKERS; w++) {
            if (w->fd >= 0)
                hear(w);
            if (w->fd < 0 || w->run < 0)
                continue;
            say(w, &done, sizeof(done));
            say(w, bytes, 4);
        }
        fake_pass(pool->loop, 50000);
    }
    insist(known->ended && known->outcome == CAPRUN_OUTCOME_SUCCESS);
}

static void begin(struct input *in)
{
    struct caprun_run *any;
    uint8_t sizes = input_byte(in);

    fake.now_us = 1000000; /* in the past, so that the kernel's timers never wait */
    fake_set_world(2);
    insist(caprun_new(&rt) == 0 && caprun_set_worker(rt, "/nowhere") == 0);
    insist(caprun_set_warm(rt, sizes & 3 ? sizes & 3 : CAPRUN_WARM_NONE) == 0);
    insist(caprun_set_max_workers(rt, 1 + (sizes >> 2 & 3)) == 0);
    insist(caprun_set_max_waiting(rt, 1 + (sizes >> 4 & 3)) == 0);
    insist(caprun_set_fresh_program(rt, sizes >> 6 & 1) == 0);
    insist(caprun_run_new(rt, &any) == 0);
    pool = any->pool;
    caprun_run_free(any);
    run_count = 0;
    for (size_t i = 0; i < RUNS; i++)
        runs[i].run = NULL;
    for (size_t i = 0; i < ZYGOTES; i++)
        zygotes[i].control = -1;
    for (size_t i = 0; i < WORKERS; i++)
        workers[i] = (struct worker_end){.fd = -1};
    fake.spawn = spawn_zygote;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    int open_before = fake_count_descriptors();

    input_size = size;
    begin(&in);
    while (in.len) {
        operate(&in);
        look_around();
        check_runs();
    }
    end_everything();
    run_honestly();
    end_everything();
    caprun_free(rt);
    memset(&fake, 0, sizeof(fake));
    insist(fake_count_descriptors() == open_before);
    return 0;
}
