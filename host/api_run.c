/* api_run.c - public functions: set code, args, limits and callbacks of a run before its start. */
#include "api.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "base/utf8.h"

_Static_assert(CAPRUN_MAX_CODE == LIMIT_CODE_BYTES && CAPRUN_MAX_ARGS == LIMIT_ARGS_BYTES &&
                   CAPRUN_MAX_SCHEMA == LIMIT_SCHEMA_BYTES && CAPRUN_MAX_ENV == LIMIT_ENV_BYTES,
               "the public limits must be those of the worker");

int cr_api_refuse_after_start(struct caprun_run *run)
{
    if (run->state == CR_RUN_NEW || run->is_given)
        return 0;
    return cr_err_set(&run->runtime->err, CAPRUN_E_STATE, "the run has %s already",
                      run->state == CR_RUN_ENDED ? "ended" : "started");
}

static int replace_text(struct caprun_run *run, struct cr_buf *buf, const char *bytes, size_t len)
{
    struct cr_buf copy;

    cr_buf_init(&copy, buf->max);
    cr_buf_add(&copy, bytes, len);
    if (cr_buf_err(&copy))
        return cr_err_set(&run->runtime->err, cr_buf_err(&copy), "no memory");
    cr_buf_clear(buf);
    *buf = copy;
    return 0;
}

int caprun_run_set_code(struct caprun_run *run, const char *code, size_t len)
{
    struct cr_err *err = &run->runtime->err;
    size_t valid;

    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (len > LIMIT_CODE_BYTES)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the code is over %u bytes", LIMIT_CODE_BYTES);
    valid = cr_utf8_valid_prefix((const uint8_t *)code, len);
    if (valid < len)
        return cr_err_set(err, CAPRUN_E_INVAL, "the code is not UTF-8: see byte %zu", valid);
    if (memchr(code, '\0', len))
        return cr_err_set(err, CAPRUN_E_INVAL, "the code has a NUL byte in it: see byte %zu",
                          (size_t)((const char *)memchr(code, '\0', len) - code));
    return replace_text(run, &run->spec.code, code, len);
}

const char *caprun_get_code(const struct caprun_run *run, size_t *ret_len)
{
    *ret_len = run->spec.code.len;
    return (const char *)run->spec.code.data;
}

/*
 * The name is part of lines of a stack. Without colons, parentheses and controls it cannot look
 * like another line, like caprun's own code or like code named by its hash.
 */
static bool is_code_name(const char *name)
{
    static const char others[] = " ._-+@,=~";
    size_t len = strlen(name);

    for (size_t i = 0; i < len; i++)
        if (!isascii((unsigned char)name[i]) ||
            (!isalnum((unsigned char)name[i]) && !strchr(others, name[i])))
            return false;
    return len && len <= WIRE_NAME_MAX && name[0] != ' ' && name[len - 1] != ' ';
}

int caprun_run_set_code_name(struct caprun_run *run, const char *name)
{
    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (!is_code_name(name))
        return cr_err_set(&run->runtime->err, CAPRUN_E_INVAL,
                          "stacks cannot show this name of the code: it is not 1 to %u letters, "
                          "digits, spaces and . _ - + @ , = ~",
                          WIRE_NAME_MAX);
    (void)snprintf(run->spec.code_name, sizeof(run->spec.code_name), "%s", name);
    return 0;
}

int caprun_run_set_language(struct caprun_run *run, const char *language)
{
    static const char *const languages[] = {
        [WIRE_LANGUAGE_JAVASCRIPT] = "javascript",
        [WIRE_LANGUAGE_AUTO] = "auto",
        [WIRE_LANGUAGE_TYPESCRIPT] = "typescript",
    };

    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    for (uint32_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++) {
        if (strcmp(language, languages[i]) == 0) {
            run->spec.language = i;
            return 0;
        }
    }
    return cr_err_set(&run->runtime->err, CAPRUN_E_INVAL,
                      "'%.40s' is not a language: \"auto\", \"javascript\" or \"typescript\"",
                      language);
}

/* Checks that |json| is valid and fits into |buf|. |what|, as "args are", begins the message. */
static int check_json(struct caprun_run *run, const struct cr_buf *buf, const char *what,
                      const char *json, size_t len)
{
    struct cr_err *err = &run->runtime->err;
    struct cr_err why;
    int r;

    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (len > buf->max)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the %s over %zu bytes", what, buf->max);
    r = cr_scan_json((const uint8_t *)json, len, CR_SCAN_STRICT, &why);
    if (r < 0)
        return cr_err_set(err, r, "the %s not acceptable JSON: %s", what, why.text);
    return 0;
}

int caprun_run_set_args(struct caprun_run *run, const char *json, size_t len)
{
    int r = check_json(run, &run->spec.args, "args are", json, len);

    return r < 0 ? r : replace_text(run, &run->spec.args, json, len);
}

int caprun_run_set_schema(struct caprun_run *run, const char *json, size_t len)
{
    int r = len ? check_json(run, &run->spec.schema, "schema is", json, len)
                : cr_api_refuse_after_start(run);

    return r < 0 ? r : replace_text(run, &run->spec.schema, json, len);
}

/*
 * |json| is valid JSON. An object of strings has only these characters outside of strings, and one
 * opening brace.
 */
