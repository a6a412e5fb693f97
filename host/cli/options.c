/* options.c - the table of options, and the parser of the command line. */
#include "cli/options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/pattern.h"
#include "base/units.h"
#include "cli/colour.h"

#define MAX_DAYS 36500

enum kind {
    FLAG,       /* sets a bool */
    DURATION,   /* sets milliseconds */
    SIZE,       /* sets bytes */
    STRING,     /* sets a const char *, once */
    REGISTRY,   /* adds to the registries */
    PERMISSION, /* adds to the permissions */
    CALL,       /* adds to the calls that are decided, or may be made again */
    ENV,        /* adds to the variables that a replay is given */
    ROUNDS,     /* sets the rounds of a benchmark */
    AGE,        /* sets seconds */
    COLOUR,     /* sets when there are colours */
};

static const struct option {
    const char *name;
    char letter;
    enum kind kind;
    enum cr_option_group group;
    size_t offset;     /* of the field that it sets; PERMISSION: the answer */
    const char *value; /* what the value is, for --help; NULL: it takes none */
    const char *help;
} options[] = {
#define AT(field) offsetof(struct cr_options, field)
    {"--registry", 0, REGISTRY, CR_OPTION_REGISTRY, 0, "DIR|URL",
     "where capabilities are; repeatable: the first match wins"},
    {"--config", 0, STRING, CR_OPTION_CONFIG, AT(config), "FILE",
     "instead of .caprun.json here or above, or $CAPRUN_CONFIG"},
    {"--dev", 0, FLAG, CR_OPTION_DEV, AT(dev), NULL,
     "run changed code of your own directories, renew its pin"},
    {"--frozen", 0, FLAG, CR_OPTION_FROZEN, AT(frozen), NULL, "caprun.lock may not change"},
    {"--accept", 0, STRING, CR_OPTION_ACCEPT, AT(accept), "NAME",
     "lock: pin what the registry, or the server, has now"},
    {"--allow", 0, PERMISSION, CR_OPTION_POLICY, CAPRUN_ALLOW, "PAT",
     "calls that are allowed: ns:action, ns:read_*, ns or *"},
    {"--ask", 0, PERMISSION, CR_OPTION_POLICY, CAPRUN_ASK, "PAT",
     "calls that a person decides about"},
    {"--deny", 0, PERMISSION, CR_OPTION_POLICY, CAPRUN_DENY, "PAT",
     "calls that are denied, even if allowed; repeatable"},
    {"--allow-declared", 0, FLAG, CR_OPTION_DECLARED, AT(allow_declared), NULL,
     "allow the capability's own tools, unless denied"},
    {"--for", 0, STRING, CR_OPTION_FOR, AT(caller), "NAME",
     "policy explain: called by this capability, or exec"},
    {"--timeout", 0, DURATION, CR_OPTION_LIMITS, AT(timeout_ms), "DUR",
     "wall time (5m; exec, call: 30s); like 250ms, 30s, 1h"},
    {"--cpu", 0, DURATION, CR_OPTION_LIMITS, AT(cpu_ms), "DUR", "CPU time (the wall time)"},
    {"--rpc-timeout", 0, DURATION, CR_OPTION_LIMITS, AT(rpc_timeout_ms), "DUR",
     "of one call, without answer or progress (30s)"},
    {"--memory", 0, SIZE, CR_OPTION_LIMITS, AT(memory), "SIZE", "memory (512m); like 64k, 1g"},
    {"--record", 0, STRING, CR_OPTION_RECORD, AT(record), "FILE",
     "record into this new file, not the state directory"},
    {"--code", 0, STRING, CR_OPTION_REPLAY, AT(code), "FILE", "replay: run this code instead"},
    {"--speed", 0, STRING, CR_OPTION_REPLAY, AT(speed), "real", "replay: take as long as recorded"},
    {"--compare", 0, STRING, CR_OPTION_REPLAY, AT(compare), "HOW",
     "replay: exact, calls (in any order) or result"},
    {"--env", 0, ENV, CR_OPTION_REPLAY, 0, "NAME",
     "replay: give the code this variable; repeatable"},
    {"--retry-unknown", 0, FLAG, CR_OPTION_RETRY, AT(retry_unknown), NULL,
     "resume: make all calls again that were under way"},
    {"--retry-call", 0, CALL, CR_OPTION_RETRY, 0, "N", "resume: make call N again; repeatable"},
    {"--fail-unknown", 0, FLAG, CR_OPTION_RETRY, AT(fail_unknown), NULL,
     "resume: the other calls that were under way fail"},
    {"--call", 0, CALL, CR_OPTION_DECIDE, 0, "N", "approve --yes, deny: only call N; repeatable"},
    {"--run", 0, FLAG, CR_OPTION_DECIDE, AT(for_run), NULL,
     "approve --yes, deny: further calls of these tools, too"},
    {"--yes", 0, FLAG, CR_OPTION_YES, AT(yes), NULL,
     "approve: without a person, if your own config permits it"},
    {"--waiting", 0, FLAG, CR_OPTION_WAITING, AT(waiting), NULL,
     "runs: those that wait for a person"},
    {"--rm", 0, FLAG, CR_OPTION_REMOVE, AT(remove), NULL,
     "runs: remove RUN..., or what --older or --all names"},
    {"--older", 0, AGE, CR_OPTION_REMOVE, AT(older_s), "AGE",
     "runs --rm: those that are older, like 7d or 12h"},
    {"--all", 0, FLAG, CR_OPTION_REMOVE, AT(all), NULL, "runs --rm: all of them"},
    {"--verify", 0, FLAG, CR_OPTION_AUDIT, AT(verify), NULL,
     "audit: find changed and missing lines; then exit with 1"},
    {"--follow", 0, FLAG, CR_OPTION_AUDIT, AT(follow), NULL, "audit: wait for more lines"},
    {"--run", 0, STRING, CR_OPTION_AUDIT, AT(of_run), "RUN", "audit: only this run"},
    {"--tool", 0, STRING, CR_OPTION_AUDIT, AT(of_tool), "PAT", "audit: only these tools"},
    {"--decision", 0, STRING, CR_OPTION_AUDIT, AT(decision), "WHAT", "audit: only allow, or deny"},
    {"--since", 0, STRING, CR_OPTION_AUDIT, AT(since), "TIME",
     "audit: from then on; like 12h, 7d or 2025-01-31"},
    {"--strict", 0, FLAG, CR_OPTION_DOCTOR, AT(strict), NULL,
     "doctor: exit with 1 if any layer is missing"},
    {"--from", 0, STRING, CR_OPTION_FROM, AT(from), "PROGRAM",
     "init: with the MCP servers of claude, cursor or vscode"},
    {"--list", 0, FLAG, CR_OPTION_TRUST, AT(list), NULL, "trust: list what was accepted"},
    {"--withdraw", 0, FLAG, CR_OPTION_TRUST, AT(withdraw), NULL,
     "trust: do not accept the file any longer"},
    {"--rounds", 0, ROUNDS, CR_OPTION_BENCH, AT(rounds), "N",
     "bench: how often each thing is measured"},
    {"--json", 0, FLAG, CR_OPTION_ANY, AT(json), NULL,
     "print JSON: the whole envelope, or the list"},
    {"--color", 0, COLOUR, CR_OPTION_ANY, 0, "WHEN",
     "auto (on terminals), always or never; see NO_COLOR"},
    {"--no-input", 0, FLAG, CR_OPTION_TALK, AT(no_input), NULL, "never ask at the terminal"},
    {"--quiet", 'q', FLAG, CR_OPTION_TALK, AT(quiet), NULL,
     "no log lines, stacks or hints on standard error"},
    {"--verbose", 'v', FLAG, CR_OPTION_TALK, AT(verbose), NULL,
     "say more: origin of code, missing layers, each call"},
    {"--help", 'h', FLAG, CR_OPTION_ANY, AT(help), NULL, "this text; after a command, about it"},
    {"--version", 0, FLAG, CR_OPTION_ANY, AT(version), NULL, "the version"},
#undef AT
};

