/* trust_show.c - one line for each thing that has to be accepted, below headings. */
#include "cli/trust_show.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "cli/columns.h"

#define MAX_TEXT (64u << 20)
#define INDENT 6u

static const struct {
    const char *key; /* in JSON */
    const char *heading;
    const char *verb, *one, *many; /* for the summary */
} words[CR_TRUST_PARTS] = {
    [CR_TRUST_START] = {"servers", "start these MCP servers", "start", "server", "servers"},
    [CR_TRUST_CONNECT] = {"urls", "send calls to these URLs", "use", "URL", "URLs"},
    [CR_TRUST_ALLOW] = {"allow", "allow these calls", "allow calls by", "pattern or rule",
                        "patterns or rules"},
    [CR_TRUST_WEAKEN] = {"weaken", "weaken what was denied or asked about", "weaken", "permission",
                         "permissions"},
    [CR_TRUST_REGISTRY] = {"registries", "take capabilities from", "use", "registry", "registries"},
    [CR_TRUST_GRANT] = {"env", "give capabilities these variables of your environment", "give away",
                        "variable", "variables"},
    [CR_TRUST_READ] = {"variables", "replace variables of your environment in these texts",
                       "read variables in", "text", "texts"},
    [CR_TRUST_SET] = {"settings", "set", "change", "setting", "settings"},
};

void cr_trust_show_init(struct cr_trust_show *s)
{
    *s = (struct cr_trust_show){.columns = CR_COLUMNS_ALL};
    for (int i = 0; i < CR_TRUST_PARTS; i++)
        cr_buf_init(&s->parts[i], MAX_TEXT);
}

void cr_trust_show_clear(struct cr_trust_show *s)
{
    for (int i = 0; i < CR_TRUST_PARTS; i++)
        cr_buf_clear(&s->parts[i]);
}

/* --- lines -------------------------------------------------------------------------------- */

/* Adds |line| at a depth of |indent| spaces. Clears |line|. */
static void add_line(struct cr_trust_show *s, enum cr_trust_part part, size_t indent,
                     struct cr_buf *line)
{
    struct cr_buf *out = &s->parts[part];

    cr_columns_fill(out, indent);
    if (cr_buf_text(line))
        cr_columns_wrap(out, cr_buf_text(line), line->len, indent, indent + INDENT, s->columns);
    else if (!out->err)
        out->err = cr_buf_err(line);
    cr_buf_str(out, "\n");
    cr_buf_clear(line);
}

static void begin_line(struct cr_buf *line)
{
    cr_buf_init(line, MAX_TEXT);
}

/* Appends a string as it is, and any other value as JSON. */
static void add_value(struct cr_buf *line, const struct cJSON *value)
{
    if (cr_json_type(value) == CR_JSON_STRING)
        cr_escape_shell_word(line, cr_json_text(value));
    else
        cr_json_print(line, value);
}

/* --- servers ------------------------------------------------------------------------------ */

static void add_command(struct cr_buf *line, const struct cJSON *server)
{
    const struct cJSON *command = cr_json_get(server, "command");
    const struct cJSON *url = cr_json_get(server, "url");

    if (command)
        add_value(line, command);
    for (const struct cJSON *v = cr_json_first(cr_json_get(server, "args")); v;
         v = cr_json_next(v)) {
        cr_buf_str(line, " ");
        add_value(line, v);
    }
    if (url)
        add_value(line, url);
}

static void add_environment(struct cr_trust_show *s, enum cr_trust_part part,
                            const struct cJSON *env)
{
    for (const struct cJSON *v = cr_json_first(env); v; v = cr_json_next(v)) {
        struct cr_buf line;

        begin_line(&line);
        cr_buf_str(&line, "with the variable ");
        cr_buf_str(&line, cr_json_key(v));
        cr_buf_str(&line, "=");
        add_value(&line, v);
        add_line(s, part, 6, &line);
    }
}

