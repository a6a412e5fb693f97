/*
 * shape.c - checks the configuration against the tables of keys.h.
 *
 * The recursion is as deep as the file's nesting; the scanner limits that.
 */
#include "config/shape.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "config/keys.h"

#define MOST_KEYS 16                 /* in one table */
#define EXPANDED_MAX (1u << 20)      /* bytes of a string, with its variables replaced */
#define ALL_EXPANDED_MAX (64u << 20) /* of all strings of a file */
#define SHOWN 100                    /* the most bytes of a quoted text */

struct walk {
    struct cr_config *config;
    struct cr_err *why;
    size_t expanded; /* bytes of all strings so far */
};

static int check(struct walk *w, const struct cr_shape *shape, const struct cJSON *value);

int cr_shape_refuse(const struct cr_config *config, size_t at, struct cr_err *why, const char *fmt,
                    ...)
{
    char words[1024];
    size_t line, column;
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    cr_json_line_of(&config->doc, at, &line, &column);
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "%s:%zu:%zu: %s", config->path, line,
                      column, words);
}

#define refuse(w, value, ...)                                                             \
    cr_shape_refuse((w)->config, cr_json_place_of(&(w)->config->doc, value).at, (w)->why, \
                    __VA_ARGS__)
#define refuse_key(w, value, ...)                                                             \
    cr_shape_refuse((w)->config, cr_json_place_of(&(w)->config->doc, value).key_at, (w)->why, \
                    __VA_ARGS__)

/* --- messages ----------------------------------------------------------------------------- */

/* Writes the name of |value|: its key, or "each of" and the nearest key above it. */
static const char *name_of(struct walk *w, const struct cJSON *value, char out[2 * SHOWN])
{
    const struct cr_json_doc *doc = &w->config->doc;
    const struct cJSON *named = value;

    while (named && !cr_json_key(named))
        named = cr_json_parent(doc, named);
    if (!named)
        (void)snprintf(out, 2 * SHOWN, "the configuration");
    else
        (void)snprintf(out, 2 * SHOWN, "%s\"%.*s\"", named == value ? "" : "each of ", SHOWN,
                       cr_json_key(named));
    return out;
}

static int refuse_type(struct walk *w, const struct cJSON *value, const char *wanted)
{
    char name[2 * SHOWN];

    if (cr_json_type(value) == CR_JSON_NUMBER)
        return refuse(w, value, "%s has to be %s, not %.*s", name_of(w, value, name), wanted, SHOWN,
                      cr_json_text(value));
    return refuse(w, value, "%s has to be %s, not %s", name_of(w, value, name), wanted,
                  cr_json_type_name(cr_json_type(value)));
}

static size_t list_names(const struct cr_key *keys, const char *names[MOST_KEYS])
{
    size_t count = 0;

    while (count < MOST_KEYS && keys[count].name) {
        names[count] = keys[count].name;
        count++;
    }
    return count;
}

/* Suggests the known key that is nearest to |key|. If none is near and |all| is set: all keys. */
static void suggest(const struct cr_key *keys, const char *key, bool all, char out[1024])
{
    const char *names[MOST_KEYS] = {0};
    size_t count = list_names(keys, names), len = 0;
    const char *nearest = cr_nearest(key, names, count);

    out[0] = '\0';
    if (nearest)
        (void)snprintf(out, 1024, "; did you mean \"%s\"?", nearest);
    for (size_t i = 0; all && !nearest && i < count && len < 1024; i++)
        len += (size_t)snprintf(out + len, 1024 - len, "%s \"%s\"", i ? "," : "; the keys here are",
                                names[i]);
}

/* --- strings ------------------------------------------------------------------------------ */

