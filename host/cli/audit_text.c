/*
 * audit_text.c - shows lines of the audit as a table:
 *
 *     2025-01-02 03:04:05  0a1b2c3d  call     files:read_file  allow rule:files:read_*
 *     2025-01-02 03:04:05  0a1b2c3d  result   files:read_file  done, 1.9 ms
 */
#include "cli/audit_text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/inspect.h"

#define WHEN 19u
#define EVENT 8u
#define MAX_WORDS 1024

static void add(char *words, const char *before, const char *text)
{
    size_t len = strlen(words);

    if (*text)
        (void)snprintf(words + len, MAX_WORDS - len, "%s%s", len ? before : "", text);
}

static void add_member(char *words, const char *before, const struct cr_audit_line *line,
                       const char *name)
{
    add(words, before, cr_audit_line_get(line, name));
}

/* What is done, or found. */
static void show_what(const struct cr_audit_line *line, char words[MAX_WORDS])
{
    bool is_run = strcmp(line->event, "run") == 0 || strcmp(line->event, "resume") == 0 ||
                  strcmp(line->event, "off") == 0 || strcmp(line->event, "end") == 0;
    bool has_ended = strcmp(line->event, "result") == 0;

    words[0] = '\0';
    add_member(words, "", line, is_run ? "capability" : "tool");
    if (!has_ended)
        add_member(words, "  ", line, "decision");
    if (!has_ended)
        add_member(words, " ", line, "by");
    if (strcmp(cr_audit_line_get(line, "outcome"), "denied") != 0) {
        add_member(words, "  ", line, "outcome");
        add_member(words, " ", line, "code");
    }
    add_member(words, ", calls: ", line, "calls");
    if (has_ended && *cr_audit_line_get(line, "ms")) {
        add_member(words, ", ", line, "ms");
        add(words, " ", "ms");
    }
    add_member(words, "  ", line, "what");
    add_member(words, ", bytes: ", line, "bytes");
    add_member(words, "file ", line, "file");
    add_member(words, ", lines ", line, "from");
    add_member(words, " to ", line, "to");
    add_member(words, "lines: ", line, "lines");
}

static enum cr_colour colour_of(const struct cr_audit_line *line)
{
    const char *outcome = cr_audit_line_get(line, "outcome");

    if (strcmp(line->event, "refused") == 0 || strcmp(line->event, "repaired") == 0 ||
        strcmp(line->event, "lost") == 0 || strcmp(outcome, "failed") == 0)
        return CR_COLOUR_BAD;
    return strcmp(line->event, "call") == 0 ? CR_COLOUR_NONE : CR_COLOUR_DIM;
}

void cr_audit_text_add(struct cr_buf *out, const struct cr_audit_line *line)
{
    size_t columns = cr_columns_available(STDOUT_FILENO), used;
    const char *id = cr_audit_line_get(line, "run");
    char when[64], words[MAX_WORDS];

    cr_inspect_time(cr_audit_line_get(line, "time"), true, when);
    show_what(line, words);
    if (strlen(id) > CR_INSPECT_SHORT_ID)
        id += strlen(id) - CR_INSPECT_SHORT_ID;
    used = WHEN + 2 + CR_INSPECT_SHORT_ID + 2 + EVENT + 2;
    cr_buf_str(out, cr_colour_code(STDOUT_FILENO, colour_of(line)));
    cr_columns_left(out, when, WHEN + 2);
    cr_columns_left(out, id, CR_INSPECT_SHORT_ID + 2);
    cr_columns_left(out, line->event, EVENT + 2);
    cr_columns_cut(out, words, columns > used ? columns - used : columns);
    cr_buf_fmt(out, "%s\n", cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
}
