/*
 * smallest_host.c - the smallest program that runs untrusted code.
 *
 *     cc smallest_host.c $(pkg-config --cflags --libs caprun) && ./a.out 'return args.a + 1'
 *
 * Prints the envelope. The exit status is that of the caprun command.
 */
#include <caprun.h>
#include <stdio.h>
#include <string.h>

static int run_code(struct caprun_run *run, const char *code)
{
    static const char args[] = "{\"a\": 41}";
    int r;

    r = caprun_run_set_code(run, code, strlen(code));
    if (r == 0)
        r = caprun_run_set_args(run, args, strlen(args));
    if (r == 0)
        r = caprun_run(run); /* blocks until the run has ended, one way or another */
    return r;
}

int main(int argc, char **argv)
{
    struct caprun_runtime *rt = NULL;
    struct caprun_run *run = NULL;
    const char *envelope = NULL;
    int status = 70;

    if (caprun_new(&rt) < 0) {
        fputs("cannot make a runtime\n", stderr);
        return status;
    }
    if (caprun_run_new(rt, &run) == 0 &&
        run_code(run, argc > 1 ? argv[1] : "return args.a + 1") == 0)
        envelope = caprun_result_json(run, NULL);
    if (envelope) {
        puts(envelope);
        status = caprun_outcome_status(caprun_get_outcome(run));
    } else {
        fprintf(stderr, "it did not run: %s\n", caprun_error(rt));
    }
    caprun_run_free(run);
    caprun_free(rt);
    return status;
}
