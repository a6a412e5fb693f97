/* exec.c - `caprun exec`: reads code and args, configures the run, and runs it. */
#include "cli/exec.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/input.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/settings.h"

#define EXEC_TIMEOUT_MS 30000

static int load_code(struct caprun_runtime *rt, struct caprun_run *run, const char *path)
{
    struct cr_buf code;
    struct cr_err err;
    int r;

    cr_buf_init(&code, CAPRUN_MAX_CODE);
    r = cr_input_read(path, &code, &err);
    return cr_launch_hand_over(rt, run, r, &err, &code, caprun_run_set_code,
                               "FILE is a path; code itself goes in as: echo CODE | caprun exec -");
}

static bool is_typescript(const char *path)
{
    size_t len = strlen(path);

    return len > 3 && strcmp(path + len - 3, ".ts") == 0;
}

/*
 * Names the code after its file. Code from standard input, and a file whose name could look like
 * something else in a stack, is named by its hash.
 */
static void name_code(struct caprun_run *run, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (strcmp(path, "-") != 0)
        (void)caprun_run_set_code_name(run, slash ? slash + 1 : path);
}

int cr_exec_configure(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                      struct cr_recording *ret)
{
    struct cr_err why;
    const struct cr_config *config = cr_settings_use(o, rt, &why);
    int r = -1;

    if (config) {
        r = cr_settings_apply(config, o, rt, run, EXEC_TIMEOUT_MS, &why);
        cr_launch_recording(ret, config, o);
    }
    return r < 0 ? cr_launch_reject(run, &why) : 0;
}

int cr_exec_run(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o)
{
    const char *file = o->words[1], *args = o->words[2];
    struct cr_recording_origin origin = {.command = "exec", .file = file};
    struct cr_recording recording;

    if (args && strcmp(file, "-") == 0 && strcmp(args, "-") == 0) {
        caprun_reject(run, CAPRUN_OUTCOME_USAGE,
                      "FILE and ARGS cannot both come from standard input",
                      "put one of them into a file");
        return 0;
    }
    if (cr_exec_configure(rt, run, o, &recording) < 0)
        return 0;
    if (strcmp(file, "-") == 0 && isatty(STDIN_FILENO) && !o->quiet)
        cr_output_note(
            "reading the code from the terminal; end it with Ctrl-D on a line of its own");
    (void)caprun_warm(rt); /* while the input is read; if it fails, the start reports it */
    name_code(run, file);
    if (is_typescript(file))
        (void)caprun_run_set_language(run, "typescript");
    if (load_code(rt, run, file) < 0 || cr_launch_args(rt, run, args) < 0)
        return 0;
    return cr_launch_recorded(rt, run, &recording, &origin, o);
}
