/*
 * shape.c - a walk over the file, beside the tables of keys.h.
 *
 * The recursion is as deep as the tables are; a value that may be anything is walked without.
 */
#include "config/shape.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "config/keys.h"

#define MOST_KEYS 16 /* of one table */
#define EXPANDED_MAX (1u << 20)
#define SHOWN 100 /* bytes of what is quoted */

struct walk {
    struct cr_config *config;
    struct cr_err *why;
};

static int check(struct walk *w, const struct cr_shape *shape, const struct cr_json *value);

int cr_shape_refuse(const struct cr_config *config, size_t at, struct cr_err *why, const char *fmt,
                    ...)
{
    char words[1024];
    size_t line, column;
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    cr_json_place(&config->doc, at, &line, &column);
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "%s:%zu:%zu: %s", config->path, line,
                      column, words);
}

#define refuse(w, at, ...) cr_shape_refuse((w)->config, (at), (w)->why, __VA_ARGS__)

/* --- words -------------------------------------------------------------------------------- */

/* What |value| is called: by its key, or as one of its parent's. */
static const char *name_of(const struct cr_json *value, char out[2 * SHOWN])
{
    const struct cr_json *named = value;

    while (!named->key && named->parent)
        named = named->parent;
    if (!named->key)
        (void)snprintf(out, 2 * SHOWN, "the configuration");
    else
        (void)snprintf(out, 2 * SHOWN, "%s\"%.*s\"", named == value ? "" : "each of ", SHOWN,
                       named->key);
    return out;
}

