/* fields.c - registries, servers and patterns, expanded. */
#include "config/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CONCURRENT 64 /* calls at once of a server that does not say */

static const struct cr_json *first_of(const struct cr_json *list)
{
    return list ? list->first : NULL;
}

static void free_list(char **list)
{
    for (char **one = list; one && *one; one++)
        free(*one);
    free(list);
}

/*
 * The texts of |list|, expanded, with NULL at the end, and before them |first|, unless that is
 * NULL; it is the list's then, also if there is none. To be freed; NULL: no memory.
 */
static char **expanded_list(char *first, const struct cr_json *list)
{
    char **made = calloc((list ? list->count : 0) + 2, sizeof(char *));
    size_t count = 0;

    if (!made) {
        free(first);
        return NULL;
    }
    if (first)
        made[count++] = first;
    for (const struct cr_json *v = first_of(list); v; v = v->next) {
        made[count] = cr_config_expanded(v->text);
        if (!made[count++]) {
            free_list(made);
            return NULL;
        }
    }
    return made;
}

/* What the path |text| means when it is expanded; to be freed. NULL: no memory. */
static char *expanded_path(const struct cr_config *c, const char *text)
{
    char *path = cr_config_expanded(text), *whole = path ? cr_config_path(c->dir, path) : NULL;

    free(path);
    return whole;
}

/* The same of a command, which is a path if it has a slash; else a name, and stays one. */
static char *expanded_command(const struct cr_config *c, const char *text)
{
    char *name = cr_config_expanded(text);

    if (!name || !strchr(name, '/'))
        return name;
    free(name);
    return expanded_path(c, text);
}

/* --- servers ------------------------------------------------------------------------------ */

static char **argv_of(const struct cr_config *c, const char *text, const struct cr_json *args)
{
    char *command = expanded_command(c, text);

    return command ? expanded_list(command, args) : NULL;
}

/* "NAME=value", to be freed; NULL: no memory. */
static char *expanded_variable(const struct cr_json *variable)
{
    char *value = cr_config_expanded(variable->text), *both = NULL;

    if (value && asprintf(&both, "%s=%s", variable->key, value) < 0)
        both = NULL;
    free(value);
    return both;
}

static char **env_of(const struct cr_json *env)
{
    char **made = calloc((env ? env->count : 0) + 1, sizeof(char *));
    size_t count = 0;

    for (const struct cr_json *v = first_of(env); v && made; v = v->next) {
        made[count] = expanded_variable(v);
        if (!made[count++]) {
            free_list(made);
            made = NULL;
        }
    }
    return made;
}

static bool take_era(const struct cr_json *server, struct cr_config_server *ret)
{
    const struct cr_json *era = cr_json_get(server, "era");
    char *text = era ? cr_config_expanded(era->text) : NULL;

    if (text && strcmp(text, "modern") == 0)
        ret->era = CR_CONFIG_ERA_MODERN;
    else if (text && strcmp(text, "legacy") == 0)
        ret->era = CR_CONFIG_ERA_LEGACY;
    free(text);
    return text || !era;
}

static bool take_server(const struct cr_config *c, const struct cr_json *server,
                        struct cr_config_server *ret)
{
    const struct cr_json *command = cr_json_get(server, "command");
    const struct cr_json *url = cr_json_get(server, "url"), *cwd = cr_json_get(server, "cwd");
    const struct cr_json *at_once = cr_json_get(server, "maxConcurrent");

    ret->name = server->key;
    ret->max_concurrent = MAX_CONCURRENT;
    if (at_once)
        (void)cr_json_number(at_once, UINT64_MAX, &ret->max_concurrent);
    ret->idempotent = expanded_list(NULL, cr_json_get(server, "idempotent"));
    if (!take_era(server, ret) || !ret->idempotent)
        return false;
    if (url) {
        ret->url = cr_config_expanded(url->text);
        return ret->url;
    }
    ret->cwd = cwd ? expanded_path(c, cwd->text) : strdup(c->dir);
    ret->argv = argv_of(c, command->text, cr_json_get(server, "args"));
    ret->env = env_of(cr_json_get(server, "env"));
    return ret->cwd && ret->argv && ret->env;
}

static void clear_server(struct cr_config_server *s)
{
    free(s->url);
    free_list(s->argv);
    free_list(s->env);
    free_list(s->idempotent);
    free(s->cwd);
}

static bool take_servers(struct cr_config *c)
{
    const struct cr_json *servers = cr_json_get(c->doc.root, "mcpServers");

    if (!servers || !servers->count)
        return true;
    c->servers = calloc(servers->count, sizeof(*c->servers));
    if (!c->servers)
        return false;
    for (const struct cr_json *v = servers->first; v; v = v->next) {
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
    const struct cr_json *list = cr_json_get(c->doc.root, "registries");

    c->registries = calloc(list ? list->count + 1 : 1, sizeof(*c->registries));
    if (!c->registries)
        return false;
    for (const struct cr_json *v = first_of(list); v; v = v->next) {
        char *text = cr_config_expanded(v->text);
        char *path = text ? cr_config_locate(c->dir, text) : NULL;

        free(text);
        if (!path)
            return false;
        c->registries[c->registry_count++] = path;
    }
    return true;
}

static bool take_patterns(const struct cr_config *c, const char *key, char ***ret)
{
    const struct cr_json *list = cr_json_get(cr_json_get(c->doc.root, "permissions"), key);

    *ret = expanded_list(NULL, list);
    return *ret;
}

static bool take_on_denied(struct cr_config *c)
{
    const struct cr_json *word = cr_json_get(c->doc.root, "onDenied");
    char *text = word ? cr_config_expanded(word->text) : NULL;

    c->stop_when_denied = text && strcmp(text, "stop") == 0;
    free(text);
    return text || !word;
}

static bool take_record(struct cr_config *c)
{
    const struct cr_json *word = cr_json_get(c->doc.root, "record");
    char *text = word ? cr_config_expanded(word->text) : NULL;

    c->has_record = word != NULL;
    if (text && strcmp(text, "failed") == 0)
        c->record = CR_CONFIG_RECORD_FAILED;
    else if (text && strcmp(text, "none") == 0)
        c->record = CR_CONFIG_RECORD_NONE;
    free(text);
    return text || !word;
}

int cr_fields_take(struct cr_config *c)
{
    return take_registries(c) && take_servers(c) && take_patterns(c, "allow", &c->allow) &&
                   take_patterns(c, "ask", &c->ask) && take_patterns(c, "deny", &c->deny) &&
                   take_on_denied(c) && take_record(c)
               ? 0
               : CAPRUN_E_NOMEM;
}

void cr_fields_clear(struct cr_config *c)
{
    for (size_t i = 0; i < c->registry_count; i++)
        free(c->registries[i]);
    free(c->registries);
    for (size_t i = 0; i < c->server_count; i++)
        clear_server(&c->servers[i]);
    free(c->servers);
    free_list(c->allow);
    free_list(c->ask);
    free_list(c->deny);
}
