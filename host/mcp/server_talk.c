/*
 * server_talk.c - detects the era of a server, does its handshake, and dispatches its messages.
 *
 * The first request is server/discover, which only the modern era knows. A result, or one of the
 * modern errors, means modern; any other error, a timeout or an exit means legacy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "mcp/server_parts.h"

#define SECOND_US 1000000
#define PROBE_US (10 * (int64_t)SECOND_US)
#define BOOT_US (60 * (int64_t)SECOND_US) /* npx may have to download the server first */
#define MAX_WAITING_ANSWERS (4u << 20)
#define MAX_RESULT (1u << 20) /* of initialize and server/discover */
#define MAX_RESULT_VALUES 20000u
#define MAX_ERROR (64u << 10) /* bytes; a longer error is not parsed */

#define FIRST_MODERN_ERROR (-32022)
#define LAST_MODERN_ERROR (-32020)

static bool send_request(struct cr_server *s, enum cr_server_state state, const char *method,
                         int64_t patience_us)
{
    s->state = state;
    cr_loop_set(s->all->loop, &s->timer, cr_loop_now() + patience_us);
    return cr_server_send_line(s, method, s->asked_id);
}

static void initialize(struct cr_server *s)
{
    s->era = CR_ERA_LEGACY;
    s->asked_id = ++s->last_id;
    cr_rpc_initialize(cr_server_new_line(s), s->asked_id);
    (void)send_request(s, CR_SERVER_INITIALIZING, "initialize", BOOT_US);
}

static void discover(struct cr_server *s)
{
    s->asked_id = s->discover_id = ++s->last_id;
    cr_rpc_discover(cr_server_new_line(s), s->asked_id);
    (void)send_request(s, CR_SERVER_PROBING, "server/discover",
                       s->guess == CR_ERA_MODERN ? BOOT_US : PROBE_US);
}

void cr_server_greet(struct cr_server *s)
{
    s->discover_id = 0;
    if (s->guess == CR_ERA_LEGACY)
        initialize(s);
    else
        discover(s);
}

/* --- answers -----------------------------------------------------------------------------------
 */

/* Returns false if the error is not valid JSON, or too long to be parsed. */
static bool parse_error(const struct cr_message *m, struct cr_json_doc *ret)
{
    return m->error.len <= MAX_ERROR && cr_json_parse(m->error.at, m->error.len, ret, NULL) == 0;
}

long cr_server_error_code(const struct cr_message *m, char *ret_words, size_t size)
{
    struct cr_json_doc doc = {0};
    const struct cJSON *code, *words;
    long number = 0;

    (void)snprintf(ret_words, size, "%s",
                   m->error.len > MAX_ERROR ? "an error that is longer than 64 KiB" : "");
    if (!parse_error(m, &doc))
        return 0;
    code = cr_json_get(doc.root, "code");
    words = cr_json_get(doc.root, "message");
    if (code && cr_json_type(code) == CR_JSON_NUMBER)
        number = strtol(cr_json_text(code), NULL, 10);
    if (words && cr_json_type(words) == CR_JSON_STRING)
        (void)snprintf(ret_words, size, "%s", cr_json_text(words));
    cr_json_clear(&doc);
    return number;
}

/* Parses the result of the request |question|. If it is invalid, breaks off and returns false. */
static bool parse_result(struct cr_server *s, const struct cr_message *m, const char *question,
                         struct cr_json_doc *ret)
{
    struct cr_err err;

    if (m->result.len > MAX_RESULT)
        cr_server_break_off(s, "answered %s with %zu bytes, and the limit is %u", question,
                            m->result.len, MAX_RESULT);
    else if (cr_json_parse_within(m->result.at, m->result.len, MAX_RESULT_VALUES, ret, &err) < 0)
        cr_server_break_off(s, "gave an answer to %s that cannot be read: %s", question, err.text);
    else
        return true;
    return false;
}

static void keep_info(struct cr_server *s, const struct cr_json_doc *doc)
{
    const struct cJSON *info = cr_json_get(doc->root, "serverInfo");

    if (!info)
        info = cr_json_get(cr_json_get(doc->root, "_meta"), "io.modelcontextprotocol/serverInfo");
    if (!info || cr_json_type(info) != CR_JSON_OBJECT)
        return;
    cr_buf_clear(&s->info);
    cr_json_print(&s->info, info);
    if (!cr_buf_text(&s->info))
        cr_buf_clear(&s->info);
}

