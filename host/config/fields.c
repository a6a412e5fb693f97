/* fields.c - registries, servers and patterns, expanded. */
#include "config/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAX_CONCURRENT 64 /* the default of "maxConcurrent" */

static const struct cJSON *first_of(const struct cJSON *list)
{
    return cr_json_first(list);
}

static void free_list(char **list)
{
    for (char **one = list; one && *one; one++)
        free(*one);
    free(list);
}

/*
 * Returns |first|, unless that is NULL, and the texts of |list|, expanded, with NULL at the end.
 * Takes ownership of |first|, also when it fails. The caller frees the result. NULL: no memory.
 */
static char **expanded_list(const struct cr_config *c, char *first, const struct cJSON *list)
{
    char **made = calloc(cr_json_count(list) + 2, sizeof(char *));
    size_t count = 0;

    if (!made) {
        free(first);
        return NULL;
    }
    if (first)
        made[count++] = first;
    for (const struct cJSON *v = first_of(list); v; v = cr_json_next(v)) {
        made[count] = cr_config_expanded(c, cr_json_text(v));
        if (!made[count++]) {
            free_list(made);
            return NULL;
        }
    }
    return made;
}

/* Returns the path |text|, expanded and absolute; the caller frees it. NULL: no memory. */
static char *expanded_path(const struct cr_config *c, const char *text)
{
    char *path = cr_config_expanded(c, text), *whole = path ? cr_config_path(c->dir, path) : NULL;

    free(path);
    return whole;
}

/* The same for a command. A command without a slash is a name, and is not made absolute. */
static char *expanded_command(const struct cr_config *c, const char *text)
{
    char *name = cr_config_expanded(c, text);

    if (!name || !strchr(name, '/'))
        return name;
    free(name);
    return expanded_path(c, text);
}

/* --- servers ------------------------------------------------------------------------------ */

static char **argv_of(const struct cr_config *c, const char *text, const struct cJSON *args)
{
    char *command = expanded_command(c, text);

    return command ? expanded_list(c, command, args) : NULL;
}

/* Returns "NAME=value", which the caller frees; NULL: no memory. */
static char *expanded_variable(const struct cr_config *c, const struct cJSON *variable)
{
    char *value = cr_config_expanded(c, cr_json_text(variable)), *both = NULL;

    if (value && asprintf(&both, "%s=%s", cr_json_key(variable), value) < 0)
        both = NULL;
    free(value);
    return both;
}

static char **env_of(const struct cr_config *c, const struct cJSON *env)
{
    char **made = calloc(cr_json_count(env) + 1, sizeof(char *));
    size_t count = 0;

    for (const struct cJSON *v = first_of(env); v && made; v = cr_json_next(v)) {
        made[count] = expanded_variable(c, v);
        if (!made[count++]) {
            free_list(made);
            made = NULL;
        }
    }
    return made;
}

static bool take_era(const struct cr_config *c, const struct cJSON *server,
                     struct cr_config_server *ret)
{
    const struct cJSON *era = cr_json_get(server, "era");
    char *text = era ? cr_config_expanded(c, cr_json_text(era)) : NULL;

    if (text && strcmp(text, "modern") == 0)
        ret->era = CR_CONFIG_ERA_MODERN;
    else if (text && strcmp(text, "legacy") == 0)
        ret->era = CR_CONFIG_ERA_LEGACY;
    free(text);
    return text || !era;
}

/* "Name: value"; libcurl wants "Name;" if the value is empty. NULL: no memory. */
static char *header_of(const struct cr_config *c, const struct cJSON *header)
{
    cr_autofree char *value = cr_config_expanded(c, cr_json_text(header));
    char *line = NULL;

    if (!value || asprintf(&line, value[0] ? "%s: %s" : "%s;", cr_json_key(header), value) < 0)
        return NULL;
    return line;
}

