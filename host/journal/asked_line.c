/* asked_line.c - checks questions to a person, and decisions, in a journal. */
#include "journal/asked_line.h"

#include <string.h>

#include "base/json.h"
#include "wire.h"

static bool has_value(const struct cr_journal_line *line, const char *key, const char *json)
{
    size_t len = 0;
    const char *value = cr_journal_member(line, key, &len);

    return value && len == strlen(json) && memcmp(value, json, len) == 0;
}

/* Are the calls |list|, numbers or objects with a number each, open? Sets the largest of them. */
static bool are_open(const struct cr_journal *j, const struct cJSON *list, const uint8_t *answered,
                     uint32_t *ret_largest)
{
    *ret_largest = 0;
    for (const struct cJSON *v = cr_json_first(list); v; v = cr_json_next(v)) {
        const struct cJSON *n = cr_json_type(v) == CR_JSON_OBJECT ? cr_json_get(v, "n") : v;
        uint64_t number;

        if (!n || cr_json_number(n, LIMIT_MAX_CALLS, &number) < 0 || !number || number > j->calls ||
            answered[number])
            return false;
        if (number > *ret_largest)
            *ret_largest = (uint32_t)number;
    }
    return *ret_largest != 0;
}

static bool is_decision_valid(const struct cr_journal_line *line, int64_t *base_us)
{
    size_t len;

    return (has_value(line, "decision", "\"allow\"") || has_value(line, "decision", "\"deny\"")) &&
           (has_value(line, "for", "\"calls\"") || has_value(line, "for", "\"run\"")) &&
           cr_journal_member(line, "by", &len) &&
           cr_journal_take_number(line, "date", CR_ASKED_LINE_MAX_US, base_us);
}

int cr_asked_line_check(const struct cr_journal *j, struct cr_journal_line *line,
                        const uint8_t *answered, uint32_t *question, int64_t *base_us,
                        const char **ret_problem)
{
    bool is_decision = line->kind == CR_JOURNAL_DECIDE;
    struct cr_json_doc doc = {0};
    int64_t number = 0;
    size_t len = 0;
    const char *json = cr_journal_member(line, "calls", &len);
    struct cr_err err;
    int code;

    *ret_problem = "there cannot be this question here";
    if (j->head.version == 1 ||
        !cr_journal_take_number(line, is_decision ? "decide" : "ask", UINT32_MAX, &number) ||
        (is_decision ? number != *question : number <= *question))
        return CAPRUN_E_INVAL;
    *ret_problem = "it does not say what was decided, or by whom, or when";
    if (is_decision && !is_decision_valid(line, base_us))
        return CAPRUN_E_INVAL;
    *question = (uint32_t)number;
    *ret_problem = "it is about a call that does not wait, or about none";
    code = json ? cr_json_parse(json, len, &doc, &err) : CAPRUN_E_INVAL;
    if (code == 0 && !are_open(j, doc.root, answered, &line->n))
        code = CAPRUN_E_INVAL;
    cr_json_clear(&doc);
    return code == 0 || code == CAPRUN_E_NOMEM ? code : CAPRUN_E_INVAL;
}