static int check_text(struct walk *w, const struct cr_text *kind, const struct cJSON *value)
{
    cr_autobuf struct cr_buf out = CR_BUF(EXPANDED_MAX);
    char name[2 * SHOWN];
    struct cr_err err;
    int r;

    if (w->config->is_plain && strstr(cr_json_text(value), "${"))
        return 0;
    r = cr_config_expand(cr_json_text(value), &out, &err);
    if (r == CAPRUN_E_NOMEM)
        return cr_err_memory(w->why);
    if (r < 0)
        return refuse(w, value, "%s", err.text);
    w->expanded += out.len;
    if (w->expanded > ALL_EXPANDED_MAX)
        return refuse(w, value,
                      "with variables replaced, the texts up to here take more than %u MiB",
                      ALL_EXPANDED_MAX >> 20);
    if (!kind || kind->is((const char *)out.data))
        return 0;
    if (kind->secret)
        return refuse(w, value, "%s has to be %s", name_of(w, value, name), kind->what);
    return refuse(w, value, "%s has to be %s, not \"%.*s\"", name_of(w, value, name), kind->what,
                  SHOWN, cr_json_text(value));
}

/* Checks every string in |value|, at any depth. */
static int check_any(struct walk *w, const struct cJSON *value)
{
    int r = cr_json_type(value) == CR_JSON_STRING ? check_text(w, NULL, value) : 0;

    for (const struct cJSON *v = cr_json_first(value); v && r == 0; v = cr_json_next(v))
        r = check_any(w, v);
    return r;
}

/* --- numbers and flags -------------------------------------------------------------------- */

static int check_number(struct walk *w, const struct cr_shape *shape, const struct cJSON *value)
{
    char wanted[100];
    uint64_t number;

    if (cr_json_number(value, shape->max, &number) == 0 &&
        (number >= shape->min || (number == 0 && shape->or_zero)))
        return 0;
    (void)snprintf(wanted, sizeof(wanted), "%sa whole number from %" PRIu64 " to %" PRIu64,
                   shape->or_zero ? "0 or " : "", shape->min, shape->max);
    return refuse_type(w, value, wanted);
}

static void store(struct walk *w, const struct cr_key *key, const struct cJSON *value)
{
    char *field = (char *)w->config + key->to;

    if (key->to && key->shape->form == CR_FORM_NUMBER)
        (void)cr_json_number(value, key->shape->max, (uint64_t *)(void *)field);
    else if (key->to)
        *(bool *)field = cr_json_type(value) == CR_JSON_TRUE;
}

/* --- arrays and objects ------------------------------------------------------------------- */

static int check_count(struct walk *w, const struct cr_shape *shape, const struct cJSON *value)
{
    char name[2 * SHOWN];

    if (!cr_json_count(value) && shape->filled)
        return refuse(w, value, "%s is empty, so it could never match", name_of(w, value, name));
    if (shape->max && cr_json_count(value) > shape->max)
        return refuse(w, value, "%s has %zu items, and may have %" PRIu64 " at most",
                      name_of(w, value, name), cr_json_count(value), shape->max);
    return 0;
}

/* Rejects two equal values of |key|. They are shown as written: they are names, not secrets. */
static int check_unique(struct walk *w, const char *key, const struct cJSON *list)
{
    for (const struct cJSON *a = cr_json_first(list); a; a = cr_json_next(a)) {
        const struct cJSON *x = cr_json_get(a, key);

        for (const struct cJSON *b = cr_json_first(list); x && b != a; b = cr_json_next(b)) {
            const struct cJSON *y = cr_json_get(b, key);

            if (y && strcmp(cr_json_text(x), cr_json_text(y)) == 0)
                return refuse(w, x, "another has the \"%s\" \"%.*s\" already", key, SHOWN,
                              cr_json_text(x));
        }
    }
    return 0;
}

static int check_list(struct walk *w, const struct cr_shape *shape, const struct cJSON *value)
{
    int r = check_count(w, shape, value);

    for (const struct cJSON *v = cr_json_first(value); v && r == 0; v = cr_json_next(v))
        r = check(w, shape->each, v);
    if (r == 0 && shape->unique)
        r = check_unique(w, shape->unique, value);
    return r;
}

