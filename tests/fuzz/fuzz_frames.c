/*
 * fuzz_frames.c - fuzzes the host's state machine with any bytes as the output of a worker.
 *
 * The low six bits of the first byte are the size of the pieces in which the rest is sent (0: all
 * at once). Calls are answered unless the seventh bit is set; a READY comes first unless the eighth
 * is.
 *
 * What must hold: a run ends once or continues; its envelope is JSON; only JSON is a result; all
 * resources of a worker that has ended are freed.
 */
#include <stdint.h>

#include "caprun.h"

#include "fake_ends.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STEPS_MAX 200000

/* Receives the worker's socket, as the zygote does. */
static int take_socket(int control)
{
    struct wire_control packet;
    int fd;

    insist(wire_receive_packet(control, &packet, &fd, MSG_CMSG_CLOEXEC) == 1);
    insist(packet.kind == WIRE_CONTROL_FORK && fd >= 0);
    return fd;
}

static void feed(struct caprun_run *run, int fd, const uint8_t *data, size_t size, size_t piece)
{
    struct cr_buf heard;
    int steps = 0;

    cr_buf_init(&heard, 64u << 20);
    while (size && !caprun_done(run)) {
        ssize_t n =
            send(fd, data, piece && piece < size ? piece : size, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0 && errno != EAGAIN)
            break; /* the run waits for another worker */
        if (n > 0) {
            data += n;
            size -= (size_t)n;
        }
        cr_loop_step(run->loop, 0);
        (void)fake_hear(fd, &heard, NULL, NULL);
        insist(++steps < STEPS_MAX);
    }
    for (int i = 0; i < 64 && !caprun_done(run); i++)
        cr_loop_step(run->loop, 0);
    cr_buf_clear(&heard);
}

/* Answers a call; the first letter of the action selects how. */
static void answer(void *data, struct caprun_run *run, uint32_t call, const char *method,
                   const char *args, size_t args_len)
{
    (void)data;
    switch (method[0] % 6) {
    case 0:
        insist(caprun_call_reply(run, call, args, args_len) == 0);
        insist(caprun_call_reply(run, call, args, args_len) == CAPRUN_E_STATE);
        break;
    case 1:
        insist(caprun_call_reply_tool(run, call, args, args_len) == 0);
        break;
    case 2:
        insist(caprun_call_fail(run, call, args, args_len) == 0);
        break;
    case 3:
        caprun_cancel(run);
        break;
    default:
        break; /* never */
    }
}

static void check_end(struct caprun_run *run)
{
    size_t len, result_len;
    const char *envelope = caprun_result_json(run, &len);
    const char *result = caprun_get_result(run, &result_len);

    if (!caprun_done(run)) {
        insist(!envelope && fake_is_looked_after(run));
        return;
    }
    insist(envelope);
    fake_check_envelope(envelope, len);
    insist((caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS) == (result != NULL));
    insist(!result || cr_scan_json((const uint8_t *)result, result_len, CR_SCAN_PASS, NULL) == 0);
    insist(!run->worker && run->timer.when_us < 0);
}

static void check_pool(const struct cr_pool *pool)
{
    insist(!pool->stock.workers && !pool->running && !pool->memory && !pool->waiting &&
           !pool->waiting_count && pool->last_waiting == &pool->waiting);
}

static void do_nothing(struct cr_zygote *z)
{
    (void)z;
}

/* Adds a zygote to the pool. Returns the other end of its control socket. */
static int add_zygote(struct cr_pool *pool)
{
    struct cr_zygote *z = malloc(sizeof(*z));
    int control[2];

    insist(z && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0);
    *z = (struct cr_zygote){.loop = pool->loop,
                            .patience = {.when_us = -1},
                            .look = {.when_us = -1},
                            .changed = do_nothing,
                            .control = {.fd = control[0]},
                            .program_ended = {.fd = -1},
                            .ended = {.fd = -1},
                            .greeted = true,
                            .born_us = cr_loop_now()};
    pool->stock.zygotes = pool->stock.current = z;
    return control[1];
}

static struct caprun_run *new_run(struct caprun_runtime *rt)
{
    struct caprun_run *run;

    insist(caprun_set_worker(rt, "/nowhere") == 0);
    insist(caprun_set_warm(rt, CAPRUN_WARM_NONE) == 0);
    insist(caprun_run_new(rt, &run) == 0);
    insist(caprun_run_set_code(run, "1", 1) == 0);
    return run;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct wire_header ready = {.type = WIRE_READY};
    struct caprun_runtime *rt;
    struct caprun_run *run;
    struct cr_pool *pool;
    int control, fd;

    if (!size)
        return 0;
    insist(caprun_new(&rt) == 0);
    run = new_run(rt);
    pool = run->pool;
    if (!(data[0] & 0x40))
        caprun_run_set_handler(run, answer, NULL);
    control = add_zygote(pool);
    insist(caprun_start(run) == 0);
    cr_loop_step(run->loop, 0);
    insist(run->state == CR_RUN_STARTING);
    fd = take_socket(control);
    cr_worker_forked(run->worker, open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    if (!(data[0] & 0x80)) {
        insist(send(fd, &ready, sizeof(ready), MSG_NOSIGNAL) == (ssize_t)sizeof(ready));
        cr_loop_step(run->loop, 0);
        insist(run->state == CR_RUN_RUNNING); /* otherwise the host would ignore the rest */
    }
    feed(run, fd, data + 1, size - 1, data[0] & 0x3f);
    (void)close(fd);
    if (!caprun_done(run))
        cr_loop_step(run->loop, 0);
    check_end(run);
    caprun_cancel(run);
    check_end(run);
    check_pool(pool);
    caprun_run_free(run);
    caprun_free(rt);
    (void)close(control);
    return 0;
}
