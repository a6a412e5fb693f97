/* doctor.c - attacks the sandbox, collects what is known of each layer, and reports a verdict. */
#include "doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "doctor/advice.h"
#include "doctor/outside.h"
#include "doctor/probe.h"
#include "pool/zygote.h"

struct exam {
    caprun_layer_fn *report;
    void *data;
    const struct cr_zygote_rules *rules;
    bool may_run;
    struct cr_probe probe;
    struct cr_err no_worker; /* why the zygote could not make a worker */
    struct cr_outside_view view;
    int ends[PROBE_CALLS]; /* how each worker that attacked ended */
    bool dies_with_zygote;
    enum caprun_outcome late, full; /* of runs that exceed their time and memory limits */
};

/* --- attacks ------------------------------------------------------------------------------ */

static int attack_all(struct exam *e, struct cr_err *err)
{
    int r = 0;

    for (uint32_t i = 0; i < PROBE_CALLS && r == 0; i++) {
        struct cr_probe_worker worker;

        r = cr_probe_fork(&e->probe, i + 1, &worker, err);
        if (r == 0)
            r = cr_probe_attack(&e->probe, &worker, (enum probe_call)i, &e->ends[i], err);
        else
            cr_probe_release(&worker);
    }
    return r;
}

static int ask_probe(struct exam *e, const char *program, struct cr_err *err)
{
    struct cr_probe_worker worker = {-1, -1, 0};
    int r = cr_probe_start(&e->probe, program, e->rules->uid_base, err);

    if (r == 0 && e->probe.greeted && cr_probe_fork(&e->probe, 0, &worker, &e->no_worker) < 0)
        e->probe.greeted = false; /* a sandbox without a locked-down worker is not present */
    if (r == 0 && e->probe.greeted) {
        r = cr_outside_look(worker.pidfd, &e->view, err);
        if (r == 0)
            r = attack_all(e, err);
        if (r == 0)
            e->dies_with_zygote = cr_probe_dies_with_zygote(&e->probe, &worker);
    }
    cr_probe_release(&worker);
    cr_probe_end(&e->probe);
    return r;
}

/* Returns the outcome of a run of |code|, which exceeds the limits given here. */
static enum caprun_outcome run_past_limit(struct caprun_runtime *rt, const char *code,
                                          uint64_t timeout_ms, uint64_t memory)
{
    enum caprun_outcome outcome = CAPRUN_OUTCOME_INTERNAL;
    struct caprun_run *run;

    if (caprun_run_new(rt, &run) < 0)
        return outcome;
    if (caprun_run_set_code(run, code, strlen(code)) == 0 &&
        caprun_run_set_timeout(run, timeout_ms) == 0 && caprun_run_set_memory(run, memory) == 0) {
        (void)caprun_run(run);
        outcome = caprun_get_outcome(run);
    }
    caprun_run_free(run);
    return outcome;
}

/* --- reports ------------------------------------------------------------------------------ */

static void report_result(struct exam *e, const char *name, enum caprun_layer_state state,
                          bool required, const char *found, const char *cost, const char *remedy)
{
    bool bad = state == CAPRUN_LAYER_ABSENT || state == CAPRUN_LAYER_FAILED;

    if (state == CAPRUN_LAYER_FAILED || (required && state == CAPRUN_LAYER_ABSENT))
        e->may_run = false;
    e->report(e->data, name, (int)state, required, found, bad ? cost : "", bad ? remedy : "");
}

/* Reports a layer without which nothing runs; |seen| is the finding, if the sandbox came up. */
static void report_required(struct exam *e, const char *name, uint32_t step, enum cr_outside seen,
                            const char *found)
{
    static const char cost[] = "without it there is no sandbox: nothing runs";
    char words[640];

    if (!e->probe.greeted && step && e->probe.refused == step) {
        (void)snprintf(words, sizeof(words), "%s%s%s", cr_zygote_step_text(step),
                       e->probe.error ? ": " : "", e->probe.error ? strerror(e->probe.error) : "");
        report_result(e, name, CAPRUN_LAYER_ABSENT, true, words, cost, cr_advice_step_remedy(step));
    } else if (!e->probe.greeted) {
        report_result(e, name, CAPRUN_LAYER_NOT_CHECKABLE, true, "the sandbox did not come up", "",
                      "");
    } else if (seen == CR_OUTSIDE_UNKNOWN) {
        report_result(e, name, CAPRUN_LAYER_NOT_CHECKABLE, true,
                      e->view.no_new_privs == CR_OUTSIDE_UNKNOWN ? "/proc does not show it"
                                                                 : "only root may look",
                      "", "");
    } else if (seen == CR_OUTSIDE_YES) {
        report_result(e, name, CAPRUN_LAYER_PRESENT, true, found, "", "");
    } else {
        (void)snprintf(words, sizeof(words), "this does not hold: %s", found);
        report_result(e, name, CAPRUN_LAYER_FAILED, true, words, cost,
                      "this is a bug of caprun: please report it");
    }
}

