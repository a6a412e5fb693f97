/* decision.c - reads the JSON of caprun_decide(). */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "people/people_parts.h"
#include "wire.h"

#define MAX_JSON (1u << 20)
#define MAX_VALUES (LIMIT_MAX_CALLS_AT_ONCE + 16)

static int reject(struct cr_err *err, const char *what)
{
    return cr_err_set(err, CAPRUN_E_INVAL, "the decision is not valid: %s", what);
}

static bool is_one_of(const char *text, const char *const *list)
{
    while (*list && strcmp(text, *list) != 0)
        list++;
    return *list != NULL;
}

static const char *text_of(const struct cJSON *value)
{
    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : "";
}

/* An application cannot claim that a person has decided at caprun's own terminal. */
static int read_by(const struct cJSON *root, struct cr_people_answer *ret, struct cr_err *err)
{
    static const char *const any[] = {"human:application", "script", NULL};
    static const char *const denials[] = {"timeout", "no_channel", NULL};
    const struct cJSON *by = cr_json_get(root, "by");
    const char *text = by ? text_of(by) : any[0];

    ret->by = text;
    if (is_one_of(text, any) || (!ret->is_allowed && is_one_of(text, denials)))
        return 0;
    return reject(err, "\"by\" is \"human:application\" or \"script\"; for a denial also "
                       "\"timeout\" or \"no_channel\"");
}

static int read_for(const struct cJSON *root, struct cr_people_answer *ret, struct cr_err *err)
{
    static const char *const values[] = {"calls", "run", NULL};
    const struct cJSON *value = cr_json_get(root, "for"), *most = cr_json_get(root, "maxCalls");
    uint64_t max_calls = 0;

    if (value && !is_one_of(text_of(value), values))
        return reject(err, "\"for\" is \"calls\" or \"run\"");
    ret->for_run = strcmp(text_of(value), "run") == 0;
    if (most &&
        (!ret->for_run || cr_json_number(most, LIMIT_MAX_CALLS, &max_calls) < 0 || !max_calls))
        return reject(err, "\"maxCalls\" is a number of further calls, with \"for\": \"run\"");
    ret->max_calls = (uint32_t)max_calls;
    return 0;
}

/* The caller frees *|ret_calls|. */
static int read_calls(const struct cJSON *root, uint32_t **ret_calls, struct cr_people_answer *ret,
                      struct cr_err *err)
{
    const struct cJSON *list = cr_json_get(root, "calls");
    uint64_t number = 0;

    if (!list)
        return 0;
    if (cr_json_type(list) != CR_JSON_ARRAY)
        return reject(err, "\"calls\" is a list of numbers of calls");
    *ret_calls = calloc(cr_json_count(list) + 1, sizeof(**ret_calls));
    if (!*ret_calls)
        return cr_err_memory(err);
    for (const struct cJSON *v = cr_json_first(list); v; v = cr_json_next(v)) {
        if (cr_json_number(v, LIMIT_MAX_CALLS, &number) < 0)
            return reject(err, "\"calls\" is a list of numbers of calls");
        (*ret_calls)[ret->count++] = (uint32_t)number;
    }
    ret->calls = *ret_calls;
    return 0;
}

/* An unknown key may be a misspelled restriction. */
static int check_keys(const struct cJSON *root, struct cr_err *err)
{
    static const char *const keys[] = {"allow", "calls", "for", "maxCalls", "by", NULL};

    for (const struct cJSON *v = cr_json_first(root); v; v = cr_json_next(v))
        if (!is_one_of(cr_json_key(v), keys))
            return cr_err_set(err, CAPRUN_E_INVAL,
                              "the decision is not valid: there is no key \"%.100s\"",
                              cr_json_key(v));
    return 0;
}

static int read_all(const struct cJSON *root, uint32_t **ret_calls, struct cr_people_answer *ret,
                    struct cr_err *err)
{
    if (cr_json_type(root) != CR_JSON_OBJECT || !cr_json_is_bool(cr_json_get(root, "allow")))
        return reject(err, "it is an object with \"allow\": true or false");
    ret->is_allowed = cr_json_type(cr_json_get(root, "allow")) == CR_JSON_TRUE;
    if (check_keys(root, err) < 0 || read_by(root, ret, err) < 0 || read_for(root, ret, err) < 0)
        return err->code;
    return read_calls(root, ret_calls, ret, err);
}

int cr_people_decide_json(struct caprun_run *run, uint32_t question, const char *json, size_t len,
                          struct cr_err *err)
{
    uint32_t *calls = NULL;
    struct cr_people_answer answer = {0};
    struct cr_json_doc doc = {0};
    struct cr_err why;
    int r = len > MAX_JSON ? reject(err, "it is over 1 MiB")
            : cr_json_parse_within(json, len, MAX_VALUES, &doc, &why) < 0 ? reject(err, why.text)
                                                                          : 0;

    if (r == 0)
        r = read_all(doc.root, &calls, &answer, err);
    if (r == 0)
        r = cr_people_decide(run, question, &answer, err);
    cr_json_clear(&doc);
    free(calls);
    return r;
}
