/* commands.c - the table of commands; finds the command, checks its words and options, runs it. */
#include "cli/commands.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "cli/approve.h"
#include "cli/audit.h"
#include "cli/bench.h"
#include "cli/call.h"
#include "cli/capability.h"
#include "cli/complete.h"
#include "cli/config.h"
#include "cli/doctor.h"
#include "cli/exec.h"
#include "cli/help.h"
#include "cli/info.h"
#include "cli/init.h"
#include "cli/list.h"
#include "cli/lock.h"
#include "cli/output.h"
#include "cli/policy.h"
#include "cli/replay.h"
#include "cli/resume.h"
#include "cli/runs.h"
#include "cli/tools.h"
#include "cli/types.h"
#include "cli/trust.h"

#define MAX_HELP (64u << 10)
#define STATUS_INTERNAL 70
#define USAGE_WIDTH 28u
#define LINE_TO_ABOUT                                                          \
    "\n                                   " /* for what is said beside a usage \
                                             */
#define SETTINGS (CR_OPTION_LIMITS | CR_OPTION_CONFIG | CR_OPTION_TALK)
#define DECISIONS                                                                            \
    (SETTINGS | CR_OPTION_REGISTRY | CR_OPTION_FROZEN | CR_OPTION_POLICY | CR_OPTION_RETRY | \
     CR_OPTION_DECIDE)
#define RUNS (SETTINGS | CR_OPTION_POLICY | CR_OPTION_RECORD)

struct task {
    struct caprun_runtime *rt;
    struct caprun_run *run;
    const struct cr_options *options;
    int signal;
};

static int do_capability(struct task *t)
{
    const char *const *words = t->options->words;

    if (strcmp(words[0], "run") == 0)
        words++;
    t->signal = cr_cli_capability(t->rt, t->run, t->options, words[0], words[1]);
    return -1;
}

static int do_exec(struct task *t)
{
    t->signal = cr_exec_run(t->rt, t->run, t->options);
    return -1;
}

static int do_call(struct task *t)
{
    t->signal = cr_cli_call(t->rt, t->run, t->options);
    return -1;
}

static int do_replay(struct task *t)
{
    return cr_cli_replay(t->rt, t->run, t->options, &t->signal);
}

static int do_resume(struct task *t)
{
    t->signal = cr_cli_resume(t->rt, t->run, t->options);
    return -1;
}

static int do_approve(struct task *t)
{
    t->signal = cr_cli_approve(t->rt, t->run, t->options);
    return -1;
}

static int do_runs(struct task *t)
{
    return cr_cli_runs(t->run, t->options);
}

static int do_audit(struct task *t)
{
    return cr_cli_audit(t->run, t->options);
}

static int do_tools(struct task *t)
{
    return cr_cli_tools(t->rt, t->run, t->options, &t->signal);
}

static int do_info(struct task *t)
{
    return cr_cli_info(t->rt, t->run, t->options, &t->signal);
}

static int do_list(struct task *t)
{
    return cr_cli_list(t->rt, t->run, t->options, &t->signal);
}

static int do_lock(struct task *t)
{
    return cr_cli_lock(t->rt, t->run, t->options, &t->signal);
}

static int do_types(struct task *t)
{
    return cr_cli_types(t->rt, t->run, t->options, &t->signal);
}

static int do_config(struct task *t)
{
    return cr_cli_config(t->run, t->options);
}

static int do_policy(struct task *t)
{
    return cr_cli_policy(t->rt, t->run, t->options);
}

static int do_init(struct task *t)
{
    return cr_cli_init(t->run, t->options);
}

static int do_trust(struct task *t)
{
    return cr_cli_trust(t->run, t->options);
}

static int do_doctor(struct task *t)
{
    return cr_cli_doctor(t->rt, t->options);
}

static int do_bench(struct task *t)
{
    return cr_cli_bench(t->rt, t->run, t->options);
}

static int do_complete(struct task *t)
{
    cr_cli_complete(t->options);
    return 0;
}

static int do_help(struct task *t);

