/* rules.c - the rules of a file, with ${NAME} replaced in all their texts. */
#include "config/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "config/shape.h"

#define MAX_WHEN (1u << 20)

/* --- conditions ----------------------------------------------------------------------------- */

/* Appends |value| as JSON, with its strings expanded. Keys are not expanded. */
static void add_expanded(const struct cr_config *c, struct cr_buf *out, const struct cJSON *value)
{
    enum cr_json_type type = cr_json_type(value);
    char *text;

    if (type == CR_JSON_STRING) {
        text = cr_config_expanded(c, cr_json_text(value));
        if (text)
            cr_escape_json_str(out, text);
        else
            out->err = CAPRUN_E_NOMEM;
        free(text);
        return;
    }
    if (type != CR_JSON_ARRAY && type != CR_JSON_OBJECT) {
        cr_json_print(out, value);
        return;
    }
    cr_buf_str(out, type == CR_JSON_ARRAY ? "[" : "{");
    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v)) {
        if (v != cr_json_first(value))
            cr_buf_str(out, ",");
        if (type == CR_JSON_OBJECT) {
            cr_escape_json_str(out, cr_json_key(v));
            cr_buf_str(out, ":");
        }
        add_expanded(c, out, v);
    }
    cr_buf_str(out, type == CR_JSON_ARRAY ? "]" : "}");
}

/* --- one rule ------------------------------------------------------------------------------- */

/* Writes the text of |key|, expanded; NULL if the rule does not have it. False: no memory. */
static bool take_text(const struct cr_config *c, const struct cJSON *rule, const char *key,
                      char **ret)
{
    const struct cJSON *value = cr_json_get(rule, key);

    *ret = value ? cr_config_expanded(c, cr_json_text(value)) : NULL;
    return *ret || !value;
}

static bool take_when(const struct cr_config *c, const struct cJSON *rule, char **ret)
{
    const struct cJSON *when = cr_json_get(rule, "when");
    struct cr_buf out;

    *ret = NULL;
    if (!when)
        return true;
    cr_buf_init(&out, MAX_WHEN);
    add_expanded(c, &out, when);
    if (cr_buf_text(&out)) {
        *ret = (char *)out.data;
        return true;
    }
    cr_buf_clear(&out);
    return false;
}

static void take_number(const struct cJSON *object, const char *key, uint64_t *ret)
{
    const struct cJSON *value = cr_json_get(object, key);

    if (value)
        (void)cr_json_number(value, UINT64_MAX, ret); /* checked before */
}

/* Takes what a remembered rule is bound to. */
static bool take_pins(const struct cr_config *c, const struct cJSON *rule,
                      struct cr_config_rule *ret)
{
    const struct cJSON *remembered = cr_json_get(rule, "remembered");

    return take_text(c, remembered, "pin", &ret->pin) &&
           take_text(c, remembered, "toolPin", &ret->tool_pin) &&
           take_text(c, remembered, "serverPin", &ret->server_pin);
}

static bool take_rule(const struct cr_config *c, const struct cJSON *rule,
                      struct cr_config_rule *ret)
{
    const struct cJSON *rate = cr_json_get(rule, "rate");
    char *then = NULL;

    ret->at = cr_json_place_of(&c->doc, rule).at;
    take_number(rule, "maxCalls", &ret->max_calls);
    take_number(rate, "calls", &ret->rate_calls);
    take_number(rate, "perMs", &ret->rate_ms);
    if (!take_text(c, rule, "then", &then) || !then)
        return false;
    ret->then = strcmp(then, "allow") == 0 ? CAPRUN_ALLOW
                : strcmp(then, "ask") == 0 ? CAPRUN_ASK
                                           : CAPRUN_DENY;
    free(then);
    return take_text(c, rule, "id", &ret->id) && take_text(c, rule, "tool", &ret->tool) &&
           take_text(c, rule, "for", &ret->caller) && take_when(c, rule, &ret->when) &&
           take_pins(c, rule, ret);
}

/* --- all ------------------------------------------------------------------------------------ */

int cr_config_refuse_rule(const struct cr_config *c, const struct cr_config_rule *rule,
                          struct cr_err *why, const char *words)
{
    return cr_shape_refuse(c, rule->at, why, "the rule%s%s%s: %s", rule->id ? " \"" : "",
                           rule->id ? rule->id : "", rule->id ? "\"" : "", words);
}

int cr_config_rules_take(struct cr_config *c, struct cr_err *why)
{
    const struct cJSON *list = cr_json_get(cr_json_get(c->doc.root, "permissions"), "rules");

    if (!cr_json_count(list))
        return 0;
    c->rules = calloc(cr_json_count(list), sizeof(*c->rules));
    if (!c->rules)
        return cr_err_memory(why);
    for (const struct cJSON *v = cr_json_first(list); v; v = cr_json_next(v)) {
        struct cr_config_rule *rule = &c->rules[c->rule_count++];

        if (!take_rule(c, v, rule))
            return cr_err_memory(why);
        if (rule->then == CAPRUN_DENY && (rule->max_calls || rule->rate_calls))
            return cr_config_refuse_rule(c, rule, why,
                                         "a rule that denies cannot have \"maxCalls\" or \"rate\"");
    }
    return 0;
}

void cr_config_rules_clear(struct cr_config *c)
{
    for (size_t i = 0; i < c->rule_count; i++) {
        free(c->rules[i].id);
        free(c->rules[i].tool);
        free(c->rules[i].caller);
        free(c->rules[i].when);
        free(c->rules[i].pin);
        free(c->rules[i].tool_pin);
        free(c->rules[i].server_pin);
    }
    free(c->rules);
}