#define COUNT (sizeof(options) / sizeof(options[0]))

/* |command| is the first word so far, or NULL: `audit` has a --run of its own. */
static const struct option *find_option(const char *arg, size_t len, const char *command)
{
    bool is_audit = command && strcmp(command, "audit") == 0;

    for (size_t i = 0; i < COUNT; i++) {
        const struct option *o = &options[i];

        if (strcmp(o->name, "--run") == 0 && is_audit != (o->group == CR_OPTION_AUDIT))
            continue;
        if (len == strlen(o->name) && memcmp(o->name, arg, len) == 0)
            return o;
        if (o->letter && len == 2 && arg[0] == '-' && arg[1] == o->letter)
            return o;
    }
    return NULL;
}

static int refuse_more(const char *value, int most, struct cr_err *err)
{
    return cr_err_set(err, CAPRUN_E_TOOBIG, "'%.60s' is one too many: at most %d are allowed",
                      value, most);
}

static int add_registry(struct cr_options *ret, const char *value, struct cr_err *err)
{
    if (ret->registry_count == CR_OPTIONS_REGISTRIES)
        return refuse_more(value, CR_OPTIONS_REGISTRIES, err);
    ret->registries[ret->registry_count++] = value;
    return 0;
}

static int add_permission(struct cr_options *ret, int answer, const char *pattern,
                          struct cr_err *err)
{
    int same = 0;

