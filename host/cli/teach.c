/* teach.c - from a grant to a unified diff of the configuration. */
#include "cli/teach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/colour.h"
#include "cli/output.h"
#include "config/edit.h"

#define MAX_TEXT (16u << 20)
#define CONTEXT 3u
#define MAX_ITEMS 10000u

struct lines {
    const char *text;
    size_t *starts; /* of each line; and the end of the text */
    size_t count;
};

struct diff {
    const struct cr_json_doc *doc; /* the old configuration; NULL: there is no file */
    struct lines before, after;
    size_t same_begin, same_end; /* lines that both have at their beginning and end */
};

/* --- lines ------------------------------------------------------------------------------------ */

static bool split(const char *text, size_t len, struct lines *ret)
{
    size_t count = 0;

    ret->text = text;
    ret->starts = calloc(len + 2, sizeof(*ret->starts));
    if (!ret->starts)
        return false;
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);

        ret->starts[count++] = at;
        at = end ? (size_t)(end + 1 - text) : len;
    }
    ret->starts[count] = len;
    ret->count = count;
    return true;
}

static size_t length_of(const struct lines *l, size_t i)
{
    return l->starts[i + 1] - l->starts[i];
}

static bool is_same(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
    return length_of(a, i) == length_of(b, j) &&
           memcmp(a->text + a->starts[i], b->text + b->starts[j], length_of(a, i)) == 0;
}

static void compare(struct diff *d)
{
    const struct lines *a = &d->before, *b = &d->after;

    while (d->same_begin < a->count && d->same_begin < b->count &&
           is_same(a, d->same_begin, b, d->same_begin))
        d->same_begin++;
    while (d->same_end + d->same_begin < a->count && d->same_end + d->same_begin < b->count &&
           is_same(a, a->count - 1 - d->same_end, b, b->count - 1 - d->same_end))
        d->same_end++;
}

/* --- secrets ---------------------------------------------------------------------------------- */

/* Is |value| on one of the lines from |first| to before |end|? */
static bool is_on(const struct diff *d, const struct cJSON *value, size_t first, size_t end)
{
    struct cr_json_place place = cr_json_place_of(d->doc, value);

    return place.at < d->before.starts[end] && place.at + place.len > d->before.starts[first];
}

/* A value that is nothing but ${NAME} tells nothing. */
static bool is_secret(const struct cJSON *value)
{
    const char *text = cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : NULL;

    return text && !(strncmp(text, "${", 2) == 0 && strchr(text, '}') == strrchr(text, '\0') - 1);
}

static bool has_secret_in(const struct diff *d, const struct cJSON *map, size_t first, size_t end)
{
    for (const struct cJSON *v = cr_json_first(map); v; v = cr_json_next(v))
        if (is_secret(v) && is_on(d, v, first, end))
            return true;
    return false;
}

/* Is it a URL with a user in it, or does it name a secret, which may follow? */
static bool looks_secret(const char *text)
{
    static const char *const words[] = {"token", "secret", "passw", "api-key", "api_key", "apikey"};
    const char *host = strstr(text, "://");

    if (host && strchr(host, '@'))
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasestr(text, words[i]))
            return true;
    return false;
}

static bool has_secret_arg(const struct diff *d, const struct cJSON *args, size_t first, size_t end)
{
    bool before = false;

    for (const struct cJSON *v = cr_json_first(args); v; v = cr_json_next(v)) {
        bool is = cr_json_type(v) == CR_JSON_STRING && looks_secret(cr_json_text(v));

        if ((is || before) && is_on(d, v, first, end))
            return true;
        before = is;
    }
    return false;
}

static bool server_has_secret(const struct diff *d, const struct cJSON *server, size_t first,
                              size_t end)
{
    const struct cJSON *url = cr_json_get(server, "url");

    return has_secret_in(d, cr_json_get(server, "env"), first, end) ||
           has_secret_arg(d, cr_json_get(server, "args"), first, end) ||
           has_secret_in(d, cr_json_get(server, "headers"), first, end) ||
           (url && is_secret(url) && is_on(d, url, first, end));
}