static bool is_object_of_strings(const char *json, size_t len)
{
    bool in_string = false;
    size_t objects = 0;

    for (size_t i = 0; i < len; i++) {
        if (json[i] == '"')
            in_string = !in_string;
        else if (in_string)
            i += json[i] == '\\';
        else if (json[i] == '{')
            objects++;
        else if (!strchr(" \t\r\n:,}", json[i]))
            return false;
    }
    return objects == 1;
}

int caprun_run_set_env(struct caprun_run *run, const char *json, size_t len)
{
    int r =
        len ? check_json(run, &run->spec.env, "env is", json, len) : cr_api_refuse_after_start(run);

    if (r == 0 && len && !is_object_of_strings(json, len))
        r = cr_err_set(&run->runtime->err, CAPRUN_E_INVAL, "the env is not an object of strings");
    return r < 0 ? r : replace_text(run, &run->spec.env, json, len);
}

static int set_ms(struct caprun_run *run, uint32_t *limit, uint64_t ms)
{
    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (ms > LIMIT_MAX_MS)
        return cr_err_set(&run->runtime->err, CAPRUN_E_TOOBIG, "a time limit is at most 24 days");
    *limit = (uint32_t)ms;
    return 0;
}

int caprun_run_set_timeout(struct caprun_run *run, uint64_t ms)
{
    return set_ms(run, &run->spec.limits.wall_ms, ms);
}

int caprun_run_set_cpu(struct caprun_run *run, uint64_t ms)
{
    return set_ms(run, &run->spec.limits.cpu_ms, ms);
}

int caprun_run_set_call_timeout(struct caprun_run *run, uint64_t ms)
{
    return set_ms(run, &run->spec.limits.call_ms, ms);
}

int caprun_run_set_memory(struct caprun_run *run, uint64_t bytes)
{
    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (bytes > LIMIT_MAX_MEMORY_BYTES)
        return cr_err_set(&run->runtime->err, CAPRUN_E_TOOBIG, "a memory limit is at most 16 GiB");
    run->spec.limits.memory = bytes;
    return 0;
}

static int set_count(struct caprun_run *run, const char *what, uint32_t *limit, uint64_t value,
                     uint32_t most)
{
    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (value > most)
        return cr_err_set(&run->runtime->err, CAPRUN_E_TOOBIG, "%llu %s are too many: %u at most",
                          (unsigned long long)value, what, most);
    *limit = (uint32_t)value;
    return 0;
}

int caprun_run_set_max_result(struct caprun_run *run, uint64_t bytes)
{
    return set_count(run, "bytes of result", &run->spec.limits.most.result_bytes, bytes,
                     LIMIT_MAX_RESULT_BYTES);
}

int caprun_run_set_max_log(struct caprun_run *run, uint64_t bytes)
{
    return set_count(run, "bytes of log", &run->spec.limits.most.log_bytes, bytes,
                     LIMIT_MAX_LOG_BYTES);
}

int caprun_run_set_max_calls(struct caprun_run *run, uint64_t calls)
{
    return set_count(run, "calls", &run->spec.limits.most.calls, calls, LIMIT_MAX_CALLS);
}

int caprun_run_set_max_calls_at_once(struct caprun_run *run, uint64_t calls)
{
    return set_count(run, "calls at once", &run->spec.limits.most.calls_at_once, calls,
                     LIMIT_MAX_CALLS_AT_ONCE);
}

static bool is_tool(const char *name)
{
    const char *colon = name ? strchr(name, ':') : NULL;

    return colon && wire_is_namespace(name, (size_t)(colon - name)) &&
           wire_is_action(colon + 1, strlen(colon + 1));
}

int caprun_run_set_tools(struct caprun_run *run, const char *const *names, size_t count)
{
    struct cr_err *err = &run->runtime->err;
    struct cr_tool_list copy;

    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (count > LIMIT_TOOLS)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "%zu tools are too many: %u at most", count,
                          LIMIT_TOOLS);
    cr_tool_list_init(&copy);
    for (size_t i = 0; i < count; i++) {
        if (!is_tool(names[i])) {
            cr_tool_list_clear(&copy);
            return cr_err_set(err, CAPRUN_E_INVAL,
                              "'%.200s' is not the name of a tool; write it like files:read",
                              names[i] ? names[i] : "");
        }
        cr_tool_list_add(&copy, names[i]);
    }
    if (cr_tool_list_set(&copy) < 0) {
        cr_tool_list_clear(&copy);
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for %zu tools", count);
    }
    cr_tool_list_clear(&run->spec.tools);
    run->spec.tools = copy;
    return 0;
}

void caprun_run_set_log(struct caprun_run *run, caprun_log_fn *log, void *data)
{
    run->on_log = log;
    run->log_data = data;
}

void caprun_run_set_handler(struct caprun_run *run, caprun_handler_fn *handler, void *data)
{
    run->on_call = handler;
    run->call_data = data;
}

void caprun_run_set_event(struct caprun_run *run, caprun_event_fn *event, void *data)
{
    run->on_event = event;
    run->event_data = data;
}

void caprun_run_set_allow_declared(struct caprun_run *run, int allow)
{
    run->spec.allow_declared = allow != 0;
}

void caprun_run_set_stop_when_denied(struct caprun_run *run, int stop)
{
    run->spec.stop_when_denied = stop != 0;
}
