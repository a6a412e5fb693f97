/*
 * own_loop.c - a host with its own event loop: a hundred runs at once, and a clock that ticks.
 *
 *     cc own_loop.c $(pkg-config --cflags --libs caprun) && ./a.out
 *
 * 200 runs of seven kinds. 100 have a worker at the same time, 20 wait in the library's queue, and
 * this program starts the others when there is room. The exit status is 0 if every run ended as
 * expected for its kind.
 */
#define _POSIX_C_SOURCE 200809L
#include <caprun.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define AT_ONCE 100
#define WAITING 20
#define RUNS 200
#define MIB (1024 * 1024)

/* Limits are in milliseconds and bytes; 0 means the default. */
static const struct kind {
    const char *name;
    int count;
    enum caprun_outcome expected;
    uint64_t timeout, cpu, memory;
    const char *code;
} kinds[] = {
    {"is cancelled", 1, CAPRUN_OUTCOME_CANCELLED, 0, 0, 0,
     "await new Promise(done => setTimeout(done, 60000))"},
    {"sleeps too long", 20, CAPRUN_OUTCOME_EXECUTION_TIMEOUT, 200, 0, 0,
     "await new Promise(done => setTimeout(done, 60000))"},
    {"computes too long", 5, CAPRUN_OUTCOME_CPU_TIMEOUT, 0, 50, 0, "for (;;);"},
    {"takes too much", 5, CAPRUN_OUTCOME_MEMORY_LIMIT, 0, 0, 16 * MIB,
     "const all = []; for (;;) all.push(new Array(1000).fill(0))"},
    {"reaches out", 9, CAPRUN_OUTCOME_PERMISSION_DENIED, 0, 0, 0,
     "await fetch('https://example.com/')"},
    {"sleeps", 60, CAPRUN_OUTCOME_SUCCESS, 0, 0, 0,
     "await new Promise(done => setTimeout(done, 50)); return args.n"},
    {"computes", 100, CAPRUN_OUTCOME_SUCCESS, 0, 0, 0, "return args.n"},
};

struct job {
    struct app *app;
    const struct kind *kind;
    struct caprun_run *run; /* NULL after its end */
    int n;
};

struct app {
    struct caprun_runtime *rt;
    int epoll, clock;
    struct job jobs[RUNS];
    int started, ended, as_expected;
    int ticks;
};

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return -1;
}

/* --- runs ------------------------------------------------------------------------------------ */

static int is_expected(const struct job *job, struct caprun_run *run)
{
    const char *result = caprun_get_result(run, NULL);
    enum caprun_outcome outcome = caprun_get_outcome(run);

    if (outcome != job->kind->expected)
        return 0;
    return outcome != CAPRUN_OUTCOME_SUCCESS || (result && strtol(result, NULL, 10) == job->n);
}

static void handle_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    struct job *job = data;
    const char *envelope;

    (void)call;
    if (what != CAPRUN_EVENT_ENDED)
        return;
    if (is_expected(job, run)) {
        job->app->as_expected++;
    } else {
        envelope = caprun_result_json(run, NULL);
        (void)complain(job->kind->name, envelope ? envelope : "no memory");
    }
    job->app->ended++;
    job->run = NULL;
    caprun_run_free(run); /* only in this event it may be freed */
}

static int set_up(struct job *job)
{
    const struct kind *kind = job->kind;
    char args[32];
    int len = snprintf(args, sizeof(args), "{\"n\":%d}", job->n);

    if (caprun_run_new(job->app->rt, &job->run) < 0)
        return -1;
    caprun_run_set_event(job->run, handle_event, job);
    if (caprun_run_set_code(job->run, kind->code, strlen(kind->code)) < 0 ||
        caprun_run_set_args(job->run, args, (size_t)len) < 0 ||
        caprun_run_set_timeout(job->run, kind->timeout) < 0 ||
        caprun_run_set_cpu(job->run, kind->cpu) < 0 ||
        caprun_run_set_memory(job->run, kind->memory) < 0)
        return -1;
    return 0;
}