/* Is there a secret on one of these lines of the old text? */
static bool has_secret(const struct diff *d, size_t first, size_t end)
{
    const struct cJSON *root = d->doc ? d->doc->root : NULL;
    const struct cJSON *registries = cr_json_get(root, "registries");

    if (first >= end)
        return false;
    for (const struct cJSON *v = cr_json_first(cr_json_get(root, "mcpServers")); v;
         v = cr_json_next(v))
        if (server_has_secret(d, v, first, end))
            return true;
    for (const struct cJSON *v = cr_json_first(registries); v; v = cr_json_next(v))
        if (cr_json_type(v) == CR_JSON_STRING && strstr(cr_json_text(v), "://") &&
            is_on(d, v, first, end))
            return true;
    return server_has_secret(d, cr_json_get(cr_json_get(root, "routing"), "cloud"), first, end);
}

/*
 * How many lines of context may be shown? The same number before and after the change: patch takes
 * fewer lines on one side for the beginning or the end of the file.
 */
static size_t count_context(const struct diff *d)
{
    size_t end = d->before.count - d->same_end, n = CONTEXT;

    while (n && (has_secret(d, d->same_begin > n ? d->same_begin - n : 0, d->same_begin) ||
                 has_secret(d, end, end + n < d->before.count ? end + n : d->before.count)))
        n--;
    return n;
}

/* --- the diff --------------------------------------------------------------------------------- */

/* Tabs, and a carriage return at the end, have to stay for patch; a terminal shows both harmlessly.
 */
static void add_line(struct cr_buf *out, char sign, const struct lines *l, size_t i)
{
    const char *text = l->text + l->starts[i];
    size_t len = length_of(l, i);
    bool has_end = len && text[len - 1] == '\n', has_return;

    len -= has_end;
    has_return = len && text[len - 1] == '\r';
    len -= has_return;
    cr_buf_fmt(out, "%c", sign);
    cr_escape_terminal(out, text, len);
    cr_buf_str(out, has_return ? "\r\n" : "\n");
    if (!has_end)
        cr_buf_str(out, "\\ No newline at end of file\n");
}

/* As in a hunk's head: a range of no lines begins before the first. */
static void add_range(struct cr_buf *out, char sign, size_t first, size_t count)
{
    cr_buf_fmt(out, " %c%zu,%zu", sign, count ? first + 1 : first, count);
}

static void add_diff(struct cr_buf *out, const struct diff *d, const char *name)
{
    size_t context = count_context(d);
    size_t before = d->same_begin < context ? d->same_begin : context;
    size_t after = d->same_end < context ? d->same_end : context;
    size_t first = d->same_begin - before;
    size_t old_end = d->before.count - d->same_end, new_end = d->after.count - d->same_end;

    cr_buf_str(out, "--- ");
    cr_escape_terminal(out, d->doc ? name : "/dev/null", strlen(d->doc ? name : "/dev/null"));
    cr_buf_str(out, "\n+++ ");
    cr_escape_terminal(out, name, strlen(name));
    cr_buf_str(out, "\n@@");
    add_range(out, '-', first, old_end + after - first);
    add_range(out, '+', first, new_end + after - first);
    cr_buf_str(out, " @@\n");
    for (size_t i = first; i < d->same_begin; i++)
        add_line(out, ' ', &d->before, i);
    for (size_t i = d->same_begin; i < old_end; i++)
        add_line(out, '-', &d->before, i);
    for (size_t i = d->same_begin; i < new_end; i++)
        add_line(out, '+', &d->after, i);
    for (size_t i = old_end; i < old_end + after; i++)
        add_line(out, ' ', &d->before, i);
}

/* --- the change ------------------------------------------------------------------------------- */