/* Adds a key of a server that needs no words of its own. */
static void add_member(struct cr_trust_show *s, enum cr_trust_part part, const struct cJSON *value)
{
    static const char *const shown[] = {"command", "args", "url", "env"};
    struct cr_buf line;

    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
        if (strcmp(cr_json_key(value), shown[i]) == 0)
            return;
    begin_line(&line);
    if (strcmp(cr_json_key(value), "cwd") == 0) {
        cr_buf_str(&line, "in the directory ");
        add_value(&line, value);
    } else if (strcmp(cr_json_key(value), "headers") == 0) {
        cr_buf_str(&line, "with the headers");
        for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v)) {
            cr_buf_str(&line, " ");
            cr_buf_str(&line, cr_json_key(v));
        }
    } else {
        cr_buf_fmt(&line, "%s: ", cr_json_key(value));
        add_value(&line, value);
    }
    add_line(s, part, 6, &line);
}

static enum cr_trust_part add_server(struct cr_trust_show *s, const struct cr_wider *found)
{
    enum cr_trust_part part = cr_json_get(found->now, "url") ? CR_TRUST_CONNECT : CR_TRUST_START;
    struct cr_buf line;

    begin_line(&line);
    cr_buf_fmt(&line, "%s: ", found->name);
    add_command(&line, found->now);
    add_line(s, part, 4, &line);
    add_environment(s, part, cr_json_get(found->now, "env"));
    for (const struct cJSON *v = cr_json_first(found->now); v; v = cr_json_next(v))
        add_member(s, part, v);
    if (found->was) {
        begin_line(&line);
        cr_buf_str(&line, "accepted before: ");
        add_command(&line, found->was);
        add_line(s, part, 6, &line);
    }
    return part;
}

/* --- the other kinds ---------------------------------------------------------------------- */

static const struct {
    enum cr_trust_part part;
    const char *lead; /* before the value */
} lines[] = {
    [CR_WIDER_SERVER] = {CR_TRUST_START, ""},
    [CR_WIDER_REVEALED] = {CR_TRUST_START, "your own server of this name, instead of this one: "},
    [CR_WIDER_ALLOW] = {CR_TRUST_ALLOW, ""},
    [CR_WIDER_ASK] = {CR_TRUST_WEAKEN, "ask, even where a weaker deny decided: "},
    [CR_WIDER_NO_ASK] = {CR_TRUST_WEAKEN, "until now asked about: "},
    [CR_WIDER_NO_DENY] = {CR_TRUST_WEAKEN, "until now denied: "},
    [CR_WIDER_RULE] = {CR_TRUST_ALLOW, ""},
    [CR_WIDER_NO_RULE] = {CR_TRUST_WEAKEN, "a rule, until now: "},
    [CR_WIDER_REGISTRY] = {CR_TRUST_REGISTRY, ""},
    [CR_WIDER_GRANT] = {CR_TRUST_GRANT, ""},
    [CR_WIDER_VARIABLE] = {CR_TRUST_READ, ""},
    [CR_WIDER_SETTING] = {CR_TRUST_SET, ""},
};

/* Appends "files:write_file (own-files), when {...}, maxCalls 20". */
static void add_rule(struct cr_buf *line, const struct cJSON *rule)
{
    static const char *const said[] = {"tool", "id", "then"};

    for (size_t i = 0; i < 2; i++) {
        const struct cJSON *value = cr_json_get(rule, said[i]);

        if (value && cr_json_type(value) == CR_JSON_STRING)
            cr_buf_fmt(line, "%s%s%s", i ? " (" : "", cr_json_text(value), i ? ")" : "");
    }
    for (const struct cJSON *v = cr_json_first(rule); v; v = cr_json_next(v)) {
        if (strcmp(cr_json_key(v), said[0]) == 0 || strcmp(cr_json_key(v), said[1]) == 0 ||
            strcmp(cr_json_key(v), said[2]) == 0)
            continue;
        cr_buf_fmt(line, ", %s ", cr_json_key(v));
        add_value(line, v);
    }
}

/* Appends a registry in development as its path and words. */
static void add_registry(struct cr_buf *line, const struct cJSON *registry)
{
    const struct cJSON *path = cr_json_get(registry, "path");
    const struct cJSON *dev = cr_json_get(registry, "dev");

    add_value(line, path ? path : registry);
    if (dev && cr_json_type(dev) == CR_JSON_TRUE)
        cr_buf_str(line, ", in development: code that has changed runs at once");
}

