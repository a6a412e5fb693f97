/* inquiry.c - reads a question from its JSON. */
#include "people/inquiry.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/locate.h"
#include "base/mem.h"
#include "base/unescape.h"

#define MAX_TEXT (64u << 10) /* of a name or a command line */

static int refuse(struct cr_err *err, const char *what)
{
    return cr_err_set(err, CAPRUN_E_INVAL, "a question without %s", what);
}

static bool begins(const char *value, char with)
{
    return value && *value == with;
}

/*
 * Writes the string |key| of |object|, unescaped; NULL if it is missing. Returns 0, CAPRUN_E_NOMEM,
 * or CAPRUN_E_TOOBIG.
 */
static int take_text(const char *object, size_t len, const char *key, char **ret)
{
    struct cr_buf out;
    const char *value;
    size_t n = 0;

    value = object ? cr_locate_member(object, len, key, &n) : NULL;
    if (!begins(value, '"'))
        return 0;
    cr_buf_init(&out, MAX_TEXT);
    cr_unescape(&out, value + 1, n - 2);
    if (!cr_buf_text(&out)) {
        int code = cr_buf_err(&out);

        cr_buf_clear(&out);
        return code;
    }
    *ret = (char *)out.data;
    return 0;
}

static uint64_t take_number(const char *object, size_t len, const char *key)
{
    size_t n = 0;
    const char *value = cr_locate_member(object, len, key, &n);

    return value && n < 16 ? strtoull(value, NULL, 10) : 0;
}

/* --- calls and tools -------------------------------------------------------------------------- */

struct reading {
    cr_inquiry_args_fn *args;
    void *data;
    struct cr_err *err;
};

static size_t count_children(const char *array, const char *end)
{
    struct cr_locate_child child;
    const char *at = array + 1;
    size_t n = 0;

    while (cr_locate_next(&at, end, false, &child)) {
        at = cr_locate_end(child.value, end);
        n++;
    }
    return n;
}

static int compare_numbers(const void *a, const void *b)
{
    const struct cr_inquiry_call *one = a, *other = b;

    return (one->number > other->number) - (one->number < other->number);
}

/* The calls are shown in the order in which the code made them. */
static int take_calls(const struct reading *r, const char *array, const char *end,
                      struct cr_inquiry_tool *tool)
{
    struct cr_locate_child child;
    const char *at = array + 1;

    tool->calls = calloc(count_children(array, end) + 1, sizeof(*tool->calls));
    if (!tool->calls)
        return cr_err_memory(r->err);
    while (cr_locate_next(&at, end, false, &child)) {
        struct cr_inquiry_call *call = &tool->calls[tool->count];
        const char *args;

        at = cr_locate_end(child.value, end);
        call->number = (uint32_t)take_number(child.value, (size_t)(at - child.value), "n");
        tool->count++;
        args = call->number ? r->args(r->data, call->number, &call->len) : NULL;
        if (!args || !call->len)
            return refuse(r->err, "the args of a call");
        call->args = malloc(call->len);
        if (!call->args)
            return cr_err_memory(r->err);
        memcpy(call->args, args, call->len);
    }
    if (!tool->count)
        return refuse(r->err, "calls");
    qsort(tool->calls, tool->count, sizeof(*tool->calls), compare_numbers);
    return 0;
}

/* Appends a word of a command, as it would be typed in a shell. */
static void add_word(struct cr_buf *out, const char *json, size_t len)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:@=,+%";
    cr_autobuf struct cr_buf word = CR_BUF(MAX_TEXT);
    const char *text;

    cr_unescape(&word, json + 1, len - 2);
    text = cr_buf_text(&word);
    if (out->len)
        cr_buf_str(out, " ");
    if (!text) {
        out->err = cr_buf_err(&word);
        return;
    }
    if (*text && text[strspn(text, plain)] == '\0') {
        cr_buf_str(out, text);
        return;
    }
    cr_buf_str(out, "'");
    for (; *text; text++)
        cr_buf_add(out, *text == '\'' ? "'\\''" : text, *text == '\'' ? 4 : 1);
    cr_buf_str(out, "'");
}

/* Writes the command as a line. Returns 0, CAPRUN_E_NOMEM or CAPRUN_E_TOOBIG. */
static int take_command(const char *array, const char *end, char **ret)
{
    struct cr_locate_child child;
    const char *at = array + 1;
    struct cr_buf out;
    int r;

    cr_buf_init(&out, MAX_TEXT);
    while (cr_locate_next(&at, end, false, &child)) {
        at = cr_locate_end(child.value, end);
        add_word(&out, child.value, (size_t)(at - child.value));
    }
    if (cr_buf_text(&out)) {
        *ret = (char *)out.data;
        return 0;
    }
    r = cr_buf_err(&out);
    cr_buf_clear(&out);
    return r;
}

static int take_server(const char *object, size_t len, struct cr_inquiry_tool *ret)
{
    uint8_t hash[CR_HASH_BYTES];
    size_t n = 0;
    const char *command;

    if (!begins(object, '{'))
        return 0;
    cr_hash_take(object, len, hash);
    cr_hash_show(hash, ret->server_pin);
    command = cr_locate_member(object, len, "command", &n);
    if (begins(command, '['))
        return take_command(command, command + n, &ret->server) < 0
                   ? CAPRUN_E_NOMEM
                   : take_text(object, len, "cwd", &ret->cwd);
    return take_text(object, len, "url", &ret->server);
}

