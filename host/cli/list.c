/* list.c - `caprun list`: reads what the registries have, and prints it as a table or as JSON. */
#include "cli/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "capability/host.h"
#include "cli/colour.h"
#include "cli/columns.h"
#include "cli/launch.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/settings.h"

#define MAX_TEXT (256u << 20)
#define MAX_NAMES 5000u        /* of all registries */
#define MAX_DESCRIPTION 65536u /* bytes that are kept */
#define WIDEST_NAME 44u        /* columns; a longer name is not cut, but moves the next columns */
#define GAP 2u
#define LEAST_DESCRIPTION 12u

struct row {
    char *name, *full;           /* four parts, and with the hash; a file's name if that is wrong */
    char *type;                  /* "" if it is broken */
    char *description;           /* or what is wrong */
    const char *pinned;          /* "yes", "changed", "other" (version), "no"; "broken" */
    enum caprun_outcome outcome; /* of a broken one */
    size_t source;
};

struct list {
    const struct cr_options *options;
    const struct cr_config *config;
    struct caprun_runtime *rt;
    struct cr_signals signals;
    struct cr_lockfile lock;
    struct row *rows;
    size_t count;
    struct cr_buf out;

    /* While one registry is read. */
    size_t source;
    char **names; /* MAX_NAMES, of all registries */
    size_t name_count;
    bool has_failed; /* no memory */

    size_t left_out;
    enum caprun_outcome problem; /* the first, or SUCCESS */
};

static bool is_url(const struct list *l, size_t source)
{
    return strstr(l->config->registries[source], "://") != NULL;
}