/* Adds the items of one list to |text|. */
static int add_items(const struct cr_buf *text, const struct cr_json_doc *grant,
                     const struct cJSON *list, struct cr_buf *ret)
{
    size_t count = cr_json_count(list), n = 0;
    const struct cJSON *v = cr_json_first(list);
    const char **items = calloc(count + 1, sizeof(*items));
    struct cr_buf *printed = calloc(count + 1, sizeof(*printed));
    int r = items && printed && count <= MAX_ITEMS ? 0 : CAPRUN_E_NOMEM;

    for (; v && r == 0; v = cr_json_next(v), n++) {
        struct cr_json_place place = cr_json_place_of(grant, v);

        cr_buf_init(&printed[n], MAX_TEXT);
        cr_buf_add(&printed[n], grant->bytes + place.at, place.len); /* with its blanks */
        items[n] = cr_buf_text(&printed[n]);
        r = cr_buf_err(&printed[n]);
    }
    if (r == 0)
        r = cr_edit_add((const char *)text->data, text->len, cr_json_key(list), items, count, ret,
                        NULL);
    while (n > 0)
        cr_buf_clear(&printed[--n]);
    free(items);
    free(printed);
    return r;
}

/* Replaces the members of the rule |at| that |rule| has. */
static int replace_members(const struct cr_buf *text, const char *at, const struct cJSON *rule,
                           struct cr_buf *ret)
{
    const struct cJSON *member = cr_json_first(rule);
    cr_autobuf struct cr_buf pointer = CR_BUF(4096), value = CR_BUF(4096);

    if (cr_json_type(member) == CR_JSON_OBJECT) { /* "rate": its "calls" */
        cr_buf_fmt(&pointer, "%s/%s/%s", at, cr_json_key(member),
                   cr_json_key(cr_json_first(member)));
        cr_json_print(&value, cr_json_first(member));
    } else if (member) {
        cr_buf_fmt(&pointer, "%s/%s", at, cr_json_key(member));
        cr_json_print(&value, member);
    }
    if (!cr_buf_text(&pointer) || !cr_buf_text(&value))
        return CAPRUN_E_INVAL;
    return cr_edit_set((const char *)text->data, text->len, cr_buf_text(&pointer),
                       cr_buf_text(&value), ret, NULL);
}

static int apply(const struct cr_buf *text, const struct cr_json_doc *grant, struct cr_buf *ret)
{
    const struct cJSON *permissions = cr_json_get(grant->root, "permissions"),
                       *list = cr_json_first(permissions);
    const struct cJSON *at = cr_json_get(grant->root, "at");

    if (!list)
        return CAPRUN_E_INVAL;
    return at ? replace_members(text, cr_json_text(at), cr_json_first(list), ret)
              : add_items(text, grant, list, ret);
}

/* --- what is shown ---------------------------------------------------------------------------- */

/* Returns the part of |path| below the working directory, or the whole path. */
static const char *below_here(const char *path)
{
    cr_autofree char *here = getcwd(NULL, 0);
    size_t len = here ? strlen(here) : 0;

    return len && strncmp(path, here, len) == 0 && path[len] == '/' ? path + len + 1 : path;
}

static void begin_hint(struct cr_buf *out, const struct diff *d, const char *shown)
{
    cr_buf_fmt(out, "  %shint:%s %s ", cr_colour_code(STDERR_FILENO, CR_COLOUR_HINT),
               cr_colour_code(STDERR_FILENO, CR_COLOUR_NONE),
               d->doc ? "this change of" : "this file,");
    cr_escape_terminal(out, shown, strlen(shown));
}

/* What a grant allows. */
static const char *effect_of(const struct cJSON *grant)
{
    if (cr_json_get(grant, "at"))
        return "allows more calls";
    if (cr_json_get(cr_json_get(grant, "permissions"), "rules"))
        return "allows such calls";
    return cr_json_count(cr_json_get(cr_json_get(grant, "permissions"), "allow")) > 1
               ? "allows all calls of them"
               : "allows all calls of it";
}

