/* wider.c - compares two configurations: values by their canonical texts, lists by their items. */
#include "config/wider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"

#define MAX_TEXT (32u << 20)
#define MAX_NAME 256
#define MAX_REFERENCES 1000 /* that are looked for; the others count as new */

struct walk {
    cr_wider_fn found;
    void *data;
    size_t count;
    bool is_new;       /* nothing has been accepted */
    size_t references; /* that were looked for */
    bool has_failed;
};

static void report(struct walk *w, enum cr_wider_kind kind, const char *name,
                   const struct cJSON *was, const struct cJSON *now)
{
    struct cr_wider found = {.kind = kind, .name = name, .was = was, .now = now};

    w->count++;
    if (w->found)
        w->found(w->data, &found);
}

/* --- values ------------------------------------------------------------------------------- */

/* Returns the canonical text, which the caller frees; NULL: no memory, and the walk notes it. */
static char *text_of(struct walk *w, const struct cJSON *value)
{
    struct cr_buf out;

    cr_buf_init(&out, MAX_TEXT);
    cr_json_canonical(&out, value);
    if (cr_buf_text(&out))
        return (char *)out.data;
    cr_buf_clear(&out);
    w->has_failed = true;
    return NULL;
}

static bool is_same(struct walk *w, const struct cJSON *a, const struct cJSON *b)
{
    char *x = text_of(w, a), *y = text_of(w, b);
    bool same = x && y && strcmp(x, y) == 0;

    free(x);
    free(y);
    return same;
}

static bool is_object(const struct cJSON *value)
{
    return value && cr_json_type(value) == CR_JSON_OBJECT;
}

static bool is_list(const struct cJSON *value)
{
    return value && cr_json_type(value) == CR_JSON_ARRAY;
}

static bool is_empty(const struct cJSON *value)
{
    return (is_object(value) || is_list(value)) && !cr_json_first(value);
}

static bool is_text(const struct cJSON *value, const char *text)
{
    return value && cr_json_type(value) == CR_JSON_STRING && strcmp(cr_json_text(value), text) == 0;
}

/* Has any string in |value| a "${"? */
static bool has_reference(const struct cJSON *value)
{
    if (cr_json_type(value) == CR_JSON_STRING)
        return strstr(cr_json_text(value), "${");
    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v))
        if (has_reference(v))
            return true;
    return false;
}

/* --- lists -------------------------------------------------------------------------------- */

/* The items of a list, with their canonical texts. */
struct items {
    const struct cJSON **values;
    char **texts;
    size_t count;
};

static void clear_items(struct items *items)
{
    for (size_t i = 0; i < items->count; i++)
        free(items->texts[i]);
    free(items->texts);
    free(items->values);
}

/* Takes the items of |list|, which may be NULL. The caller clears |ret|, also after a failure. */
static void take_items(struct walk *w, const struct cJSON *list, struct items *ret)
{
    size_t count = cr_json_count(list);

    *ret = (struct items){.values = calloc(count + 1, sizeof(const struct cJSON *)),
                          .texts = calloc(count + 1, sizeof(char *))};
    w->has_failed = w->has_failed || !ret->values || !ret->texts;
    for (const struct cJSON *v = cr_json_first(list); v && !w->has_failed; v = cr_json_next(v)) {
        ret->values[ret->count] = v;
        ret->texts[ret->count++] = text_of(w, v);
    }
}

/* Returns the first of |items|, from |from| on, that equals |text|; their count if none does. */
static size_t find_item(const struct items *items, size_t from, const char *text)
{
    while (from < items->count && strcmp(items->texts[from], text) != 0)
        from++;
    return from;
}

/* Reports the items of |these| that |others| do not have. */
static void report_others(struct walk *w, const struct items *these, const struct items *others,
                          enum cr_wider_kind kind, bool is_gone, const char *name)
{
    for (size_t i = 0; i < these->count; i++)
        if (find_item(others, 0, these->texts[i]) == others->count)
            report(w, kind, name, is_gone ? these->values[i] : NULL,
                   is_gone ? NULL : these->values[i]);
}

/* --- permissions -------------------------------------------------------------------------- */