static char **headers_of(const struct cr_config *c, const struct cJSON *map)
{
    char **made = calloc(cr_json_count(map) + 1, sizeof(char *));
    size_t count = 0;

    for (const struct cJSON *v = first_of(map); v && made; v = cr_json_next(v)) {
        made[count] = header_of(c, v);
        if (!made[count++]) {
            free_list(made);
            made = NULL;
        }
    }
    return made;
}

static bool take_remote(const struct cr_config *c, const struct cJSON *server,
                        struct cr_config_server *ret)
{
    const struct cJSON *file = cr_json_get(cr_json_get(server, "tls"), "caFile");
    const struct cJSON *proxy = cr_json_get(server, "proxy");

    ret->url = cr_config_expanded(c, cr_json_text(cr_json_get(server, "url")));
    ret->headers = headers_of(c, cr_json_get(server, "headers"));
    ret->ca_file = file ? expanded_path(c, cr_json_text(file)) : NULL;
    ret->proxy = proxy ? cr_config_expanded(c, cr_json_text(proxy)) : NULL;
    return ret->url && ret->headers && (ret->ca_file || !file) && (ret->proxy || !proxy);
}

static bool take_server(const struct cr_config *c, const struct cJSON *server,
                        struct cr_config_server *ret)
{
    const struct cJSON *command = cr_json_get(server, "command");
    const struct cJSON *cwd = cr_json_get(server, "cwd");
    const struct cJSON *at_once = cr_json_get(server, "maxConcurrent");

    ret->name = cr_json_key(server);
    ret->file = c->path;
    ret->max_concurrent = MAX_CONCURRENT;
    if (at_once)
        (void)cr_json_number(at_once, UINT64_MAX, &ret->max_concurrent);
    ret->idempotent = expanded_list(c, NULL, cr_json_get(server, "idempotent"));
    if (!take_era(c, server, ret) || !ret->idempotent)
        return false;
    if (cr_json_get(server, "url"))
        return take_remote(c, server, ret);
    ret->cwd = cwd ? expanded_path(c, cr_json_text(cwd)) : strdup(c->dir);
    ret->argv = argv_of(c, cr_json_text(command), cr_json_get(server, "args"));
    ret->env = env_of(c, cr_json_get(server, "env"));
    return ret->cwd && ret->argv && ret->env;
}

static void clear_server(struct cr_config_server *s)
{
    free(s->url);
    free(s->ca_file);
    free(s->proxy);
    free_list(s->headers);
    free_list(s->argv);
    free_list(s->env);
    free_list(s->idempotent);
    free(s->cwd);
}

static bool take_servers(struct cr_config *c)
{
    const struct cJSON *servers = cr_json_get(c->doc.root, "mcpServers");

    if (!servers || !cr_json_count(servers))
        return true;
    c->servers = calloc(cr_json_count(servers), sizeof(*c->servers));
    if (!c->servers)
        return false;
    for (const struct cJSON *v = cr_json_first(servers); v; v = cr_json_next(v)) {
        struct cr_config_server s = {0};

        if (!take_server(c, v, &s)) {
            clear_server(&s);
            return false;
        }
        c->servers[c->server_count++] = s;
    }
    return true;
}

/* --- the rest ----------------------------------------------------------------------------- */

static bool take_registries(struct cr_config *c)
{
    const struct cJSON *list = cr_json_get(c->doc.root, "registries");
    size_t count = list ? cr_json_count(list) : 0;

    c->registries = calloc(count + 1, sizeof(*c->registries));
    c->registry_dev = calloc(count + 1, sizeof(*c->registry_dev));
    if (!c->registries || !c->registry_dev)
        return false;
    for (const struct cJSON *v = first_of(list); v; v = cr_json_next(v)) {
        const struct cJSON *in = cr_json_type(v) == CR_JSON_OBJECT ? v : NULL;
        const struct cJSON *dev = cr_json_get(in, "dev");
        char *text = cr_config_expanded(c, cr_json_text(in ? cr_json_get(in, "path") : v));
        char *path = text ? cr_config_locate(c->dir, text) : NULL;

        free(text);
        if (!path)
            return false;
        c->registry_dev[c->registry_count] = dev && cr_json_type(dev) == CR_JSON_TRUE;
        c->registries[c->registry_count++] = path;
    }
    return true;
}

