/*
 * recorded.h - runs the real worker, and records journals in the directory of scratch.h.
 *
 *     begin -> new_run, record -> ends -> end
 *
 * Calls of "a:echo" are answered with their args, calls of "a:fail" fail, calls of "a:never" are
 * never answered; |asked| counts all calls.
 */
#ifndef RECORDED_H
#define RECORDED_H

#include <errno.h>
#include <stdint.h>

#include "run/run_parts.h"
#include "scratch.h"
#include "tap.h"

static struct caprun_runtime *rt;
static struct caprun_run *run;
static int asked;

static inline void answer(void *data, struct caprun_run *one, uint32_t call, const char *method,
                          const char *args, size_t args_len)
{
    (void)data;
    asked++;
    if (strcmp(method, "a:echo") == 0)
        (void)caprun_call_reply(one, call, args, args_len);
    else if (strcmp(method, "a:fail") == 0)
        (void)caprun_call_fail(one, call, "no", 2);
}

static inline bool begin(void)
{
    caprun_run_free(run); /* may be left from a failed test */
    caprun_free(rt);
    if (rt)
        scratch_end();
    rt = NULL;
    run = NULL;
    asked = 0;
    return scratch_begin() && caprun_new(&rt) == 0 &&
           caprun_set_worker(rt, built_program("caprun-worker")) == 0 &&
           caprun_set_warm(rt, CAPRUN_WARM_NONE) == 0;
}

/* Returns false if a child is left. */
static inline bool end(void)
{
    caprun_run_free(run);
    run = NULL;
    caprun_free(rt);
    rt = NULL;
    scratch_end();
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* Replaces |run| by a new run; |code| may be NULL. */
static inline bool new_run(const char *code)
{
    caprun_run_free(run);
    run = NULL;
    if (caprun_run_new(rt, &run) < 0)
        return false;
    caprun_run_set_handler(run, answer, NULL);
    return !code || caprun_run_set_code(run, code, strlen(code)) == 0;
}

/* Plays |run| to its end, and checks its outcome. */
static inline bool ends(enum caprun_outcome outcome)
{
    const char *message;
    int r = caprun_run(run);

    if (r == 0 && caprun_get_outcome(run) == outcome)
        return true;
    message = r == 0 ? caprun_get_message(run, NULL) : caprun_error(rt);
    printf("# wanted %s, got %s: %.600s\n", caprun_outcome_name(outcome),
           caprun_outcome_name(caprun_get_outcome(run)), message ? message : "");
    return false;
}

/* Records |code| to the file |name|. */
static inline bool record(const char *name, const char *code, enum caprun_outcome outcome)
{
    return new_run(code) && caprun_run_record(run, path_of(name)) == 0 && ends(outcome);
}

#endif