static bool offers(const struct cJSON *versions, const char *version)
{
    for (const struct cJSON *v = cr_json_first(versions); v; v = cr_json_next(v))
        if (cr_json_type(v) == CR_JSON_STRING && strcmp(cr_json_text(v), version) == 0)
            return true;
    return false;
}

static bool offers_legacy(const struct cJSON *versions)
{
    for (const struct cJSON *v = cr_json_first(versions); v; v = cr_json_next(v))
        if (cr_json_type(v) == CR_JSON_STRING && cr_rpc_is_legacy_version(cr_json_text(v)))
            return true;
    return false;
}

static void take_discovery(struct cr_server *s, const struct cr_message *m)
{
    struct cr_json_doc doc = {0};
    const struct cJSON *versions;

    if (!parse_result(s, m, "server/discover", &doc))
        return;
    versions = cr_json_get(doc.root, "supportedVersions");
    if (!versions || offers(versions, CR_RPC_MODERN_VERSION)) {
        s->era = CR_ERA_MODERN;
        s->transport->ops->find_types(s->transport); /* a result may be a request for input */
        (void)snprintf(s->version, sizeof(s->version), "%s", CR_RPC_MODERN_VERSION);
        keep_info(s, &doc);
        cr_server_ask_for_tools(s);
    } else if (offers_legacy(versions) && s->forced == CR_ERA_UNKNOWN) {
        if (s->state == CR_SERVER_PROBING) /* a late answer: initialize was already sent */
            initialize(s);
    } else {
        cr_server_break_off(s, "supports no revision of the protocol that caprun supports (%s)",
                            CR_RPC_MODERN_VERSION);
    }
    cr_json_clear(&doc);
}

/* Appends the versions that the error lists as supported, if any. */
static void supported_versions(const struct cr_message *m, struct cr_buf *out)
{
    struct cr_json_doc doc = {0};
    const struct cJSON *list;

    if (!parse_error(m, &doc))
        return;
    list = cr_json_get(cr_json_get(doc.root, "data"), "supported");
    for (const struct cJSON *v = cr_json_first(list); v; v = cr_json_next(v))
        if (cr_json_type(v) == CR_JSON_STRING)
            cr_buf_fmt(out, "%s%.32s", out->len ? ", " : "; it supports ", cr_json_text(v));
    cr_json_clear(&doc);
}

static void refuse_modern(struct cr_server *s, const struct cr_message *m, const char *words,
                          long code)
{
    struct cr_buf versions;

    cr_buf_init(&versions, 512);
    supported_versions(m, &versions);
    cr_server_break_off(s, "refuses server/discover: %s (JSON-RPC error %ld)%s", words, code,
                        cr_buf_text(&versions) ? cr_buf_text(&versions) : "");
    cr_buf_clear(&versions);
}

static void take_refusal_to_discover(struct cr_server *s, const struct cr_message *m)
{
    char words[256];
    long code = cr_server_error_code(m, words, sizeof(words));
    bool modern = code >= FIRST_MODERN_ERROR && code <= LAST_MODERN_ERROR;

    if (modern || s->forced == CR_ERA_MODERN)
        refuse_modern(s, m, words, code);
    else if (s->legacy_failed)
        cr_server_break_off(s, "refuses initialize and server/discover: %s (JSON-RPC error %ld)",
                            words, code);
    else
        initialize(s);
}

static void take_initialization(struct cr_server *s, const struct cr_message *m)
{
    struct cr_json_doc doc = {0};
    const struct cJSON *version;

    if (!parse_result(s, m, "initialize", &doc))
        return;
    version = cr_json_get(doc.root, "protocolVersion");
    if (!version || cr_json_type(version) != CR_JSON_STRING ||
        !cr_rpc_is_legacy_version(cr_json_text(version))) {
        cr_server_break_off(
            s, "speaks the protocol \"%.32s\", which caprun does not support",
            version && cr_json_type(version) == CR_JSON_STRING ? cr_json_text(version) : "");
    } else {
        (void)snprintf(s->version, sizeof(s->version), "%s", cr_json_text(version));
        keep_info(s, &doc);
        cr_rpc_initialized(cr_server_new_line(s));
        if (cr_server_send_line(s, "notifications/initialized", 0))
            cr_server_ask_for_tools(s);
    }
    cr_json_clear(&doc);
}

