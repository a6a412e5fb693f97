/* conditions.c - reads the conditions of a rule, and compares args with them. */
#include "policy/conditions.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/utf8.h"
#include "policy/under.h"
#include "base/web_host.h"

#define EXACT_LIMIT 9007199254740992.0 /* 2^53: every whole number below it is a double */
#define MAX_DIGITS 17
#define MAX_TEXT (64u << 10) /* for "glob": each character may be compared many times */
#define MAX_GLOB 256
#define MAX_KEY 1024 /* of a pointer, as written */
#define MAX_PRINTED (1u << 20)
#define MAX_SHOWN 100u /* bytes of a value in words */

enum kind { EQUALS, IN, GLOB, UNDER, HOST, MIN, MAX_OF, ABSENT };

static const char *const kinds[] = {"equals", "in",  "glob", "under",
                                    "host",   "min", "max",  "absent"};

struct predicate {
    const struct cJSON *value; /* the document's */
    enum kind kind;
    char *dir; /* UNDER: resolved */
    struct cr_web_host *host;
};

struct condition {
    const char *pointer; /* the document's */
    struct predicate *predicates;
    size_t count;
};

struct cr_conditions {
    char *text;
    struct cr_json_doc doc;
    struct condition *list;
    size_t count, weight;
    _Atomic unsigned owners;
    locale_t numbers; /* a program's locale may write numbers with a comma */
};

/* --- reading a rule ------------------------------------------------------------------------- */

static double number_of(const struct cr_conditions *c, const struct cJSON *value)
{
    return strtod_l(cr_json_text(value), NULL, c->numbers);
}

/* Does a double keep the number as it is written? */
static bool is_exact(const struct cr_conditions *c, const struct cJSON *value)
{
    const char *text = cr_json_text(value);
    int digits = 0;

    for (const char *at = text; *at && *at != 'e' && *at != 'E' && digits <= MAX_DIGITS; at++)
        digits += *at >= '0' && *at <= '9';
    return digits <= MAX_DIGITS && strlen(text) <= 40 && fabs(number_of(c, value)) < EXACT_LIMIT;
}

static int check_numbers(const struct cr_conditions *c, const struct cJSON *value,
                         struct cr_err *err)
{
    int r = 0;

    if (cr_json_type(value) == CR_JSON_NUMBER && !is_exact(c, value))
        return cr_err_set(err, CAPRUN_E_INVAL,
                          "the number %.60s is beyond 2^53, or too precise: servers round it",
                          cr_json_text(value));
    for (const struct cJSON *v = cr_json_first(value); v && r == 0; v = cr_json_next(v))
        r = check_numbers(c, v, err);
    return r;
}

static int read_dir(struct predicate *p, const char *dir, struct cr_err *err)
{
    const char *text = cr_json_text(p->value);
    cr_autofree char *path = NULL;

    if (text[0] != '/' && asprintf(&path, "%s/%s", dir, text) < 0) {
        path = NULL;
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a rule");
    }
    return cr_under_resolve(path ? path : text, &p->dir, err);
}

static int read_host(struct predicate *p, struct cr_err *err)
{
    p->host = calloc(1, sizeof(*p->host));
    if (!p->host)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a rule");
    if (cr_web_host_parse(cr_json_text(p->value), p->host))
        return 0;
    return cr_err_set(err, CAPRUN_E_INVAL, "'%.100s' is not " CR_WEB_HOST_WHAT,
                      cr_json_text(p->value));
}

static int refuse_value(const struct predicate *p, const char *wanted, struct cr_err *err)
{
    return cr_err_set(err, CAPRUN_E_INVAL, "\"%s\" has to be %s", kinds[p->kind], wanted);
}

static int read_value(const struct cr_conditions *c, struct predicate *p, const char *dir,
                      struct cr_err *err)
{
    enum cr_json_type type = cr_json_type(p->value);

