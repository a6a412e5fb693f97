/*
 * fuzz_config.c - fuzzes the reader of .caprun.json: the JSON tree, then its fields.
 *
 * What must hold: a refusal names a place in the text; accepted values are within their bounds;
 * warnings are whole lines; the bytes of each value are inside those of its parent; the canonical
 * form is JSON, does not change when made canonical again, and gives the same result as the text.
 *
 * Every configuration is as wide as itself.
 *
 * A record separator (0x1e) divides an input into a project's file and a user's, which are merged:
 * then each setting holds once, and comes from the file that cr_config_find() says; and what both
 * start and allow is compared.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/pattern.h"
#include "base/units.h"
#include "config/config.h"
#include "config/fields.h"
#include "config/merge.h"
#include "config/shape.h"
#include "config/text.h"
#include "config/wider.h"

#include "look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char file_name[] = "f", folder[] = "/d";

/* --- the tree ----------------------------------------------------------------------------- */

#define LOOKED_AT 100 /* values checked per text: each check searches the whole text */

struct looking {
    const struct cr_json_doc *doc;
    size_t left;
};

/* The bytes at the reported position of |v| must parse to |v|. */
static void check_bytes(const struct cr_json_doc *doc, const struct cJSON *v)
{
    struct cr_json_place place = cr_json_place_of(doc, v);
    struct cr_json_doc alone;
    struct cr_buf a, b;

    insist(place.len > 0 && place.at + place.len <= doc->len && place.key_at <= place.at);
    insist((place.key_at < place.at) == (cr_json_key(v) != NULL));
    insist(cr_json_parse(doc->bytes + place.at, place.len, &alone, NULL) == 0);
    cr_buf_init(&a, 1 << 26);
    cr_buf_init(&b, 1 << 26);
    cr_json_print(&a, v);
    cr_json_print(&b, alone.root);
    insist(a.len == b.len && memcmp(a.data, b.data, a.len) == 0);
    cr_buf_clear(&a);
    cr_buf_clear(&b);
    cr_json_clear(&alone);
}

static void check_pointer(const struct cr_json_doc *doc, const struct cJSON *v)
{
    struct cr_buf out;

    cr_buf_init(&out, 1 << 24);
    cr_json_pointer(&out, doc, v);
    insist(cr_buf_text(&out) && cr_text_pointer.is((const char *)out.data));
    cr_buf_clear(&out);
}

static void check_value(struct looking *l, const struct cJSON *v, const struct cJSON *parent)
{
    enum cr_json_type type = cr_json_type(v);
    size_t children = 0;

    if (!l->left)
        return;
    l->left--;
    insist((cr_json_key(v) != NULL) == (parent && cr_json_type(parent) == CR_JSON_OBJECT));
    insist((cr_json_text(v) != NULL) == (type == CR_JSON_STRING || type == CR_JSON_NUMBER));
    insist(cr_json_parent(l->doc, v) == parent);
    check_bytes(l->doc, v);
    check_pointer(l->doc, v);
    for (const struct cJSON *c = cr_json_first(v); c; c = cr_json_next(c)) {
        check_value(l, c, v);
        children++;
    }
    insist(children == cr_json_count(v));
}

static void check_tree(const struct cr_json_doc *doc)
{
    check_value(&(struct looking){doc, LOOKED_AT}, doc->root, NULL);
}

static size_t count_wider(const struct cJSON *was, const struct cJSON *now)
{
    size_t count = 0;

    insist(cr_wider_find(was, now, NULL, NULL, NULL, &count) == 0);
    return count;
}

/* --- the fields --------------------------------------------------------------------------- */

static void check_accepted(const struct cr_config *c)
{
    insist(cr_json_type(c->doc.root) == CR_JSON_OBJECT);
    insist(c->limits.timeout_ms <= CR_UNITS_MAX_MS && c->limits.cpu_ms <= CR_UNITS_MAX_MS);
    insist(c->limits.rpc_timeout_ms <= CR_UNITS_MAX_MS && c->limits.memory_mb <= 16384);
    insist(c->limits.max_depth <= 8 && c->warm <= 4096 && c->max_workers <= 4096);
    insist(c->uid_base < UINT32_MAX && c->max_memory_mb <= 64u << 20);
    insist(!c->warnings.len || c->warnings.data[c->warnings.len - 1] == '\n');
}

static void check_patterns(char *const *list)
{
    for (; *list; list++)
        insist(cr_pattern_is(*list));
}

static void check_servers(const struct cr_config *c)
{
    for (size_t i = 0; i < c->server_count; i++) {
        const struct cr_config_server *s = &c->servers[i];

        insist(s->max_concurrent >= 1 && s->max_concurrent <= 1024);
        insist(s->url || (s->argv[0][0] && s->env && s->cwd[0] == '/'));
        insist(s->url || s->argv[0][0] == '/' || !strchr(s->argv[0], '/'));
    }
}

/* Checks the fields of an accepted configuration. */
static void check_fields(struct cr_config *c)
{
    insist(cr_fields_take(c) == 0);
    check_servers(c);
    check_patterns(c->allow);
    check_patterns(c->ask);
    check_patterns(c->deny);
    cr_fields_clear(c);
}

