/* report.c - prints the report of `caprun config` as aligned, escaped cells, or as JSON. */
#include "cli/report.h"

#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/output.h"

#define STATUS_INTERNAL 70
#define WIDEST_VALUE 40
#define FILE_WIDTH 10
#define LEAST_VALUE 8u
#define LEAST_SOURCE 20u /* columns */

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

/*
 * Appends the value. On a terminal it leaves room for the source, and is cut: --json has all of it.
 * Returns its width.
 */
static size_t add_value(struct cr_report *r, const char *value, size_t columns)
{
    size_t beside = r->name_width + 2 + 2 + LEAST_SOURCE, width = cr_columns_of(value);
    size_t most = columns > beside + LEAST_VALUE ? columns - beside : LEAST_VALUE;
    size_t usual = r->value_width < most ? r->value_width : most;

    if (width <= usual) {
        cr_columns_left(&r->text, value, usual);
        return usual;
    }
    cr_columns_cut(&r->text, value, most);
    return width < most ? width : most;
}

/* Appends the end of |source|, the path of a file and a line, if there is no room for all of it. */
static void add_source(struct cr_report *r, const char *source, size_t room)
{
    size_t n = cr_columns_of(source);

    if (n > room) {
        cr_buf_str(&r->text, "…");
        for (n -= room - 1; n && *source; source++)
            n -= ((unsigned char)source[1] & 0xc0) != 0x80;
    }
    cr_escape_terminal(&r->text, source, strlen(source));
}

static void add_line(struct cr_report *r, const char *name, const char *value, const char *source,
                     const char *note)
{
    bool dim = strcmp(source, "default") == 0;
    size_t columns = cr_columns_available(STDOUT_FILENO), start = r->name_width + 2, used;

    cr_buf_str(&r->text, r->settings ? "" : "\n");
    cr_buf_str(&r->text, dim ? cr_colour_code(STDOUT_FILENO, CR_COLOUR_DIM) : "");
    cr_columns_left(&r->text, name, start);
    used = start + add_value(r, value, columns);
    cr_buf_str(&r->text, "  ");
    add_source(r, source, columns > used + 2 ? columns - used - 2 : LEAST_SOURCE);
    if (note)
        cr_columns_wrap(&r->text, note, strlen(note), used + 2 + strlen(source), used + 2, columns);
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
        measure(r, cr_columns_of(name), cr_columns_of(text));
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
        cr_columns_left(&r->text, name, FILE_WIDTH);
        cr_escape_terminal(&r->text, *path ? path : "none", strlen(*path ? path : "none"));
        cr_buf_str(&r->text, *source ? " (" : "");
        cr_escape_terminal(&r->text, source, strlen(source));
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