/* Starts as many runs as the library accepts now. */
static int start_more(struct app *app)
{
    while (app->started < RUNS) {
        int r = caprun_start(app->jobs[app->started].run);

        if (r == CAPRUN_E_BUSY)
            return 0; /* try again when some runs have ended */
        if (r < 0)
            return complain("caprun_start", caprun_error(app->rt));
        app->started++;
    }
    return 0;
}

static int make_jobs(struct app *app)
{
    int n = 0;

    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (int i = 0; i < kinds[k].count; i++, n++) {
            app->jobs[n].app = app;
            app->jobs[n].kind = &kinds[k];
            app->jobs[n].n = n;
            if (set_up(&app->jobs[n]) < 0)
                return complain("a run", caprun_error(app->rt));
        }
    }
    return 0;
}

/* --- the loop -------------------------------------------------------------------------------- */

static void tick(struct app *app)
{
    uint64_t times;

    if (read(app->clock, &times, sizeof(times)) != (ssize_t)sizeof(times))
        return;
    app->ticks++;
    printf("tick %d: %d of %d have ended, %d run, %d wait\n", app->ticks, app->ended, RUNS,
           (int)caprun_count(app->rt, CAPRUN_COUNT_RUNNING),
           (int)caprun_count(app->rt, CAPRUN_COUNT_WAITING));
    if (app->ticks == 2 && app->jobs[0].run)
        caprun_cancel(app->jobs[0].run);
}

static int loop(struct app *app)
{
    while (app->ended < RUNS) {
        struct epoll_event events[2];
        int count = epoll_wait(app->epoll, events, 2, -1);

        if (count < 0 && errno != EINTR)
            return complain("epoll_wait", strerror(errno));
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == app->clock) {
                tick(app);
                continue;
            }
            caprun_step(app->rt);
            if (start_more(app) < 0)
                return -1;
        }
    }
    return 0;
}

static int watch(struct app *app, int fd)
{
    struct epoll_event event = {0};

    event.events = EPOLLIN;
    event.data.fd = fd;
    return epoll_ctl(app->epoll, EPOLL_CTL_ADD, fd, &event);
}

static int open_all(struct app *app)
{
    const struct itimerspec often = {{0, 100 * 1000 * 1000}, {0, 100 * 1000 * 1000}};

    if (caprun_new(&app->rt) < 0)
        return complain("caprun_new", "cannot make a runtime");
    if (caprun_set_max_workers(app->rt, AT_ONCE) < 0 ||
        caprun_set_max_waiting(app->rt, WAITING) < 0 || caprun_set_memory(app->rt, 64 * MIB) < 0)
        return complain("the pool", caprun_error(app->rt));
    app->epoll = epoll_create1(EPOLL_CLOEXEC);
    app->clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (app->epoll < 0 || app->clock < 0 || timerfd_settime(app->clock, 0, &often, NULL) < 0 ||
        watch(app, app->clock) < 0 || watch(app, caprun_fd(app->rt)) < 0)
        return complain("the loop", strerror(errno));
    return 0;
}

/* Frees the runs first, then their runtime. */
static void close_all(struct app *app)
{
    for (int i = 0; i < RUNS; i++)
        caprun_run_free(app->jobs[i].run);
    caprun_free(app->rt);
    if (app->clock >= 0)
        (void)close(app->clock);
    if (app->epoll >= 0)
        (void)close(app->epoll);
}

int main(void)
{
    static struct app app = {.epoll = -1, .clock = -1};
    int r = open_all(&app);

    if (r == 0)
        r = make_jobs(&app);
    if (r == 0)
        r = start_more(&app);
    if (r == 0)
        r = loop(&app);
    close_all(&app);
    printf("%d of %d as expected\n", app.as_expected, RUNS);
    return r == 0 && app.as_expected == RUNS ? 0 : 1;
}