/* Is a layer missing although all are required? */
static bool is_incomplete(const struct exam *e)
{
    return e->probe.greeted && e->rules->all_layers && cr_zygote_lacks_layer(e->probe.layers);
}

static void report_not_run(struct exam *e, const char *name)
{
    report_result(e, name, CAPRUN_LAYER_NOT_CHECKABLE, true,
                  "nothing runs while a layer is missing", "", "");
}

static enum cr_outside combine(enum cr_outside a, enum cr_outside b)
{
    if (a == CR_OUTSIDE_NO || b == CR_OUTSIDE_NO)
        return CR_OUTSIDE_NO;
    return a == CR_OUTSIDE_YES || b == CR_OUTSIDE_YES ? CR_OUTSIDE_YES : CR_OUTSIDE_UNKNOWN;
}

static enum cr_outside yes_if(bool condition)
{
    return condition ? CR_OUTSIDE_YES : CR_OUTSIDE_NO;
}

static void add_name(char *list, size_t size, const char *name)
{
    size_t len = strlen(list);

    (void)snprintf(list + len, size - len, "%s%s", len ? ", " : "", name);
}

static bool was_stopped(int attack, int status)
{
    if (!WIFSIGNALED(status))
        return false;
#if defined(__x86_64__)
    /* where 32-bit programs cannot run at all, their entry is an exception and no system call */
    if (attack == PROBE_CALL_32 && WTERMSIG(status) == SIGSEGV)
        return true;
#endif
    (void)attack;
    return WTERMSIG(status) == SIGSYS;
}

static void report_filter(struct exam *e)
{
    static const char *const names[] = {
#define XX(name, number, words) words,
        PROBE_CALL_MAP(XX)
#undef XX
    };
    char passed[512] = "", all[512] = "";
    char found[600];

    for (int i = 0; i < PROBE_CALLS; i++) {
        add_name(all, sizeof(all), names[i]);
        if (!was_stopped(i, e->ends[i]))
            add_name(passed, sizeof(passed), names[i]);
    }
    if (passed[0])
        (void)snprintf(found, sizeof(found), "attacks from inside got through: %s", passed);
    else
        (void)snprintf(found, sizeof(found), "attacks from inside each ended the worker: %s", all);
    report_required(e, "system call filter", WIRE_STEP_SECCOMP,
                    combine(yes_if(!passed[0]), e->view.filtered), found);
}

/* Root of a user namespace is an ordinary user outside of it. */
static bool is_real_root(void)
{
    cr_autoclose int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
    char map[64] = "";
    unsigned inside, outside;

    return fd < 0 || read(fd, map, sizeof(map) - 1) <= 0 ||
           sscanf(map, "%u %u", &inside, &outside) != 2 || (inside == 0 && outside == 0);
}

static void report_identity(struct exam *e)
{
    bool own = e->view.uid == geteuid();
    char found[128];

    (void)snprintf(found, sizeof(found), "uid %llu, %s%s", (unsigned long long)e->view.uid,
                   own ? "that of the user who started it" : "which no user has",
                   e->view.no_groups == CR_OUTSIDE_YES ? ", no groups" : "");
    report_required(e, "not root", WIRE_STEP_IDENTITY,
                    e->view.not_root == CR_OUTSIDE_NO && !is_real_root() ? CR_OUTSIDE_YES
                                                                         : e->view.not_root,
                    found);
}

static void report_randomisation(struct exam *e)
{
    cr_autoclose int fd = open("/proc/sys/kernel/randomize_va_space", O_RDONLY | O_CLOEXEC);
    char level = '\0';

    if (fd >= 0)
        (void)!read(fd, &level, 1);
    report_required(e, "address randomisation", WIRE_STEP_RANDOMISATION,
                    level == '\0'  ? CR_OUTSIDE_UNKNOWN
                    : level == '0' ? CR_OUTSIDE_NO
                                   : CR_OUTSIDE_YES,
                    level == '2' ? "in full" : "in part: kernel.randomize_va_space is not 2");
}

