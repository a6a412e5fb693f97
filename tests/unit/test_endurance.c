/*
 * test_endurance.c - many runs in one process, with two servers (own_server.h), through the public
 * functions only. Some runs are cancelled, denied, out of time, or freed during a call; a server
 * crashes sometimes. Memory, processes and descriptors must not grow, and nothing may be left.
 *
 * CAPRUN_TORTURE=1 makes the full number of runs.
 */
#include "tap.h"

#include <malloc.h>
#include <time.h>

#include "caprun.h"
#include "own_server.h"
#include "scratch.h"

#define AT_ONCE 20
#define WARM 8
#define CRASH_EACH 250 /* runs between two crashes; after a crash a server is away for a second */
#define MAX_GROWTH 4096
#define PROCESSES (WARM + 1 + 4) /* a zygote, two servers and their guards */

static struct caprun_runtime *rt;
static int going, freed, counts[64];

/* --- processes, descriptors, memory ----------------------------------------------------------- */

static pid_t parent_of(pid_t pid)
{
    char path[64], text[512];
    FILE *file;
    size_t len;
    const char *end;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        (void)fclose(file);
    text[len] = '\0';
    end = strrchr(text, ')');
    return end ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

/* Counts the descendants of this process, orphans included: this process is their subreaper. */
static int count_processes(void)
{
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    int count = 0;

    while (all && (entry = readdir(all))) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        while (pid > 1 && pid != getpid())
            pid = parent_of(pid);
        count += pid == getpid();
    }
    if (all)
        (void)closedir(all);
    return count - 1;
}

static int64_t now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Steps until |condition| holds or the time is over. */
#define STEP_UNTIL(condition)                                                             \
    for (int64_t until_ = now_ms() + patience_ms(); !(condition) && now_ms() < until_;) { \
        caprun_wait(rt, 20);                                                              \
        caprun_step(rt);                                                                  \
    }

static int64_t patience_ms(void)
{
    const char *times = getenv("CAPRUN_TEST_TIMEOUT_MULTIPLIER");

    return 30000 * (times ? strtol(times, NULL, 10) : 1);
}

/* --- runs ------------------------------------------------------------------------------------- */

enum fate { ENDS, IS_CANCELLED, IS_FREED };

static const struct kind {
    const char *code;
    enum caprun_outcome outcome; /* or RPC_ERROR, if a server crashes during the run */
    enum fate fate;
    uint64_t timeout_ms, call_ms;
} kinds[] = {
    {"await mcp.a.echo({}); return 1", CAPRUN_OUTCOME_SUCCESS, ENDS, 0, 0},
    {"await Promise.all([mcp.a.echo(), mcp.b.echo(), mcp.b.progress()]); return 1",
     CAPRUN_OUTCOME_SUCCESS, ENDS, 0, 0},
    {"await mcp.a.hold()", CAPRUN_OUTCOME_RPC_TIMEOUT, ENDS, 0, 60},
    {"await mcp.b.hold()", CAPRUN_OUTCOME_CANCELLED, IS_CANCELLED, 0, 0},
    {"await Promise.all([mcp.b.hold(), mcp.a.hold()])", CAPRUN_OUTCOME_CANCELLED, IS_FREED, 0, 0},
    {"await mcp.b.question()", CAPRUN_OUTCOME_PERMISSION_DENIED, ENDS, 0, 0},
    {"await mcp.b.hold()", CAPRUN_OUTCOME_EXECUTION_TIMEOUT, ENDS, 60, 0},
    {"await mcp.a.nothing()", CAPRUN_OUTCOME_RPC_ERROR, ENDS, 0, 0},
    {"await mcp.b.error()", CAPRUN_OUTCOME_RPC_ERROR, ENDS, 0, 0},
};
static const struct kind crash = {"await mcp.a.crash()", CAPRUN_OUTCOME_RPC_ERROR, ENDS, 0, 0};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct slot {
    struct caprun_run *run;
    const struct kind *kind;
    bool has_called;
} slots[AT_ONCE];

static void on_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    struct slot *slot = data;

    (void)run;
    (void)call;
    slot->has_called |= what == CAPRUN_EVENT_CALL;
}

static bool start(struct slot *slot, const struct kind *kind)
{
    *slot = (struct slot){.kind = kind};
    if (caprun_run_new(rt, &slot->run) < 0)
        return false;
    caprun_run_set_event(slot->run, on_event, slot);
    going++;
    return caprun_run_set_code(slot->run, kind->code, strlen(kind->code)) == 0 &&
           caprun_run_set_timeout(slot->run, kind->timeout_ms) == 0 &&
           caprun_run_set_call_timeout(slot->run, kind->call_ms) == 0 &&
           caprun_start(slot->run) == 0;
}

static void forget(struct slot *slot)
{
    caprun_run_free(slot->run);
    slot->run = NULL;
    going--;
}

/* Cancels or frees the run if it must, and checks a run that has ended. Returns false if wrong. */
static bool attend(struct slot *slot)
{
    enum caprun_outcome outcome;
    bool ok;

    if (slot->has_called && slot->kind->fate == IS_FREED) {
        forget(slot);
        freed++;
        return true;
    }
    if (slot->has_called && slot->kind->fate == IS_CANCELLED)
        caprun_cancel(slot->run);
    if (!caprun_done(slot->run))
        return true;
    outcome = caprun_get_outcome(slot->run);
    ok = outcome == slot->kind->outcome || outcome == CAPRUN_OUTCOME_RPC_ERROR;
    if (!ok)
        printf("# %s: %.300s\n", slot->kind->code, caprun_result_json(slot->run, NULL));
    counts[outcome]++;
    forget(slot);
    return ok;
}

