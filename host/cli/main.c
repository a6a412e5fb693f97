/*
 * main.c - main() of the command: parses options, runs the command, prints, exits with its status.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "capability/host.h"
#include "caprun.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "cli/teach.h"

#define STATUS_INTERNAL 70
#define MIB (1024u * 1024)
#define MAX_LAYERS 4096

/*
 * A closed descriptor of 0 to 2 would be reused by the next file that is opened. Opens each in the
 * wrong mode, so that using it still fails.
 */
static void fill_closed_descriptors(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", modes[fd]);
}

static int print_text(const char *text)
{
    if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
        return 0;
    cr_output_note("cannot write standard output: %s", strerror(errno));
    return STATUS_INTERNAL;
}

static unsigned long long metric(const struct caprun_run *run, enum caprun_metric what)
{
    return caprun_get_metric(run, what);
}

/* In the same form as in the envelope. */
static void say_metrics(const struct caprun_run *run)
{
    unsigned long long startup = metric(run, CAPRUN_METRIC_STARTUP_US),
                       execution = metric(run, CAPRUN_METRIC_EXECUTION_US),
                       cpu = metric(run, CAPRUN_METRIC_CPU_US),
                       memory = metric(run, CAPRUN_METRIC_MEMORY_BYTES) * 100 / MIB;

    cr_output_note("metrics: {\"startupTimeMs\":%llu.%03llu,\"executionTimeMs\":%llu.%03llu,"
                   "\"cpuTimeMs\":%llu.%03llu,\"waitTimeMs\":0,\"memoryUsedMB\":%llu.%02llu,"
                   "\"rpcCalls\":%llu}",
                   startup / 1000, startup % 1000, execution / 1000, execution % 1000, cpu / 1000,
                   cpu % 1000, memory / 100, memory % 100, metric(run, CAPRUN_METRIC_CALLS));
}

/*
 * Says on a terminal that layers are missing: once, and again when others are. What was said is in
 * the state directory; where that cannot be written it is said each time.
 */
static void say_missing_layers(const char *missing)
{
    cr_autobuf struct cr_buf known = CR_BUF(MAX_LAYERS);
    char dir[PATH_MAX], path[PATH_MAX + 16];
    struct cr_err unused;

    cr_settings_state_dir(dir);
    (void)snprintf(path, sizeof(path), "%s/missing-layers", dir);
    if (dir[0])
        (void)cr_file_read(AT_FDCWD, path, &known, NULL, &unused);
    if (cr_buf_text(&known) && strcmp(cr_buf_text(&known), missing) == 0)
        return;
    cr_output_note("the sandbox lacks layers here: %s; caprun doctor says what that costs and how "
                   "to get them (this is said once)",
                   missing);
    if (dir[0])
        (void)cr_file_replace(AT_FDCWD, path, missing, strlen(missing), 0600, &unused);
}

static void say_more(struct caprun_runtime *rt, const struct caprun_run *run)
{
    const char *missing = caprun_missing_layers(rt);

    if (!missing)
        return; /* nothing was run */
    cr_output_note("sandbox: %s%s", missing[0] ? "missing: " : "every layer is there", missing);
    say_metrics(run);
}

static int exit_status(enum caprun_outcome outcome, int signal)
{
    return signal ? 128 + signal : caprun_outcome_status(outcome);
}

static int run_command(struct caprun_runtime *rt, const struct cr_options *o,
                       const struct cr_err *bad_options)
{
    struct caprun_run *run;
    struct cr_err err;
    int cancelled = 0, status = -1;
    bool shows_code;

    if (caprun_run_new(rt, &run) < 0) {
        cr_output_note("%s", caprun_error(rt));
        return STATUS_INTERNAL;
    }
    if (bad_options->code)
        caprun_reject(run, CAPRUN_OUTCOME_USAGE, bad_options->text,
                      "caprun --help lists the options");
    else
        status = cr_commands_run(rt, run, o, &cancelled);
    if (status >= 0) {
        caprun_run_free(run);
        return status; /* the command has printed everything */
    }
    status = exit_status(caprun_get_outcome(run), cancelled);
    shows_code = !o->words[0] || strcmp(o->words[0], "call") != 0; /* that code is caprun's own */
    if (cr_output_end(run, o->json, o->quiet, shows_code, &err) < 0) {
        cr_output_note("%s", err.text);
        status = STATUS_INTERNAL;
    }
    if (!o->quiet)
        cr_teach_show(cr_capability_host_of(rt)->config, caprun_get_grant(run));
    if (o->verbose)
        say_more(rt, run);
    else if (!o->quiet && isatty(STDERR_FILENO) && caprun_missing_layers(rt) &&
             caprun_missing_layers(rt)[0])
        say_missing_layers(caprun_missing_layers(rt));
    caprun_run_free(run);
    return status;
}

int main(int argc, char **argv)
{
    struct cr_err bad_options = {0};
    struct caprun_runtime *rt;
    struct cr_options options;
    int status;

    fill_closed_descriptors();
    /* writing to a closed pipe shall be an error of write(), not kill us */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* the same for a file that may not grow */
    (void)cr_options_parse(argc, argv, &options, &bad_options);
    if (!bad_options.code && options.help)
        return cr_commands_help(options.words[0]);
    if (!bad_options.code && options.version)
        return print_text("caprun " CAPRUN_VERSION "\n");
    if (caprun_new(&rt) < 0) {
        cr_output_note("no memory, or no descriptors, to start with");
        return STATUS_INTERNAL;
    }
    status = run_command(rt, &options, &bad_options);
    caprun_free(rt);
    return status;
}