/* Copies a value as it is written. Returns false if there is none, or no memory. */
static bool copy_value(const char *object, size_t len, const char *key, char **ret)
{
    size_t n = 0;
    const char *value = cr_locate_member(object, len, key, &n);
    struct cr_buf copy = CR_BUF(n + 1);

    cr_buf_add(&copy, value, n);
    *ret = value && cr_buf_text(&copy) ? (char *)copy.data : NULL;
    if (!*ret)
        cr_buf_clear(&copy);
    return *ret != NULL;
}

static void take_rules(const char *array, const char *end, struct cr_inquiry_tool *tool)
{
    struct cr_locate_child child;
    const char *at = array + 1;

    while (tool->rule_count < CR_INQUIRY_RULES && cr_locate_next(&at, end, false, &child)) {
        struct cr_inquiry_rule *rule = &tool->rules[tool->rule_count];
        size_t len;

        at = cr_locate_end(child.value, end);
        len = (size_t)(at - child.value);
        tool->rule_count++;
        if (!copy_value(child.value, len, "own", &rule->own) ||
            !copy_value(child.value, len, "project", &rule->project))
            return;
    }
}

static int take_tool(const struct reading *r, const char *object, size_t len,
                     struct cr_inquiry_tool *ret)
{
    size_t n = 0, rules_len = 0, server_len = 0;
    const char *calls = cr_locate_member(object, len, "calls", &n);
    const char *rules = cr_locate_member(object, len, "rules", &rules_len);
    const char *server = cr_locate_member(object, len, "server", &server_len);

    if (begins(rules, '['))
        take_rules(rules, rules + rules_len, ret);
    if (take_text(object, len, "tool", &ret->name) < 0 ||
        take_text(object, len, "pin", &ret->pin) < 0 ||
        take_text(object, len, "because", &ret->because) < 0 ||
        take_server(server, server_len, ret) < 0)
        return cr_err_memory(r->err);
    if (!ret->name || !begins(calls, '['))
        return refuse(r->err, "the name of a tool, or its calls");
    return take_calls(r, calls, calls + n, ret);
}

static int take_tools(const struct reading *r, const char *json, size_t len, struct cr_inquiry *q)
{
    struct cr_locate_child child;
    size_t n = 0;
    const char *array = cr_locate_member(json, len, "tools", &n), *at, *end;
    int code = 0;

    if (!begins(array, '['))
        return refuse(r->err, "tools");
    at = array + 1;
    end = array + n;
    q->tools = calloc(count_children(array, end) + 1, sizeof(*q->tools));
    if (!q->tools)
        return cr_err_memory(r->err);
    while (code == 0 && cr_locate_next(&at, end, false, &child)) {
        at = cr_locate_end(child.value, end);
        code = take_tool(r, child.value, (size_t)(at - child.value), &q->tools[q->tool_count++]);
    }
    return code < 0 || q->tool_count ? code : refuse(r->err, "tools");
}

/* --- the whole -------------------------------------------------------------------------------- */

static int take_asker(const char *json, size_t len, struct cr_inquiry *q, struct cr_err *err)
{
    size_t n = 0;
    const char *asker = cr_locate_member(json, len, "asker", &n);
    size_t unused = 0;

    q->can_suspend = begins(cr_locate_member(json, len, "canSuspend", &unused), 't');
    if (!begins(asker, '{'))
        return refuse(err, "the one who asks");
    if (take_text(asker, n, "capability", &q->capability) < 0 ||
        take_text(asker, n, "code", &q->file) < 0 || take_text(asker, n, "pin", &q->pin) < 0)
        return cr_err_memory(err);
    return 0;
}

int cr_inquiry_read(const char *json, size_t len, cr_inquiry_args_fn *args, void *data,
                    struct cr_inquiry *ret, struct cr_err *err)
{
    const struct reading reading = {args, data, err};
    struct cr_inquiry q = {0};
    int r;

    if (!len || !begins(json, '{'))
        return refuse(err, "members");
    r = take_asker(json, len, &q, err);
    if (r == 0)
        r = take_tools(&reading, json, len, &q);
    if (r < 0) {
        cr_inquiry_clear(&q);
        return r;
    }
    *ret = q;
    return 0;
}

static void clear_tool(struct cr_inquiry_tool *tool)
{
    free(tool->name);
    free(tool->server);
    free(tool->cwd);
    free(tool->pin);
    free(tool->because);
    for (size_t i = 0; i < tool->count; i++)
        free(tool->calls[i].args);
    free(tool->calls);
    for (size_t i = 0; i < tool->rule_count; i++) {
        free(tool->rules[i].own);
        free(tool->rules[i].project);
    }
}

void cr_inquiry_clear(struct cr_inquiry *q)
{
    for (size_t i = 0; i < q->tool_count; i++)
        clear_tool(&q->tools[i]);
    free(q->tools);
    free(q->capability);
    free(q->file);
    free(q->pin);
    *q = (struct cr_inquiry){0};
}
