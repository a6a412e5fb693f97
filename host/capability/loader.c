/*
 * loader.c - loads a capability: reads the lockfile, asks the registries, checks, pins, starts.
 *
 * The lockfile is read first: if it is unusable, the load ends before a registry is asked.
 */
#include "capability/loader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/watchdog.h"
#include "base/words.h"
#include "capability/deps.h"
#include "capability/give.h"
#include "capability/pinning.h"
#include "journal/replay.h"
#include "run/run.h"

#define MAX_UNGRANTED 2048u /* bytes of a sentence */

/* A job that prepares the directory where the run is recorded. */
struct placing {
    struct cr_job job;
    struct loader *loader; /* the helper thread must not use it */
    struct cr_recording_place place;
};

struct loader {
    struct cr_loader door;
    struct cr_capability_host *host;
    struct caprun_run *run;
    struct cr_loop *loop; /* the run's */
    char *name;
    const char *options;                                         /* for hints */
    void (*checked)(void *data, const struct cr_metadata *meta); /* may be NULL */
    void *checked_data;
    struct cr_recording *recording;
    struct cr_pin expected;
    bool is_expected; /* the run is resumed: the capability has to match |expected| */

    /* While the load is running. */
    struct cr_fqdn want;
    struct cr_task failed; /* ends the run with |why|, from the loop */
    struct cr_task start;  /* starts the run in a separate turn: large code takes long */
    struct cr_err why;
    struct cr_pinning *pinning;    /* NULL: the lockfile is not being read or written */
    struct cr_registry_load *load; /* NULL: not running */
    struct placing *placing;       /* NULL: not running */
    struct cr_pin pinned;          /* from the lockfile, if |is_pinned| */
    bool is_pinned;
    bool renews; /* the registry is in development: the pin is replaced */
    struct cr_capability c;
    bool has_capability;
    bool has_env;
};

static struct loader *loader_of(const struct caprun_run *run)
{
    return cr_container(cr_run_loader(run), struct loader, door);
}

/* --- the end of a load ----------------------------------------------------------------------- */

static void clear_loaded(struct loader *l)
{
    if (l->has_capability)
        cr_capability_clear(&l->c);
    l->has_capability = false;
}

/* Starting a thread takes longer than reading a directory; with no other run, blocking is fine. */
static void set_threadless(struct loader *l, bool on)
{
    if (l->host->is_alone)
        l->loop->disk.is_threadless = l->loop->slow.is_threadless = on;
}

static void stop(struct loader *l, struct cr_err *why)
{
    set_threadless(l, false);
    if (l->load)
        cr_registry_cancel(l->load, why);
    cr_pinning_cancel(l->pinning);
    if (l->placing)
        cr_helper_abandon(&l->loop->disk, &l->placing->job);
    l->load = NULL;
    l->pinning = NULL;
    l->placing = NULL;
    cr_loop_forget(l->loop, &l->failed);
    cr_loop_forget(l->loop, &l->start);
    clear_loaded(l);
}

/* Keeps the message that the run already has: it is more precise. */
static void cancel(struct cr_loader *door, struct caprun_run *run)
{
    struct loader *l = cr_container(door, struct loader, door);
    struct cr_err why;

    why.text[0] = '\0';
    stop(l, &why);
    if (why.text[0] && !cr_run_look(run).message->len)
        cr_run_set_message(run, "%s", why.text);
}

static void fail_load(struct loader *l, const struct cr_err *why)
{
    cr_run_set_message(l->run, "%s", why->text);
    cr_run_hint(l->run, why->hint);
    cr_run_end(l->run, why->outcome);
}

static void end_failed(struct cr_task *task)
{
    struct loader *l = cr_container(task, struct loader, failed);
    struct cr_err why = l->why;

    fail_load(l, &why);
}

static void free_loader(struct cr_loader *door)
{
    struct loader *l = cr_container(door, struct loader, door);

    free(l->name);
    free(l);
}

/* Returns false if the application has ended the run. */
static bool notify(struct loader *l, enum caprun_loading what, const char *text, uint64_t got,
                   uint64_t total)
{
    return cr_run_notify_loading(l->run, what, text, got, total);
}

/* --- rejected capabilities -------------------------------------------------------------------- */

/* Sets the hint: the command that pins the current state, between |before| and |after|. */
static int hint_accept(const struct loader *l, const char *before, const char *after,
                       struct cr_err *why)
{
    struct cr_buf hint;

