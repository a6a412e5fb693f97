/*
 * bench.c - measures all groups of figures in several rounds, and prints the medians.
 *
 * Machines are noisy: groups that are compared are measured in turns, and each printed figure is
 * the median of all rounds.
 */
#include "cli/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "cli/bench_floor.h"
#include "cli/bench_work.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/output.h"
#include "cli/progress.h"

#define STATUS_INTERNAL 70
#define MAX_REPORT (1u << 20)
#define ROUNDS 5
#define RUNS 200       /* in one round */
#define LOAD_RUNS 2000 /* in one round, where many run at once */
#define CALLS 2000
#define FIGURES 6

struct bench {
    struct caprun_runtime *rt;
    size_t at_once;
    struct cr_bench_child forker;
    double *values; /* FIGURES values for each round of the first group, then of the next group */
    size_t rounds;
};

/* --- measuring ------------------------------------------------------------------------------- */

static int measure_fresh(struct bench *b, double *ret, struct cr_err *err)
{
    int r = cr_bench_runs(b->rt, RUNS, true, ret, err);

    return r < 0 ? r : cr_bench_fork(&b->forker, &ret[3], err);
}

static int measure_busy(struct bench *b, double *ret, struct cr_err *err)
{
    int r = cr_bench_runs(b->rt, RUNS, false, ret, err);

    return r < 0 ? r : cr_bench_fork(&b->forker, &ret[3], err);
}

static int measure_rate(struct bench *b, double *ret, struct cr_err *err)
{
    double fork_us;
    int r = cr_bench_rate(b->rt, LOAD_RUNS, b->at_once, &ret[0], err);

    if (r == 0)
        r = cr_bench_fork(&b->forker, &fork_us, err);
    if (r == 0)
        ret[1] = 1e6 / fork_us;
    return r;
}

static int measure_call(struct bench *b, double *ret, struct cr_err *err)
{
    int r = cr_bench_fill(b->rt, 1, err);

    if (r == 0)
        r = cr_bench_calls(b->rt, CALLS, &ret[0], err);
    if (r == 0)
        r = cr_bench_fill(b->rt, 1, err); /* so that the zygote does not fork during what follows */
    return r < 0 ? r : cr_bench_pair(CALLS, &ret[1], &ret[2], err);
}

static int measure_answer(struct bench *b, size_t size, double *ret, struct cr_err *err)
{
    size_t len = 0;
    char *rows = cr_bench_rows(size, &len);
    int r;

    if (!rows)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for %zu bytes", size);
    ret[2] = (double)len;
    r = cr_bench_copy(rows, len, &ret[1], err);
    if (r == 0)
        return cr_bench_answer(b->rt, rows, len, &ret[0], &ret[3], err);
    free(rows);
    return r;
}

static int measure_small_answer(struct bench *b, double *ret, struct cr_err *err)
{
    return measure_answer(b, 1200000, ret, err);
}

static int measure_large_answer(struct bench *b, double *ret, struct cr_err *err)
{
    return measure_answer(b, 10000000, ret, err);
}

static int measure_memory(struct bench *b, double *ret, struct cr_err *err)
{
    return cr_bench_memory(b->rt, &ret[0], &ret[1], err);
}

static int measure_cpu(struct bench *b, double *ret, struct cr_err *err)
{
    int r = 0;

    for (size_t i = 0; i < cr_bench_script_count && r == 0; i++)
        r = cr_bench_script(b->rt, &cr_bench_scripts[i], &ret[i], err);
    return r;
}

enum unit { US, MS, PER_SECOND, KIB, BYTES };

