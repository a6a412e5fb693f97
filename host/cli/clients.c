/* clients.c - finds and reads the settings of other programs, and translates their servers. */
#include "cli/clients.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/scan.h"
#include "cli/columns.h"
#include "cli/jsonc.h"
#include "config/keys.h"
#include "config/text.h"

#define MAX_FILE (64u << 20)
#define MAX_TEXT (4u << 20)
#define MAX_WHY 200
#define INDENT 4

/* Where a program keeps the user's servers. */
static const struct client {
    const char *program, *path;
    bool in_config;    /* the path is below XDG_CONFIG_HOME, else below HOME */
    bool has_comments; /* in the JSON */
    const char *outer,
        *in; /* the servers are in |in|, which is in |outer| or, if NULL, at the top */
} all_clients[] = {
    {"claude", ".claude.json", false, false, NULL, "mcpServers"},
    {"cursor", ".cursor/mcp.json", false, false, NULL, "mcpServers"},
    {"vscode", "Code/User/mcp.json", true, true, NULL, "servers"},
    {"vscode", "Code/User/settings.json", true, true, "mcp", "servers"}, /* before VS Code 1.102 */
};

#define COUNT (sizeof(all_clients) / sizeof(all_clients[0]))

struct reading {
    const struct client *client;
    struct cr_clients *out;
    struct cr_buf left;      /* JSON of what was left out */
    struct cr_buf left_text; /* the same for a person */
    struct cr_buf variables; /* names, each with a space before it */
    const struct cJSON *map; /* all servers */
};

/* One server while it is translated. */
struct entry {
    struct cr_buf json;      /* of the server */
    struct cr_buf line;      /* its command line, as for a shell */
    struct cr_buf dropped;   /* keys that are not taken over */
    struct cr_buf own;       /* names of the variables in its "env" */
    struct cr_buf variables; /* names of all that it needs from the environment */
    char why[MAX_WHY];       /* why it cannot be taken over, or "" */
};

static bool __attribute__((format(printf, 2, 3))) refuse(struct entry *e, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(e->why, sizeof(e->why), fmt, ap);
    va_end(ap);
    return false;
}

/* --- references --------------------------------------------------------------------------- */

static void note_variable(struct entry *e, const char *name)
{
    if (strcmp(name, "HOME") != 0)
        cr_buf_fmt(&e->variables, " %s", name);
}

/*
 * Finds which variable of the environment |reference| means, the part between "${" and "}". Returns
 * false if it means something else.
 */
static bool find_variable(const struct client *client, const char *reference, size_t len,
                          char ret[MAX_WHY])
{
    bool is_claude = strcmp(client->program, "claude") == 0;
    const char *name = reference;

    if (!is_claude && len == 8 && memcmp(reference, "userHome", 8) == 0) {
        (void)snprintf(ret, MAX_WHY, "HOME");
        return true;
    }
    if (!is_claude) {
        if (len < 4 || memcmp(reference, "env:", 4) != 0)
            return false;
        name += 4;
        len -= 4;
    }
    if (len >= MAX_WHY)
        return false;
    (void)snprintf(ret, MAX_WHY, "%.*s", (int)len, name);
    return cr_text_variable.is(ret);
}

/* Appends |text| with the references of caprun. Returns false if it has one that caprun lacks. */
static bool translate(struct reading *r, struct entry *e, const char *text, struct cr_buf *out)
{
    char name[MAX_WHY];

    for (;;) {
        const char *at = strstr(text, "${"), *end = at ? strchr(at, '}') : NULL;

        if (!at) {
            cr_buf_str(out, text);
            return true;
        }
        if (!end || !find_variable(r->client, at + 2, (size_t)(end - at) - 2, name))
            return refuse(e, "uses %.*s, which caprun does not know",
                          end && end - at < 60 ? (int)(end - at) + 1 : 60, at);
        cr_buf_add(out, text, (size_t)(at - text));
        cr_buf_fmt(out, "${%s}", name);
        note_variable(e, name);
        text = end + 1;
    }
}

/* The same; returns the text to be freed, or NULL. */
static char *translated(struct reading *r, struct entry *e, const char *text)
{
    struct cr_buf out;

    cr_buf_init(&out, MAX_TEXT);
    if (translate(r, e, text, &out) && cr_buf_text(&out))
        return (char *)out.data;
    if (!e->why[0])
        (void)refuse(e, "is too long");
    cr_buf_clear(&out);
    return NULL;
}

