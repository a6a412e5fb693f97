/*
 * tools.c - a host that lets code call the tools of MCP servers.
 *
 *     cc tools.c $(pkg-config --cflags --libs caprun)
 *     ./a.out .caprun.json 'return mcp.files.list_directory({path: "."})'
 *
 * Prints a line of JSON for each configured server, then the envelope. Other messages go to
 * standard error. The exit status is that of the caprun command.
 */
#include <caprun.h>
#include <stdio.h>
#include <string.h>

static void print_server(void *data, const char *json, size_t len)
{
    int *left = data;

    printf("%.*s\n", (int)len, json);
    (*left)--;
}

/* Lists the tools of all servers. A step reports each server when it has answered or failed. */
static int list_tools(struct caprun_runtime *rt)
{
    int left = 0;

    left = caprun_list_tools(rt, NULL, print_server, &left);
    while (left > 0) {
        caprun_wait(rt, -1);
        caprun_step(rt);
    }
    return left;
}

/* Text from servers is untrusted: escape it for a terminal. */
static void hear_progress(void *data, struct caprun_run *run, uint32_t call, const char *json,
                          size_t len)
{
    (void)data;
    fprintf(stderr, "%s: %.*s\n", caprun_get_call_method(run, call), (int)len, json);
}

static void hear_event(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call)
{
    (void)data;
    if (what != CAPRUN_EVENT_CALL_DONE && what != CAPRUN_EVENT_CALL_LOST)
        return;
    fprintf(stderr, "%s: %s after %lu us in the server%s%s\n", caprun_get_call_method(run, call),
            caprun_get_call_state(run, call),
            (unsigned long)caprun_get_call(run, call, CAPRUN_CALL_SERVER_US),
            caprun_get_call_hint(run, call)[0] ? "; " : "", caprun_get_call_hint(run, call));
}

static int run_code(struct caprun_run *run, const char *code)
{
    int r = caprun_run_set_code(run, code, strlen(code));

    if (r < 0)
        return r;
    caprun_run_set_event(run, hear_event, NULL);
    caprun_run_set_progress(run, hear_progress, NULL);
    return caprun_run(run); /* without a handler, calls go to the servers */
}

int main(int argc, char **argv)
{
    struct caprun_runtime *rt = NULL;
    struct caprun_run *run = NULL;
    const char *envelope = NULL;
    int status = 70;

    if (argc != 3) {
        fputs("usage: tools CONFIG CODE\n", stderr);
        return 2;
    }
    if (caprun_new(&rt) < 0) {
        fputs("cannot make a runtime\n", stderr);
        return status;
    }
    /* nothing here may change files, whatever the configuration says */
    if (caprun_set_config(rt, argv[1]) == 0 && caprun_permit(rt, CAPRUN_DENY, "*:write_*") == 0 &&
        list_tools(rt) == 0 && caprun_run_new(rt, &run) == 0 && run_code(run, argv[2]) == 0)
        envelope = caprun_result_json(run, NULL);
    if (envelope) {
        puts(envelope);
        status = caprun_outcome_status(caprun_get_outcome(run));
    } else {
        fprintf(stderr, "it did not run: %s\n", caprun_error(rt));
    }
    caprun_run_free(run);
    caprun_free(rt); /* ends the servers */
    return status;
}