    cr_buf_init(&hint, sizeof(why->hint));
    cr_buf_fmt(&hint, "%scaprun lock --accept %s%s%s", before, l->want.full,
               l->options ? l->options : "", after);
    if (cr_buf_text(&hint)) /* give no hint if the command does not fit: never cut a command */
        (void)cr_err_hint(why, "%s", cr_buf_text(&hint));
    cr_buf_clear(&hint);
    return CAPRUN_E_INVAL;
}

/* It differs from the pin. The hint: accept it, or run the pinned version if that is another. */
static int refuse_changed(const struct loader *l, struct cr_err *why)
{
    char after[CR_FQDN_MAX + 64] = "";

    if (l->c.in_development)
        return cr_err_hint(why,
                           "its registry is in development, but the lockfile is frozen; run it "
                           "once without %s",
                           cr_words[CR_WORD_FROZEN]);
    if (l->c.not_own[0])
        return cr_err_hint(why, "its registry is not used as one in development: %s", l->c.not_own);
    if (strcmp(l->pinned.fqdn, l->c.pin.fqdn) != 0)
        (void)snprintf(after, sizeof(after), "; to go on with the pinned one: caprun %s",
                       l->pinned.fqdn);
    return hint_accept(l, "if you expected that: ", after, why);
}

static int refuse_frozen(const struct loader *l, struct cr_err *why)
{
    char before[64];

    (void)cr_err_end(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH, NULL,
                     "'%s' is not pinned in '%s/%s', which is frozen\n"
                     "  code:     %s\n"
                     "  metadata: %s",
                     l->want.name, l->host->config->dir, CR_LOCKFILE_NAME, l->c.pin.code,
                     l->c.pin.metadata);
    (void)snprintf(before, sizeof(before),
                   "run it once without %s, or: ", cr_words[CR_WORD_FROZEN]);
    return hint_accept(l, before, "", why);
}

bool cr_loader_recorded(const struct caprun_run *run, struct cr_pin *ret)
{
    const char *fqdn = cr_replay_origin(run, "fqdn");

    if (!fqdn[0])
        return false;
    (void)snprintf(ret->fqdn, sizeof(ret->fqdn), "%s", fqdn);
    (void)snprintf(ret->code, sizeof(ret->code), "%s", cr_replay_origin(run, "code"));
    (void)snprintf(ret->metadata, sizeof(ret->metadata), "%s", cr_replay_origin(run, "metadata"));
    return true;
}

/* A resumed run needs exactly the code and metadata that it began with. */
static int check_expected(const struct loader *l, struct cr_err *why)
{
    const struct cr_pin *then = &l->expected, *now = &l->c.pin;

    if (!l->is_expected ||
        (strcmp(then->code, now->code) == 0 && strcmp(then->metadata, now->metadata) == 0))
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH,
                      "a resumed run needs the same code and metadata",
                      "'%s' is not what it was when the run began\n"
                      "  code then:     %s\n"
                      "  code now:      %s\n"
                      "  metadata then: %s\n"
                      "  metadata now:  %s",
                      now->fqdn, then->code, now->code, then->metadata, now->metadata);
}

/* --- recording and starting ------------------------------------------------------------------- */

static struct cr_recording_origin origin_of(const struct loader *l)
{
    return (struct cr_recording_origin){.fqdn = l->c.pin.fqdn,
                                        .code_pin = l->c.pin.code,
                                        .metadata_pin = l->c.pin.metadata,
                                        .registry = l->c.source};
}

/* For the recorder of the application, if there is one. */
static int give_origin(struct loader *l, struct cr_err *why)
{
    const char *config = l->host->config->path;
    struct cr_recording_origin origin = origin_of(l);

    return cr_recording_give_origin(l->run, &origin, config ? config : "") < 0 ? cr_err_memory(why)
                                                                               : 0;
}

static void check_and_start(struct cr_task *task)
{
    struct loader *l = cr_container(task, struct loader, start);
    struct cr_err why;

    if (cr_replay_check(l->run, &why) < 0) {
        fail_load(l, &why);
        return;
    }
    set_threadless(l, false);
    (void)cr_run_start(l->run, &why);
    clear_loaded(l);
}

static void make_place(struct cr_job *job)
{
    cr_recording_make_place(&cr_container(job, struct placing, job)->place);
}

static void discard_placing(struct cr_job *job)
{
    free(cr_container(job, struct placing, job));
}