static const char higher_limits[] =
    "higher limits around caprun (ulimit -n, -u, -v, -s), or another "
    "caprun-worker, if this one does not work";

static void report_time_limit(struct exam *e)
{
    if (is_incomplete(e))
        report_not_run(e, "time limit");
    else if (e->probe.greeted && e->late == CAPRUN_OUTCOME_INTERNAL)
        report_result(e, "time limit", CAPRUN_LAYER_ABSENT, true,
                      "a run with the usual limits does not start", "nothing runs", higher_limits);
    else
        report_required(e, "time limit", 0, yes_if(e->late == CAPRUN_OUTCOME_EXECUTION_TIMEOUT),
                        "an endless loop with the usual limits, ended after 200 ms");
}

static void report_boundary(struct exam *e)
{
    report_filter(e);
    report_required(e, "no_new_privs", WIRE_STEP_NO_NEW_PRIVS, e->view.no_new_privs,
                    "seen from outside");
    report_identity(e);
    report_required(e, "resource limits", WIRE_STEP_RLIMITS, e->view.limited,
                    "no new descriptor, process, file or core");
    report_required(e, "one descriptor", WIRE_STEP_DESCRIPTORS, e->view.only_socket,
                    "its socket, and no other");
    report_randomisation(e);
    report_required(e, "end with the zygote", 0, yes_if(e->dies_with_zygote),
                    "a worker that waited was gone when its zygote was killed");
    report_time_limit(e);
    if (is_incomplete(e))
        report_not_run(e, "memory limit");
    else
        report_required(e, "memory limit", 0, yes_if(e->full == CAPRUN_OUTCOME_MEMORY_LIMIT),
                        "an endless array, ended at 16 MiB");
}

/* --- the layers behind the filter --------------------------------------------------------- */

#define NO_ATTACK (-1)
#define NOT_SEEN SIZE_MAX

/* For each layer: its attack, the errno if stopped, the errno if not; its field of the view. */
static const struct check {
    int attack, stopped, passed;
    size_t seen;
} checks[WIRE_LAYERS] = {
    [WIRE_LAYER_USER_NS] = {PROBE_CHANGE_UID, EINVAL, EPERM,
                            offsetof(struct cr_outside_view, own_users)},
    [WIRE_LAYER_JOINED_NS] = {PROBE_REACH_NETWORK, ENETUNREACH, 0,
                              offsetof(struct cr_outside_view, own_rest)},
    [WIRE_LAYER_PID_NS] = {PROBE_SEE_HOST, ESRCH, EPERM,
                           offsetof(struct cr_outside_view, own_pids)},
    [WIRE_LAYER_EMPTY_ROOT] = {PROBE_SEE_FILES, ENOENT, EACCES,
                               offsetof(struct cr_outside_view, empty_root)},
    [WIRE_LAYER_NO_CAPS] = {PROBE_USE_CAPABILITY, EPERM, 0,
                            offsetof(struct cr_outside_view, no_capabilities)},
    [WIRE_LAYER_NOT_DUMPABLE] = {NO_ATTACK, 0, 0, offsetof(struct cr_outside_view, not_dumpable)},
    [WIRE_LAYER_MDWE] = {PROBE_NEW_CODE, EACCES, 0, NOT_SEEN},
    [WIRE_LAYER_LANDLOCK_FS] = {PROBE_LIST_ROOT, EACCES, 0, NOT_SEEN},
    [WIRE_LAYER_LANDLOCK_NET] = {PROBE_BIND_TCP, EACCES, 0, NOT_SEEN},
    [WIRE_LAYER_LANDLOCK_SCOPE] = {PROBE_ABSTRACT_SOCKET, EPERM, 0, NOT_SEEN},
    [WIRE_LAYER_VDSO_CLOCK] = {NO_ATTACK, 0, 0, NOT_SEEN},
};

static void judge_layer(const struct exam *e, const struct check *c, enum cr_outside *ret_attack,
                        enum cr_outside *ret_seen)
{
    int error = c->attack == NO_ATTACK ? CR_PROBE_NOT_TOLD : e->probe.stopped[c->attack];

    *ret_attack = CR_OUTSIDE_UNKNOWN;
    *ret_seen = CR_OUTSIDE_UNKNOWN;
    if (error == 0 || (c->passed && error == c->passed))
        *ret_attack = CR_OUTSIDE_NO;
    else if (error == c->stopped)
        *ret_attack = CR_OUTSIDE_YES;
    if (c->seen != NOT_SEEN)
        memcpy(ret_seen, (const char *)&e->view + c->seen, sizeof(*ret_seen));
}