static const struct group {
    const char *name, *title;
    int (*measure)(struct bench *b, double *ret, struct cr_err *err);
    int floor; /* the index of the figure that is the others' floor, or -1 */
    struct figure {
        const char *key, *label; /* JSON adds the unit to the key; its times are microseconds */
        enum unit unit;
    } figures[FIGURES];
} groups[] = {
    {"fresh",
     "one run, in a fresh process that is ready",
     measure_fresh,
     3,
     {{"p50", "median", US},
      {"p95", "95 %", US},
      {"p99", "99 %", US},
      {"fork", "floor: fork and exit", US}}},
    {"busy",
     "one run after the other, each in a fresh process",
     measure_busy,
     3,
     {{"p50", "median", US},
      {"p95", "95 %", US},
      {"p99", "99 %", US},
      {"fork", "floor: fork and exit", US}}},
    {"rate",
     "many runs at once, each in a fresh process",
     measure_rate,
     1,
     {{"runs", "runs", PER_SECOND}, {"forks", "floor: fork and exit", PER_SECOND}}},
    {"call",
     "a call and its answer",
     measure_call,
     1,
     {{"roundTrip", "round trip", US},
      {"pair", "floor: a bare socket pair", US},
      {"pairOneCore", "the same, on one core", US}}},
    {"answer1m",
     "1.2 MB in, half a kilobyte out, in a fresh process",
     measure_small_answer,
     1,
     {{"run", "run", MS},
      {"memcpy", "floor: memcpy", MS},
      {"answer", "the answer", BYTES},
      {"result", "the result", BYTES}}},
    {"answer10m",
     "10 MB in, half a kilobyte out, in a fresh process",
     measure_large_answer,
     1,
     {{"run", "run", MS},
      {"memcpy", "floor: memcpy", MS},
      {"answer", "the answer", BYTES},
      {"result", "the result", BYTES}}},
    {"memory",
     "memory of a worker (PSS)",
     measure_memory,
     -1,
     {{"idle", "that waits for a run", KIB}, {"running", "that waits for an answer", KIB}}},
    {"cpu",
     "scripts that compute, each in a fresh process",
     measure_cpu,
     -1,
     {{"fib", "fib(27)", MS},
      {"sieve", "sieve to 2,000,000", MS},
      {"json", "JSON back and forth", MS},
      {"strings", "strings", MS},
      {"sort", "sort 200,000 objects", MS},
      {"arrays", "map, filter, reduce", MS}}},
};

#define GROUPS (sizeof(groups) / sizeof(groups[0]))

/* --- the report ------------------------------------------------------------------------------ */

static double *values_of(const struct bench *b, size_t group, size_t round)
{
    return b->values + (group * b->rounds + round) * FIGURES;
}

static double median_of(const struct bench *b, size_t group, int figure)
{
    double values[CR_OPTIONS_ROUNDS];

    for (size_t i = 0; i < b->rounds; i++)
        values[i] = values_of(b, group, i)[figure];
    return cr_bench_quantile(values, b->rounds, 0.5);
}

/* Writes |value|, which is not negative, with |decimals| and a point, in every locale. */
static void show_decimals(double value, int decimals, char ret[32])
{
    static const uint64_t tens[] = {1, 10, 100};
    uint64_t scaled = (uint64_t)(value * (double)tens[decimals] + 0.5);

    if (decimals == 0)
        (void)snprintf(ret, 32, "%" PRIu64, scaled);
    else
        (void)snprintf(ret, 32, "%" PRIu64 ".%0*" PRIu64, scaled / tens[decimals], decimals,
                       scaled % tens[decimals]);
}

static void add_figure(struct cr_buf *out, const struct figure *f, double value, double floor)
{
    static const char *const units[] = {"\xc2\xb5s", "ms", "/s", "KiB", "bytes"};
    double shown = f->unit == MS ? value / 1e3 : value;
    char text[32];

    if (value < 0) {
        cr_buf_fmt(out, "  %-44s%10s\n", f->label, "only root sees");
        return;
    }
    show_decimals(shown, shown < 10 ? 2 : shown < 100 ? 1 : 0, text);
    cr_buf_fmt(out, "  %-44s%10s %s", f->label, text, units[f->unit]);
    if (floor > 0) {
        show_decimals(value / floor, 2, text);
        cr_buf_fmt(out, "%*s x", 13 - (int)cr_columns_of(units[f->unit]), text);
    }
    cr_buf_str(out, "\n");
}