/* If the legacy era was a remembered guess, tries discovery: the server may have been updated. */
static void take_refusal_to_initialize(struct cr_server *s, const struct cr_message *m)
{
    char words[256];
    long code = cr_server_error_code(m, words, sizeof(words));

    s->legacy_failed = true;
    if (s->forced == CR_ERA_UNKNOWN && !s->discover_id)
        discover(s);
    else
        cr_server_break_off(s, "refuses initialize: %s (JSON-RPC error %ld)", words, code);
}

static void take_answer(struct cr_server *s, const struct cr_message *m)
{
    s->asked_id = 0;
    if (s->state == CR_SERVER_LISTING)
        cr_server_take_page(s, m);
    else if (m->kind == CR_MESSAGE_TOO_LONG)
        cr_server_break_off(s, "answered with a line over 64 MiB");
    else if (s->state == CR_SERVER_PROBING && m->kind == CR_MESSAGE_RESULT)
        take_discovery(s, m);
    else if (s->state == CR_SERVER_PROBING)
        take_refusal_to_discover(s, m);
    else if (m->kind == CR_MESSAGE_RESULT)
        take_initialization(s, m);
    else
        take_refusal_to_initialize(s, m);
}

/* Is it the answer to server/discover of a slow server that is modern after all? */
static bool is_late_discovery(const struct cr_server *s, const struct cr_message *m)
{
    return s->state == CR_SERVER_INITIALIZING && m->kind == CR_MESSAGE_RESULT && m->id &&
           m->id == s->discover_id;
}

static bool is_method(const struct cr_message *m, const char *name)
{
    return m->method.len == strlen(name) && memcmp(m->method.at, name, m->method.len) == 0;
}

static void answer_request(struct cr_server *s, const struct cr_message *m)
{
    if (s->transport->ops->waiting(s->transport) > MAX_WAITING_ANSWERS) {
        cr_server_break_off(s, "sends requests, but does not read the answers");
        return;
    }
    cr_rpc_answer(cr_server_new_line(s), m);
    (void)cr_server_send_line(s, NULL, 0);
}

void cr_server_take_message(struct cr_server *s, const struct cr_message *m)
{
    if (m->kind == CR_MESSAGE_REQUEST) {
        answer_request(s, m);
    } else if (m->kind == CR_MESSAGE_NOTIFICATION) {
        if (is_method(m, "notifications/progress"))
            cr_server_progress(s, m);
        else if (is_method(m, "notifications/tools/list_changed"))
            s->stale = true;
    } else if (m->id && m->id == s->asked_id) {
        take_answer(s, m);
    } else if (is_late_discovery(s, m)) {
        s->discover_id = 0; /* accept it once; repetitions are ignored */
        take_discovery(s, m);
    } else {
        cr_server_answer(s, m);
    }
}

/* The first request: a server of the other era may have refused it. */
static void take_loss_of_greeting(struct cr_server *s, const struct cr_transport_loss *loss)
{
    bool may_change = loss->may_be_era && s->forced == CR_ERA_UNKNOWN;

    if (s->state == CR_SERVER_PROBING && may_change && !s->legacy_failed) {
        initialize(s);
    } else if (s->state == CR_SERVER_INITIALIZING && may_change && !s->discover_id) {
        s->legacy_failed = true;
        discover(s);
    } else {
        cr_server_break_off(s, "%s", loss->words);
    }
}

void cr_server_take_loss(struct cr_server *s, const struct cr_transport_loss *loss)
{
    if (loss->id != s->asked_id) {
        cr_server_lose(s, loss);
        return;
    }
    s->asked_id = 0;
    if (s->state != CR_SERVER_LISTING)
        take_loss_of_greeting(s, loss);
    else if (!loss->has_expired || !s->knows_tools) /* else the next session is asked */
        cr_server_list_failed(s, loss->words);
}

void cr_server_answer_is_late(struct cr_server *s)
{
    if (s->state == CR_SERVER_LISTING)
        cr_server_list_failed(s, "no answer to tools/list after 60 s");
    else if (s->state == CR_SERVER_INITIALIZING)
        cr_server_break_off(s, "did not answer initialize within 60 s");
    else if (s->guess == CR_ERA_MODERN)
        cr_server_break_off(s, "did not answer server/discover within 60 s");
    else if (s->legacy_failed)
        cr_server_break_off(s, "refuses initialize, and did not answer server/discover");
    else
        initialize(s);
}