static const struct command {
    const char *name;
    int least, most; /* words, including the command's name */
    unsigned takes;  /* of enum cr_option_group, besides --json */
    int (*carry_out)(struct task *t);
    const char *needs;         /* the word after the command's name, if one is required */
    const char *usage, *about; /* about: NULL: it is not for people */
} commands[] = {
    {"run", 2, 3, RUNS | CR_OPTION_REGISTRY | CR_OPTION_FROZEN | CR_OPTION_DEV | CR_OPTION_DECLARED,
     do_capability, "an FQDN", "caprun [run] FQDN [ARGS]", "run a capability from a registry"},
    {"exec", 2, 3, RUNS | CR_OPTION_FROZEN, do_exec, "a FILE", "caprun exec FILE [ARGS]",
     "run code that is in no registry"},
    {"call", 2, 3, RUNS | CR_OPTION_FROZEN, do_call, "a tool, NS:ACTION",
     "caprun call NS:ACTION [ARGS]", "call one tool"},
    {"list", 1, CR_OPTIONS_WORDS, CR_OPTION_CONFIG | CR_OPTION_REGISTRY | CR_OPTION_TALK, do_list,
     NULL, "caprun list [WORDS]", "list the capabilities of the registries"},
    {"info", 2, 2,
     CR_OPTION_CONFIG | CR_OPTION_REGISTRY | CR_OPTION_FROZEN | CR_OPTION_DEV | CR_OPTION_POLICY |
         CR_OPTION_TALK,
     do_info, "an FQDN", "caprun info FQDN", "show what a capability is and needs"},
    {"tools", 1, CR_OPTIONS_WORDS, CR_OPTION_CONFIG | CR_OPTION_TALK, do_tools, NULL,
     "caprun tools [WORDS]", "list the tools of the configured servers"},
    {"types", 1, CR_OPTIONS_WORDS, CR_OPTION_CONFIG | CR_OPTION_TALK, do_types, NULL,
     "caprun types [NS...]", "declare the tools in TypeScript"},
    {"replay", 2, CR_OPTIONS_WORDS, CR_OPTION_REPLAY | SETTINGS, do_replay, "a JOURNAL",
     "caprun replay JOURNAL...", "run again from recordings, and compare"},
    {"resume", 2, 2,
     SETTINGS | CR_OPTION_REGISTRY | CR_OPTION_FROZEN | CR_OPTION_POLICY | CR_OPTION_RETRY |
         CR_OPTION_DECLARED,
     do_resume, "a RUN", "caprun resume RUN", "go on with a run that was interrupted"},
    {"approve", 2, 2, DECISIONS | CR_OPTION_YES, do_approve, "a RUN", "caprun approve RUN",
     "allow what a run waits for, and go on"},
    {"deny", 2, 2, DECISIONS, do_approve, "a RUN", "caprun deny RUN",
     "deny what a run waits for, and go on"},
    {"runs", 1, CR_OPTIONS_WORDS, CR_OPTION_TALK | CR_OPTION_REMOVE | CR_OPTION_WAITING, do_runs,
     NULL, "caprun runs [--rm] [RUN...]", "list, show or remove recorded runs"},
    {"audit", 1, 2, CR_OPTION_CONFIG | CR_OPTION_TALK | CR_OPTION_AUDIT, do_audit, NULL,
     "caprun audit [FILE]", "show, follow or verify all calls"},
    {"lock", 1, 1,
     CR_OPTION_CONFIG | CR_OPTION_REGISTRY | CR_OPTION_FROZEN | CR_OPTION_ACCEPT | CR_OPTION_TALK,
     do_lock, NULL, "caprun lock [--accept NAME]", "show what caprun.lock pins, and check it"},
    {"init", 1, 1, CR_OPTION_FROM, do_init, NULL, "caprun init [--from PROGRAM]",
     "make a configuration and a capability"},
    {"policy", 1, 4, CR_OPTION_CONFIG | CR_OPTION_POLICY | CR_OPTION_TALK | CR_OPTION_FOR,
     do_policy, NULL, "caprun policy [explain NS:ACTION [ARGS] | test CASES | withdraw N]",
     "list, explain, test or withdraw permissions"},
    {"config", 1, 1, SETTINGS | CR_OPTION_REGISTRY, do_config, NULL, "caprun config",
     "show the settings, and where each came from"},
    {"trust", 1, 1, CR_OPTION_CONFIG | CR_OPTION_TRUST | CR_OPTION_TALK, do_trust, NULL,
     "caprun trust [--withdraw]", "accept what .caprun.json starts and allows"},
    {"doctor", 1, 1, CR_OPTION_DOCTOR, do_doctor, NULL, "caprun doctor [--strict]",
     "attack the sandbox, and report each layer"},
    {"bench", 1, CR_OPTIONS_WORDS, CR_OPTION_BENCH | CR_OPTION_TALK, do_bench, NULL,
     "caprun bench [WHAT...]", "measure runs, calls and answers here"},
    {"help", 1, 2, 0, do_help, NULL, "caprun help [COMMAND]", "explain a command and its options"},
    /* for the shell's completion */
    {"complete-names", 1, 2, CR_OPTION_CONFIG | CR_OPTION_REGISTRY, do_complete, NULL,
     "caprun complete-names [tools|runs]", NULL},
};