static bool attend_all(void)
{
    bool ok = true;

    caprun_wait(rt, 20);
    caprun_step(rt);
    for (struct slot *slot = slots; slot < slots + AT_ONCE; slot++)
        if (slot->run)
            ok &= attend(slot);
    return ok;
}

/* Makes |count| runs, and waits until the last has ended. */
static bool run_series(int count)
{
    int64_t until = now_ms() + patience_ms() + 20 * (int64_t)count;
    int started = 0;
    bool ok = true;

    while (ok && (started < count || going) && now_ms() < until) {
        for (struct slot *slot = slots; ok && slot < slots + AT_ONCE; slot++)
            if (!slot->run && started < count) {
                ok = start(slot, started % CRASH_EACH == CRASH_EACH / 2
                                     ? &crash
                                     : &kinds[(size_t)started % KINDS]);
                started++;
            }
        ok &= attend_all();
    }
    return ok && started == count && !going;
}

/* Waits until both servers run, no run is active, and the workers are ready. */
static bool settle(void)
{
    const char both[] = "await mcp.a.echo(); await mcp.b.echo(); return 1";
    struct caprun_run *run;
    bool ok = caprun_run_new(rt, &run) == 0 &&
              caprun_run_set_code(run, both, sizeof(both) - 1) == 0 && caprun_run(run) == 0 &&
              caprun_get_outcome(run) == CAPRUN_OUTCOME_SUCCESS;

    if (!ok)
        printf("# %s\n", caprun_result_json(run, NULL));
    caprun_run_free(run);
    STEP_UNTIL(caprun_count(rt, CAPRUN_COUNT_READY) == WARM)
    return ok && caprun_count(rt, CAPRUN_COUNT_READY) == WARM &&
           !caprun_count(rt, CAPRUN_COUNT_RUNNING) && !caprun_count(rt, CAPRUN_COUNT_WAITING);
}

static bool configure(void)
{
    char self[1024] = "", text[4096];

    if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0)
        return false;
    (void)snprintf(text, sizeof(text),
                   "{\"mcpServers\":{"
                   "\"a\":{\"command\":\"%s\",\"args\":[\"serve\",\"legacy\"],\"era\":\"legacy\"},"
                   "\"b\":{\"command\":\"%s\",\"args\":[\"serve\",\"modern\"]}},"
                   "\"permissions\":{\"allow\":[\"*\"],\"deny\":[\"b:question\"]}}",
                   self, self);
    return put(".caprun.json", text);
}

static bool begin(void)
{
    return scratch_begin() && configure() && caprun_new(&rt) == 0 &&
           caprun_set_worker(rt, built_program("caprun-worker")) == 0 &&
           caprun_set_warm(rt, WARM) == 0 && caprun_set_config(rt, path_of(".caprun.json")) == 0;
}

TEST(a_thousand_runs_against_two_servers_leave_nothing)
{
    const char *torture = getenv("CAPRUN_TORTURE");
    int count = torture && strcmp(torture, "1") == 0 ? 3000 : 400;
    int descriptors, before_all = count_descriptors();
    size_t memory;
    ssize_t grown;

    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && begin());
    CHECK(run_series(250) && settle());
    STEP_UNTIL(count_processes() == PROCESSES)
    descriptors = count_descriptors();
    memory = mallinfo2().uordblks;
    CHECK(run_series(count) && settle());
    STEP_UNTIL(count_descriptors() <= descriptors && count_processes() <= PROCESSES)
    grown = (ssize_t)(mallinfo2().uordblks - memory);
    printf("# %d and %d descriptors, %d processes, %zd bytes more\n", descriptors,
           count_descriptors(), count_processes(), grown);
    CHECK(count_descriptors() <= descriptors && count_processes() <= PROCESSES);
    CHECK(grown <= MAX_GROWTH);
    CHECK(counts[CAPRUN_OUTCOME_SUCCESS] > count / 8 && freed > count / 12);
    CHECK(counts[CAPRUN_OUTCOME_RPC_TIMEOUT] && counts[CAPRUN_OUTCOME_CANCELLED]);
    CHECK(counts[CAPRUN_OUTCOME_PERMISSION_DENIED] && counts[CAPRUN_OUTCOME_EXECUTION_TIMEOUT]);
    caprun_free(rt);
    CHECK(count_processes() == 0 && count_descriptors() == before_all);
    scratch_end();
}

TEST(a_runtime_that_is_freed_with_calls_on_the_way_leaves_nothing)
{
    int before_all = count_descriptors();

    for (int i = 0; i < 3; i++) {
        CHECK(begin() && settle());
        for (struct slot *slot = slots; slot < slots + AT_ONCE; slot++)
            CHECK(start(slot, &kinds[4]));
        STEP_UNTIL(slots[0].has_called && slots[AT_ONCE - 1].has_called)
        CHECK(slots[0].has_called && slots[AT_ONCE - 1].has_called);
        for (struct slot *slot = slots; slot < slots + AT_ONCE; slot++)
            forget(slot);
        caprun_free(rt);
        CHECK(count_processes() == 0 && count_descriptors() == before_all);
        scratch_end();
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "serve") == 0)
        return own_serve(argv + 2);
    own_count_exactly(argv);
    return tap_main(argc, argv);
}