/* --- the parts of a server ---------------------------------------------------------------- */

/* Appends a word of a command line. */
static void add_word(struct cr_buf *out, const char *word)
{
    cr_buf_str(out, out->len ? " " : "");
    cr_escape_shell_word(out, word);
}

static bool take_command(struct reading *r, struct entry *e, const struct cJSON *value)
{
    cr_autofree char *text = NULL;

    if (cr_json_type(value) != CR_JSON_STRING || !*cr_json_text(value))
        return refuse(e, "has a \"command\" that is not a text");
    text = translated(r, e, cr_json_text(value));
    if (!text)
        return false;
    if (strchr(text, '/') && text[0] != '/' && strncmp(text, "${", 2) != 0)
        return refuse(e, "has a \"command\" whose path is relative to an unknown directory");
    cr_buf_str(&e->json, "{\"command\": ");
    cr_escape_json_str(&e->json, text);
    add_word(&e->line, text);
    return true;
}

static bool take_args(struct reading *r, struct entry *e, const struct cJSON *list)
{
    if (cr_json_type(list) != CR_JSON_ARRAY)
        return refuse(e, "has \"args\" that are not a list");
    cr_buf_str(&e->json, ", \"args\": [");
    for (const struct cJSON *v = cr_json_first(list); v; v = cr_json_next(v)) {
        cr_autofree char *text = NULL;

        if (cr_json_type(v) != CR_JSON_STRING)
            return refuse(e, "has \"args\" that are not texts");
        text = translated(r, e, cr_json_text(v));
        if (!text)
            return false;
        cr_escape_json_str(&e->json, text);
        cr_buf_str(&e->json, cr_json_next(v) ? ", " : "");
        add_word(&e->line, text);
    }
    cr_buf_str(&e->json, "]");
    return true;
}

/* Is |text| one reference and nothing else? */
static bool is_reference(const char *text)
{
    size_t len = strcspn(text, "}");

    return strncmp(text, "${", 2) == 0 && text[len] && !text[len + 1];
}

/* Appends what stands for the value of a variable: a reference, never the value itself. */
static bool take_variable(struct reading *r, struct entry *e, const struct cJSON *value)
{
    const char *name = cr_json_key(value);
    cr_autofree char *text = NULL;

    if (cr_json_type(value) == CR_JSON_STRING && is_reference(cr_json_text(value))) {
        text = translated(r, e, cr_json_text(value));
        e->why[0] = '\0'; /* a reference that caprun does not know is a value like any other */
    }
    if (!text && !cr_text_variable.is(name))
        return refuse(e, "has \"env\" with the name \"%.60s\", which ${…} cannot refer to", name);
    cr_escape_json_str(&e->json, name);
    cr_buf_str(&e->json, ": ");
    if (text) {
        cr_escape_json_str(&e->json, text);
    } else {
        cr_buf_fmt(&e->json, "\"${%s}\"", name);
        note_variable(e, name);
    }
    cr_buf_fmt(&e->own, "%s%s", e->own.len ? ", " : "", name);
    return true;
}

static bool take_env(struct reading *r, struct entry *e, const struct cJSON *map)
{
    if (cr_json_type(map) != CR_JSON_OBJECT)
        return refuse(e, "has an \"env\" that is not an object");
    cr_buf_str(&e->json, ", \"env\": {");
    for (const struct cJSON *v = cr_json_first(map); v; v = cr_json_next(v)) {
        if (!cr_text_environment.is(cr_json_key(v)))
            return refuse(e, "has an invalid name in \"env\"");
        if (!take_variable(r, e, v))
            return false;
        cr_buf_str(&e->json, cr_json_next(v) ? ", " : "");
    }
    cr_buf_str(&e->json, "}");
    return true;
}

static bool take_cwd(struct reading *r, struct entry *e, const struct cJSON *value)
{
    cr_autofree char *text = NULL;

    if (cr_json_type(value) != CR_JSON_STRING)
        return refuse(e, "has a \"cwd\" that is not a text");
    text = translated(r, e, cr_json_text(value));
    if (!text)
        return false;
    if (text[0] != '/' && strncmp(text, "${", 2) != 0)
        return refuse(e, "has a \"cwd\" that is relative to an unknown directory");
    cr_buf_str(&e->json, ", \"cwd\": ");
    cr_escape_json_str(&e->json, text);
    return true;
}