static void check_refused(const struct cr_err *why, const struct cr_json_doc *doc)
{
    size_t line = 0, column = 0, last_line, last_column;
    int words = 0;

    insist(why->outcome == CAPRUN_OUTCOME_CONFIG_ERROR);
    insist(sscanf(why->text, "f:%zu:%zu: %n", &line, &column, &words) == 2 && why->text[words]);
    cr_json_line_of(doc, doc->len, &last_line, &last_column);
    insist(line >= 1 && line <= last_line && column >= 1 && column <= doc->len);
}

/* Is it a configuration? |doc| stays the caller's. */
static bool judge(const struct cr_json_doc *doc)
{
    struct cr_config c = {.path = file_name, .dir = folder, .doc = *doc};
    struct cr_err why = {0};
    int r;

    cr_buf_init(&c.warnings, 16 << 10);
    r = cr_shape_check(&c, &why);
    if (r == 0) {
        check_accepted(&c);
        check_fields(&c);
    } else {
        check_refused(&why, doc);
    }
    cr_buf_clear(&c.warnings);
    return r == 0;
}

/* --- two files ---------------------------------------------------------------------------- */

#define SEPARATOR 0x1e

/* Reads |len| bytes as a file. Returns false if they are refused. */
static bool read_config(const uint8_t *data, size_t len, char *name, struct cr_config *ret)
{
    struct cr_err why = {0};

    *ret = (struct cr_config){.path = name, .dir = folder};
    cr_buf_init(&ret->warnings, 16 << 10);
    if (cr_json_parse(data, len, &ret->doc, NULL) < 0)
        return false;
    if (cr_shape_check(ret, &why) < 0)
        return false;
    insist(cr_fields_take(ret) == 0);
    return true;
}

static void clear_config(struct cr_config *c)
{
    cr_fields_clear(c);
    cr_json_clear(&c->doc);
    cr_buf_clear(&c->warnings);
}

/* What the project does not say is the user's; what it says holds. */
static void check_number(const struct cr_config *c, const char *object, const char *key,
                         uint64_t number)
{
    const struct cJSON *value = NULL;
    uint64_t written = 0;

    if (cr_config_find(c, object, key, &value))
        insist(cr_json_number(value, UINT64_MAX, &written) == 0);
    insist(number == written);
}

static void check_merged(const struct cr_config *c)
{
    const struct cJSON *value = NULL;

    check_accepted(c);
    check_servers(c);
    insist(c->server_count <= 1000);
    for (size_t i = 0; i < c->server_count; i++) {
        const struct cr_config_server *s = &c->servers[i];
        const struct cr_config *file = cr_config_find(c, "mcpServers", s->name, &value);

        insist(file && file->path == s->file && cr_json_key(value) == s->name);
        for (size_t k = 0; k < i; k++)
            insist(!cr_text_is_alike(s->name, c->servers[k].name));
    }
    for (size_t i = 0; i < c->grant_count; i++)
        insist(cr_config_granted(c, c->grants[i].name) == c->grants[i].variables);
    check_number(c, "limits", "timeoutMs", c->limits.timeout_ms);
    check_number(c, "limits", "maxDepth", c->limits.max_depth);
    check_number(c, "pool", "maxWorkers", c->max_workers);
    check_number(c, "sandbox", "uidBase", c->uid_base);
}

static void merge(const uint8_t *data, size_t at, size_t size)
{
    static char user_name[] = "u";
    struct cr_config c, user;
    struct cr_err why = {0};
    bool good = read_config(data, at, file_name, &c);

    good = read_config(data + at + 1, size - at - 1, user_name, &user) && good;
    if (c.doc.root && user.doc.root)
        (void)count_wider(c.doc.root, user.doc.root);
    user.is_users = true;
    c.user = &user;
    if (good && cr_merge_user(&c, &why) == 0)
        check_merged(&c);
    else if (good)
        insist(strncmp(why.text, "u:", 2) == 0);
    clear_config(&c);
    clear_config(&user);
}

/* -------------------------------------------------------------------------------------------- */

static void check_canonical(const struct cr_json_doc *doc, bool accepted)
{
    struct cr_json_doc again;
    struct cr_buf once, twice;

    cr_buf_init(&once, 1 << 24);
    cr_buf_init(&twice, 1 << 24);
    cr_json_canonical(&once, doc->root);
    insist(!cr_buf_err(&once) && cr_json_parse(once.data, once.len, &again, NULL) == 0);
    cr_json_canonical(&twice, again.root);
    insist(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
    insist(judge(&again) == accepted);
    cr_json_clear(&again);
    cr_buf_clear(&once);
    cr_buf_clear(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cr_json_doc doc;
    const uint8_t *separator = memchr(data, SEPARATOR, size);
    struct cr_err err = {0};

    if (separator) {
        merge(data, (size_t)(separator - data), size);
        return 0;
    }
    if (cr_json_parse(data, size, &doc, &err) < 0) {
        insist(strncmp(err.text, "line ", 5) == 0);
        return 0;
    }
    check_tree(&doc);
    (void)count_wider(NULL, doc.root);
    insist(cr_json_type(doc.root) != CR_JSON_OBJECT || count_wider(doc.root, doc.root) == 0);
    check_canonical(&doc, judge(&doc));
    cr_json_clear(&doc);
    return 0;
}