    switch (p->kind) {
    case IN:
        if (type != CR_JSON_ARRAY)
            return refuse_value(p, "an array", err);
        return check_numbers(c, p->value, err);
    case MIN:
    case MAX_OF:
        if (type != CR_JSON_NUMBER)
            return refuse_value(p, "a number", err);
        return check_numbers(c, p->value, err);
    case EQUALS:
        return check_numbers(c, p->value, err);
    case ABSENT:
        return cr_json_is_bool(p->value) ? 0 : refuse_value(p, "true or false", err);
    case GLOB:
        return type == CR_JSON_STRING && strlen(cr_json_text(p->value)) <= MAX_GLOB
                   ? 0
                   : refuse_value(p, "a text of at most 256 bytes", err);
    case UNDER:
        return type == CR_JSON_STRING ? read_dir(p, dir, err) : refuse_value(p, "a directory", err);
    case HOST:
        return type == CR_JSON_STRING ? read_host(p, err) : refuse_value(p, "a host", err);
    }
    return 0;
}

static int read_predicate(const struct cr_conditions *c, struct predicate *p, const char *dir,
                          struct cr_err *err)
{
    const char *key = cr_json_key(p->value);
    size_t kind = 0;

    while (kind < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[kind], key) != 0)
        kind++;
    if (kind == sizeof(kinds) / sizeof(kinds[0]))
        return cr_err_set(err, CAPRUN_E_INVAL, "unknown predicate \"%.60s\"", key);
    p->kind = (enum kind)kind;
    return read_value(c, p, dir, err);
}

static int read_condition(const struct cr_conditions *c, struct condition *ret,
                          const struct cJSON *value, const char *dir, struct cr_err *err)
{
    int r = 0;

    ret->pointer = cr_json_key(value);
    if (strlen(ret->pointer) > MAX_KEY)
        return cr_err_set(err, CAPRUN_E_INVAL, "a pointer is over %d bytes", MAX_KEY);
    ret->predicates = calloc(cr_json_count(value) + 1, sizeof(*ret->predicates));
    if (!ret->predicates)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a rule");
    for (const struct cJSON *v = cr_json_first(value); v && r == 0; v = cr_json_next(v)) {
        ret->predicates[ret->count].value = v;
        r = read_predicate(c, &ret->predicates[ret->count++], dir, err);
    }
    return r;
}

static int read_all(struct cr_conditions *c, const char *dir, struct cr_err *err)
{
    int r = cr_json_parse(c->text, strlen(c->text), &c->doc, err);

    if (r < 0)
        return r;
    c->list = calloc(cr_json_count(c->doc.root) + 1, sizeof(*c->list));
    if (!c->list)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a rule");
    for (const struct cJSON *v = cr_json_first(c->doc.root); v && r == 0; v = cr_json_next(v))
        r = read_condition(c, &c->list[c->count++], v, dir, err);
    return r;
}

static void destroy(struct cr_conditions *c)
{
    for (size_t i = 0; i < c->count; i++) {
        for (size_t j = 0; j < c->list[i].count; j++) {
            free(c->list[i].predicates[j].dir);
            free(c->list[i].predicates[j].host);
        }
        free(c->list[i].predicates);
    }
    free(c->list);
    cr_json_clear(&c->doc);
    free(c->text);
    if (c->numbers)
        freelocale(c->numbers);
    free(c);
}

static size_t count_values(const struct cJSON *value)
{
    size_t count = 1;

    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v))
        count += count_values(v);
    return count;
}

/* How many steps does each byte of the args take at most, roughly? */
static size_t weigh(const struct cr_conditions *c)
{
    size_t weight = 0;

    for (size_t i = 0; i < c->count; i++) {
        weight++;
        for (size_t j = 0; j < c->list[i].count; j++) {
            const struct predicate *p = &c->list[i].predicates[j];

            weight += p->kind == GLOB ? strlen(cr_json_text(p->value)) : count_values(p->value);
        }
    }
    return weight;
}