    if (!cr_pattern_is(pattern))
        return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not " CR_PATTERN_WHAT, pattern);
    for (int i = 0; i < ret->permission_count; i++)
        same += ret->permissions[i].answer == answer;
    if (same == CR_OPTIONS_PATTERNS)
        return refuse_more(pattern, CR_OPTIONS_PATTERNS, err);
    ret->permissions[ret->permission_count].answer = answer;
    ret->permissions[ret->permission_count++].pattern = pattern;
    return 0;
}

/* Returns a whole number from 1 to |most|, or 0 if |value| is not such a number. */
static uint32_t to_number(const char *value, uint32_t most)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);

    return value[0] < '0' || value[0] > '9' || *end || number > most ? 0 : (uint32_t)number;
}

static int add_call(uint32_t list[CR_OPTIONS_RETRIES], int *count, const char *value,
                    struct cr_err *err)
{
    uint32_t number = to_number(value, UINT32_MAX);

    if (!number)
        return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not the number of a call", value);
    if (*count == CR_OPTIONS_RETRIES)
        return refuse_more(value, CR_OPTIONS_RETRIES, err);
    list[(*count)++] = number;
    return 0;
}

static int set_rounds(struct cr_options *ret, const char *value, struct cr_err *err)
{
    ret->rounds = to_number(value, CR_OPTIONS_ROUNDS);
    if (!ret->rounds)
        return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not a number from 1 to %d", value,
                          CR_OPTIONS_ROUNDS);
    return 0;
}

/* A number of days, "7d"; or a duration. */
static int set_age(struct cr_options *ret, const char *value, struct cr_err *err)
{
    char *end;
    unsigned long days = strtoul(value, &end, 10);
    uint64_t ms = 0;

    if (value[0] >= '0' && value[0] <= '9' && strcmp(end, "d") == 0 && days && days <= MAX_DAYS) {
        ret->older_s = (uint64_t)days * 24 * 3600;
        return 0;
    }
    if (cr_units_duration(value, &ms, err) < 0 || ms < 1000)
        return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not an age; write it like 7d or 12h",
                          value);
    ret->older_s = ms / 1000;
    return 0;
}

static int choose_colour(const char *value, struct cr_err *err)
{
    if (cr_colour_choose(value))
        return 0;
    return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not auto, always or never", value);
}

static int add_env(struct cr_options *ret, const char *value, struct cr_err *err)
{
    if (!value[0] || strchr(value, '='))
        return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not the name of a variable", value);
    if (ret->env_count == CR_OPTIONS_ENVS)
        return refuse_more(value, CR_OPTIONS_ENVS, err);
    ret->envs[ret->env_count++] = value;
    return 0;
}

static void note_group(struct cr_options *ret, const struct option *o)
{
    for (int i = 0; i < CR_OPTION_GROUPS; i++)
        if (o->group & 1 << i)
            ret->given[i] = o->name;
}

static void set_flag(struct cr_options *ret, const struct option *o)
{
    note_group(ret, o);
    *(bool *)(void *)((char *)ret + o->offset) = true;
}

static int set_option(struct cr_options *ret, const struct option *o, const char *value,
                      struct cr_err *err)
{
    void *field = (char *)ret + o->offset;
    struct cr_err why;
    int r = 0;

    note_group(ret, o);
    switch (o->kind) {
    case DURATION:
        r = cr_units_duration(value, field, &why);
        break;
    case SIZE:
        r = cr_units_size(value, field, &why);
        break;
    case STRING:
        if (*(const char **)field)
            return cr_err_set(err, CAPRUN_E_INVAL, "'%s' can be given once only", o->name);
        *(const char **)field = value;
        break;
    case REGISTRY:
        r = add_registry(ret, value, &why);
        break;
    case PERMISSION:
        r = add_permission(ret, (int)o->offset, value, &why);
        break;
    case CALL:
        if (o->group == CR_OPTION_DECIDE)
            r = add_call(ret->decided_calls, &ret->decided_count, value, &why);
        else
            r = add_call(ret->retry_calls, &ret->retry_count, value, &why);
        break;
    case ENV:
        r = add_env(ret, value, &why);
        break;
    case ROUNDS:
        r = set_rounds(ret, value, &why);
        break;
    case AGE:
        r = set_age(ret, value, &why);
        break;
    case COLOUR:
        r = choose_colour(value, &why);
        break;
    case FLAG:
        break;
    }
    return r < 0 ? cr_err_set(err, r, "%s: %s", o->name, why.text) : 0;
}

