/*
 * answers_calls.c - a host that answers the calls of the code it runs: at once, or later.
 *
 *     cc answers_calls.c $(pkg-config --cflags --libs caprun) -pthread && ./a.out
 *
 * The runtime belongs to the main thread. A helper thread does the long work: it takes jobs from a
 * list and marks them as finished. Then the main thread answers the calls.
 */
#define _POSIX_C_SOURCE 200809L
#include <caprun.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char default_code[] =
    "const [now, day] = await Promise.all([mcp.clock.now(), mcp.report.day()]);\n"
    "const found = await mcp.notes.search({words: 'tea'});\n"
    "const failures = [];\n"
    "for (const call of [mcp.notes.remove, mcp.report.decade, mcp.report.century])\n"
    "    await call().catch(e => failures.push(`${e.code}: ${e.message}`));\n"
    "return {now: typeof now.seconds, day, found, failures};\n";

/* --- the helper thread ----------------------------------------------------------------------- */

struct job {
    struct caprun_run *run;
    uint32_t call;
    int steps_left;
    int finished; /* set by the helper; only the main thread adds and removes jobs */
    int lost;     /* set by the main thread: the answer is no longer needed */
    struct job *next;
};

struct desk {
    struct caprun_runtime *rt;
    pthread_mutex_t lock; /* protects everything below */
    pthread_cond_t changed;
    struct job *jobs;
    int closed;
};

/* Waits for a job with work left. Returns NULL at the end. Called with the lock held. */
static struct job *next_job(struct desk *desk)
{
    while (!desk->closed) {
        for (struct job *job = desk->jobs; job; job = job->next)
            if (!job->finished)
                return job;
        pthread_cond_wait(&desk->changed, &desk->lock);
    }
    return NULL;
}

static void *help(void *data)
{
    const struct timespec step = {0, 10 * 1000 * 1000};
    struct desk *desk = data;
    struct job *job;

    pthread_mutex_lock(&desk->lock);
    while ((job = next_job(desk)) != NULL) {
        while (job->steps_left > 0 && !job->lost && !desk->closed) {
            pthread_mutex_unlock(&desk->lock);
            nanosleep(&step, NULL); /* stands for a part of the work */
            pthread_mutex_lock(&desk->lock);
            job->steps_left--;
        }
        job->finished = 1;
        caprun_wake(desk->rt); /* ends the main thread's caprun_wait() */
    }
    pthread_mutex_unlock(&desk->lock);
    return NULL;
}

static void answer_later(struct desk *desk, struct caprun_run *run, uint32_t call, int steps)
{
    static const char sorry[] = "no memory";
    struct job *job = calloc(1, sizeof(*job)), **end = &desk->jobs;

    if (!job) {
        (void)caprun_call_fail(run, call, sorry, strlen(sorry));
        return;
    }
    job->run = run;
    job->call = call;
    job->steps_left = steps;
    pthread_mutex_lock(&desk->lock);
    while (*end)
        end = &(*end)->next;
    *end = job;
    pthread_cond_signal(&desk->changed);
    pthread_mutex_unlock(&desk->lock);
}

/* Removes a finished job from the list and returns it; NULL if no job is finished. */
static struct job *take_finished(struct desk *desk)
{
    struct job **at = &desk->jobs, *job;

    pthread_mutex_lock(&desk->lock);
    while (*at && !(*at)->finished)
        at = &(*at)->next;
    job = *at;
    if (job)
        *at = job->next;
    pthread_mutex_unlock(&desk->lock);
    return job;
}

static void answer_finished(struct desk *desk)
{
    static const char report[] = "\"all quiet\"";
    struct job *job;

    while ((job = take_finished(desk)) != NULL) {
        if (!job->lost && caprun_call_reply(job->run, job->call, report, strlen(report)) < 0)
            fprintf(stderr, "call %" PRIu32 ": %s\n", job->call, caprun_error(desk->rt));
        free(job);
    }
}

/* --- the callbacks --------------------------------------------------------------------------- */

static void answer_now(struct caprun_run *run, uint32_t call)
{
    char json[64];
    int len = snprintf(json, sizeof(json), "{\"seconds\":%lld}", (long long)time(NULL));

    (void)caprun_call_reply(run, call, json, (size_t)len);
}