/* One name must not mean two servers. */
static int check_unlike(struct walk *w, const struct cJSON *map)
{
    for (const struct cJSON *a = cr_json_first(map); a; a = cr_json_next(a))
        for (const struct cJSON *b = cr_json_first(map); b != a; b = cr_json_next(b))
            if (cr_text_is_alike(cr_json_key(a), cr_json_key(b)))
                return refuse_key(
                    w, a,
                    "\"%.*s\" and \"%.*s\" are the same name in code, which may write \"_\" for "
                    "\"-\"; rename one of them",
                    SHOWN, cr_json_key(b), SHOWN, cr_json_key(a));
    return 0;
}

static int check_map(struct walk *w, const struct cr_shape *shape, const struct cJSON *value)
{
    char name[2 * SHOWN];
    int r = check_count(w, shape, value);

    for (const struct cJSON *v = cr_json_first(value); v && r == 0; v = cr_json_next(v)) {
        if (shape->text && !shape->text->is(cr_json_key(v)))
            return refuse_key(w, v, "a key of %s has to be %s, not \"%.*s\"",
                              name_of(w, value, name), shape->text->what, SHOWN, cr_json_key(v));
        r = check(w, shape->each, v);
    }
    return r == 0 && shape->unlike ? check_unlike(w, value) : r;
}

static const struct cr_key *find_key(const struct cr_key *keys, const char *name)
{
    for (; keys->name; keys++)
        if (strcmp(keys->name, name) == 0)
            return keys;
    return NULL;
}

/* Adds a warning about |value|, which is accepted. It is one line, whatever the key contains. */
static void warn(struct walk *w, const struct cJSON *value, const char *words, const char *more)
{
    struct cr_buf *out = &w->config->warnings, key;
    size_t line, column, len = strlen(cr_json_key(value));

    if (cr_buf_err(out))
        return; /* the buffer is full */
    cr_json_line_of(&w->config->doc, cr_json_place_of(&w->config->doc, value).key_at, &line,
                    &column);
    cr_buf_init(&key, 16 * SHOWN);
    cr_escape_terminal(&key, cr_json_key(value), len < SHOWN ? len : SHOWN);
    cr_buf_fmt(out, "%s:%zu:%zu: \"%s\" %s%s\n", w->config->path, line, column,
               cr_buf_text(&key) ? (const char *)key.data : "", words, more);
    cr_buf_clear(&key);
}

static int check_unknown(struct walk *w, const struct cr_shape *shape, const struct cJSON *value)
{
    char words[1024];

    suggest(shape->keys, cr_json_key(value), !shape->lenient, words);
    if (!shape->lenient)
        return refuse_key(w, value, "unknown key \"%.*s\"%s", SHOWN, cr_json_key(value), words);
    warn(w, value, "is a key that caprun does not know, and is not used", words);
    return 0;
}

/* The value is valid. Only its key is shown: the value may be a secret. */
static void warn_of_doubt(struct walk *w, const struct cr_key *key, const struct cJSON *value)
{
    cr_autofree char *text = cr_config_expanded(w->config, cr_json_text(value));
    const char *words = text ? key->doubt(text) : NULL;

    if (words)
        warn(w, value, words, "");
}

static int check_member(struct walk *w, const struct cr_shape *shape, const struct cJSON *object,
                        const struct cJSON *value)
{
    const struct cr_key *key = find_key(shape->keys, cr_json_key(value));
    char words[64];
    int r;

    if (!key)
        return check_unknown(w, shape, value);
    if (key->users_only && !w->config->is_users)
        return refuse_key(w, value,
                          "\"%s\" may only be in your own file, config.json: others may "
                          "write a project's file",
                          key->name);
    r = check(w, key->shape, value);
    if (r < 0)
        return r;
    store(w, key, value);
    if (key->later)
        warn(w, value, key->later, "");
    if (key->doubt)
        warn_of_doubt(w, key, value);
    if (key->only_with && !cr_json_get(object, key->only_with)) {
        (void)snprintf(words, sizeof(words), "is not used without \"%s\"", key->only_with);
        warn(w, value, words, "");
    }
    return 0;
}