#define COUNT (sizeof(commands) / sizeof(commands[0]))

/* A capability's name has a dot, a command's never. A path with a dot fails as an invalid name. */
static const struct command capability = {
    .name = "a capability",
    .least = 1,
    .most = 2,
    .takes = RUNS | CR_OPTION_REGISTRY | CR_OPTION_FROZEN | CR_OPTION_DEV | CR_OPTION_DECLARED,
    .carry_out = do_capability,
    .usage = "caprun FQDN [ARGS]",
};

static const struct command *find_command(const char *word)
{
    if (strchr(word, '.'))
        return &capability;
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(commands[i].name, word) == 0)
            return &commands[i];
    return NULL;
}

static int __attribute__((format(printf, 3, 4)))
refuse(struct caprun_run *run, const char *hint, const char *fmt, ...)
{
    char words[512];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    caprun_reject(run, CAPRUN_OUTCOME_USAGE, words, hint);
    return -1;
}

static const char help[] =
    "caprun FQDN [ARGS], or caprun exec FILE [ARGS]; caprun --help lists the others";

static int refuse_unknown(struct caprun_run *run, const char *word)
{
    const char *names[COUNT], *near;

    for (size_t i = 0; i < COUNT; i++)
        names[i] = commands[i].name;
    near = cr_nearest(word, names, COUNT);
    return refuse(run, help, "unknown command '%s'%s%s%s", word, near ? "; did you mean '" : "",
                  near ? near : "", near ? "'?" : "");
}

/* --- help ------------------------------------------------------------------------------------ */

static void list_commands(struct cr_buf *out)
{
    for (size_t i = 0; i < COUNT; i++)
        if (commands[i].about)
            cr_buf_fmt(out, "%s%-28s%s  %s\n", i ? "       " : "usage: ", commands[i].usage,
                       strlen(commands[i].usage) > USAGE_WIDTH ? LINE_TO_ABOUT : "",
                       commands[i].about);
}

int cr_commands_help(const char *word)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_HELP);
    const struct command *c = word && !strchr(word, '.') ? find_command(word) : NULL;
    char about[100];

    if (c && c->about) {
        (void)snprintf(about, sizeof(about), "%c%s", toupper((unsigned char)c->about[0]),
                       c->about + 1);
        cr_help_command(&out, c->usage, about, c->takes);
    } else {
        cr_help_begin(&out);
        list_commands(&out);
        cr_help_end(&out);
    }
    return cr_output_text(&out) < 0 ? STATUS_INTERNAL : 0;
}

static int do_help(struct task *t)
{
    const char *word = t->options->words[1];

    return word && !find_command(word) ? refuse_unknown(t->run, word) : cr_commands_help(word);
}

/* --- running --------------------------------------------------------------------------------- */

int cr_commands_run(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                    int *ret_signal)
{
    struct task t = {.rt = rt, .run = run, .options = o};
    const struct command *c;
    const char *stray;
    int status;

    *ret_signal = 0;
    if (!o->word_count)
        return refuse(run, help, "there is nothing to do");
    c = find_command(o->words[0]);
    if (!c)
        return refuse_unknown(run, o->words[0]);
    if (o->word_count < c->least)
        return refuse(run, c->usage, "%s needs %s", c->name, c->needs);
    if (o->word_count > c->most)
        return refuse(run, c->usage, "one word too many: '%s'", o->words[c->most]);
    stray = cr_options_outside(o, c->takes);
    if (stray)
        return refuse(run, c->usage, "%s does not take '%s'", c->name, stray);
    status = c->carry_out(&t);
    *ret_signal = t.signal;
    return status;
}