static const char *const known[] = {"command", "args", "env", "cwd", "type", "disabled", NULL};

static void note_dropped(struct entry *e, const struct cJSON *server)
{
    for (const struct cJSON *v = cr_json_first(server); v; v = cr_json_next(v)) {
        size_t i = 0;

        while (known[i] && strcmp(known[i], cr_json_key(v)) != 0)
            i++;
        if (!known[i])
            cr_buf_fmt(&e->dropped, "%s\"%s\"", e->dropped.len ? ", " : "", cr_json_key(v));
    }
}

/* --- a server ----------------------------------------------------------------------------- */

/* Is the name good, and different in code from those before it? */
static bool check_name(struct reading *r, struct entry *e, const struct cJSON *server)
{
    const char *name = cr_json_key(server);

    if (!cr_text_namespace.is(name))
        return refuse(e, "has a name that code cannot write; caprun needs %s",
                      cr_text_namespace.what);
    if (strcmp(name, "box") == 0)
        return refuse(e, "has a name that is reserved by caprun");
    for (const struct cJSON *v = cr_json_first(r->map); v != server; v = cr_json_next(v))
        if (cr_text_is_alike(cr_json_key(v), name))
            return refuse(e, "is the same name in code as \"%s\"", cr_json_key(v));
    return r->out->taken < CR_KEYS_MAX_SERVERS || refuse(e, "is one server too many");
}

static bool take_server(struct reading *r, struct entry *e, const struct cJSON *server)
{
    const struct cJSON *type = cr_json_get(server, "type"), *args = cr_json_get(server, "args");
    const struct cJSON *env = cr_json_get(server, "env"), *cwd = cr_json_get(server, "cwd");
    const struct cJSON *disabled = cr_json_get(server, "disabled");

    if (!check_name(r, e, server))
        return false;
    if (cr_json_type(server) != CR_JSON_OBJECT)
        return refuse(e, "is not an object");
    if (disabled && cr_json_type(disabled) == CR_JSON_TRUE)
        return refuse(e, "is disabled there");
    if (!cr_json_get(server, "command") || (type && (cr_json_type(type) != CR_JSON_STRING ||
                                                     strcmp(cr_json_text(type), "stdio") != 0)))
        return refuse(e, cr_json_get(server, "url") || type
                             ? "is behind HTTP, which this version of caprun does not support"
                             : "has no \"command\"");
    if (!take_command(r, e, cr_json_get(server, "command")) || (args && !take_args(r, e, args)) ||
        (cr_json_count(env) && !take_env(r, e, env)) || (cwd && !take_cwd(r, e, cwd)))
        return false;
    cr_buf_str(&e->json, "}");
    note_dropped(e, server);
    return true;
}

/* --- what is shown ------------------------------------------------------------------------ */

static void add_wrapped(struct cr_buf *out, const char *lead, struct cr_buf *text)
{
    const char *shown = cr_buf_text(text);
    size_t used = INDENT + strlen(lead);

    cr_buf_fmt(out, "%*s%s", INDENT, "", lead);
    if (shown)
        cr_columns_wrap(out, shown, text->len, used, used, cr_columns_available(STDOUT_FILENO));
    cr_buf_str(out, "\n");
}

static void add_name(struct cr_buf *out, const char *name)
{
    cr_buf_str(out, "  ");
    cr_escape_terminal(out, name, strlen(name));
}

static void show_taken(struct reading *r, struct entry *e, const char *name)
{
    struct cr_clients *out = r->out;

    cr_buf_str(&out->servers, out->taken ? ",\n    " : "    ");
    cr_escape_json_str(&out->servers, name);
    cr_buf_str(&out->servers, ": ");
    cr_buf_add(&out->servers, e->json.data, e->json.len);
    cr_buf_str(&out->json, out->taken ? "," : "");
    cr_escape_json_str(&out->json, name);
    add_name(&out->text, name);
    cr_buf_str(&out->text, "\n");
    add_wrapped(&out->text, "", &e->line);
    if (e->own.len)
        add_wrapped(&out->text, "variables: ", &e->own);
    if (e->dropped.len)
        add_wrapped(&out->text, "not taken over: ", &e->dropped);
    cr_buf_add(&r->variables, e->variables.data, e->variables.len);
    out->taken++;
}