static void note_problem(struct list *l, enum caprun_outcome outcome)
{
    if (l->problem == CAPRUN_OUTCOME_SUCCESS)
        l->problem = outcome;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Does every word occur in the name or in the description? */
static bool fits_words(const struct list *l, const char *name, const char *description)
{
    for (int i = 1; i < l->options->word_count; i++)
        if (!strcasestr(name, l->options->words[i]) &&
            !strcasestr(description, l->options->words[i]))
            return false;
    return true;
}

static void free_row(struct row *row)
{
    free(row->name);
    free(row->full);
    free(row->type);
    free(row->description);
}

/* Takes over |row|, and keeps it if it has all words of the command. */
static void keep_row(struct list *l, struct row row)
{
    bool is_whole = row.name && row.full && row.type && row.description;

    row.source = l->source;
    if (!is_whole || !fits_words(l, row.full, row.description)) {
        l->has_failed = l->has_failed || !is_whole;
        free_row(&row);
        return;
    }
    if (row.outcome != CAPRUN_OUTCOME_SUCCESS)
        note_problem(l, row.outcome);
    l->rows[l->count++] = row;
}

static void add_broken(struct list *l, const char *name, const struct cr_err *why)
{
    keep_row(l, (struct row){.name = strdup(name),
                             .full = strdup(name),
                             .type = strdup(""),
                             .description = strdup(why->text),
                             .pinned = "broken",
                             .outcome = why->outcome});
}

static const char *text_of(const struct cr_capability *c, const char *key)
{
    const struct cJSON *value = cr_json_get(c->meta.doc.root, key);

    return value ? cr_json_text(value) : "";
}

static const char *pinned_state(const struct list *l, const struct cr_capability *c)
{
    struct cr_pin pin;
    struct cr_err unused;

    if (!cr_lockfile_find(&l->lock, c->meta.fqdn.name, &pin))
        return "no";
    if (strcmp(pin.fqdn, c->pin.fqdn) != 0)
        return "other";
    return cr_pin_check(&pin, c->meta.fqdn.name, &c->pin, &unused) == 0 ? "yes" : "changed";
}

static void add_capability(struct list *l, const struct cr_capability *c)
{
    for (size_t i = l->count; i && l->rows[i - 1].source == l->source; i--)
        if (strcmp(l->rows[i - 1].full, c->meta.fqdn.full) == 0)
            return; /* cached by its short name, too */
    keep_row(l, (struct row){.name = strdup(c->meta.fqdn.name),
                             .full = strdup(c->meta.fqdn.full),
                             .type = strdup(text_of(c, "type")),
                             .description = strndup(text_of(c, "description"), MAX_DESCRIPTION),
                             .pinned = pinned_state(l, c)});
}

static void keep_name(void *data, const struct cr_fqdn *name)
{
    struct list *l = data;

    if (l->name_count == MAX_NAMES) {
        l->left_out++;
        return;
    }
    l->names[l->name_count] = strdup(name->full);
    if (l->names[l->name_count])
        l->name_count++;
    else
        l->has_failed = true;
}

static void keep_stray(void *data, const char *file, const char *wrong)
{
    struct list *l = data;
    struct cr_err why;

    if (l->count == MAX_NAMES) {
        l->left_out++;
        return;
    }
    (void)cr_err_end(&why, CAPRUN_OUTCOME_METADATA_INVALID, NULL,
                     "the file's name is not the name of a capability: %s", wrong);
    add_broken(l, file, &why);
}

/* From a URL, only cached files are read. If the code is not cached, that is no problem. */
static void read_capability(struct list *l, const struct cr_registry *registry, const char *name)
{
    struct cr_capability c;
    struct cr_fqdn want;
    struct cr_err why;

    if (cr_fqdn_parse(name, &want, &why) < 0)
        return;
    if (cr_cli_load(l->rt, registry, &want, &l->signals, true, &c, &why) == 0) {
        add_capability(l, &c);
        cr_capability_clear(&c);
    } else if (why.outcome != CAPRUN_OUTCOME_REGISTRY_UNREACHABLE &&
               why.outcome != CAPRUN_OUTCOME_CANCELLED) {
        add_broken(l, name, &why);
    }
}

static void read_registry(struct list *l)
{
    struct cr_registry registry = cr_capability_host_registry(cr_capability_host_of(l->rt));
    size_t first = l->name_count;
    struct cr_err why;

    registry.sources += l->source;
    registry.dev += registry.dev ? l->source : 0;
    registry.count = 1;
    registry.offline = registry.is_for_display = true;
    if (is_url(l, l->source) && !l->options->quiet)
        cr_output_note("%s cannot be listed: a registry behind a URL has no list; this is what is "
                       "cached of it",
                       l->config->registries[l->source]);
    if (cr_registry_list(&registry, &(struct cr_registry_reader){keep_name, keep_stray, l}, &why) <
        0) {
        cr_output_note("%s", why.text);
        note_problem(l, why.outcome);
    }
    for (size_t i = first; i < l->name_count && !cr_signals_take(&l->signals); i++)
        read_capability(l, &registry, l->names[i]);
}

static int by_name(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return order ? order : strcmp(x->full, y->full);
}

static int read_all(struct list *l, struct cr_err *why)
{
    l->rows = calloc(2 * MAX_NAMES, sizeof(*l->rows)); /* names and strays */
    l->names = calloc(MAX_NAMES, sizeof(*l->names));
    if (!l->rows || !l->names)
        return cr_err_memory(why);
    for (; l->source < l->config->registry_count && !l->signals.taken; l->source++)
        read_registry(l);
    if (l->signals.taken)
        return cr_err_end(why, CAPRUN_OUTCOME_CANCELLED, NULL, "Cancelled");
    if (l->has_failed)
        return cr_err_memory(why);
    if (l->left_out && !l->options->quiet)
        cr_output_note("%zu more are left out: a list has %u at most", l->left_out, MAX_NAMES);
    qsort(l->rows, l->count, sizeof(*l->rows), by_name);
    return 0;
}

/* --- as JSON --------------------------------------------------------------------------------- */

static void add_row_json(struct list *l, const struct row *row)
{
    bool is_broken = row->outcome != CAPRUN_OUTCOME_SUCCESS;

    cr_buf_str(&l->out, "{\"name\":");
    cr_escape_json_str(&l->out, row->name);
    cr_escape_member(&l->out, "registry", l->config->registries[row->source]);
    cr_buf_fmt(&l->out, ",\"cached\":%s", is_url(l, row->source) ? "true" : "false");
    if (is_broken) {
        cr_buf_fmt(&l->out, ",\"error\":{\"code\":\"%s\"", caprun_outcome_name(row->outcome));
        cr_escape_member(&l->out, "message", row->description);
        cr_buf_str(&l->out, "}}");
        return;
    }
    cr_escape_member(&l->out, "fqdn", row->full);
    cr_escape_member(&l->out, "type", row->type);
    cr_escape_member(&l->out, "description", row->description);
    cr_escape_member(&l->out, "pinned", row->pinned);
    cr_buf_str(&l->out, "}");
}

static void write_json(struct list *l)
{
    cr_buf_str(&l->out, "{\"capabilities\":[");
    for (size_t i = 0; i < l->count; i++) {
        cr_buf_str(&l->out, i ? "," : "");
        add_row_json(l, &l->rows[i]);
    }
    cr_buf_str(&l->out, "]}\n");
}

/* --- as text --------------------------------------------------------------------------------- */

/* The name of four parts is enough if the registry has one version. */
static const char *shown_name(const struct list *l, size_t i)
{
    const struct row *row = &l->rows[i];
    bool same_before =
        i && l->rows[i - 1].source == row->source && strcmp(l->rows[i - 1].name, row->name) == 0;
    bool same_after = i + 1 < l->count && l->rows[i + 1].source == row->source &&
                      strcmp(l->rows[i + 1].name, row->name) == 0;

    return same_before || same_after ? row->full : row->name;
}

static void add_titles(struct list *l, size_t width)
{
    cr_buf_fmt(&l->out, "  %s", cr_colour_code(STDOUT_FILENO, CR_COLOUR_DIM));
    cr_columns_left(&l->out, "name", width + GAP);
    cr_buf_fmt(&l->out, "pinned   description%s\n", cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
}

/* Appends the first line of the description, cut to |columns|. */
static void add_description(struct list *l, const char *text, size_t columns)
{
    char *first;

    text += strspn(text, " \t\r\n");
    first = strndup(text, strcspn(text, "\r\n"));
    if (first)
        cr_columns_cut(&l->out, first, columns);
    else
        l->out.err = CAPRUN_E_NOMEM;
    free(first);
}

static void add_row_text(struct list *l, size_t i, size_t width)
{
    const struct row *row = &l->rows[i];
    const char *name = shown_name(l, i);
    size_t columns = cr_columns_available(STDOUT_FILENO), wide = cr_columns_of(name);
    bool is_broken = row->outcome != CAPRUN_OUTCOME_SUCCESS;
    enum cr_colour colour = strcmp(row->pinned, "yes") == 0                    ? CR_COLOUR_GOOD
                            : strcmp(row->pinned, "changed") == 0 || is_broken ? CR_COLOUR_BAD
                                                                               : CR_COLOUR_NONE;

    if (wide < width)
        wide = width;
    cr_buf_str(&l->out, "  ");
    cr_columns_left(&l->out, name, wide + GAP);
    cr_buf_str(&l->out, cr_colour_code(STDOUT_FILENO, colour));
    cr_buf_str(&l->out, row->pinned);
    cr_buf_str(&l->out, cr_colour_code(STDOUT_FILENO, CR_COLOUR_NONE));
    if (is_broken) {
        cr_buf_str(&l->out, "\n");
        cr_output_add_lines(&l->out, "      ", row->description);
        return;
    }
    if (row->description[0])
        cr_columns_fill(&l->out, strlen("changed") + GAP - strlen(row->pinned));
    wide += GAP + GAP + strlen("changed") + GAP;
    add_description(l, row->description,
                    columns > wide + LEAST_DESCRIPTION ? columns - wide : LEAST_DESCRIPTION);
    cr_buf_str(&l->out, "\n");
}

static void write_text(struct list *l)
{
    size_t width = strlen("name"), i = 0;

    for (size_t at = 0; at < l->count; at++) {
        size_t wide = cr_columns_of(shown_name(l, at));

        if (wide > width && wide <= WIDEST_NAME)
            width = wide;
    }
    for (size_t source = 0; source < l->config->registry_count; source++) {
        const char *place = l->config->registries[source];

        cr_escape_terminal(&l->out, place, strlen(place));
        cr_buf_str(&l->out, is_url(l, source) ? " (only what is cached)\n" : "\n");
        if (i < l->count && l->rows[i].source == source)
            add_titles(l, width);
        else
            cr_buf_str(&l->out,
                       l->options->word_count > 1 ? "  nothing fits these words\n" : "  nothing\n");
        for (; i < l->count && l->rows[i].source == source; i++)
            add_row_text(l, i, width);
    }
}

/* --- the command ----------------------------------------------------------------------------- */

static int print_list(struct list *l)
{
    int r;

    cr_buf_init(&l->out, MAX_TEXT);
    if (l->options->json)
        write_json(l);
    else
        write_text(l);
    r = l->options->json ? cr_output_json(&l->out) : cr_output_text(&l->out);
    cr_buf_clear(&l->out);
    return caprun_outcome_status(r < 0 ? CAPRUN_OUTCOME_INTERNAL : l->problem);
}

static void clear_list(struct list *l)
{
    while (l->count)
        free_row(&l->rows[--l->count]);
    while (l->name_count)
        free(l->names[--l->name_count]);
    free(l->rows);
    free(l->names);
    cr_lockfile_clear(&l->lock);
}

int cr_cli_list(struct caprun_runtime *rt, struct caprun_run *run, const struct cr_options *o,
                int *ret_signal)
{
    struct list l = {.options = o, .rt = rt, .problem = CAPRUN_OUTCOME_SUCCESS};
    struct cr_err why;
    int r;

    l.config = cr_settings_use(o, rt, &why);
    if (!l.config || cr_lockfile_read(l.config->dir, &l.lock, &why) < 0)
        return cr_launch_reject(run, &why);
    if (!l.config->registry_count && !o->quiet)
        cr_output_note("there is no registry: --registry DIR|URL, or \"registries\" in %s",
                       l.config->path ? l.config->path : CR_CONFIG_NAME);
    cr_signals_begin(&l.signals);
    r = read_all(&l, &why);
    cr_signals_end(&l.signals);
    *ret_signal = l.signals.taken;
    r = r < 0 ? cr_launch_reject(run, &why) : print_list(&l);
    clear_list(&l);
    return r;
}
