/*
 * smallest_host.c - the smallest program that runs code it does not trust.
 *
 *     cc smallest_host.c $(pkg-config --cflags --libs caprun) && ./a.out 'return args.a + 1'
 */
#include <caprun.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const char args[] = "{\"a\": 41}";
    const char *code = argc > 1 ? argv[1] : "return args.a + 1";
    struct caprun_runtime *rt;
    struct caprun_run *run;
    size_t len;
    int status = 70;

    if (caprun_new(&rt) < 0)
        return status;
    if (caprun_run_new(rt, &run) == 0) {
        if (caprun_run_set_code(run, code, strlen(code)) == 0 &&
            caprun_run_set_args(run, args, strlen(args)) == 0 && caprun_run(run) == 0) {
            puts(caprun_result_json(run, &len));
            status = caprun_outcome_status(caprun_get_outcome(run));
        } else {
            fprintf(stderr, "%s\n", caprun_error(rt));
        }
        caprun_run_free(run);
    }
    caprun_free(rt);
    return status;
}
