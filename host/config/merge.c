/*
 * merge.c - decides which of two files a setting comes from, and moves the settings of the user's
 * file that hold.
 */
#include "config/merge.h"

#include <stdlib.h>
#include <string.h>

#include "config/keys.h"
#include "config/shape.h"

#define SHOWN 100

/* Is each name in |object| a separate setting? Otherwise the whole object is one setting. */
static bool is_by_name(const char *object)
{
    return strcmp(object, "mcpServers") == 0 || strcmp(object, "env") == 0 ||
           strcmp(object, "limits") == 0 || strcmp(object, "permissions") == 0 ||
           strcmp(object, "approvals") == 0;
}

const struct cr_config *cr_config_find(const struct cr_config *config, const char *object,
                                       const char *key, const struct cJSON **ret)
{
    for (const struct cr_config *file = config; file; file = file->user) {
        const struct cJSON *in = object ? cr_json_get(file->doc.root, object) : file->doc.root;
        const struct cJSON *value = cr_json_get(in, key);

        if (value) {
            *ret = value;
            return file;
        }
        if (object && in && !is_by_name(object))
            return NULL;
    }
    return NULL;
}

/* Does the setting come from the user's file? */
static bool is_users(const struct cr_config *c, const char *object, const char *key)
{
    const struct cJSON *value;

    return cr_config_find(c, object, key, &value) == c->user;
}

/* --- numbers, flags and words ------------------------------------------------------------- */

static void merge_stored(struct cr_config *c, const char *object, const struct cr_key *key)
{
    size_t size = key->shape->form == CR_FORM_NUMBER ? sizeof(uint64_t) : sizeof(bool);

    if (key->to && is_users(c, object, key->name))
        memcpy((char *)c + key->to, (const char *)c->user + key->to, size);
}

static void merge_numbers(struct cr_config *c)
{
    for (const struct cr_key *object = cr_keys_file.keys; object->name; object++)
        if (object->shape->form == CR_FORM_OBJECT)
            for (const struct cr_key *key = object->shape->keys; key->name; key++)
                merge_stored(c, object->name, key);
}

static void merge_words(struct cr_config *c)
{
    if (is_users(c, NULL, "onDenied"))
        c->stop_when_denied = c->user->stop_when_denied;
    if (is_users(c, NULL, "record")) {
        c->has_record = true;
        c->record = c->user->record;
    }
    if (is_users(c, NULL, "audit")) {
        c->audit = c->user->audit;
        c->user->audit.file = NULL;
    }
}

/* --- lists -------------------------------------------------------------------------------- */

static void merge_registries(struct cr_config *c)
{
    struct cr_config *user = c->user;
    char **list = c->registries;
    bool *dev = c->registry_dev;
    size_t count = c->registry_count;

    if (!is_users(c, NULL, "registries"))
        return;
    c->registries = user->registries;
    c->registry_dev = user->registry_dev;
    c->registry_count = user->registry_count;
    user->registries = list;
    user->registry_dev = dev;
    user->registry_count = count;
}

/* Returns |list| with room for |more| elements of |size|; NULL: no memory, and |list| is as before.
 */
static void *with_room(void *list, size_t count, size_t more, size_t size)
{
    return realloc(list, (count + more + 1) * size);
}

/* Rejects a server of the user whose name differs from a project's name only in "-" and "_". */
static int refuse_alike(const struct cr_config *user, const char *name,
                        const struct cr_config_server *other, struct cr_err *why)
{
    const struct cJSON *server = cr_json_get(cr_json_get(user->doc.root, "mcpServers"), name);

    return cr_shape_refuse(user, cr_json_place_of(&user->doc, server).key_at, why,
                           "\"%.*s\" and \"%.*s\" in '%s' are the same name in code, which may "
                           "write \"_\" for \"-\"; rename one of them",
                           SHOWN, name, SHOWN, other->name, other->file);
}

/* Returns 1 if the project has a server of this name, 0 if not; or CONFIG_ERROR. */
static int find_server(const struct cr_config *c, size_t count, const char *name,
                       struct cr_err *why)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(c->servers[i].name, name) == 0)
            return 1;
        if (cr_text_is_alike(c->servers[i].name, name))
            return refuse_alike(c->user, name, &c->servers[i], why);
    }
    return 0;
}

static int merge_servers(struct cr_config *c, struct cr_err *why)
{
    struct cr_config *user = c->user;
    size_t kept = 0, own = c->server_count;
    struct cr_config_server *room =
        with_room(c->servers, own, user->server_count, sizeof(*c->servers));
    int r = 0;

    if (!room)
        return cr_err_memory(why);
    c->servers = room;
    for (size_t i = 0; i < user->server_count; i++) {
        if (r == 0)
            r = find_server(c, own, user->servers[i].name, why);
        if (r == 0)
            c->servers[c->server_count++] = user->servers[i];
        else
            user->servers[kept++] = user->servers[i];
        if (r > 0)
            r = 0;
    }
    user->server_count = kept;
    if (r == 0 && c->server_count > CR_KEYS_MAX_SERVERS)
        return cr_shape_refuse(user, 0, why,
                               "with those of '%s', there are %zu servers, and %d at "
                               "most are allowed",
                               c->path, c->server_count, CR_KEYS_MAX_SERVERS);
    return r;
}

static int merge_grants(struct cr_config *c, struct cr_err *why)
{
    struct cr_config *user = c->user;
    size_t kept = 0;
    struct cr_config_grant *room =
        with_room(c->grants, c->grant_count, user->grant_count, sizeof(*c->grants));

    if (!room)
        return cr_err_memory(why);
    c->grants = room;
    for (size_t i = 0; i < user->grant_count; i++)
        if (is_users(c, "env", user->grants[i].name))
            c->grants[c->grant_count++] = user->grants[i];
        else
            user->grants[kept++] = user->grants[i];
    user->grant_count = kept;
    return 0;
}

int cr_merge_user(struct cr_config *c, struct cr_err *why)
{
    int r = merge_servers(c, why);

    if (r == 0)
        r = merge_grants(c, why);
    if (r < 0)
        return r;
    merge_registries(c);
    merge_numbers(c);
    merge_words(c);
    return 0;
}