int cr_conditions_new(const char *json, const char *dir, struct cr_conditions **ret,
                      struct cr_err *err)
{
    struct cr_conditions *c = calloc(1, sizeof(*c));
    int r;

    if (!c)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a rule");
    c->owners = 1;
    c->text = strdup(json);
    c->numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    r = c->text && c->numbers ? read_all(c, dir, err)
                              : cr_err_set(err, CAPRUN_E_NOMEM, "no memory for a rule");
    if (r < 0) {
        destroy(c);
        return r;
    }
    c->weight = weigh(c);
    *ret = c;
    return 0;
}

struct cr_conditions *cr_conditions_share(struct cr_conditions *c)
{
    c->owners++;
    return c;
}

void cr_conditions_free(struct cr_conditions *c)
{
    if (c && --c->owners == 0)
        destroy(c);
}

size_t cr_conditions_weight(const struct cr_conditions *c)
{
    return c->weight;
}

bool cr_conditions_need_files(const struct cr_conditions *c)
{
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->list[i].count; j++)
            if (c->list[i].predicates[j].kind == UNDER)
                return true;
    return false;
}

/* --- finding a value ------------------------------------------------------------------------ */

static const struct cJSON *find_item(const struct cJSON *list, const char *token, const char *end)
{
    char *stop;
    unsigned long index = strtoul(token, &stop, 10);
    const struct cJSON *item = cr_json_first(list);

    if (stop != end || *token < '0' || *token > '9' || (*token == '0' && stop - token > 1))
        return NULL;
    while (item && index-- > 0)
        item = cr_json_next(item);
    return item;
}

/* Reads one character of |*at|, in lower case, and moves past it. */
static char next_folded(const char **at)
{
    static const char long_s[] = "\xc5\xbf", kelvin[] = "\xe2\x84\xaa";
    char c = **at;

    if (strncmp(*at, long_s, 2) == 0) {
        *at += 2;
        return 's';
    }
    if (strncmp(*at, kelvin, 3) == 0) {
        *at += 3;
        return 'k';
    }
    (*at)++;
    return (char)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
}

/* Are both keys equal if the case of a to z is ignored? Two letters outside of ASCII count as s, k.
 */
static bool is_alike(const char *a, const char *b)
{
    while (*a && *b)
        if (next_folded(&a) != next_folded(&b))
            return false;
    return !*a && !*b;
}

/* Writes the key that a pointer's |token| means. */
static void read_token(const char *token, const char *end, char *ret)
{
    for (; token < end; token++) {
        if (*token == '~' && token + 1 < end)
            *ret++ = *++token == '1' ? '/' : '~';
        else
            *ret++ = *token;
    }
    *ret = '\0';
}

/*
 * Returns the member |key|, or NULL. Sets |*ret_is_unclear| if a server could take another member
 * for it: some parsers ignore the case of keys.
 */
static const struct cJSON *find_member(const struct cJSON *object, const char *key,
                                       bool *ret_is_unclear)
{
    const struct cJSON *found = NULL;

    for (const struct cJSON *v = cr_json_first(object); v; v = cr_json_next(v)) {
        if (strcmp(cr_json_key(v), key) == 0)
            found = v;
        else if (is_alike(cr_json_key(v), key))
            *ret_is_unclear = true;
    }
    return found;
}

static const struct cJSON *find_value(const struct cJSON *args, const char *pointer,
                                      bool *ret_is_unclear)
{
    const struct cJSON *value = args;
    char key[MAX_KEY + 1] = "";

    while (value && *pointer == '/') {
        const char *token = pointer + 1, *end = token + strcspn(token, "/");

        read_token(token, end, key);
        if (cr_json_type(value) == CR_JSON_ARRAY)
            value = find_item(value, token, end);
        else if (cr_json_type(value) == CR_JSON_OBJECT)
            value = find_member(value, key, ret_is_unclear);
        else
            value = NULL;
        pointer = end;
    }
    return value;
}

/* --- comparing ------------------------------------------------------------------------------ */