/* Returns a key of |value| that may be a misspelt one of |pair|, and which; or NULL. */
static const char *find_misspelt(const struct cr_shape *shape, const struct cJSON *value,
                                 const char *const *pair, const char **ret_meant)
{
    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v)) {
        *ret_meant =
            find_key(shape->keys, cr_json_key(v)) ? NULL : cr_nearest(cr_json_key(v), pair, 2);
        if (*ret_meant)
            return cr_json_key(v);
    }
    return NULL;
}

static int check_pair(struct walk *w, const struct cr_shape *shape, const struct cJSON *value)
{
    const char *const *pair = shape->one_of;
    const char *misspelt, *meant = NULL;
    char name[2 * SHOWN];

    if (!cr_json_get(value, pair[0]) != !cr_json_get(value, pair[1]))
        return 0;
    if (cr_json_get(value, pair[0]))
        return refuse(w, value, "%s needs either \"%s\" or \"%s\", and has both",
                      name_of(w, value, name), pair[0], pair[1]);
    misspelt = find_misspelt(shape, value, pair, &meant);
    if (misspelt)
        return refuse(w, value, "%s needs either \"%s\" or \"%s\"; is \"%.*s\" meant to be \"%s\"?",
                      name_of(w, value, name), pair[0], pair[1], SHOWN, misspelt, meant);
    return refuse(w, value, "%s needs either \"%s\" or \"%s\"", name_of(w, value, name), pair[0],
                  pair[1]);
}

static int check_missing(struct walk *w, const struct cr_shape *shape, const struct cJSON *value)
{
    char name[2 * SHOWN];

    for (const struct cr_key *key = shape->keys; key->name; key++)
        if (key->required && !cr_json_get(value, key->name))
            return refuse(w, value, "%s needs \"%s\"", name_of(w, value, name), key->name);
    return shape->one_of[0] ? check_pair(w, shape, value) : 0;
}

static int check_object(struct walk *w, const struct cr_shape *shape, const struct cJSON *value)
{
    int r = check_count(w, shape, value);

    for (const struct cJSON *v = cr_json_first(value); v && r == 0; v = cr_json_next(v))
        r = check_member(w, shape, value, v);
    return r == 0 ? check_missing(w, shape, value) : r;
}

static int check(struct walk *w, const struct cr_shape *shape, const struct cJSON *value)
{
    switch (shape->form) {
    case CR_FORM_TEXT:
        if (cr_json_type(value) == CR_JSON_STRING)
            return check_text(w, shape->text, value);
        if (shape->keys && cr_json_type(value) == CR_JSON_OBJECT)
            return check_object(w, shape, value);
        return refuse_type(w, value, shape->keys ? "a string or an object" : "a string");
    case CR_FORM_NUMBER:
        return check_number(w, shape, value);
    case CR_FORM_REAL:
        return cr_json_type(value) == CR_JSON_NUMBER ? 0 : refuse_type(w, value, "a number");
    case CR_FORM_FLAG:
        return cr_json_is_bool(value) ? 0 : refuse_type(w, value, "true or false");
    case CR_FORM_LIST:
        return cr_json_type(value) == CR_JSON_ARRAY ? check_list(w, shape, value)
                                                    : refuse_type(w, value, "an array");
    case CR_FORM_MAP:
    case CR_FORM_OBJECT:
        if (cr_json_type(value) != CR_JSON_OBJECT)
            return refuse_type(w, value, "an object");
        return (shape->form == CR_FORM_MAP ? check_map : check_object)(w, shape, value);
    case CR_FORM_ANY:
        break;
    }
    return check_any(w, value);
}

int cr_shape_check(struct cr_config *config, struct cr_err *why)
{
    struct walk w = {.config = config, .why = why};
    int r = check(&w, &cr_keys_file, config->doc.root);

    if (r == 0 && cr_buf_err(&config->warnings) == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    return r;
}