static void find_patterns(struct walk *w, const char *key, const struct items *was,
                          const struct items *now)
{
    if (strcmp(key, "allow") == 0) {
        report_others(w, now, was, CR_WIDER_ALLOW, false, NULL);
        return;
    }
    if (strcmp(key, "ask") == 0) {
        if (!w->is_new)
            report_others(w, now, was, CR_WIDER_ASK, false, NULL);
        report_others(w, was, now, CR_WIDER_NO_ASK, true, NULL);
        return;
    }
    report_others(w, was, now, CR_WIDER_NO_DENY, true, NULL);
    for (size_t i = 0; i < now->count; i++)
        if (has_reference(now->values[i]) && find_item(was, 0, now->texts[i]) == was->count)
            report(w, CR_WIDER_SETTING, "permissions.deny", NULL, now->values[i]);
}

static bool has_budget(const struct cJSON *rule)
{
    return cr_json_get(rule, "maxCalls") || cr_json_get(rule, "rate");
}

/* A message may show the rule's id, so no value of a variable may be in a rule. */
static bool only_denies(const struct cJSON *rule)
{
    return is_object(rule) && is_text(cr_json_get(rule, "then"), "deny") && !has_reference(rule);
}

/* A spent budget asks. Without that rule, a weaker one might allow. */
static bool only_allows(const struct cJSON *rule)
{
    return is_text(cr_json_get(rule, "then"), "allow") && !has_budget(rule);
}

/* Rules keep their order. One without an id is known by its place, and so is what it has spent. */
static void find_rules(struct walk *w, const struct items *was, const struct items *now)
{
    size_t next = 0;

    for (size_t i = 0; i <= now->count; i++) {
        size_t found = i < now->count ? find_item(was, next, now->texts[i]) : was->count;
        bool is_kept = i < now->count && found < was->count;

        for (; (is_kept || i == now->count) && next < found; next++)
            if (!only_allows(was->values[next]))
                report(w, CR_WIDER_NO_RULE, NULL, was->values[next], NULL);
        if (is_kept) {
            if (found != i && has_budget(now->values[i]) && !cr_json_get(now->values[i], "id"))
                report(w, CR_WIDER_RULE, NULL, was->values[found], now->values[i]);
            next = found + 1;
        } else if (i < now->count && !only_denies(now->values[i])) {
            report(w, CR_WIDER_RULE, NULL, NULL, now->values[i]);
        }
    }
}

static void find_one_permission(struct walk *w, const char *key, const struct cJSON *was,
                                const struct cJSON *now)
{
    static const char *const known[] = {"allow", "ask", "deny", "rules"};
    struct items before, after;
    bool is_known = (!was || is_list(was)) && (!now || is_list(now));
    char name[MAX_NAME];
    size_t i = 0;

    while (i < 4 && strcmp(known[i], key) != 0)
        i++;
    if (i == 4 || !is_known) {
        (void)snprintf(name, sizeof(name), "permissions.%s", key);
        if (!was || !now || !is_same(w, was, now))
            report(w, CR_WIDER_SETTING, name, was, now);
        return;
    }
    take_items(w, was, &before);
    take_items(w, now, &after);
    if (w->has_failed) {
        /* nothing is known */
    } else if (i == 3) {
        find_rules(w, &before, &after);
    } else {
        find_patterns(w, key, &before, &after);
    }
    clear_items(&before);
    clear_items(&after);
}

static void find_permissions(struct walk *w, const struct cJSON *was, const struct cJSON *now)
{
    for (const struct cJSON *v = cr_json_first(now); v; v = cr_json_next(v))
        find_one_permission(w, cr_json_key(v), cr_json_get(was, cr_json_key(v)), v);
    for (const struct cJSON *v = cr_json_first(was); v; v = cr_json_next(v))
        if (!cr_json_get(now, cr_json_key(v)))
            find_one_permission(w, cr_json_key(v), v, NULL);
}

/* --- servers, registries, granted variables ----------------------------------------------- */

static bool has_alike(const struct cJSON *servers, const char *name)
{
    for (const struct cJSON *v = cr_json_first(servers); v; v = cr_json_next(v))
        if (cr_text_is_alike(cr_json_key(v), name))
            return true;
    return false;
}

