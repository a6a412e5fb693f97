/* clients.c - finds and reads the settings of other programs, and translates their servers. */
#include "cli/clients.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/scan.h"
#include "cli/clients_parts.h"
#include "cli/columns.h"
#include "cli/jsonc.h"
#include "config/keys.h"
#include "config/text.h"

#define MAX_FILE (64u << 20)
#define INDENT 4

static const struct cr_client all_clients[] = {
    {"claude", ".claude.json", false, false, NULL, "mcpServers"},
    {"cursor", ".cursor/mcp.json", false, false, NULL, "mcpServers"},
    {"vscode", "Code/User/mcp.json", true, true, NULL, "servers"},
    {"vscode", "Code/User/settings.json", true, true, "mcp", "servers"}, /* before VS Code 1.102 */
};

#define COUNT (sizeof(all_clients) / sizeof(all_clients[0]))

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

static void show_taken(struct cr_clients_reading *r, struct cr_clients_entry *e, const char *name)
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
        add_wrapped(&out->text, e->is_remote ? "headers: " : "variables: ", &e->own);
    if (e->dropped.len)
        add_wrapped(&out->text, "not taken over: ", &e->dropped);
    cr_buf_add(&r->variables, e->variables.data, e->variables.len);
    out->taken++;
}

static void show_left(struct cr_clients_reading *r, const struct cr_clients_entry *e,
                      const char *name)
{
    cr_autobuf struct cr_buf reason = CR_BUF(CR_CLIENTS_MAX_TEXT);

    cr_buf_str(&r->left, r->left.len ? ",{\"name\":" : "{\"name\":");
    cr_escape_json_str(&r->left, name);
    cr_escape_member(&r->left, "message", e->why);
    cr_buf_str(&r->left, "}");
    cr_buf_str(&reason, e->why);
    add_name(&r->left_text, name);
    cr_buf_str(&r->left_text, "\n");
    add_wrapped(&r->left_text, "", &reason);
}

static void read_server(struct cr_clients_reading *r, const struct cJSON *server)
{
    struct cr_clients_entry e = {.json = CR_BUF(CR_CLIENTS_MAX_TEXT),
                                 .line = CR_BUF(CR_CLIENTS_MAX_TEXT),
                                 .dropped = CR_BUF(CR_CLIENTS_MAX_TEXT),
                                 .own = CR_BUF(CR_CLIENTS_MAX_TEXT),
                                 .variables = CR_BUF(CR_CLIENTS_MAX_TEXT)};

    if (cr_clients_take_server(r, &e, server))
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
static void list_variables(struct cr_clients_reading *r)
{
    cr_autobuf struct cr_buf seen = CR_BUF(CR_CLIENTS_MAX_TEXT);
    const char *at = cr_buf_text(&r->variables);

    for (; at && *at == ' '; at += strcspn(at, " ")) {
        size_t len = strcspn(++at, " ");
        char name[CR_CLIENTS_MAX_WHY];

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

static void read_servers(struct cr_clients_reading *r)
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
static bool find_path(const struct cr_client *client, char ret[PATH_MAX])
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

static int read_map(struct cr_clients_reading *r, struct cr_buf *text, struct cr_err *why)
{
    const struct cr_client *client = r->client;
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
static int read_client(const struct cr_client *client, struct cr_clients *out, struct cr_err *why)
{
    cr_autobuf struct cr_buf text = CR_BUF(MAX_FILE);
    struct cr_clients_reading r = {.client = client,
                                   .out = out,
                                   .left = CR_BUF(CR_CLIENTS_MAX_TEXT),
                                   .left_text = CR_BUF(CR_CLIENTS_MAX_TEXT),
                                   .variables = CR_BUF(CR_CLIENTS_MAX_TEXT)};
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

    *ret = (struct cr_clients){.servers = CR_BUF(CR_CLIENTS_MAX_TEXT),
                               .text = CR_BUF(CR_CLIENTS_MAX_TEXT),
                               .json = CR_BUF(CR_CLIENTS_MAX_TEXT),
                               .unset = CR_BUF(CR_CLIENTS_MAX_TEXT)};
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