static void add_part(struct cr_buf *line, enum cr_wider_kind kind, const struct cJSON *value)
{
    const struct cJSON *then = cr_json_get(value, "then");

    if (kind == CR_WIDER_RULE || kind == CR_WIDER_NO_RULE) {
        if (then && cr_json_type(then) == CR_JSON_STRING &&
            strcmp(cr_json_text(then), "allow") != 0)
            cr_buf_fmt(line, "%s: ", cr_json_text(then));
        add_rule(line, value);
    } else if (kind == CR_WIDER_REGISTRY) {
        add_registry(line, value);
    } else if (kind == CR_WIDER_REVEALED) {
        add_command(line, value);
    } else if (kind != CR_WIDER_SETTING && cr_json_type(value) == CR_JSON_STRING) {
        cr_buf_str(line, cr_json_text(value)); /* a pattern, or the name of a variable */
    } else {
        add_value(line, value);
    }
}

static void add_other(struct cr_trust_show *s, const struct cr_wider *found)
{
    struct cr_buf line;

    begin_line(&line);
    cr_buf_str(&line, lines[found->kind].lead);
    if (found->name)
        cr_buf_fmt(&line, "%s: ", found->name);
    if (found->now)
        add_part(&line, found->kind, found->now);
    else if (found->kind == CR_WIDER_SETTING)
        cr_buf_str(&line, "the default");
    if (found->was) {
        cr_buf_str(&line, found->now || found->kind == CR_WIDER_SETTING ? ", until now " : "");
        add_part(&line, found->kind, found->was);
    }
    add_line(s, lines[found->kind].part, 4, &line);
}

void cr_trust_show_add(void *data, const struct cr_wider *found)
{
    struct cr_trust_show *s = data;

    if (found->kind == CR_WIDER_SERVER) {
        s->counts[add_server(s, found)]++;
        return;
    }
    add_other(s, found);
    s->counts[lines[found->kind].part]++;
}

/* --- all ---------------------------------------------------------------------------------- */

void cr_trust_show_text(struct cr_buf *out, const struct cr_trust_show *s)
{
    for (int i = 0; i < CR_TRUST_PARTS; i++) {
        if (s->counts[i]) {
            cr_buf_fmt(out, "  %s:\n", words[i].heading);
            cr_buf_add(out, s->parts[i].data, s->parts[i].len);
        }
        if (cr_buf_err(&s->parts[i]) && !out->err)
            out->err = cr_buf_err(&s->parts[i]);
    }
}

void cr_trust_show_json(struct cr_buf *out, const struct cr_trust_show *s)
{
    bool is_first = true;

    cr_buf_str(out, "{");
    for (int i = 0; i < CR_TRUST_PARTS; i++) {
        const char *line = (const char *)s->parts[i].data, *end = line + s->parts[i].len;

        if (!s->counts[i])
            continue;
        cr_buf_fmt(out, "%s\"%s\":[", is_first ? "" : ",", words[i].key);
        is_first = false;
        for (bool is_next = false; line && line < end; is_next = true) {
            size_t len = (size_t)((const char *)memchr(line, '\n', (size_t)(end - line)) - line);

            cr_buf_str(out, is_next ? "," : "");
            cr_escape_json(out, line + 4, len - 4);
            line += len + 1;
        }
        cr_buf_str(out, "]");
    }
    cr_buf_str(out, "}");
}

void cr_trust_show_summary(const struct cr_trust_show *s, char ret[256])
{
    int kinds = 0, said = 0;
    size_t len = 0;

    for (int i = 0; i < CR_TRUST_PARTS; i++)
        kinds += s->counts[i] > 0;
    ret[0] = '\0';
    for (int i = 0; i < CR_TRUST_PARTS && len < 256; i++) {
        if (!s->counts[i])
            continue;
        len += (size_t)snprintf(ret + len, 256 - len, "%s",
                                !said               ? ""
                                : said == kinds - 1 ? " and "
                                                    : ", ");
        said++;
        if (len < 256)
            len += (size_t)snprintf(ret + len, 256 - len, "%s %zu %s", words[i].verb, s->counts[i],
                                    s->counts[i] == 1 ? words[i].one : words[i].many);
    }
}