static void find_servers(struct walk *w, const struct cJSON *was, const struct cJSON *now,
                         const struct cJSON *users)
{
    const struct cJSON *of_user = cr_json_get(users, "mcpServers");

    for (const struct cJSON *v = cr_json_first(now); v; v = cr_json_next(v)) {
        const struct cJSON *before = cr_json_get(was, cr_json_key(v));

        if (!before || !is_same(w, before, v))
            report(w, CR_WIDER_SERVER, cr_json_key(v), before, v);
    }
    for (const struct cJSON *v = cr_json_first(was); v; v = cr_json_next(v))
        if (!cr_json_get(now, cr_json_key(v)) && has_alike(of_user, cr_json_key(v)))
            report(w, CR_WIDER_REVEALED, cr_json_key(v), v, NULL);
}

bool cr_wider_is_below(const struct cJSON *registry)
{
    const char *path = cr_json_type(registry) == CR_JSON_STRING ? cr_json_text(registry) : "/";

    if (!*path || *path == '/' || strstr(path, "://") || strstr(path, "${"))
        return false;
    while (path) {
        if (strncmp(path, "..", 2) == 0 && (!path[2] || path[2] == '/'))
            return false;
        path = strchr(path, '/');
        path = path ? path + 1 : NULL;
    }
    return true;
}

/* Does the user's own file give rights to capabilities by their names? */
static bool gives_by_name(const struct cJSON *users)
{
    const struct cJSON *rules = cr_json_get(cr_json_get(users, "permissions"), "rules");

    for (const struct cJSON *v = cr_json_first(rules); v; v = cr_json_next(v))
        if (cr_json_get(v, "for"))
            return true;
    return cr_json_first(cr_json_get(users, "env"));
}

/*
 * The first registry that has a name wins, so their order has to stay. A registry below the file
 * needs no acceptance, unless its code could take a name to which the user has given rights.
 */
static void find_registries(struct walk *w, const struct cJSON *was, const struct cJSON *now,
                            const struct cJSON *users)
{
    bool is_free = w->is_new && !gives_by_name(users);
    struct items before, after;
    size_t next = 0;

    take_items(w, was, &before);
    take_items(w, now, &after);
    for (size_t i = 0; i < after.count && !w->has_failed; i++) {
        size_t found = find_item(&before, next, after.texts[i]);

        if (found < before.count)
            next = found + 1;
        else if (!is_free || !cr_wider_is_below(after.values[i]))
            report(w, CR_WIDER_REGISTRY, NULL, NULL, after.values[i]);
    }
    clear_items(&before);
    clear_items(&after);
}

static void find_grants(struct walk *w, const struct cJSON *was, const struct cJSON *now)
{
    if (was && now && is_same(w, was, now))
        return;
    for (const struct cJSON *v = cr_json_first(now); v; v = cr_json_next(v)) {
        const struct cJSON *granted = cr_json_get(was, cr_json_key(v));
        struct items before, after;

        if (granted && is_same(w, granted, v))
            continue;
        take_items(w, granted, &before);
        take_items(w, v, &after);
        if (!w->has_failed)
            report_others(w, &after, &before, CR_WIDER_GRANT, false, cr_json_key(v));
        clear_items(&before);
        clear_items(&after);
    }
}

/* --- other settings ----------------------------------------------------------------------- */

static bool is_at_most_default(const struct cJSON *limit)
{
    static const struct {
        const char *key;
        uint64_t value;
    } defaults[] = {{"timeoutMs", 300000},     {"cpuMs", 300000},     {"rpcTimeoutMs", 30000},
                    {"memoryMB", 512},         {"maxCalls", 10000},   {"maxConcurrentCalls", 256},
                    {"resultBytes", 16 << 20}, {"logBytes", 1 << 20}, {"maxDepth", 8}};
    uint64_t unused;

    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
        if (strcmp(defaults[i].key, cr_json_key(limit)) == 0)
            return cr_json_number(limit, defaults[i].value, &unused) == 0;
    return false;
}

/* Does the setting need no acceptance in a file of which nothing has been accepted? */
static bool is_harmless(const char *object, const struct cJSON *value)
{
    if (is_empty(value))
        return true;
    return object ? strcmp(object, "limits") == 0 && is_at_most_default(value)
                  : strcmp(cr_json_key(value), "onDenied") == 0;
}