/* Is the value a path, a URL or a pattern? Then a value like -x is probably a forgotten value. */
static bool has_name_value(const struct option *o)
{
    return o->kind == STRING || o->kind == REGISTRY || o->kind == PERMISSION;
}

static int refuse_unknown(const char *arg, size_t len, struct cr_err *err)
{
    const char *names[COUNT], *near;
    char word[32];

    for (size_t i = 0; i < COUNT; i++)
        names[i] = options[i].name;
    (void)snprintf(word, sizeof(word), "%.*s", (int)len, arg);
    near = cr_nearest(word, names, COUNT);
    return cr_err_set(err, CAPRUN_E_INVAL, "unknown option '%.*s'%s%s%s", (int)len, arg,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Handles argv[*at] and its value, if it takes one; moves *at past both. */
static int take_option(char **argv, int *at, struct cr_options *ret, struct cr_err *err)
{
    const char *arg = argv[(*at)++];
    const char *equals = strncmp(arg, "--", 2) == 0 ? strchr(arg, '=') : NULL;
    size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
    const struct option *o = find_option(arg, len, ret->words[0]);

    if (!o)
        return refuse_unknown(arg, len, err);
    if (!o->value) {
        if (equals)
            return cr_err_set(err, CAPRUN_E_INVAL, "'%s' takes no value", o->name);
        set_flag(ret, o);
        return 0;
    }
    if (equals)
        return set_option(ret, o, equals + 1, err);
    if (!argv[*at])
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' needs a value", o->name);
    if (has_name_value(o) && argv[*at][0] == '-' && argv[*at][1])
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' needs a value; one with a - is %s=%.60s",
                          o->name, o->name, argv[*at]);
    return set_option(ret, o, argv[(*at)++], err);
}

static bool is_json(const char *arg)
{
    return strcmp(arg, "--json") == 0;
}

/*
 * After an error before |at|: is there --json, there or later? Then the error is printed as JSON.
 */
static bool asks_for_json(char **at)
{
    if (is_json(at[-1]))
        return true;
    for (; *at && strcmp(*at, "--") != 0; at++)
        if (is_json(*at))
            return true;
    return false;
}

int cr_options_parse(int argc, char **argv, struct cr_options *ret, struct cr_err *err)
{
    bool ended = false;
    int at = 1;

    *ret = (struct cr_options){0};
    while (at < argc) {
        const char *arg = argv[at];
        int r = 0;

        if (!ended && strcmp(arg, "--") == 0) {
            ended = true;
            at++;
        } else if (!ended && arg[0] == '-' && arg[1]) {
            r = take_option(argv, &at, ret, err);
        } else if (ret->word_count == CR_OPTIONS_WORDS) {
            r = cr_err_set(err, CAPRUN_E_INVAL, "one word too many: '%s'", arg);
        } else {
            ret->words[ret->word_count++] = arg;
            at++;
        }
        if (r < 0) {
            ret->json = ret->json || (!ended && asks_for_json(argv + at));
            return r;
        }
    }
    return 0;
}

const char *cr_options_outside(const struct cr_options *o, unsigned takes)
{
    for (int i = 0; i < CR_OPTION_GROUPS; i++)
        if (o->given[i] && !(takes & 1u << i))
            return o->given[i];
    return NULL;
}

void cr_options_help(struct cr_buf *out, unsigned takes)
{
    for (size_t i = 0; i < COUNT; i++) {
        const struct option *o = &options[i];
        char name[40];

        if (o->group && !(o->group & takes))
            continue;
        (void)snprintf(name, sizeof(name), "%c%c%s%s%s%s", o->letter ? '-' : o->name[0],
                       o->letter ? o->letter : o->name[1], o->letter ? ", " : "",
                       o->letter ? o->name : o->name + 2, o->value ? " " : "",
                       o->value ? o->value : "");
        cr_buf_fmt(out, "  %-20s  %s\n", name, o->help);
    }
}