static void show_left(struct reading *r, const struct entry *e, const char *name)
{
    cr_autobuf struct cr_buf reason = CR_BUF(MAX_TEXT);

    cr_buf_str(&r->left, r->left.len ? ",{\"name\":" : "{\"name\":");
    cr_escape_json_str(&r->left, name);
    cr_escape_member(&r->left, "message", e->why);
    cr_buf_str(&r->left, "}");
    cr_buf_str(&reason, e->why);
    add_name(&r->left_text, name);
    cr_buf_str(&r->left_text, "\n");
    add_wrapped(&r->left_text, "", &reason);
}

static void read_server(struct reading *r, const struct cJSON *server)
{
    struct entry e = {.json = CR_BUF(MAX_TEXT),
                      .line = CR_BUF(MAX_TEXT),
                      .dropped = CR_BUF(MAX_TEXT),
                      .own = CR_BUF(MAX_TEXT),
                      .variables = CR_BUF(MAX_TEXT)};

    if (take_server(r, &e, server))
        show_taken(r, &e, cr_json_key(server));
    else
        show_left(r, &e, cr_json_key(server));
    r->out->servers.err = cr_buf_err(&e.json) ? cr_buf_err(&e.json) : r->out->servers.err;
    cr_buf_clear(&e.json);
    cr_buf_clear(&e.line);
    cr_buf_clear(&e.dropped);
    cr_buf_clear(&e.own);
    cr_buf_clear(&e.variables);
}

/* Is |name|, of |len| bytes, one of the words in |list|? */
static bool is_listed(struct cr_buf *list, const char *name, size_t len)
{
    const char *text = cr_buf_text(list);

    for (const char *at = text; at && (at = strchr(at, ' ')); at++)
        if (strncmp(at + 1, name, len) == 0 && strchr(" ", at[1 + len]))
            return true;
    return false;
}

/* Adds each variable once. */
static void list_variables(struct reading *r)
{
    cr_autobuf struct cr_buf seen = CR_BUF(MAX_TEXT);
    const char *at = cr_buf_text(&r->variables);

    for (; at && *at == ' '; at += strcspn(at, " ")) {
        size_t len = strcspn(++at, " ");
        char name[MAX_WHY];

        (void)snprintf(name, sizeof(name), "%.*s", (int)len, at);
        if (is_listed(&seen, at, len))
            continue;
        cr_buf_str(&r->out->json, seen.len ? "," : "");
        cr_escape_json_str(&r->out->json, name);
        cr_buf_fmt(&seen, " %s", name);
        if (!getenv(name))
            cr_buf_fmt(&r->out->unset, " %s", name);
    }
}

static void read_servers(struct reading *r)
{
    struct cr_clients *out = r->out;

    cr_buf_str(&out->json, ",\"servers\":[");
    for (const struct cJSON *v = cr_json_first(r->map); v; v = cr_json_next(v))
        read_server(r, v);
    cr_buf_str(&out->json, "],\"leftOut\":[");
    cr_buf_add(&out->json, r->left.data, r->left.len);
    cr_buf_str(&out->json, "],\"variables\":[");
    list_variables(r);
    cr_buf_str(&out->json, "]");
    if (r->left.len) {
        cr_buf_str(&out->text, out->taken ? "\nLeft out:\n" : "Left out:\n");
        cr_buf_add(&out->text, r->left_text.data, r->left_text.len);
    }
}

/* --- the file ------------------------------------------------------------------------------ */

static int refuse_file(const char *path, const char *words, struct cr_err *why)
{
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                      "caprun init without --from makes a configuration without servers",
                      "cannot take over servers from '%s': %s", path, words);
}

/* Writes the path of the client's file. Returns false if no directory is known. */
static bool find_path(const struct client *client, char ret[PATH_MAX])
{
    const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
    int len;

    if (client->in_config && config && config[0] == '/')
        len = snprintf(ret, PATH_MAX, "%s/%s", config, client->path);
    else if (home && home[0] == '/')
        len = snprintf(ret, PATH_MAX, "%s/%s%s", home, client->in_config ? ".config/" : "",
                       client->path);
    else
        return false;
    return len < PATH_MAX;
}

