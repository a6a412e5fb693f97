/*
 * large_answers.c - a program that answers a call with many bytes, and tells how much memory that
 * took at the most.
 *
 *     large_answers WORKER BYTES reply|give|hold
 *
 * Prints the length that the code saw, and the KiB by which the program's peak grew. "hold" frees
 * nothing and is what must be seen: a copy of all of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caprun.h"
#include "process.h"

struct answer {
    size_t len;
    const char *how;
};

static char *held;

static char *make(size_t len)
{
    char *text = malloc(len);

    if (text) {
        memset(text, 'x', len);
        text[0] = text[len - 1] = '"';
    }
    return text;
}

static void answer(void *data, struct caprun_run *run, uint32_t call, const char *method,
                   const char *args, size_t args_len)
{
    const struct answer *a = data;
    char *text = make(a->len);

    (void)method;
    (void)args;
    (void)args_len;
    if (!text)
        return;
    if (strcmp(a->how, "give") == 0) {
        (void)caprun_call_give(run, call, text, a->len);
        return;
    }
    (void)caprun_call_reply(run, call, text, a->len);
    free(held);
    held = text;
    if (strcmp(a->how, "reply") == 0) {
        free(held);
        held = NULL;
    }
}

int main(int argc, char **argv)
{
    static const char code[] = "return (await mcp.a.b()).length";
    struct answer a = {argc == 4 ? strtoul(argv[2], NULL, 10) : 0, argv[argc - 1]};
    struct caprun_runtime *rt;
    struct caprun_run *run;
    long before = peak_kib();

    if (argc != 4 || caprun_new(&rt) < 0 || caprun_set_worker(rt, argv[1]) < 0 ||
        caprun_run_new(rt, &run) < 0 || caprun_run_set_code(run, code, sizeof(code) - 1) < 0)
        return 2;
    caprun_run_set_handler(run, answer, &a);
    if (caprun_run(run) < 0 || caprun_get_outcome(run) != CAPRUN_OUTCOME_SUCCESS) {
        (void)fprintf(stderr, "%s\n", caprun_result_json(run, NULL));
        return 1;
    }
    printf("%s %ld\n", caprun_get_result(run, NULL), peak_kib() - before);
    caprun_run_free(run);
    caprun_free(rt);
    free(held);
    return 0;
}