/* The change without the rest of its line, which has a secret. */
static void add_alone(struct cr_buf *out, const struct cJSON *grant)
{
    const struct cJSON *permissions = cr_json_get(grant, "permissions");
    const struct cJSON *at = cr_json_get(grant, "at");

    cr_buf_fmt(out, " %s (no diff: there is a secret on its line):\n", effect_of(grant));
    if (at)
        cr_buf_fmt(out, "%s: ", cr_json_text(at));
    else
        cr_buf_str(out, "\"permissions\": ");
    cr_json_print(out, at ? cr_json_first(cr_json_first(permissions)) : permissions);
    cr_buf_str(out, "\n");
}

static void add_change(struct cr_buf *out, struct diff *d, const struct cJSON *grant,
                       const char *path)
{
    const char *shown = below_here(path), *base = strrchr(path, '/') + 1;

    compare(d);
    begin_hint(out, d, shown);
    if (has_secret(d, d->same_begin, d->before.count - d->same_end)) {
        add_alone(out, grant);
        return;
    }
    cr_buf_fmt(out, " %s:\n", effect_of(grant));
    add_diff(out, d, shown[0] == '/' ? base : shown);
}

/* |file|: the configuration that |grant| is about; without a path, it does not exist. */
static void add_for(struct cr_buf *out, const struct cr_config *file,
                    const struct cr_json_doc *grant, const char *path)
{
    cr_autobuf struct cr_buf changed = CR_BUF(MAX_TEXT);
    struct diff d = {.doc = file->path ? &file->doc : NULL};

    if (apply(&file->text, grant, &changed) == 0 && cr_buf_text(&changed) &&
        split(file->text.data ? (const char *)file->text.data : "", file->text.len, &d.before) &&
        split((const char *)changed.data, changed.len, &d.after))
        add_change(out, &d, grant->root, path);
    free(d.before.starts);
    free(d.after.starts);
}

void cr_teach_add(struct cr_buf *out, const struct cr_config *config, const char *grant)
{
    struct cr_json_doc doc = {0};
    const char *path;

    if (cr_json_parse(grant, strlen(grant), &doc, NULL) < 0)
        return;
    path = cr_json_get(doc.root, "file") ? cr_json_text(cr_json_get(doc.root, "file")) : NULL;
    if (path && config->user && strcmp(path, config->user->path) == 0)
        add_for(out, config->user, &doc, path);
    else if (path && (!config->path || strcmp(path, config->path) == 0))
        add_for(out, config, &doc, path);
    cr_json_clear(&doc);
}

/* Is all that |grant| adds also in |other|, which was shown? */
static bool is_part_of(const char *grant, const char *other)
{
    struct cr_json_doc part = {0}, whole = {0};
    const struct cJSON *list, *shown;
    bool is = cr_json_parse(grant, strlen(grant), &part, NULL) == 0 &&
              cr_json_parse(other, strlen(other), &whole, NULL) == 0;

    list = cr_json_first(cr_json_get(cr_json_get(part.root, "permissions"), "allow"));
    is = is && list;
    for (; list && is; list = cr_json_next(list)) {
        shown = cr_json_first(cr_json_get(cr_json_get(whole.root, "permissions"), "allow"));
        while (shown && strcmp(cr_json_text(shown), cr_json_text(list)) != 0)
            shown = cr_json_next(shown);
        is = shown != NULL;
    }
    cr_json_clear(&part);
    cr_json_clear(&whole);
    return is;
}

void cr_teach_show(const struct cr_config *config, const char *grant)
{
    static char *shown; /* the grant whose diff this process has shown */
    cr_autobuf struct cr_buf out = CR_BUF(MAX_TEXT);

    if (!config || !grant[0] || (shown && is_part_of(grant, shown)))
        return;
    cr_teach_add(&out, config, grant);
    if (!out.len)
        return;
    free(shown);
    shown = strdup(grant);
    cr_output_error_text(&out);
}