/* |object|: the key of the object that both are in; NULL: the file itself. */
static void find_setting(struct walk *w, const char *object, const char *key,
                         const struct cJSON *was, const struct cJSON *now)
{
    char name[MAX_NAME];

    if (was && now ? is_same(w, was, now) : now && w->is_new && is_harmless(object, now))
        return;
    (void)snprintf(name, sizeof(name), "%s%s%s", object ? object : "", object ? "." : "", key);
    report(w, CR_WIDER_SETTING, name, was, now);
}

/* Names the keys of an object that differ, if both are objects. */
static void find_settings(struct walk *w, const char *key, const struct cJSON *was,
                          const struct cJSON *now)
{
    if (!is_object(now) || (was && !is_object(was)) || (!was && !w->is_new)) {
        find_setting(w, NULL, key, was, now);
        return;
    }
    for (const struct cJSON *v = cr_json_first(now); v; v = cr_json_next(v))
        find_setting(w, key, cr_json_key(v), cr_json_get(was, cr_json_key(v)), v);
    for (const struct cJSON *v = cr_json_first(was); v; v = cr_json_next(v))
        if (!cr_json_get(now, cr_json_key(v)))
            find_setting(w, key, cr_json_key(v), v, NULL);
}

/* --- variables ---------------------------------------------------------------------------- */

/* Has any string in |value| the |len| bytes |reference|, "${NAME}"? */
static bool has_this(const struct cJSON *value, const char *reference, size_t len)
{
    const char *text = cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : NULL;

    if (text)
        return memmem(text, strlen(text), reference, len);
    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v))
        if (has_this(v, reference, len))
            return true;
    return false;
}

static bool has_new_variable(struct walk *w, const struct cJSON *was, const char *text)
{
    for (const char *at = strstr(text, "${"); at; at = strstr(at + 2, "${")) {
        size_t len = strcspn(at, "}");

        len += at[len] == '}';
        if (w->is_new || ++w->references > MAX_REFERENCES || !has_this(was, at, len))
            return true;
    }
    return false;
}

static void find_variables(struct walk *w, const struct cJSON *was, const struct cJSON *value)
{
    if (cr_json_type(value) == CR_JSON_STRING && has_new_variable(w, was, cr_json_text(value)))
        report(w, CR_WIDER_VARIABLE, NULL, NULL, value);
    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v))
        find_variables(w, was, v);
}

/* --- the file ----------------------------------------------------------------------------- */

/* Compares what both have of |key|; one of them may be NULL. */
static void find_member(struct walk *w, const char *key, const struct cJSON *was,
                        const struct cJSON *now, const struct cJSON *users)
{
    bool are_objects = (!was || is_object(was)) && (!now || is_object(now));
    bool are_lists = (!was || is_list(was)) && (!now || is_list(now));

    if (strcmp(key, "$schema") == 0)
        return; /* only for editors */
    if (strcmp(key, "mcpServers") == 0 && are_objects)
        find_servers(w, was, now, users);
    else if (strcmp(key, "permissions") == 0 && are_objects)
        find_permissions(w, was, now);
    else if (strcmp(key, "registries") == 0 && are_lists)
        find_registries(w, was, now, users);
    else if (strcmp(key, "env") == 0 && are_objects)
        find_grants(w, was, now);
    else
        find_settings(w, key, was, now);
}

int cr_wider_find(const struct cJSON *was, const struct cJSON *now, const struct cJSON *users,
                  cr_wider_fn found, void *data, size_t *ret)
{
    struct walk w = {.found = found, .data = data, .is_new = !was};

    if (!is_object(now) || (was && !is_object(was))) {
        report(&w, CR_WIDER_SETTING, "the configuration", was, now);
        *ret = w.count;
        return 0;
    }
    if (was && is_same(&w, was, now)) {
        *ret = 0;
        return 0;
    }
    for (const struct cJSON *v = cr_json_first(now); v; v = cr_json_next(v))
        find_member(&w, cr_json_key(v), cr_json_get(was, cr_json_key(v)), v, users);
    for (const struct cJSON *v = cr_json_first(was); v; v = cr_json_next(v))
        if (!cr_json_get(now, cr_json_key(v)))
            find_member(&w, cr_json_key(v), v, NULL, users);
    find_variables(&w, was, now);
    if (w.has_failed)
        return CAPRUN_E_NOMEM;
    *ret = w.count;
    return 0;
}
