/* clients_server.c - translates one server of another program's settings. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "cli/clients_parts.h"
#include "config/keys.h"
#include "config/text.h"

static bool __attribute__((format(printf, 2, 3)))
refuse(struct cr_clients_entry *e, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(e->why, sizeof(e->why), fmt, ap);
    va_end(ap);
    return false;
}

/* --- references --------------------------------------------------------------------------- */

static void note_variable(struct cr_clients_entry *e, const char *name)
{
    if (strcmp(name, "HOME") != 0)
        cr_buf_fmt(&e->variables, " %s", name);
}

/*
 * Finds which variable of the environment |reference| means, the part between "${" and "}". Returns
 * false if it means something else.
 */
static bool find_variable(const struct cr_client *client, const char *reference, size_t len,
                          char ret[CR_CLIENTS_MAX_WHY])
{
    bool is_claude = strcmp(client->program, "claude") == 0;
    const char *name = reference;

    if (!is_claude && len == 8 && memcmp(reference, "userHome", 8) == 0) {
        (void)snprintf(ret, CR_CLIENTS_MAX_WHY, "HOME");
        return true;
    }
    if (!is_claude) {
        if (len < 4 || memcmp(reference, "env:", 4) != 0)
            return false;
        name += 4;
        len -= 4;
    }
    if (len >= CR_CLIENTS_MAX_WHY)
        return false;
    (void)snprintf(ret, CR_CLIENTS_MAX_WHY, "%.*s", (int)len, name);
    return cr_text_variable.is(ret);
}

