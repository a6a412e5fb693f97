/* test_output.c - how the command shows ends of runs that it cannot cause by itself yet. */
#include "tap.h"

#include <sys/mman.h>
#include <unistd.h>

#include "caprun.h"
#include "cli/output.h"

static char shown[4096];

/* Captures what is written to standard error for a run with this end. */
static bool show(enum caprun_outcome outcome, const char *message)
{
    int own = dup(STDERR_FILENO), file = memfd_create("shown", MFD_CLOEXEC);
    struct caprun_runtime *rt = NULL;
    struct caprun_run *run = NULL;
    struct cr_err err = {0};
    ssize_t n = -1;

    if (own >= 0 && file >= 0 && caprun_new(&rt) == 0 && caprun_run_new(rt, &run) == 0) {
        caprun_reject(run, outcome, message, "change it");
        (void)dup2(file, STDERR_FILENO);
        (void)cr_output_end(run, false, false, true, &err);
        (void)dup2(own, STDERR_FILENO);
        n = pread(file, shown, sizeof(shown) - 1, 0);
    }
    shown[n < 0 ? 0 : n] = '\0';
    caprun_run_free(run);
    caprun_free(rt);
    (void)close(own);
    (void)close(file);
    return n > 0 && err.code == 0;
}

TEST(what_a_check_found_is_shown_in_lines_that_are_indented_and_escaped)
{
    CHECK(show(CAPRUN_OUTCOME_VALIDATION_ERROR,
               "The args do not fit:\n/a: expected number\n\n  hint: \033[31mx\ncaprun: b\r"));
    CHECK(strcmp(shown, "caprun: InputError (VALIDATION_ERROR): The args do not fit:\n"
                        "    /a: expected number\n"
                        "    \n"
                        "      hint: \\u001b[31mx\n"
                        "    caprun: b\\r\n"
                        "  hint: change it\n") == 0);
    CHECK(show(CAPRUN_OUTCOME_METADATA_INVALID, "broken:\na"));
    CHECK(strcmp(shown, "caprun: LoadError (METADATA_INVALID): broken:\n    a\n"
                        "  hint: change it\n") == 0);
}

TEST(a_message_of_caprun_about_a_path_stays_on_its_line)
{
    CHECK(show(CAPRUN_OUTCOME_CODE_ERROR, "a\ncaprun: b"));
    CHECK(strcmp(shown, "caprun: RuntimeError (CODE_ERROR): a\n    caprun: b\n"
                        "  hint: change it\n") == 0);
    CHECK(show(CAPRUN_OUTCOME_USAGE, "a\ncaprun: b"));
    CHECK(strcmp(shown, "caprun: InputError (USAGE): a\\ncaprun: b\n"
                        "  hint: change it\n") == 0);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