static enum cr_truth truth_of(bool is_true)
{
    return is_true ? CR_TRUTH_YES : CR_TRUTH_NO;
}

static enum cr_truth both(enum cr_truth a, enum cr_truth b)
{
    return a < b ? a : b;
}

static enum cr_truth compare(const struct cr_conditions *c, const struct cJSON *ours,
                             const struct cJSON *theirs);

static enum cr_truth compare_children(const struct cr_conditions *c, const struct cJSON *ours,
                                      const struct cJSON *theirs)
{
    bool in_object = cr_json_type(ours) == CR_JSON_OBJECT;
    const struct cJSON *b = cr_json_first(theirs);
    enum cr_truth so_far = CR_TRUTH_YES;

    if (cr_json_count(ours) != cr_json_count(theirs))
        return CR_TRUTH_NO;
    for (const struct cJSON *a = cr_json_first(ours); a && so_far; a = cr_json_next(a)) {
        const struct cJSON *other = in_object ? cr_json_get(theirs, cr_json_key(a)) : b;

        so_far = other ? both(so_far, compare(c, a, other)) : CR_TRUTH_NO;
        b = cr_json_next(b);
    }
    return so_far;
}

/* The depth is that of the rule's value, which the scanner limits. */
static enum cr_truth compare(const struct cr_conditions *c, const struct cJSON *ours,
                             const struct cJSON *theirs)
{
    enum cr_json_type type = cr_json_type(ours);

    if (type != cr_json_type(theirs))
        return CR_TRUTH_NO;
    switch (type) {
    case CR_JSON_STRING:
        return truth_of(strcmp(cr_json_text(ours), cr_json_text(theirs)) == 0);
    case CR_JSON_NUMBER:
        return is_exact(c, theirs) ? truth_of(number_of(c, ours) == number_of(c, theirs))
                                   : CR_TRUTH_UNCLEAR;
    case CR_JSON_ARRAY:
    case CR_JSON_OBJECT:
        return compare_children(c, ours, theirs);
    case CR_JSON_NULL:
    case CR_JSON_FALSE:
    case CR_JSON_TRUE:
        break;
    }
    return CR_TRUTH_YES;
}

static enum cr_truth compare_any(const struct cr_conditions *c, const struct cJSON *list,
                                 const struct cJSON *theirs)
{
    enum cr_truth best = CR_TRUTH_NO;

    for (const struct cJSON *v = cr_json_first(list); v && best != CR_TRUTH_YES;
         v = cr_json_next(v)) {
        enum cr_truth one = compare(c, v, theirs);

        best = one > best ? one : best;
    }
    return best;
}

static enum cr_truth compare_number(const struct cr_conditions *c, const struct predicate *p,
                                    const struct cJSON *value)
{
    double ours = number_of(c, p->value), theirs;

    if (cr_json_type(value) != CR_JSON_NUMBER || !is_exact(c, value))
        return CR_TRUTH_UNCLEAR;
    theirs = number_of(c, value);
    return truth_of(p->kind == MIN ? theirs >= ours : theirs <= ours);
}

static enum cr_truth compare_text(const struct predicate *p, const struct cJSON *value,
                                  const char *base)
{
    const char *text = cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : NULL;
    size_t len = text ? strlen(text) : 0;

    if (!text)
        return CR_TRUTH_UNCLEAR;
    if (p->kind == UNDER)
        return cr_under_holds(p->dir, base, text, len);
    if (p->kind == HOST)
        return cr_web_host_holds(p->host, text, len);
    return len > MAX_TEXT ? CR_TRUTH_UNCLEAR
                          : truth_of(cr_pattern_glob(cr_json_text(p->value), text, len));
}