static void handle_call(void *data, struct caprun_run *run, uint32_t call, const char *method,
                        const char *args, size_t args_len)
{
    static const char notes[] = "{\"content\":[{\"type\":\"text\",\"text\":\"two notes\"}],"
                                "\"structuredContent\":{\"notes\":[\"buy tea\",\"drink tea\"]}}";
    static const char locked[] =
        "{\"content\":[{\"type\":\"text\",\"text\":\"the notes are locked\"}],\"isError\":true}";
    static const char unknown[] = "there is no such method";
    struct desk *desk = data;

    (void)args; /* a real program would parse them; they are well-formed JSON */
    printf("call %" PRIu32 ": %s, with %zu bytes of args\n", call, method, args_len);
    if (strcmp(method, "clock:now") == 0)
        answer_now(run, call);
    else if (strcmp(method, "report:day") == 0)
        answer_later(desk, run, call, 5);
    else if (strcmp(method, "report:decade") == 0)
        answer_later(desk, run, call, 20000); /* longer than the code will wait */
    else if (strcmp(method, "notes:search") == 0)
        (void)caprun_call_reply_tool(run, call, notes, strlen(notes));
    else if (strcmp(method, "notes:remove") == 0)
        (void)caprun_call_reply_tool(run, call, locked, strlen(locked));
    else
        (void)caprun_call_fail(run, call, unknown, strlen(unknown));
}

static void handle_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    struct desk *desk = data;

    if (what != CAPRUN_EVENT_CALL_LOST)
        return;
    printf("call %" PRIu32 " is lost\n", call);
    pthread_mutex_lock(&desk->lock);
    for (struct job *job = desk->jobs; job; job = job->next)
        if (job->run == run && job->call == call)
            job->lost = 1; /* the helper sees it before its next step */
    pthread_mutex_unlock(&desk->lock);
}

/* --- the run --------------------------------------------------------------------------------- */

static int start(struct desk *desk, struct caprun_run *run, const char *code)
{
    int r;

    caprun_run_set_handler(run, handle_call, desk);
    caprun_run_set_event(run, handle_event, desk);
    r = caprun_run_set_code(run, code, strlen(code));
    if (r == 0)
        r = caprun_run_set_call_timeout(run, 500);
    if (r == 0)
        r = caprun_start(run);
    return r;
}

static int run_to_its_end(struct desk *desk, const char *code)
{
    struct caprun_run *run = NULL;
    const char *envelope = NULL;
    int status = 70;

    if (caprun_run_new(desk->rt, &run) == 0 && start(desk, run, code) == 0) {
        while (!caprun_done(run)) {
            caprun_wait(desk->rt, -1);
            caprun_step(desk->rt);
            answer_finished(desk);
        }
        envelope = caprun_result_json(run, NULL);
        status = caprun_outcome_status(caprun_get_outcome(run));
    }
    if (envelope)
        puts(envelope);
    else
        fprintf(stderr, "it did not run: %s\n", caprun_error(desk->rt));
    caprun_run_free(run);
    return status;
}

/* Stops the helper; after that the jobs are not used. */
static void close_desk(struct desk *desk, pthread_t helper)
{
    pthread_mutex_lock(&desk->lock);
    desk->closed = 1;
    pthread_cond_signal(&desk->changed);
    pthread_mutex_unlock(&desk->lock);
    pthread_join(helper, NULL);
    while (desk->jobs) {
        struct job *next = desk->jobs->next;

        free(desk->jobs);
        desk->jobs = next;
    }
}

int main(int argc, char **argv)
{
    struct desk desk = {NULL, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};
    pthread_t helper;
    int status = 70;

    if (caprun_new(&desk.rt) < 0) {
        fputs("cannot make a runtime\n", stderr);
        return status;
    }
    if (pthread_create(&helper, NULL, help, &desk) == 0) {
        status = run_to_its_end(&desk, argc > 1 ? argv[1] : default_code);
        close_desk(&desk, helper);
    } else {
        fputs("cannot start a thread\n", stderr);
    }
    caprun_free(desk.rt); /* after the helper, which calls caprun_wake() */
    return status;
}
