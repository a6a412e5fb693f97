/*
 * fuzz_command.c - fuzzes the command line, and the escaping of text for the terminal.
 *
 * The input is cut at each NUL into the words of a command line. They are handled as the command
 * does: options, then limits and args of a run that is never started, or its refusal.
 *
 * What must hold: each refusal has a message; accepted values are within their bounds; --json is
 * found whatever else is wrong; and no output can do more to a terminal than show text on one line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/pattern.h"
#include "base/scan.h"
#include "base/units.h"
#include "caprun.h"
#include "cli/options.h"
#include "cli/output.h"

#include "look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORDS 64

/* --- output to the terminal --------------------------------------------------------------- */

static bool is_dangerous(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) ||        /* controls, ESC and CSI among them */
           c == 0x061c || (c >= 0x200b && c <= 0x200f) || /* zero-width, directions */
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xe0000 && c <= 0xe007f); /* tags */
}

/* Fails if |out| has a control character that is not in |allowed|. */
static void check_shown(const struct cr_buf *shown, const char *allowed)
{
    for (size_t at = 0; at < shown->len;) {
        size_t n = look_character(shown->data + at, shown->len - at);
        uint32_t c = shown->data[at] & (n == 1 ? 0x7fu : 0xffu >> (n + 1));

        insist(n > 0);
        for (size_t i = 1; i < n; i++)
            c = c << 6 | (shown->data[at + i] & 0x3f);
        insist(!is_dangerous(c) || (c && c < 0x20 && strchr(allowed, (int)c)));
        at += n;
    }
}

static void check_escapes(const uint8_t *text, size_t len)
{
    struct cr_output log;
    struct cr_buf out;

    cr_output_init(&log);
    cr_output_log(&log, (const char *)text, len);
    insist(log.waiting.len >= len + 1 && log.waiting.data[log.waiting.len - 1] == '\n');
    log.waiting.len--;
    check_shown(&log.waiting, "\t");
    cr_buf_clear(&log.waiting);
    cr_buf_init(&out, 1 << 24);
    cr_escape_json(&out, (const char *)text, len);
    look_says((struct look_part){out.data, out.len}, text, len);
    insist(cr_scan_json(out.data, out.len, CR_SCAN_PASS, NULL) == 0);
    cr_buf_clear(&out);
    /* also with bytes that are not JSON, which callers never pass */
    cr_escape_pretty(&out, text, len);
    check_shown(&out, "\t\n");
    cr_buf_clear(&out);
}

static void check_words(const struct cr_err *err)
{
    struct cr_output log;

    insist(err->text[0] && strlen(err->text) < sizeof(err->text));
    cr_output_init(&log);
    cr_output_log(&log, err->text, strlen(err->text));
    log.waiting.len--;
    check_shown(&log.waiting, "\t");
    cr_buf_clear(&log.waiting);
}

/* --- numbers ------------------------------------------------------------------------------ */

/* The shown text, in its short form without the space, must be read as the same number. */
static void check_round_trip(uint64_t value, const char *shown, bool is_size)
{
    static const char *const short_forms[][2] = {{" min", "m"}, {" ms", "ms"}, {" s", "s"},
                                                 {" h", "h"},   {" GiB", "g"}, {" MiB", "m"},
                                                 {" KiB", "k"}};
    uint64_t again = ~value;
    char text[40];

    for (size_t i = 0; i < sizeof(short_forms) / sizeof(short_forms[0]); i++) {
        const char *unit = strchr(shown, ' ');

        if (strcmp(unit, short_forms[i][0]) != 0)
            continue;
        (void)snprintf(text, sizeof(text), "%.*s%s", (int)(unit - shown), shown, short_forms[i][1]);
        insist((is_size ? cr_units_size : cr_units_duration)(text, &again, NULL) == 0);
        insist(again == value);
        return;
    }
    insist(is_size && strstr(shown, " bytes")); /* has no short form */
}

static void check_units(const char *text)
{
    uint64_t value = 4711;
    struct cr_err err = {0};
    char shown[32];
    int r = cr_units_duration(text, &value, &err);

    insist(r == err.code && (r == 0 || r == CAPRUN_E_INVAL || r == CAPRUN_E_TOOBIG));
    insist(r == 0 ? value <= CR_UNITS_MAX_MS : value == 4711);
    cr_units_show_duration(value, shown);
    check_round_trip(value, shown, false);
    if (r < 0)
        check_words(&err);
    err.code = 0;
    value = 4711;
    r = cr_units_size(text, &value, &err);
    insist(r == err.code && (r == 0 || r == CAPRUN_E_INVAL || r == CAPRUN_E_TOOBIG));
    insist(r == 0 ? value <= CR_UNITS_MAX_BYTES : value == 4711);
    cr_units_show_size(value, shown);
    check_round_trip(value, shown, true);
    if (r < 0)
        check_words(&err);
}

/* --- the command line --------------------------------------------------------------------- */

/* Fills |argv| with the words of |text| and a NULL. Returns their number, including the first. */
static int split(char *text, size_t len, char **argv)
{
    static char name[] = "caprun";
    int argc = 1;

    argv[0] = name;
    for (size_t at = 0; at < len && argc < WORDS; at += strlen(text + at) + 1)
        argv[argc++] = text + at;
    argv[argc] = NULL;
    return argc;
}