/* Appends |text| with the references of caprun. Returns false if it has one that caprun lacks. */
static bool translate(struct cr_clients_reading *r, struct cr_clients_entry *e, const char *text,
                      struct cr_buf *out)
{
    char name[CR_CLIENTS_MAX_WHY];

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
static char *translated(struct cr_clients_reading *r, struct cr_clients_entry *e, const char *text)
{
    struct cr_buf out;

    cr_buf_init(&out, CR_CLIENTS_MAX_TEXT);
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

static bool take_command(struct cr_clients_reading *r, struct cr_clients_entry *e,
                         const struct cJSON *value)
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

static bool take_args(struct cr_clients_reading *r, struct cr_clients_entry *e,
                      const struct cJSON *list)
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
static bool take_variable(struct cr_clients_reading *r, struct cr_clients_entry *e,
                          const struct cJSON *value)
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

static bool take_env(struct cr_clients_reading *r, struct cr_clients_entry *e,
                     const struct cJSON *map)
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

static bool take_cwd(struct cr_clients_reading *r, struct cr_clients_entry *e,
                     const struct cJSON *value)
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

/* --- a server behind HTTP ----------------------------------------------------------------- */

static bool take_url(struct cr_clients_reading *r, struct cr_clients_entry *e,
                     const struct cJSON *value)
{
    cr_autofree char *text = NULL;

    if (cr_json_type(value) != CR_JSON_STRING)
        return refuse(e, "has a \"url\" that is not a text");
    text = translated(r, e, cr_json_text(value));
    if (!text)
        return false;
    if (!strstr(text, "${") && !cr_text_server_url.is(text))
        return refuse(e, "has a \"url\" that caprun does not accept: it needs %s",
                      cr_text_server_url.what);
    e->is_remote = true;
    cr_buf_str(&e->json, "{\"url\": ");
    cr_escape_json_str(&e->json, text);
    add_word(&e->line, text);
    return true;
}

static void add_capitals(struct cr_buf *out, const char *text)
{
    for (; *text; text++) {
        char c = (char)(isalnum((unsigned char)*text) ? toupper((unsigned char)*text) : '_');

        cr_buf_add(out, &c, 1);
    }
}

/* Appends the name of a variable for a header: "x-key" of the server "web" is WEB_X_KEY. */
static void name_variable(struct cr_buf *out, const char *server, const char *header)
{
    cr_buf_str(out, strchr("0123456789", server[0]) ? "_" : "");
    add_capitals(out, server);
    cr_buf_str(out, "_");
    add_capitals(out, header);
}

/* Appends what stands for the value of a header: a reference, never the value itself. */
static bool take_header(struct cr_clients_reading *r, struct cr_clients_entry *e,
                        const char *server, const struct cJSON *value)
{
    const char *header = cr_json_key(value);
    cr_autobuf struct cr_buf name = CR_BUF(CR_CLIENTS_MAX_TEXT);
    cr_autofree char *text = NULL;

    if (!cr_text_own_header.is(header))
        return refuse(e, "has \"headers\" with a name that caprun does not accept");
    if (cr_json_type(value) == CR_JSON_STRING && is_reference(cr_json_text(value))) {
        text = translated(r, e, cr_json_text(value));
        e->why[0] = '\0'; /* a reference that caprun does not know is a value like any other */
    }
    cr_escape_json_str(&e->json, header);
    cr_buf_str(&e->json, ": ");
    name_variable(&name, server, header);
    if (!cr_buf_text(&name))
        return refuse(e, "is too long");
    if (text) {
        cr_escape_json_str(&e->json, text);
    } else {
        cr_buf_fmt(&e->json, "\"${%s}\"", cr_buf_text(&name));
        note_variable(e, cr_buf_text(&name));
    }
    cr_buf_fmt(&e->own, "%s%s", e->own.len ? ", " : "", header);
    return true;
}

static bool take_headers(struct cr_clients_reading *r, struct cr_clients_entry *e,
                         const char *server, const struct cJSON *map)
{
    if (cr_json_type(map) != CR_JSON_OBJECT)
        return refuse(e, "has \"headers\" that are not an object");
    cr_buf_str(&e->json, ", \"headers\": {");
    for (const struct cJSON *v = cr_json_first(map); v; v = cr_json_next(v)) {
        if (!take_header(r, e, server, v))
            return false;
        cr_buf_str(&e->json, cr_json_next(v) ? ", " : "");
    }
    cr_buf_str(&e->json, "}");
    return true;
}

static const char *const known[] = {"command", "args", "env", "cwd", "type", "disabled", NULL};
static const char *const known_remote[] = {"url", "headers", "type", "disabled", NULL};

static void note_dropped(struct cr_clients_entry *e, const struct cJSON *server,
                         const char *const *known_here)
{
    for (const struct cJSON *v = cr_json_first(server); v; v = cr_json_next(v)) {
        size_t i = 0;

        while (known_here[i] && strcmp(known_here[i], cr_json_key(v)) != 0)
            i++;
        if (!known_here[i])
            cr_buf_fmt(&e->dropped, "%s\"%s\"", e->dropped.len ? ", " : "", cr_json_key(v));
    }
}

/* --- a server ----------------------------------------------------------------------------- */

/* Is the name good, and different in code from those before it? */
static bool check_name(struct cr_clients_reading *r, struct cr_clients_entry *e,
                       const struct cJSON *server)
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

/* Is |value| missing, or |word|? */
static bool is_word(const struct cJSON *value, const char *word)
{
    return !value ||
           (cr_json_type(value) == CR_JSON_STRING && strcmp(cr_json_text(value), word) == 0);
}

static bool is_remote(const struct cJSON *server)
{
    return cr_json_get(server, "url") && !cr_json_get(server, "command");
}

static bool take_remote(struct cr_clients_reading *r, struct cr_clients_entry *e,
                        const struct cJSON *server)
{
    const struct cJSON *type = cr_json_get(server, "type");
    const struct cJSON *headers = cr_json_get(server, "headers");

    if (!is_word(type, "http") && !is_word(type, "streamable-http") &&
        !is_word(type, "streamableHttp"))
        return refuse(e, "is behind HTTP+SSE or something else than Streamable HTTP, which caprun "
                         "does not support");
    if (!take_url(r, e, cr_json_get(server, "url")) ||
        (cr_json_count(headers) && !take_headers(r, e, cr_json_key(server), headers)))
        return false;
    cr_buf_str(&e->json, "}");
    note_dropped(e, server, known_remote);
    return true;
}

bool cr_clients_take_server(struct cr_clients_reading *r, struct cr_clients_entry *e,
                            const struct cJSON *server)
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
    if (is_remote(server))
        return take_remote(r, e, server);
    if (!cr_json_get(server, "command") || !is_word(type, "stdio"))
        return refuse(e, "has no \"command\" and no \"url\"");
    if (!take_command(r, e, cr_json_get(server, "command")) || (args && !take_args(r, e, args)) ||
        (cr_json_count(env) && !take_env(r, e, env)) || (cwd && !take_cwd(r, e, cwd)))
        return false;
    cr_buf_str(&e->json, "}");
    note_dropped(e, server, known);
    return true;
}