static const char *attack_words(int attack)
{
    switch (attack) {
#define XX(name, number, words) \
    case number:                \
        return words;
        PROBE_LAYER_MAP(XX)
#undef XX
    default:
        return "";
    }
}

static void report_layer(struct exam *e, enum wire_layer layer, const char *name)
{
    const struct check *c = &checks[layer];
    const char *words = attack_words(c->attack);
    enum cr_outside attack, seen;
    char found[256] = "";

    judge_layer(e, c, &attack, &seen);
    if (attack == CR_OUTSIDE_NO)
        (void)snprintf(found, sizeof(found), "from inside this got through: %s", words);
    else if (seen == CR_OUTSIDE_NO)
        (void)snprintf(found, sizeof(found), "seen from outside not to be there");
    else if (attack == CR_OUTSIDE_YES)
        (void)snprintf(found, sizeof(found), "%s: \"%s\"%s", words, strerror(c->stopped),
                       seen == CR_OUTSIDE_YES ? "; seen from outside" : "");
    else if (seen == CR_OUTSIDE_YES)
        (void)snprintf(found, sizeof(found), "seen from outside");
    report_result(e, name,
                  combine(attack, seen) == CR_OUTSIDE_NO    ? CAPRUN_LAYER_FAILED
                  : combine(attack, seen) == CR_OUTSIDE_YES ? CAPRUN_LAYER_PRESENT
                                                            : CAPRUN_LAYER_NOT_CHECKABLE,
                  false,
                  found[0]                 ? found
                  : c->attack == NO_ATTACK ? "set; /proc does not show it"
                                           : "set; other layers stop every attack before it does",
                  cr_advice_cost(layer),
                  "this is a bug of caprun, or of the kernel: please report it");
}

static void report_layers(struct exam *e)
{
    static const char *const names[] = {
#define XX(name, number, text) text,
        WIRE_LAYER_MAP(XX)
#undef XX
    };

    for (int i = 0; i < WIRE_LAYERS; i++) {
        enum wire_layer layer = (enum wire_layer)i;
        int error = e->probe.layers[i];

        if (!e->probe.greeted)
            report_result(e, names[i], CAPRUN_LAYER_NOT_CHECKABLE, false,
                          "the sandbox did not come up", "", "");
        else if (error)
            report_result(e, names[i], CAPRUN_LAYER_ABSENT,
                          e->rules->all_layers && layer != WIRE_LAYER_VDSO_CLOCK, strerror(error),
                          cr_advice_cost(layer),
                          cr_advice_remedy(layer, error,
                                           geteuid() == 0 || !e->probe.layers[WIRE_LAYER_USER_NS]));
        else if (layer == WIRE_LAYER_VDSO_CLOCK)
            report_result(e, names[i], CAPRUN_LAYER_PRESENT, false,
                          "read under the zygote's filter", "", "");
        else
            report_layer(e, layer, names[i]);
    }
}

/* Reports a refusal that belongs to none of the layers that are reported. */
static void report_other_refusal(struct exam *e)
{
    uint32_t step = e->probe.refused;

    if (e->probe.greeted)
        return;
    e->may_run = false;
    if (!step)
        report_result(
            e, "start", CAPRUN_LAYER_ABSENT, true,
            e->no_worker.code ? e->no_worker.text : "caprun-worker ended before it was ready",
            "nothing runs",
            e->no_worker.code == CAPRUN_E_SANDBOX ? cr_advice_kill_remedy() : higher_limits);
    else if (step == WIRE_STEP_SIGNALS || step == WIRE_STEP_FORK || step == WIRE_STEP_ENGINE)
        report_required(e, "start", step, CR_OUTSIDE_UNKNOWN, "");
}

int cr_doctor(struct caprun_runtime *rt, const char *program, const struct cr_zygote_rules *rules,
              caprun_layer_fn *report, void *data, struct cr_err *err)
{
    struct exam e = {.report = report, .data = data, .rules = rules, .may_run = true};
    int r = ask_probe(&e, program, err);

    if (r < 0)
        return r;
    if (e.probe.greeted && !is_incomplete(&e)) {
        e.late = run_past_limit(rt, "for (;;);", 200, 0);
        e.full =
            run_past_limit(rt, "for (const a = [];;) a.push(new Array(100))", 10000, 16u << 20);
    }
    report_other_refusal(&e);
    report_boundary(&e);
    report_layers(&e);
    return e.may_run;
}