static void place_is_made(struct cr_job *job)
{
    struct placing *p = cr_container(job, struct placing, job);
    struct loader *l = p->loader;
    struct cr_recording_origin origin = origin_of(l);
    struct cr_err why;
    int r;

    l->placing = NULL;
    cr_run_allow_setters(l->run, true);
    r = cr_recording_begin(l->recording, l->run, &origin, &p->place, &why);
    cr_run_allow_setters(l->run, false);
    free(p);
    if (r < 0)
        fail_load(l, &why);
    else
        cr_loop_defer(l->loop, &l->start);
}

static int start_placing(struct loader *l, struct cr_err *why)
{
    struct placing *p = calloc(1, sizeof(*p));

    if (!p)
        return cr_err_memory(why);
    p->job = (struct cr_job){
        .work = make_place, .done = place_is_made, .discard = discard_placing, .name = "recording"};
    p->loader = l;
    cr_recording_place(l->recording, l->has_env, &p->place);
    l->placing = p;
    cr_helper_submit(&l->loop->disk, &p->job);
    return 0;
}

/* A resumed run already has its journal. */
static void record_and_start(struct loader *l)
{
    struct cr_err why;
    int r;

    if (l->recording && !l->is_expected) {
        r = start_placing(l, &why);
    } else {
        cr_run_allow_setters(l->run, true);
        r = l->is_expected ? 0 : give_origin(l, &why);
        cr_run_allow_setters(l->run, false);
        if (r == 0)
            cr_loop_defer(l->loop, &l->start);
    }
    if (r < 0)
        fail_load(l, &why);
}

static void pinned(void *data, const struct cr_pin *pin, const struct cr_err *why)
{
    struct loader *l = data;
    char text[CR_FQDN_MAX + PATH_MAX + 64], changes[CR_PIN_CHANGES];

    (void)pin;
    l->pinning = NULL;
    if (why) {
        fail_load(l, why);
        return;
    }
    if (l->renews) {
        cr_pin_show_changes(&l->pinned, &l->c.pin, changes);
        (void)snprintf(text, sizeof(text), "%s: %s; its pin is renewed", l->want.name, changes);
    } else {
        (void)snprintf(text, sizeof(text), "%s in %s/%s", l->c.pin.fqdn, l->host->config->dir,
                       CR_LOCKFILE_NAME);
    }
    if (notify(l, l->renews ? CAPRUN_LOADING_RENEWED : CAPRUN_LOADING_PINNED, text, 0, 0))
        record_and_start(l);
}

/* Pins the capability at its first use, or renews its pin, unless the lockfile is frozen. */
static int start_pinning(struct loader *l, struct cr_err *why)
{
    struct cr_pinning_listener listener = {.done = pinned, .data = l};

    if (l->host->frozen)
        return refuse_frozen(l, why);
    l->pinning = cr_pinning_write(l->loop, l->host->config->dir, l->want.name, &l->c.pin, l->renews,
                                  &listener);
    return l->pinning ? 0 : cr_err_memory(why);
}

/* Returns false if the application has ended the run. */
static bool notify_ungranted(struct loader *l)
{
    cr_autobuf struct cr_buf text = CR_BUF(MAX_UNGRANTED);

    cr_give_missing(l->host->config, &l->c.meta, &text);
    return !text.len || !cr_buf_text(&text) ||
           notify(l, CAPRUN_LOADING_UNGRANTED, cr_buf_text(&text), 0, 0);
}

static int give_capability(struct loader *l, struct cr_err *why)
{
    int r;

    cr_run_allow_setters(l->run, true);
    r = cr_give_capability(l->run, l->host->config, &l->c, &l->has_env, why);
    cr_run_allow_setters(l->run, false);
    return r;
}

/* The run has copies of the code and of the settings. Only pin and source are needed after that. */
static void forget_given(struct loader *l)
{
    cr_metadata_clear(&l->c.meta);
    cr_buf_clear(&l->c.code);
}

static void check_capability(struct loader *l)
{
    struct cr_err why;
    int r = cr_pin_check(l->is_pinned ? &l->pinned : NULL, l->want.name, &l->c.pin, &why);
    bool is_new = r > 0;

    l->renews = r < 0 && l->c.in_development && !l->host->frozen;
    if (r < 0 && !l->renews)
        (void)refuse_changed(l, &why);
    else if (check_expected(l, &why) < 0 || cr_deps_check(l->host->config, &l->c.meta, &why) < 0 ||
             give_capability(l, &why) < 0)
        r = CAPRUN_E_INVAL;
    else
        r = is_new || l->renews ? start_pinning(l, &why) : 0;
    if (r < 0) {
        fail_load(l, &why);
    } else if (notify_ungranted(l)) {
        if (l->checked)
            l->checked(l->checked_data, &l->c.meta);
        forget_given(l);
        if (!is_new && !l->renews)
            record_and_start(l);
    }
}