static bool has_json(char **argv)
{
    for (argv++; *argv && strcmp(*argv, "--") != 0; argv++)
        if (strcmp(*argv, "--json") == 0)
            return true;
    return false;
}

static void check_options(const struct cr_options *o, char **argv)
{
    insist(o->timeout_ms <= CR_UNITS_MAX_MS && o->cpu_ms <= CR_UNITS_MAX_MS);
    insist(o->rpc_timeout_ms <= CR_UNITS_MAX_MS && o->memory <= CR_UNITS_MAX_BYTES);
    insist(o->registry_count >= 0 && o->registry_count <= CR_OPTIONS_REGISTRIES);
    for (int i = 0; i < o->permission_count; i++) {
        insist(o->permissions[i].answer >= CAPRUN_ALLOW && o->permissions[i].answer <= CAPRUN_DENY);
        insist(cr_pattern_is(o->permissions[i].pattern));
    }
    insist(o->word_count >= 0 && o->word_count <= CR_OPTIONS_WORDS);
    for (int i = 0; i <= CR_OPTIONS_WORDS; i++)
        insist((o->words[i] != NULL) == (i < o->word_count));
    for (int i = 0, at = 0; i < o->word_count; i++) {
        do /* the words of the command line keep their order */
            insist(argv[++at]);
        while (argv[at] != o->words[i]);
    }
}

static bool is_same(const struct cr_options *a, const struct cr_options *b)
{
    return memcmp(a->words, b->words, sizeof(a->words)) == 0 && a->word_count == b->word_count &&
           a->json == b->json && a->quiet == b->quiet && a->verbose == b->verbose &&
           a->help == b->help && a->version == b->version && a->timeout_ms == b->timeout_ms &&
           a->cpu_ms == b->cpu_ms && a->rpc_timeout_ms == b->rpc_timeout_ms &&
           a->memory == b->memory && a->config == b->config &&
           a->registry_count == b->registry_count &&
           memcmp(a->registries, b->registries, sizeof(a->registries)) == 0 &&
           a->permission_count == b->permission_count;
}

static int parse(int argc, char **argv, struct cr_options *ret, struct cr_err *err)
{
    struct cr_options again;
    struct cr_err again_err = {0};
    int r = cr_options_parse(argc, argv, ret, err);

    insist(r == err->code && (r == 0 || r == CAPRUN_E_INVAL || r == CAPRUN_E_TOOBIG));
    insist(cr_options_parse(argc, argv, &again, &again_err) == r && is_same(ret, &again));
    insist(strcmp(err->text, again_err.text) == 0);
    insist(!has_json(argv) || ret->json);
    check_options(ret, argv);
    return r;
}

/* --- the run that the command line asks for ----------------------------------------------- */

static int take_args(struct caprun_run *run, const char *word)
{
    size_t len = word ? strlen(word) : 0;
    int r;

    if (!word || word[0] != '{')
        return 0; /* no args, or a path */
    r = caprun_run_set_args(run, word, len);
    insist(r == cr_scan_json((const uint8_t *)word, len, CR_SCAN_STRICT, NULL));
    return r;
}

/* Sets limits and args as host/cli/exec.c does. */
static void set_up(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
{
    int limits[] = {caprun_run_set_timeout(run, o->timeout_ms), caprun_run_set_cpu(run, o->cpu_ms),
                    caprun_run_set_call_timeout(run, o->rpc_timeout_ms),
                    caprun_run_set_memory(run, o->memory)};

    insist(!limits[0] && !limits[1] && !limits[2]);
    insist(limits[3] == 0 || limits[3] == CAPRUN_E_TOOBIG);
    if (limits[3] < 0 || take_args(run, o->words[2]) < 0) {
        insist(caprun_error(rt)[0]);
        caprun_reject(run, CAPRUN_OUTCOME_USAGE, caprun_error(rt), NULL);
    } else {
        caprun_reject(run, CAPRUN_OUTCOME_USAGE, o->words[0] ? o->words[0] : "nothing",
                      o->words[1]);
    }
}

static void check_command(int argc, char **argv)
{
    static struct caprun_runtime *rt;
    struct cr_options options;
    struct cr_err err = {0};
    struct caprun_run *run;
    const char *envelope;
    size_t len;

    insist(rt || caprun_new(&rt) == 0);
    insist(caprun_run_new(rt, &run) == 0);
    if (parse(argc, argv, &options, &err) < 0) {
        check_words(&err);
        caprun_reject(run, CAPRUN_OUTCOME_USAGE, err.text, "caprun --help lists the options");
    } else {
        set_up(rt, run, &options);
    }
    envelope = caprun_result_json(run, &len);
    insist(caprun_done(run) && caprun_get_outcome(run) == CAPRUN_OUTCOME_USAGE && envelope);
    insist(cr_scan_json((const uint8_t *)envelope, len, CR_SCAN_STRICT, NULL) == 0);
    (void)look_whole(envelope, len);
    caprun_run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[WORDS + 1];
    char *text = malloc(size + 1);
    int argc;

    insist(text);
    memcpy(text, data, size);
    text[size] = '\0';
    argc = split(text, size, argv);
    check_command(argc, argv);
    for (int i = 1; i < argc; i++)
        check_units(argv[i]);
    check_escapes(data, size);
    free(text);
    return 0;
}
