/*
 * whole_program.c - a whole program: an event loop, and a handler that answers the code's calls.
 *
 *     cc whole_program.c $(pkg-config --cflags --libs caprun) && ./a.out
 *
 * Prints the result, or the envelope of a run that failed.
 */
#include <caprun.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

static const char code[] = "const rooms = await mcp.house.rooms();\n"
                           "await mcp.house.heat({room: rooms[0], degrees: args.degrees});\n"
                           "return `${rooms[0]} is warm`;\n";
static const char code_args[] = "{\"degrees\": 21}";

/* Gets each call of the code. The args are JSON; what is not known here is refused. */
static void handle_call(void *data, struct caprun_run *run, uint32_t call, const char *method,
                        const char *args, size_t args_len)
{
    static const char rooms[] = "[\"kitchen\", \"hall\"]", unknown[] = "there is no such method";

    (void)data;
    if (strcmp(method, "house:rooms") == 0) {
        (void)caprun_call_reply(run, call, rooms, strlen(rooms));
    } else if (strcmp(method, "house:heat") == 0) {
        printf("heat %.*s\n", (int)args_len, args); /* stands for the real work */
        (void)caprun_call_reply(run, call, "true", strlen("true"));
    } else {
        (void)caprun_call_fail(run, call, unknown, strlen(unknown));
    }
}

static int start(struct caprun_run *run)
{
    int r;

    caprun_run_set_handler(run, handle_call, NULL);
    r = caprun_run_set_code(run, code, strlen(code));
    if (r == 0)
        r = caprun_run_set_args(run, code_args, strlen(code_args));
    if (r == 0)
        r = caprun_run_set_timeout(run, 10000);
    if (r == 0)
        r = caprun_start(run);
    return r;
}

/* Returns 0 when the run has ended. Other descriptors of the program belong into the same poll().
 */
static int loop(struct caprun_runtime *rt, struct caprun_run *run)
{
    struct pollfd fd = {.fd = caprun_fd(rt), .events = POLLIN};

    while (!caprun_done(run)) {
        if (poll(&fd, 1, -1) < 0 && errno != EINTR)
            return -1;
        caprun_step(rt); /* calls handle_call(), and never waits */
    }
    return 0;
}

int main(void)
{
    struct caprun_runtime *rt = NULL;
    struct caprun_run *run = NULL;
    const char *envelope;
    int status = 70;

    if (caprun_new(&rt) < 0) {
        fputs("cannot make a runtime\n", stderr);
        return status;
    }
    if (caprun_run_new(rt, &run) < 0 || start(run) < 0) {
        fprintf(stderr, "it did not start: %s\n", caprun_error(rt));
    } else if (loop(rt, run) < 0) {
        perror("poll");
    } else {
        status = caprun_outcome_status(caprun_get_outcome(run));
        envelope = caprun_result_json(run, NULL);
        puts(status == 0 ? caprun_get_result(run, NULL) : envelope ? envelope : "no memory");
    }
    caprun_run_free(run);
    caprun_free(rt);
    return status;
}
