/*
 * fuzz_config.c - any bytes at all, as a .caprun.json: the tree of JSON, then what it may say.
 *
 * What must hold: a refusal names a place in the text; what was accepted is within its bounds, and
 * whole lines of warnings; each value's bytes are inside its parent's; and the canonical form is
 * JSON, is canonical already, and is judged like the text.
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
#include "config/shape.h"
#include "config/text.h"

#include "look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char file_name[] = "f", folder[] = "/d";

/* --- the tree ----------------------------------------------------------------------------- */

static void check_value(const struct cr_json *v, size_t size)
{
    size_t children = 0, end = v->at;

    insist(v->len > 0 && v->at + v->len <= size && v->key_at <= v->at);
    insist(!v->parent || (v->key != NULL) == (v->parent->type == CR_JSON_OBJECT));
    insist((v->text != NULL) == (v->type == CR_JSON_STRING || v->type == CR_JSON_NUMBER));
    for (const struct cr_json *c = v->first; c; c = c->next) {
        insist(c->parent == v && c->key_at > end && c->at + c->len < v->at + v->len);
        end = c->at + c->len - 1;
        children++;
    }
    insist(children == v->count);
}

static const struct cr_json *following(const struct cr_json *v)
{
    if (v->first)
        return v->first;
    while (v && !v->next)
        v = v->parent;
    return v ? v->next : NULL;
}

static void check_pointer(const struct cr_json *v)
{
    struct cr_buf out;

    cr_buf_init(&out, 1 << 24);
    cr_json_pointer(&out, v);
    insist(cr_buf_text(&out) && cr_text_pointer.is((const char *)out.data));
    cr_buf_clear(&out);
}

static void check_tree(const struct cr_json_doc *doc)
{
    const struct cr_json *last = NULL;

    for (const struct cr_json *v = doc->root; v; v = following(v)) {
        check_value(v, doc->len);
        last = v;
    }
    check_pointer(last);
}

/* --- what it may say ---------------------------------------------------------------------- */

static void check_accepted(const struct cr_config *c)
{
    insist(c->doc.root->type == CR_JSON_OBJECT);
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

/* What is taken of what was accepted. */
static void check_fields(struct cr_config *c)
{
    insist(cr_fields_take(c) == 0);
    for (size_t i = 0; i < c->server_count; i++) {
        const struct cr_config_server *s = &c->servers[i];

        insist(s->max_concurrent >= 1 && s->max_concurrent <= 1024);
        insist(s->url || (s->argv[0][0] && s->env && s->cwd[0] == '/'));
        insist(s->url || s->argv[0][0] == '/' || !strchr(s->argv[0], '/'));
    }
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
    cr_json_place(doc, doc->len, &last_line, &last_column);
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
    struct cr_err err = {0};

    if (cr_json_parse(data, size, &doc, &err) < 0) {
        insist(strncmp(err.text, "line ", 5) == 0);
        return 0;
    }
    check_tree(&doc);
    check_canonical(&doc, judge(&doc));
    cr_json_clear(&doc);
    return 0;
}
