/*
 * by_name.c - a host that runs capabilities by their names, and does other work meanwhile.
 *
 *     cc by_name.c $(pkg-config --cflags --libs caprun)
 *     ./a.out .caprun.json acme.tools.text.count '{"text": "to be"}' acme.tools.text.slug ...
 *
 * Loads all capabilities at once from the registries of the configuration. Prints the envelope of
 * each run when it ends, and other messages to standard error. The exit status is that of the last
 * failed run.
 */
#define _POSIX_C_SOURCE 200809L
#include <caprun.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define TICK_MS 100

struct app {
    struct caprun_runtime *rt;
    int going_on; /* number of runs */
    int status;
};

/* Text from a registry is untrusted: escape it for a terminal. */
static void hear_loading(void *data, struct caprun_run *run, enum caprun_loading what,
                         const char *text, uint64_t got, uint64_t total)
{
    static const char *const words[] = {"",         "fetching", "not reached",
                                        "not kept", "loaded",   "pinned"};

    (void)data;
    fprintf(stderr, "%s: %s %s", caprun_get_id(run), words[what], text);
    if (what == CAPRUN_LOADING_FETCH)
        fprintf(stderr, ", %lu of %lu bytes", (unsigned long)got, (unsigned long)total);
    fputc('\n', stderr);
}

static void hear_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    struct app *app = data;
    const char *envelope;

    (void)call;
    if (what != CAPRUN_EVENT_ENDED)
        return;
    envelope = caprun_result_json(run, NULL);
    puts(envelope ? envelope : "no memory");
    if (caprun_get_outcome(run) != CAPRUN_OUTCOME_SUCCESS)
        app->status = caprun_outcome_status(caprun_get_outcome(run));
    app->going_on--;
    caprun_run_free(run);
}

/* The capability is loaded after the start; any failure is the outcome of the run. */
static int start(struct app *app, const char *name, const char *args)
{
    struct caprun_run *run = NULL;
    int r = caprun_run_new(app->rt, &run);

    if (r == 0)
        r = caprun_run_load(run, name);
    if (r == 0)
        r = caprun_run_set_args(run, args, strlen(args));
    if (r == 0) {
        caprun_run_set_loading(run, hear_loading, NULL);
        caprun_run_set_event(run, hear_event, app);
        r = caprun_start(run);
    }
    if (r == 0)
        app->going_on++;
    else
        caprun_run_free(run);
    return r;
}

static void go_on_until_all_have_ended(struct app *app)
{
    struct pollfd fd = {.fd = caprun_fd(app->rt), .events = POLLIN};
    unsigned ticks = 0;

    while (app->going_on) {
        if (poll(&fd, 1, TICK_MS) > 0)
            caprun_step(app->rt); /* never waits: not for a disk, a server or a name */
        else
            fprintf(stderr, "tick %u\n", ++ticks); /* the program's other work */
    }
}

int main(int argc, char **argv)
{
    struct app app = {.status = 0};
    int r;

    if (argc < 4 || argc % 2 != 0) {
        fputs("usage: by_name CONFIG NAME ARGS [NAME ARGS]...\n", stderr);
        return 2;
    }
    if (caprun_new(&app.rt) < 0) {
        fputs("cannot make a runtime\n", stderr);
        return 70;
    }
    r = caprun_set_config(app.rt, argv[1]);
    for (int i = 2; r == 0 && i < argc; i += 2)
        r = start(&app, argv[i], argv[i + 1]);
    if (r < 0) {
        fprintf(stderr, "it did not run: %s\n", caprun_error(app.rt));
        app.status = 70;
    }
    go_on_until_all_have_ended(&app);
    caprun_free(app.rt);
    return app.status;
}