static bool take_patterns(const struct cr_config *c, const char *key, char ***ret)
{
    const struct cJSON *list = cr_json_get(cr_json_get(c->doc.root, "permissions"), key);

    *ret = expanded_list(c, NULL, list);
    return *ret;
}

/* Expanded once, so that no run has to: a value may have hundreds of variables in it. */
static bool take_grants(struct cr_config *c)
{
    const struct cJSON *map = cr_json_get(c->doc.root, "env");

    c->grants = calloc(map ? cr_json_count(map) + 1 : 1, sizeof(*c->grants));
    if (!c->grants)
        return false;
    for (const struct cJSON *list = first_of(map); list; list = cr_json_next(list)) {
        struct cr_config_grant *grant = &c->grants[c->grant_count++];

        grant->name = cr_json_key(list);
        grant->variables = expanded_list(c, NULL, list);
        if (!grant->variables)
            return false;
    }
    return true;
}

static bool take_on_denied(struct cr_config *c)
{
    const struct cJSON *word = cr_json_get(c->doc.root, "onDenied");
    char *text = word ? cr_config_expanded(c, cr_json_text(word)) : NULL;

    c->stop_when_denied = text && strcmp(text, "stop") == 0;
    free(text);
    return text || !word;
}

static bool take_record(struct cr_config *c)
{
    const struct cJSON *word = cr_json_get(c->doc.root, "record");
    char *text = word ? cr_config_expanded(c, cr_json_text(word)) : NULL;

    c->has_record = word != NULL;
    if (text && strcmp(text, "failed") == 0)
        c->record = CR_CONFIG_RECORD_FAILED;
    else if (text && strcmp(text, "none") == 0)
        c->record = CR_CONFIG_RECORD_NONE;
    free(text);
    return text || !word;
}

static bool is_true(const struct cJSON *value)
{
    return value && cr_json_type(value) == CR_JSON_TRUE;
}

static bool take_audit(struct cr_config *c)
{
    const struct cJSON *audit = cr_json_get(c->doc.root, "audit");
    const struct cJSON *in = audit && cr_json_type(audit) == CR_JSON_OBJECT ? audit : NULL;
    const struct cJSON *file = in ? cr_json_get(in, "file") : audit;

    c->audit.is_set = audit != NULL;
    c->audit.has_args = is_true(cr_json_get(in, "args"));
    c->audit.is_off = is_true(cr_json_get(in, "off"));
    if (file)
        c->audit.file = expanded_path(c, cr_json_text(file));
    return c->audit.file || !file;
}

uint32_t cr_config_audit_flags(const struct cr_config_audit *audit)
{
    return (audit->has_args ? (uint32_t)CAPRUN_AUDIT_ARGS : 0) |
           (audit->is_off ? (uint32_t)CAPRUN_AUDIT_OFF : 0);
}

int cr_fields_take(struct cr_config *c)
{
    return take_registries(c) && take_servers(c) && take_patterns(c, "allow", &c->allow) &&
                   take_patterns(c, "ask", &c->ask) && take_patterns(c, "deny", &c->deny) &&
                   take_grants(c) && take_on_denied(c) && take_record(c) && take_audit(c)
               ? 0
               : CAPRUN_E_NOMEM;
}

void cr_fields_clear(struct cr_config *c)
{
    for (size_t i = 0; i < c->registry_count; i++)
        free(c->registries[i]);
    free(c->registries);
    free(c->registry_dev);
    free(c->audit.file);
    for (size_t i = 0; i < c->grant_count; i++)
        free_list(c->grants[i].variables);
    free(c->grants);
    for (size_t i = 0; i < c->server_count; i++)
        clear_server(&c->servers[i]);
    free(c->servers);
    free_list(c->allow);
    free_list(c->ask);
    free_list(c->deny);
}