/* --- lockfile and registries ------------------------------------------------------------------ */

/* Returns false if the application has ended the run. */
static bool notify_loaded(struct loader *l)
{
    char text[CR_FQDN_MAX + PATH_MAX + CR_LOCKFILE_HASH + 16];

    (void)snprintf(text, sizeof(text), "%s from %s, %s", l->c.pin.fqdn, l->c.source, l->c.pin.code);
    return (!l->c.offline_reason[0] ||
            notify(l, CAPRUN_LOADING_OFFLINE, l->c.offline_reason, 0, 0)) &&
           (!l->c.cache_note[0] || notify(l, CAPRUN_LOADING_UNCACHED, l->c.cache_note, 0, 0)) &&
           notify(l, CAPRUN_LOADING_LOADED, text, 0, 0);
}

static void loaded(void *data, struct cr_capability *c, const struct cr_err *why)
{
    struct loader *l = data;

    l->load = NULL;
    if (!c) {
        fail_load(l, why);
        return;
    }
    l->c = *c;
    l->has_capability = true;
    if (notify_loaded(l))
        check_capability(l);
}

static void notify_progress(void *data, const char *url, uint64_t got, uint64_t total)
{
    (void)notify(data, CAPRUN_LOADING_FETCH, url, got, total);
}

static int start_load(struct loader *l, struct cr_err *why)
{
    struct cr_registry registry = cr_capability_host_registry(l->host);
    struct cr_registry_listener of_load = {
        .progress = cr_run_wants_loading(l->run) ? notify_progress : NULL,
        .done = loaded,
        .data = l};

    l->load = cr_registry_load(&registry, &l->want, &of_load);
    return l->load ? 0 : cr_err_memory(why);
}

static void lock_was_read(void *data, const struct cr_pin *pin, const struct cr_err *why)
{
    struct loader *l = data;
    struct cr_err no_memory;

    l->pinning = NULL;
    if (why) {
        fail_load(l, why);
        return;
    }
    l->is_pinned = pin != NULL;
    if (pin)
        l->pinned = *pin;
    if (l->host->lock_is_good)
        l->host->lock_is_good(l->host->data);
    if (start_load(l, &no_memory) < 0)
        fail_load(l, &no_memory);
}

static int start_reading(struct loader *l, struct cr_err *why)
{
    struct cr_pinning_listener of_lock = {.done = lock_was_read, .data = l};
    int r = cr_capability_host_parse(l->name, &l->want, why);

    if (r < 0)
        return r;
    l->pinning = cr_pinning_read(l->loop, l->host->config->dir, l->want.name, &of_lock);
    return l->pinning ? 0 : cr_err_memory(why);
}

static void begin(struct cr_loader *door, struct caprun_run *run)
{
    struct loader *l = cr_container(door, struct loader, door);

    l->is_expected = cr_loader_recorded(run, &l->expected);
    set_threadless(l, true);
    if (start_reading(l, &l->why) < 0)
        cr_loop_defer(l->loop, &l->failed);
}

/* -------------------------------------------------------------------------------------------- */

int cr_loader_new(struct caprun_run *run, struct cr_capability_host *host, const char *name)
{
    struct loader *l = calloc(1, sizeof(*l));

    if (!l)
        return CAPRUN_E_NOMEM;
    l->door = (struct cr_loader){.begin = begin, .cancel = cancel, .free = free_loader};
    l->host = host;
    l->run = run;
    l->loop = cr_run_look(run).loop;
    l->failed = (struct cr_task){.run = end_failed, .name = "loader"};
    l->start = (struct cr_task){.run = check_and_start, .name = "loader"};
    l->name = strdup(name);
    if (!l->name) {
        free(l);
        return CAPRUN_E_NOMEM;
    }
    cr_run_set_loader(run, &l->door);
    return 0;
}

void cr_loader_record(struct caprun_run *run, struct cr_recording *recording)
{
    loader_of(run)->recording = recording;
}

void cr_loader_on_checked(struct caprun_run *run,
                          void (*checked)(void *data, const struct cr_metadata *meta), void *data)
{
    loader_of(run)->checked = checked;
    loader_of(run)->checked_data = data;
}

void cr_loader_set_options(struct caprun_run *run, const char *options)
{
    loader_of(run)->options = options;
}
