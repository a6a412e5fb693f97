/*
 * options.h - parses the command line into words and options.
 */
#ifndef CR_OPTIONS_H
#define CR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CR_OPTIONS_WORDS 1024
#define CR_OPTIONS_RETRIES 256
#define CR_OPTIONS_ENVS 256
#define CR_OPTIONS_ROUNDS 100
#define CR_OPTIONS_REGISTRIES 32
#define CR_OPTIONS_PATTERNS 256 /* of --allow, of --ask and of --deny */

/* Groups of options: a command takes all of a group or none. --json, --color and --help are in no
 * group. */
enum cr_option_group {
    CR_OPTION_ANY = 0,
    CR_OPTION_LIMITS = 1 << 0,
    CR_OPTION_CONFIG = 1 << 1,
    CR_OPTION_REGISTRY = 1 << 2,
    CR_OPTION_FROZEN = 1 << 3,
    CR_OPTION_ACCEPT = 1 << 4,
    CR_OPTION_TALK = 1 << 5, /* how much is printed, and whether to ask */
    CR_OPTION_POLICY = 1 << 6,
    CR_OPTION_RECORD = 1 << 7,
    CR_OPTION_REPLAY = 1 << 8,
    CR_OPTION_RETRY = 1 << 9,
    CR_OPTION_BENCH = 1 << 10,
    CR_OPTION_REMOVE = 1 << 11,
    CR_OPTION_DOCTOR = 1 << 12,
    CR_OPTION_DEV = 1 << 13,
    CR_OPTION_FROM = 1 << 14,
    CR_OPTION_FOR = 1 << 15,
    CR_OPTION_TRUST = 1 << 16,
    CR_OPTION_DECLARED = 1 << 17,
    CR_OPTION_AUDIT = 1 << 18,
    CR_OPTION_DECIDE = 1 << 19,
    CR_OPTION_YES = 1 << 20,
    CR_OPTION_WAITING = 1 << 21,
};
#define CR_OPTION_GROUPS 22
#define CR_OPTIONS_ALL ((1u << CR_OPTION_GROUPS) - 1)

struct cr_options {
    const char *words[CR_OPTIONS_WORDS + 1]; /* the command and its operands */
    int word_count;
    bool json, quiet, verbose, help, version, frozen, retry_unknown, fail_unknown, remove, all,
        strict, dev, no_input, list, withdraw, allow_declared, verify, follow, for_run, yes,
        waiting;
    uint64_t timeout_ms, cpu_ms, rpc_timeout_ms, memory, older_s;         /* 0: not given */
    const char *config, *accept, *record, *code, *speed, *compare, *from; /* NULL: not given */
    const char *caller;                                                   /* --for; the same */
    const char *of_run, *of_tool, *decision, *since;                      /* NULL: not given */
    const char *registries[CR_OPTIONS_REGISTRIES];
    int registry_count;
    struct {
        int answer; /* of enum caprun_permission */
        const char *pattern;
    } permissions[3 * CR_OPTIONS_PATTERNS]; /* in the order of the command line */
    int permission_count;
    uint32_t retry_calls[CR_OPTIONS_RETRIES]; /* numbers of calls */
    int retry_count;
    uint32_t decided_calls[CR_OPTIONS_RETRIES]; /* --call: numbers of calls */
    int decided_count;
    const char *envs[CR_OPTIONS_ENVS]; /* names of variables */
    int env_count;
    uint32_t rounds;                     /* 0: not given */
    const char *given[CR_OPTION_GROUPS]; /* the last option of each group, or NULL */
};

/*
 * Parses the command line; options may be anywhere, `--` ends them. Returns 0, CAPRUN_E_INVAL or,
 * for a number that is too large, CAPRUN_E_TOOBIG. |ret| is filled up to the error, and always says
 * whether --json was given.
 */
int cr_options_parse(int argc, char **argv, struct cr_options *ret, struct cr_err *err);

/* Appends a line for each option in the groups of |takes|, and for those in no group. */
void cr_options_help(struct cr_buf *out, unsigned takes);

/* Returns the name of a given option that is in no group of |takes|, or NULL. */
const char *cr_options_outside(const struct cr_options *o, unsigned takes);

#endif
