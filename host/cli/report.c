/* report.c - prints the report of `caprun config` as aligned, escaped cells, or as JSON. */
#include "cli/report.h"

#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "cli/colour.h"
#include "cli/output.h"

#define STATUS_INTERNAL 70
#define WIDEST_VALUE 40
#define FILE_WIDTH 10

void cr_report_init(struct cr_report *r, bool json)
{
    *r = (struct cr_report){.json = json, .measuring = true};
    cr_buf_init(&r->text, CR_REPORT_MAX);
}

static void measure(struct cr_report *r, size_t name, size_t value)
{
    if (name > r->name_width)
        r->name_width = name;
    if (value > r->value_width && value <= WIDEST_VALUE)
        r->value_width = value;
}

static void add_json(struct cr_report *r, const char *name, const char *value, const char *source)
{
    cr_buf_str(&r->text, r->settings ? "," : ",\"settings\":{");
    cr_escape_json_str(&r->text, name);
    cr_buf_fmt(&r->text, ":{\"value\":%s,\"source\":", value);
    cr_escape_json_str(&r->text, source);
    cr_buf_str(&r->text, "}");
}

/* Appends |text|, escaped, padded to |width|. */
static void add_cell(struct cr_report *r, const char *text, size_t width)
{
    size_t start = r->text.len, used;

    cr_escape_terminal(&r->text, text, strlen(text));
    used = r->text.len - start;
    cr_buf_fmt(&r->text, "%*s", (int)(used < width ? width - used : 0), "");
}

static void add_line(struct cr_report *r, const char *name, const char *value, const char *source,
                     const char *note)
{
    bool dim = strcmp(source, "default") == 0;

    cr_buf_str(&r->text, r->settings ? "" : "\n");
    cr_buf_str(&r->text, dim ? cr_colour_code(STDOUT_FILENO, CR_COLOUR_DIM) : "");
    add_cell(r, name, r->name_width + 2);
    add_cell(r, value, r->value_width);
    cr_buf_str(&r->text, "  ");
    add_cell(r, source, 0);
    cr_buf_str(&r->text, note ? note : "");
    cr_buf_str(&r->text, dim ? cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE) : "");
    cr_buf_str(&r->text, "\n");
}

void cr_report_add(struct cr_report *r, const char *name, struct cr_buf *value, const char *source,
                   const char *note)
{
    const char *text = cr_buf_text(value);

    if (!text)
        r->text.err = cr_buf_err(value);
    else if (r->measuring)
        measure(r, strlen(name), strlen(text));
    else if (r->json)
        add_json(r, name, text, source);
    else
        add_line(r, name, text, source, note);
    if (!r->measuring)
        r->settings++;
    cr_buf_clear(value);
}

void cr_report_file(struct cr_report *r, const char *name, const char *path, const char *source)
{
    r->files++;
    if (!r->json) {
        add_cell(r, name, FILE_WIDTH);
        add_cell(r, *path ? path : "none", 0);
        cr_buf_str(&r->text, *source ? " (" : "");
        add_cell(r, source, 0);
        cr_buf_str(&r->text, *source ? ")" : "");
        cr_buf_str(&r->text, "\n");
        return;
    }
    cr_buf_fmt(&r->text, "%s\"%s\":", r->files > 1 ? "," : "{", name);
    if (*path)
        cr_escape_json_str(&r->text, path);
    else
        cr_buf_str(&r->text, "null");
}

int cr_report_end(struct cr_report *r)
{
    struct cr_buf pretty;
    bool indent = r->json && isatty(STDOUT_FILENO);
    int status = 0;

    cr_buf_init(&pretty, 4 * CR_REPORT_MAX);
    cr_buf_str(&r->text, r->json ? "}}" : "");
    if (indent)
        cr_escape_pretty(&pretty, r->text.data, r->text.len);
    cr_buf_str(indent ? &pretty : &r->text, r->json ? "\n" : "");
    if (cr_output_text(indent && !cr_buf_err(&r->text) ? &pretty : &r->text) < 0)
        status = STATUS_INTERNAL;
    cr_buf_clear(&pretty);
    cr_buf_clear(&r->text);
    return status;
}