static int refuse_type(struct walk *w, const struct cr_json *value, const char *wanted)
{
    char name[2 * SHOWN];

    if (value->type == CR_JSON_NUMBER)
        return refuse(w, value->at, "%s has to be %s, not %.*s", name_of(value, name), wanted,
                      SHOWN, value->text);
    return refuse(w, value->at, "%s has to be %s, not %s", name_of(value, name), wanted,
                  cr_json_type_name(value->type));
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

/* What an unknown key may have been meant to be: what is near, else, if |all|, what there is. */
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

static int check_text(struct walk *w, const struct cr_text *kind, const struct cr_json *value)
{
    cr_autobuf struct cr_buf out = CR_BUF(EXPANDED_MAX);
    char name[2 * SHOWN];
    struct cr_err err;
    int r = cr_config_expand(value->text, &out, &err);

    if (r == CAPRUN_E_NOMEM)
        return cr_err_memory(w->why);
    if (r < 0)
        return refuse(w, value->at, "%s", err.text);
    if (!kind || kind->is((const char *)out.data))
        return 0;
    if (kind->secret)
        return refuse(w, value->at, "%s has to be %s", name_of(value, name), kind->what);
    return refuse(w, value->at, "%s has to be %s, not \"%.*s\"", name_of(value, name), kind->what,
                  SHOWN, value->text);
}

/* The value that stands behind |v| in |within|, children included; NULL at its end. */
static const struct cr_json *following(const struct cr_json *v, const struct cr_json *within)
{
    if (v->first)
        return v->first;
    while (v != within && !v->next)
        v = v->parent;
    return v == within ? NULL : v->next;
}

/* Every string in |value|, however deep. */
static int check_any(struct walk *w, const struct cr_json *value)
{
    int r = 0;

    for (const struct cr_json *v = value; v && r == 0; v = following(v, value))
        if (v->type == CR_JSON_STRING)
            r = check_text(w, NULL, v);
    return r;
}

/* --- numbers and flags -------------------------------------------------------------------- */

static int check_number(struct walk *w, const struct cr_shape *shape, const struct cr_json *value)
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

static void store(struct walk *w, const struct cr_key *key, const struct cr_json *value)
{
    char *field = (char *)w->config + key->to;

    if (key->to && key->shape->form == CR_FORM_NUMBER)
        (void)cr_json_number(value, key->shape->max, (uint64_t *)(void *)field);
    else if (key->to)
        *(bool *)field = value->type == CR_JSON_TRUE;
}

/* --- arrays and objects ------------------------------------------------------------------- */

static int check_count(struct walk *w, const struct cr_shape *shape, const struct cr_json *value)
{
    char name[2 * SHOWN];

    if (!value->count && shape->filled)
        return refuse(w, value->at, "%s is empty, so it could never match", name_of(value, name));
    if (shape->max && value->count > shape->max)
        return refuse(w, value->at, "%s has %zu items, and may have %" PRIu64 " at most",
                      name_of(value, name), value->count, shape->max);
    return 0;
}

/* Two equal names in a list: as they are written, for these are names, not secrets. */
static int check_unique(struct walk *w, const char *key, const struct cr_json *list)
{
    for (const struct cr_json *a = list->first; a; a = a->next) {
        const struct cr_json *x = cr_json_get(a, key);

        for (const struct cr_json *b = list->first; x && b != a; b = b->next) {
            const struct cr_json *y = cr_json_get(b, key);

            if (y && strcmp(x->text, y->text) == 0)
                return refuse(w, x->at, "another has the \"%s\" \"%.*s\" already", key, SHOWN,
                              x->text);
        }
    }
    return 0;
}

static int check_list(struct walk *w, const struct cr_shape *shape, const struct cr_json *value)
{
    int r = check_count(w, shape, value);

    for (const struct cr_json *v = value->first; v && r == 0; v = v->next)
        r = check(w, shape->each, v);
    if (r == 0 && shape->unique)
        r = check_unique(w, shape->unique, value);
    return r;
}

static char with_underscore(char c)
{
    return c == '-' ? '_' : c;
}

/* Code may write "_" where a name has "-": a name must not mean two things. */
static bool is_alike(const char *a, const char *b)
{
    for (; *a && with_underscore(*a) == with_underscore(*b); a++)
        b++;
    return *a == *b;
}

static int check_unlike(struct walk *w, const struct cr_json *map)
{
    for (const struct cr_json *a = map->first; a; a = a->next)
        for (const struct cr_json *b = map->first; b != a; b = b->next)
            if (is_alike(a->key, b->key))
                return refuse(
                    w, a->key_at,
                    "\"%.*s\" and \"%.*s\" are one name where \"_\" is written for \"-\", "
                    "as code may do; rename one of them",
                    SHOWN, b->key, SHOWN, a->key);
    return 0;
}

static int check_map(struct walk *w, const struct cr_shape *shape, const struct cr_json *value)
{
    char name[2 * SHOWN];
    int r = check_count(w, shape, value);

    for (const struct cr_json *v = value->first; v && r == 0; v = v->next) {
        if (shape->text && !shape->text->is(v->key))
            return refuse(w, v->key_at, "a key of %s has to be %s, not \"%.*s\"",
                          name_of(value, name), shape->text->what, SHOWN, v->key);
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

/* What is let through, but not without a word: whole lines, whatever is in the key. */
static void warn(struct walk *w, const struct cr_json *value, const char *words, const char *more)
{
    struct cr_buf *out = &w->config->warnings, key;
    size_t line, column, len = strlen(value->key);

    if (cr_buf_err(out))
        return; /* there are enough */
    cr_json_place(&w->config->doc, value->key_at, &line, &column);
    cr_buf_init(&key, 16 * SHOWN);
    cr_escape_terminal(&key, value->key, len < SHOWN ? len : SHOWN);
    cr_buf_fmt(out, "%s:%zu:%zu: \"%s\" %s%s\n", w->config->path, line, column,
               cr_buf_text(&key) ? (const char *)key.data : "", words, more);
    cr_buf_clear(&key);
}

static int check_unknown(struct walk *w, const struct cr_shape *shape, const struct cr_json *value)
{
    char words[1024];

    suggest(shape->keys, value->key, !shape->lenient, words);
    if (!shape->lenient)
        return refuse(w, value->key_at, "unknown key \"%.*s\"%s", SHOWN, value->key, words);
    warn(w, value, "is a key that caprun does not know, and is not used", words);
    return 0;
}

static int check_member(struct walk *w, const struct cr_shape *shape, const struct cr_json *value)
{
    const struct cr_key *key = find_key(shape->keys, value->key);
    char words[64];
    int r;

    if (!key)
        return check_unknown(w, shape, value);
    r = check(w, key->shape, value);
    if (r < 0)
        return r;
    store(w, key, value);
    if (key->refused && value->count)
        return refuse(w, value->key_at, "\"%s\" %s", key->name, key->refused);
    if (key->later)
        warn(w, value, key->later, "");
    if (key->only_with && !cr_json_get(value->parent, key->only_with)) {
        (void)snprintf(words, sizeof(words), "is not used without \"%s\"", key->only_with);
        warn(w, value, words, "");
    }
    return 0;
}

static int check_missing(struct walk *w, const struct cr_shape *shape, const struct cr_json *value)
{
    const char *const *pair = shape->one_of;
    char name[2 * SHOWN];

    for (const struct cr_key *key = shape->keys; key->name; key++)
        if (key->required && !cr_json_get(value, key->name))
            return refuse(w, value->at, "%s needs \"%s\"", name_of(value, name), key->name);
    if (pair[0] && !cr_json_get(value, pair[0]) == !cr_json_get(value, pair[1]))
        return refuse(w, value->at, "%s needs either \"%s\" or \"%s\"%s", name_of(value, name),
                      pair[0], pair[1], cr_json_get(value, pair[0]) ? ", and has both" : "");
    return 0;
}

static int check_object(struct walk *w, const struct cr_shape *shape, const struct cr_json *value)
{
    int r = check_count(w, shape, value);

    for (const struct cr_json *v = value->first; v && r == 0; v = v->next)
        r = check_member(w, shape, v);
    return r == 0 ? check_missing(w, shape, value) : r;
}

static int check(struct walk *w, const struct cr_shape *shape, const struct cr_json *value)
{
    switch (shape->form) {
    case CR_FORM_TEXT:
        return value->type == CR_JSON_STRING ? check_text(w, shape->text, value)
                                             : refuse_type(w, value, "a string");
    case CR_FORM_NUMBER:
        return check_number(w, shape, value);
    case CR_FORM_REAL:
        return value->type == CR_JSON_NUMBER ? 0 : refuse_type(w, value, "a number");
    case CR_FORM_FLAG:
        return cr_json_is_bool(value) ? 0 : refuse_type(w, value, "true or false");
    case CR_FORM_LIST:
        return value->type == CR_JSON_ARRAY ? check_list(w, shape, value)
                                            : refuse_type(w, value, "an array");
    case CR_FORM_MAP:
    case CR_FORM_OBJECT:
        if (value->type != CR_JSON_OBJECT)
            return refuse_type(w, value, "an object");
        return (shape->form == CR_FORM_MAP ? check_map : check_object)(w, shape, value);
    case CR_FORM_ANY:
        break;
    }
    return check_any(w, value);
}

int cr_shape_check(struct cr_config *config, struct cr_err *why)
{
    struct walk w = {config, why};
    int r = check(&w, &cr_keys_file, config->doc.root);

    if (r == 0 && cr_buf_err(&config->warnings) == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    return r;
}
