/* options.c - one table of options, each with what it sets. */
#include "cli/options.h"

#include <stddef.h>
#include <string.h>

#include "base/units.h"

enum kind {
    FLAG,     /* sets a bool */
    DURATION, /* sets milliseconds */
    SIZE,     /* sets bytes */
    NOTHING,  /* true of this version anyway */
    LATER,    /* takes a value, and belongs to a part that is not there yet */
    LATER_FLAG,
};

static const struct option {
    const char *name;
    char letter;
    enum kind kind;
    size_t offset;
    const char *missing; /* LATER: what is not there yet */
} options[] = {
    {"--json", 0, FLAG, offsetof(struct cr_options, json), NULL},
    {"--quiet", 'q', FLAG, offsetof(struct cr_options, quiet), NULL},
    {"--verbose", 'v', FLAG, offsetof(struct cr_options, verbose), NULL},
    {"--help", 'h', FLAG, offsetof(struct cr_options, help), NULL},
    {"--version", 0, FLAG, offsetof(struct cr_options, version), NULL},
    {"--timeout", 0, DURATION, offsetof(struct cr_options, timeout_ms), NULL},
    {"--cpu", 0, DURATION, offsetof(struct cr_options, cpu_ms), NULL},
    {"--rpc-timeout", 0, DURATION, offsetof(struct cr_options, rpc_timeout_ms), NULL},
    {"--memory", 0, SIZE, offsetof(struct cr_options, memory), NULL},
    {"--no-input", 0, NOTHING, 0, NULL},
    {"--registry", 0, LATER, 0, "registries"},
    {"--config", 0, LATER, 0, "a configuration file"},
    {"--record", 0, LATER, 0, "recording"},
    {"--allow", 0, LATER, 0, "a policy for calls"},
    {"--ask", 0, LATER, 0, "a policy for calls"},
    {"--deny", 0, LATER, 0, "a policy for calls"},
    {"--frozen", 0, LATER_FLAG, 0, "a lockfile"},
};

static const struct option *find(const char *arg, size_t len)
{
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        const struct option *o = &options[i];

        if (len == strlen(o->name) && memcmp(o->name, arg, len) == 0)
            return o;
        if (o->letter && len == 2 && arg[0] == '-' && arg[1] == o->letter)
            return o;
    }
    return NULL;
}

static int store(struct cr_options *ret, const struct option *o, const char *value,
                 struct cr_err *err)
{
    void *field = (char *)ret + o->offset;
    struct cr_err why;
    int r = 0;

    switch (o->kind) {
    case FLAG:
        *(bool *)field = true;
        break;
    case DURATION:
        r = cr_units_duration(value, field, &why);
        break;
    case SIZE:
        r = cr_units_size(value, field, &why);
        break;
    case LATER:
    case LATER_FLAG:
        return cr_err_set(err, CAPRUN_E_INVAL,
                          "'%s' cannot be used: this version of caprun does not have %s yet",
                          o->name, o->missing);
    case NOTHING:
        break;
    }
    return r < 0 ? cr_err_set(err, r, "%s: %s", o->name, why.text) : 0;
}

static bool takes_value(const struct option *o)
{
    return o->kind == DURATION || o->kind == SIZE || o->kind == LATER;
}

/* Handles argv[*at] and, if it takes one, its value; moves *at past both. */
static int take_option(char **argv, int *at, struct cr_options *ret, struct cr_err *err)
{
    const char *arg = argv[(*at)++];
    const char *equals = strncmp(arg, "--", 2) == 0 ? strchr(arg, '=') : NULL;
    size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
    const struct option *o = find(arg, len);

    if (!o)
        return cr_err_set(err, CAPRUN_E_INVAL, "unknown option '%.*s'", (int)len, arg);
    if (!takes_value(o)) {
        if (equals)
            return cr_err_set(err, CAPRUN_E_INVAL, "'%s' takes no value", o->name);
        return store(ret, o, NULL, err);
    }
    if (equals)
        return store(ret, o, equals + 1, err);
    if (!argv[*at])
        return cr_err_set(err, CAPRUN_E_INVAL, "'%s' needs a value", o->name);
    return store(ret, o, argv[(*at)++], err);
}

static bool is_json(const char *arg)
{
    return strcmp(arg, "--json") == 0;
}

/*
 * Whatever is wrong with what stands before |at|, the answer has to come in the form that is asked
 * for, be it there or later.
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