/* Returns 0, 1 without a file, or an error. */
static int read_text(const char *path, struct cr_buf *text, struct cr_err *why)
{
    char name[PATH_MAX + 2];
    struct cr_err err;
    struct stat st;
    int r = cr_file_read(AT_FDCWD, path, text, &st, &err);

    if (r == 1)
        return 1;
    (void)snprintf(name, sizeof(name), "'%s'", path);
    if (r == 0)
        r = cr_file_check_owner_or_group(AT_FDCWD, path, &st, name, &err);
    return r == 0 ? 0 : refuse_file(path, err.text, why);
}

static int read_map(struct reading *r, struct cr_buf *text, struct cr_err *why)
{
    const struct client *client = r->client;
    const struct cJSON *outer;
    struct cr_json_doc doc;
    struct cr_err err;
    size_t line, column;

    if (client->has_comments)
        cr_jsonc_strip((char *)text->data, text->len);
    if (cr_json_parse(text->data ? text->data : (const uint8_t *)"", text->len, &doc, &err) < 0) {
        const char *words = cr_scan_place(&err, &line, &column);

        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                          "caprun init without --from makes a configuration without servers",
                          "%s:%zu:%zu: %s", r->out->path, line, column, words);
    }
    outer = client->outer ? cr_json_get(doc.root, client->outer) : doc.root;
    r->map = cr_json_get(outer, client->in);
    if (r->map && cr_json_type(r->map) == CR_JSON_OBJECT)
        read_servers(r);
    cr_json_clear(&doc);
    return 0;
}

/* Returns 0, 1 without a file, or an error. */
static int read_client(const struct client *client, struct cr_clients *out, struct cr_err *why)
{
    cr_autobuf struct cr_buf text = CR_BUF(MAX_FILE);
    struct reading r = {.client = client,
                        .out = out,
                        .left = CR_BUF(MAX_TEXT),
                        .left_text = CR_BUF(MAX_TEXT),
                        .variables = CR_BUF(MAX_TEXT)};
    int result = 1;

    if (find_path(client, out->path))
        result = read_text(out->path, &text, why);
    if (result == 0)
        result = read_map(&r, &text, why);
    cr_buf_clear(&r.left);
    cr_buf_clear(&r.left_text);
    cr_buf_clear(&r.variables);
    return result;
}

/*
 * Reads the first file of |program| that has servers. Returns 0, 1 if none has, or an error;
 * *|ret_known| says whether there is such a program.
 */
static int read_program(const char *program, struct cr_clients *ret, bool *ret_known,
                        struct cr_err *why)
{
    int r = 1;

    *ret_known = false;
    for (size_t i = 0; r >= 0 && !ret->json.len && i < COUNT; i++)
        if (strcmp(all_clients[i].program, program) == 0) {
            r = read_client(&all_clients[i], ret, why);
            *ret_known = true;
        }
    return r < 0 || ret->json.len ? r : 1;
}

int cr_clients_read(const char *program, struct cr_clients *ret, struct cr_err *why)
{
    bool is_known;
    int r;

    *ret = (struct cr_clients){.servers = CR_BUF(MAX_TEXT),
                               .text = CR_BUF(MAX_TEXT),
                               .json = CR_BUF(MAX_TEXT),
                               .unset = CR_BUF(MAX_TEXT)};
    r = read_program(program, ret, &is_known, why);
    if (!is_known)
        r = cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun init --from claude|cursor|vscode",
                       "--from '%.60s': caprun does not know the settings of that program",
                       program);
    else if (r == 1)
        r = refuse_file(ret->path[0] ? ret->path : program,
                        ret->path[0] ? "it is not there, or has no MCP servers"
                                     : "HOME names no directory to look in",
                        why);
    else if (r == 0 &&
             (cr_buf_err(&ret->servers) || cr_buf_err(&ret->text) || cr_buf_err(&ret->json)))
        r = refuse_file(ret->path, "it is too long", why);
    if (r < 0)
        cr_clients_clear(ret);
    return r;
}

void cr_clients_clear(struct cr_clients *clients)
{
    cr_buf_clear(&clients->servers);
    cr_buf_clear(&clients->text);
    cr_buf_clear(&clients->json);
    cr_buf_clear(&clients->unset);
}