static enum cr_truth holds(const struct cr_conditions *c, const struct predicate *p,
                           const struct cJSON *value, const char *base)
{
    if (p->kind == ABSENT)
        return truth_of((cr_json_type(p->value) == CR_JSON_TRUE) == !value);
    if (!value)
        return CR_TRUTH_NO;
    switch (p->kind) {
    case EQUALS:
        return compare(c, p->value, value);
    case IN:
        return compare_any(c, p->value, value);
    case MIN:
    case MAX_OF:
        return compare_number(c, p, value);
    case GLOB:
    case UNDER:
    case HOST:
    case ABSENT:
        break;
    }
    return compare_text(p, value, base);
}

enum cr_truth cr_conditions_hold(const struct cr_conditions *c, const struct cJSON *args,
                                 const char *base)
{
    enum cr_truth so_far = CR_TRUTH_YES;

    if (!args)
        return CR_TRUTH_UNCLEAR;
    for (size_t i = 0; i < c->count && so_far; i++) {
        const struct condition *one = &c->list[i];
        bool is_unclear = false;
        const struct cJSON *value = find_value(args, one->pointer, &is_unclear);

        if (is_unclear)
            so_far = CR_TRUTH_UNCLEAR;
        for (size_t j = 0; j < one->count && so_far && !is_unclear; j++)
            so_far = both(so_far, holds(c, &one->predicates[j], value, base));
    }
    return so_far;
}

/* --- words ---------------------------------------------------------------------------------- */

/* Appends |value| as JSON, cut if it is long. */
static void add_value(struct cr_buf *out, const struct cJSON *value)
{
    cr_autobuf struct cr_buf text = CR_BUF(MAX_PRINTED);
    size_t shown;

    cr_json_print(&text, value);
    if (cr_buf_err(&text)) {
        cr_buf_str(out, "too long to be shown");
        return;
    }
    shown = text.len > MAX_SHOWN ? cr_utf8_valid_prefix(text.data, MAX_SHOWN) : text.len;
    cr_buf_add(out, text.data, shown);
    if (shown < text.len)
        cr_buf_fmt(out, "… (%zu bytes)", text.len);
}

/* A text to compare with may be the value of a variable, and secret. */
static void add_failure(const struct predicate *p, enum cr_truth truth, const struct cJSON *value,
                        struct cr_buf *out)
{
    static const char *const words[] = {[EQUALS] = "is not the rule's value",
                                        [IN] = "is not one of the rule's values",
                                        [GLOB] = "does not match the rule's text",
                                        [UNDER] = "is not under ",
                                        [HOST] = "is not of host ",
                                        [MIN] = "is less than ",
                                        [MAX_OF] = "is more than "};

    if (p->kind == ABSENT) {
        cr_buf_str(out, "has to be absent");
        return;
    }
    if (truth == CR_TRUTH_UNCLEAR)
        cr_buf_fmt(out, "is unclear for \"%s\"", kinds[p->kind]);
    else
        cr_buf_str(out, words[p->kind]);
    if (truth == CR_TRUTH_NO && p->kind >= UNDER)
        add_value(out, p->value);
    cr_buf_str(out, ": it is ");
    add_value(out, value);
}

void cr_conditions_explain(const struct cr_conditions *c, const struct cJSON *args,
                           const char *base, struct cr_buf *out)
{
    if (!args)
        cr_buf_str(out, "the args are too large to be judged");
    for (size_t i = 0; args && i < c->count; i++) {
        const struct condition *one = &c->list[i];
        bool is_unclear = false;
        const struct cJSON *value = find_value(args, one->pointer, &is_unclear);
        const char *name = *one->pointer ? one->pointer : "the args";

        if (is_unclear) {
            cr_buf_fmt(out, "%s is unclear: another key differs only in case", name);
            return;
        }
        for (size_t j = 0; j < one->count; j++) {
            enum cr_truth truth = holds(c, &one->predicates[j], value, base);

            if (truth == CR_TRUTH_YES)
                continue;
            cr_buf_fmt(out, value ? "%s " : "there is no %s", name);
            if (value)
                add_failure(&one->predicates[j], truth, value, out);
            return;
        }
    }
}
