/* doctor.c - `caprun doctor`: prints the report on each layer as lines, or as JSON. */
#include "cli/doctor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/output.h"

#define STATUS_UNSAFE 1
#define STATUS_INTERNAL 70
#define MAX_REPORT (1u << 20)
#define INDENT 19

struct report {
    struct cr_buf text;
    bool json;
    int layers, missing, unchecked;
    int required; /* of the last layer that was added */
};

static const char *state_name(int state)
{
    switch (state) {
    case CAPRUN_LAYER_PRESENT:
        return "present";
    case CAPRUN_LAYER_ABSENT:
        return "absent";
    case CAPRUN_LAYER_FAILED:
        return "failed";
    default:
        return "not checkable";
    }
}

static void add_json(struct report *r, const char *name, int state, int required, const char *found,
                     const char *cost, const char *remedy)
{
    cr_buf_str(&r->text, r->layers ? ",{\"name\":" : "{\"name\":");
    cr_escape_json_str(&r->text, name);
    cr_escape_member(&r->text, "state", state_name(state));
    cr_buf_fmt(&r->text, ",\"required\":%s", required ? "true" : "false");
    cr_escape_member(&r->text, "found", found);
    if (*cost)
        cr_escape_member(&r->text, "cost", cost);
    if (*remedy)
        cr_escape_member(&r->text, "remedy", remedy);
    cr_buf_str(&r->text, "}");
}

/* Ends the line, of which |used| columns are taken, with |text| in as many lines as it needs. */
static void add_wrapped(struct cr_buf *out, const char *text, size_t used)
{
    cr_columns_wrap(out, text, strlen(text), used, INDENT, cr_columns_available(STDOUT_FILENO));
    cr_buf_str(out, "\n");
}

static enum cr_colour colour_of(int state)
{
    return state == CAPRUN_LAYER_PRESENT         ? CR_COLOUR_GOOD
           : state == CAPRUN_LAYER_NOT_CHECKABLE ? CR_COLOUR_DIM
                                                 : CR_COLOUR_BAD;
}

static void add_line(struct report *r, const char *name, int state, int required, const char *found,
                     const char *cost, const char *remedy)
{
    const char *none = cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE);
    char words[1024];

    if (!r->layers || required != r->required)
        cr_buf_fmt(&r->text, "%s%s%s:%s\n", r->layers ? "\n" : "",
                   cr_colour_code(STDOUT_FILENO, CR_COLOUR_HEAD),
                   required ? "Without these nothing runs"
                            : "Walls behind them, which may be missing",
                   none);
    cr_buf_fmt(&r->text, "  %s%-13s%s", cr_colour_code(STDOUT_FILENO, colour_of(state)),
               state_name(state), none);
    (void)snprintf(words, sizeof(words), "  %s: %s", name, found);
    add_wrapped(&r->text, words, INDENT - 4);
    if (*cost) {
        (void)snprintf(words, sizeof(words), "%*scosts: %s", INDENT, "", cost);
        add_wrapped(&r->text, words, 0);
    }
    if (*remedy) {
        (void)snprintf(words, sizeof(words), "%*sto get it: %s", INDENT, "", remedy);
        add_wrapped(&r->text, words, 0);
    }
}

static void add_layer(void *data, const char *name, int state, int required, const char *found,
                      const char *cost, const char *remedy)
{
    struct report *r = data;

    (r->json ? add_json : add_line)(r, name, state, required, found, cost, remedy);
    r->required = required;
    r->missing += state == CAPRUN_LAYER_ABSENT;
    r->unchecked += state == CAPRUN_LAYER_NOT_CHECKABLE;
    r->layers++;
}

static void add_verdict(struct report *r, bool may_run)
{
    if (r->json) {
        cr_buf_fmt(&r->text, "],\"untrustedCodeMayRun\":%s,\"missing\":%d,\"notCheckable\":%d}\n",
                   may_run ? "true" : "false", r->missing, r->unchecked);
        return;
    }
    if (!may_run) {
        cr_buf_str(&r->text, "\nUntrusted code must not run here.\n");
        return;
    }
    cr_buf_str(&r->text, "\nUntrusted code may run here. ");
    if (r->missing)
        cr_buf_fmt(&r->text, "Missing: %d. ", r->missing);
    else
        cr_buf_str(&r->text, "No layer is missing. ");
    if (r->unchecked)
        cr_buf_fmt(&r->text, "Could not be checked: %d.", r->unchecked);
    cr_buf_str(&r->text, "\n");
}

int cr_cli_doctor(struct caprun_runtime *rt, const struct cr_options *o)
{
    struct report report = {.json = o->json};
    int may_run, status;

    cr_buf_init(&report.text, MAX_REPORT);
    if (o->json)
        cr_buf_str(&report.text, "{\"version\":\"" CAPRUN_VERSION "\",\"layers\":[");
    (void)caprun_set_warm(rt, CAPRUN_WARM_NONE);
    may_run = caprun_doctor(rt, add_layer, &report);
    status = may_run > 0 && !(o->strict && report.missing) ? 0 : STATUS_UNSAFE;
    if (may_run < 0) {
        cr_output_note("cannot examine the sandbox: %s", caprun_error(rt));
        status = STATUS_INTERNAL;
    }
    if (may_run >= 0 || o->json)
        add_verdict(&report, may_run > 0);
    if (cr_output_text(&report.text) < 0)
        status = STATUS_INTERNAL;
    cr_buf_clear(&report.text);
    return status;
}