static void add_group(struct cr_buf *out, const struct bench *b, size_t at)
{
    const struct group *g = &groups[at];
    double floor = g->floor < 0 ? 0 : median_of(b, at, g->floor);

    cr_buf_fmt(out, "\n%s%s%s\n", cr_colour_code(STDOUT_FILENO, CR_COLOUR_HEAD), g->title,
               cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    for (int i = 0; i < FIGURES && g->figures[i].key; i++)
        add_figure(out, &g->figures[i], median_of(b, at, i),
                   i == g->floor || g->figures[i].unit == BYTES ? 0 : floor);
}

static void add_group_json(struct cr_buf *out, const struct bench *b, size_t at)
{
    static const char *const units[] = {"Us", "Us", "PerSecond", "KiB", "Bytes"};
    const struct group *g = &groups[at];

    cr_buf_fmt(out, ",\"%s\":{", g->name);
    for (int i = 0; i < FIGURES && g->figures[i].key; i++) {
        double value = median_of(b, at, i);
        char text[32] = "null";

        cr_buf_fmt(out, "%s\"%s%s\":", i ? "," : "", g->figures[i].key, units[g->figures[i].unit]);
        if (value >= 0)
            show_decimals(value, 2, text);
        cr_buf_str(out, text);
    }
    cr_buf_str(out, "}");
}

/* Writes the processor's name from /proc/cpuinfo to |ret|. */
static void read_processor_name(char *ret, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[256];

    (void)snprintf(ret, size, "unknown processor");
    while (f && fgets(line, sizeof(line), f)) {
        const char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;

        if (colon) {
            (void)snprintf(ret, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (f)
        (void)fclose(f);
}

static void describe_machine(char *ret, size_t size)
{
    struct utsname kernel;
    char model[128];

    read_processor_name(model, sizeof(model));
    (void)snprintf(ret, size, "%ld x %s, Linux %s", sysconf(_SC_NPROCESSORS_ONLN), model,
                   uname(&kernel) == 0 ? kernel.release : "?");
}

static int print_report(const struct bench *b, const bool *chosen, bool json)
{
    struct cr_buf out;
    char machine[256];
    int r;

    describe_machine(machine, sizeof(machine));
    cr_buf_init(&out, MAX_REPORT);
    if (json) {
        cr_buf_str(&out, "{\"version\":\"" CAPRUN_VERSION "\"");
        cr_escape_member(&out, "machine", machine);
        cr_buf_fmt(&out, ",\"rounds\":%zu", b->rounds);
    } else {
        cr_buf_fmt(&out, "%s; caprun " CAPRUN_VERSION "; medians of %zu round%s\n", machine,
                   b->rounds, b->rounds == 1 ? "" : "s");
    }
    for (size_t i = 0; i < GROUPS; i++) {
        if (chosen[i])
            (json ? add_group_json : add_group)(&out, b, i);
    }
    if (json)
        cr_buf_str(&out, "}\n");
    r = cr_output_text(&out);
    cr_buf_clear(&out);
    return r;
}

/* --- the rounds ------------------------------------------------------------------------------ */

static int init_bench(struct bench *b, const struct cr_options *o, struct cr_err *err)
{
    b->rounds = o->rounds ? o->rounds : ROUNDS;
    b->at_once = 2 * (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    b->values = calloc(GROUPS * b->rounds * FIGURES, sizeof(*b->values));
    if (!b->values)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for what is to be measured");
    return 0;
}

static int measure_all(struct bench *b, const bool *chosen, bool quiet, struct cr_err *err)
{
    struct cr_progress progress;
    double unused[FIGURES];
    char words[128];
    int r = 0;

    cr_progress_init(&progress, quiet);
    for (size_t i = 0; i < GROUPS && r == 0; i++) {
        if (chosen[i] && groups[i].measure != measure_cpu) /* warms the caches; not measured */
            r = groups[i].measure(b, unused, err);
    }
    for (size_t round = 0; round < b->rounds && r == 0; round++) {
        for (size_t i = 0; i < GROUPS && r == 0; i++) {
            if (!chosen[i])
                continue;
            (void)snprintf(words, sizeof(words), "round %zu of %zu: %s", round + 1, b->rounds,
                           groups[i].title);
            cr_progress_set_text(&progress, words);
            r = groups[i].measure(b, values_of(b, i, round), err);
        }
    }
    cr_progress_end(&progress);
    return r;
}

static int run_bench(struct bench *b, const struct cr_options *o, const bool *chosen,
                     struct cr_err *err)
{
    int r = cr_bench_start_forker(&b->forker, err);

    if (r < 0)
        return r;
    r = init_bench(b, o, err);
    if (r == 0)
        r = measure_all(b, chosen, o->quiet, err);
    cr_bench_stop(&b->forker);
    return r;
}

/* Marks the chosen groups; all if no name is given. Returns the first unknown name, or NULL. */
static const char *choose_groups(const struct cr_options *o, bool *chosen)
{
    for (size_t i = 0; i < GROUPS; i++)
        chosen[i] = o->word_count == 1;
    for (int w = 1; w < o->word_count; w++) {
        bool known = false;

        for (size_t i = 0; i < GROUPS; i++) {
            if (strcmp(o->words[w], groups[i].name) != 0)
                continue;
            chosen[i] = known = true;
        }
        if (!known)
            return o->words[w];
    }
    return NULL;
}

int cr_cli_bench(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
{
    struct bench b = {.rt = rt};
    bool chosen[GROUPS];
    const char *unknown = choose_groups(o, chosen);
    struct cr_err err;
    char words[256];
    int status = 0;

    if (unknown) {
        (void)snprintf(words, sizeof(words), "bench does not measure '%.60s'", unknown);
        caprun_reject(run, CAPRUN_OUTCOME_USAGE, words,
                      "fresh, busy, rate, call, answer1m, answer10m, memory, cpu; or no name: all");
        return -1;
    }
    if (run_bench(&b, o, chosen, &err) < 0) {
        cr_output_note("cannot measure: %s", err.text);
        status = STATUS_INTERNAL;
    } else if (print_report(&b, chosen, o->json) < 0) {
        status = STATUS_INTERNAL;
    }
    free(b.values);
    return status;
}
