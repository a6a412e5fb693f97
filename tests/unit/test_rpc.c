/* test_rpc.c - the messages that caprun sends to MCP servers: each is one line of strict JSON. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/scan.h"
#include "caprun.h"
#include "mcp/rpc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define META "io.modelcontextprotocol/"

static struct cr_buf out;
static struct cr_json_doc doc;

static void begin(void)
{
    cr_json_clear(&doc);
    doc = (struct cr_json_doc){0};
    cr_buf_clear(&out);
    cr_buf_init(&out, 1 << 20);
}

/* Is |out| one line of strict JSON with a JSON-RPC message? Parses it into |doc|. */
static bool is_message(void)
{
    struct cr_err err = {0};
    bool ok = cr_buf_err(&out) == 0 && !memchr(out.data, '\n', out.len) &&
              !memchr(out.data, '\r', out.len) &&
              cr_scan_json(out.data, out.len, CR_SCAN_STRICT, &err) == 0 &&
              cr_json_parse(out.data, out.len, &doc, &err) == 0;
    const struct cJSON *version = ok ? cr_json_get(doc.root, "jsonrpc") : NULL;

    if (!version || strcmp(cr_json_text(version), "2.0") != 0)
        printf("# %.*s: %s\n", (int)out.len, out.data ? (char *)out.data : "", err.text);
    return version && strcmp(cr_json_text(version), "2.0") == 0;
}

/* The value at a path of keys, or NULL. */
static const struct cJSON *at(const char *const *path)
{
    const struct cJSON *value = doc.root;

    for (; *path; path++)
        value = cr_json_get(value, *path);
    return value;
}

#define AT(...) (at((const char *const[]){__VA_ARGS__, NULL}))

static bool is(const struct cJSON *value, const char *json)
{
    struct cr_json_place place = value ? cr_json_place_of(&doc, value) : (struct cr_json_place){0};
    bool same =
        value && place.len == strlen(json) && memcmp(doc.bytes + place.at, json, place.len) == 0;

    if (!same)
        printf("# wanted %s, got %.*s\n", json, (int)out.len, (char *)out.data);
    return same;
}

static bool has_modern_meta(void)
{
    return is(AT("params", "_meta", META "protocolVersion"), "\"2026-07-28\"") &&
           is(AT("params", "_meta", META "clientCapabilities"), "{}") &&
           is(AT("params", "_meta", META "clientInfo"),
              "{\"name\":\"caprun\",\"version\":\"" CAPRUN_VERSION "\"}");
}

static bool is_request(const char *method, const char *id)
{
    return is_message() && is(AT("method"), method) && is(AT("id"), id) &&
           cr_json_count(doc.root) == 4;
}

TEST(the_first_question_of_the_modern_era_says_who_asks)
{
    begin();
    cr_rpc_discover(&out, 1);
    CHECK(is_request("\"server/discover\"", "1") && has_modern_meta());
    CHECK(cr_json_count(AT("params")) == 1 && cr_json_count(AT("params", "_meta")) == 3);
}

TEST(the_first_question_of_the_legacy_era_says_who_asks)
{
    begin();
    cr_rpc_initialize(&out, UINT64_MAX);
    CHECK(is_request("\"initialize\"", "18446744073709551615"));
    CHECK(is(AT("params", "protocolVersion"), "\"2025-11-25\""));
    CHECK(is(AT("params", "capabilities"), "{}") && cr_json_count(AT("params")) == 3);
    CHECK(is(AT("params", "clientInfo", "name"), "\"caprun\""));
    begin();
    cr_rpc_initialized(&out);
    CHECK(is_message() && is(AT("method"), "\"notifications/initialized\"") && !AT("id"));
}

static void list(enum cr_era era, const char *cursor)
{
    struct cr_buf json;

    cr_buf_init(&json, 1 << 16);
    cr_buf_str(&json, cursor);
    begin();
    cr_rpc_list(&out, era, 7, &json);
    cr_buf_clear(&json);
}

TEST(a_list_is_asked_for_with_the_cursor_as_it_came)
{
    static const char *const cursors[] = {"\"\"", "\"abc=\"", "\"\\n\\u0041\\\"\"", "\"\xc3\xa9\""};

    for (size_t i = 0; i < COUNT(cursors); i++) {
        list(CR_ERA_LEGACY, cursors[i]);
        CHECK(is_request("\"tools/list\"", "7") && is(AT("params", "cursor"), cursors[i]));
        CHECK(cr_json_count(AT("params")) == 1);
        list(CR_ERA_MODERN, cursors[i]);
        CHECK(is_request("\"tools/list\"", "7") && is(AT("params", "cursor"), cursors[i]));
        CHECK(cr_json_count(AT("params")) == 2 && has_modern_meta());
    }
    list(CR_ERA_LEGACY, "");
    CHECK(is_request("\"tools/list\"", "7") && cr_json_count(AT("params")) == 0);
    list(CR_ERA_MODERN, "");
    CHECK(is_request("\"tools/list\"", "7") && cr_json_count(AT("params")) == 1 &&
          has_modern_meta());
}

/* Makes the call message, and inserts |args| at the returned offset. */
static void call(enum cr_era era, uint64_t id, const char *tool, const char *args)
{
    size_t args_at = cr_rpc_call(&out, era, id, tool);
    char rest[512];
    size_t len = out.len - args_at;

    if (cr_buf_err(&out) || len > sizeof(rest))
        return;
    memcpy(rest, out.data + args_at, len);
    out.len = args_at;
    cr_buf_str(&out, args);
    cr_buf_add(&out, rest, len);
}

static bool calls(enum cr_era era, const char *tool, const char *args, uint64_t id)
{
    char number[24];

    begin();
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)id);
    call(era, id, tool, args);
    return is_request("\"tools/call\"", number) && is(AT("params", "arguments"), args) &&
           AT("params", "name") && strcmp(cr_json_text(AT("params", "name")), tool) == 0 &&
           is(AT("params", "_meta", "progressToken"), number) && cr_json_count(AT("params")) == 3 &&
           cr_json_count(AT("params", "_meta")) == (era == CR_ERA_MODERN ? 4 : 1) &&
           (era != CR_ERA_MODERN || has_modern_meta());
}

TEST(a_call_has_the_exact_name_the_args_as_they_are_and_a_token)
{
    static const char *const tools[] = {
        "echo",      "a b",          "\"",           "\\",
        "\n\r\t",    "\x01\x1f\x7f", "\xe2\x80\xa8", "\xf0\x9f\x98\x80",
        "{\"x\":1}", "</a>"};
    static const char *const args[] = {"{}", "{\"a\":[1,{\"b\":null}]}", "[]", "\"\\n\"", "1.5e3"};

    for (size_t i = 0; i < COUNT(tools); i++)
        for (size_t j = 0; j < COUNT(args); j++) {
            CHECK(calls(CR_ERA_LEGACY, tools[i], args[j], 1 + i));
            CHECK(calls(CR_ERA_MODERN, tools[i], args[j], UINT64_MAX - i));
        }
}

TEST(a_reason_may_be_any_text)
{
    static const char *const reasons[] = {"timeout", "", "\"\n\\", "\x02\xc3\xa9"};

    for (size_t i = 0; i < COUNT(reasons); i++) {
        begin();
        cr_rpc_cancelled(&out, 12, reasons[i]);
        CHECK(is_message() && is(AT("method"), "\"notifications/cancelled\"") && !AT("id"));
        CHECK(is(AT("params", "requestId"), "12") && cr_json_count(AT("params")) == 2);
        CHECK(strcmp(cr_json_text(AT("params", "reason")), reasons[i]) == 0);
    }
}

static void answer(const char *line)
{
    struct cr_reader reader;
    struct cr_message m;
    const uint8_t *bytes = (const uint8_t *)line;
    size_t len = strlen(line);

    begin();
    cr_reader_init(&reader, 1 << 16);
    if (cr_reader_next(&reader, &bytes, &len, &m) && m.kind == CR_MESSAGE_REQUEST)
        cr_rpc_answer(&out, &m);
    cr_reader_clear(&reader);
}

TEST(an_answer_has_the_id_of_the_request_as_it_came)
{
    static const char *const ids[] = {
        "1", "0", "-5", "\"a\"", "\"\"", "\"\\u000a\\\"\"", "18446744073709551616", "1.5"};
    char line[256];

    for (size_t i = 0; i < COUNT(ids); i++) {
        (void)snprintf(line, sizeof(line), "{\"method\":\"ping\",\"id\":%s}\n", ids[i]);
        answer(line);
        CHECK(is_message() && is(AT("id"), ids[i]) && is(AT("result"), "{}") && !AT("error"));
        (void)snprintf(line, sizeof(line), "{\"id\":%s,\"method\":\"roots/list\"}\n", ids[i]);
        answer(line);
        CHECK(is_message() && is(AT("id"), ids[i]) && !AT("result"));
        CHECK(is(AT("error", "code"), "-32601") && AT("error", "message"));
    }
}

TEST(a_method_that_only_begins_like_another_is_not_found)
{
    static const char *const methods[] = {"pin", "pings", "ping\\u0000", "Ping", ""};
    char line[256];

    for (size_t i = 0; i < COUNT(methods); i++) {
        (void)snprintf(line, sizeof(line), "{\"method\":\"%s\",\"id\":1}\n", methods[i]);
        answer(line);
        CHECK(out.len == 0 || (is_message() && is(AT("error", "code"), "-32601")));
    }
}

TEST(without_room_a_message_is_an_error_and_not_half_of_one)
{
    cr_json_clear(&doc);
    doc = (struct cr_json_doc){0};
    cr_buf_clear(&out);
    cr_buf_init(&out, 100);
    (void)cr_rpc_call(&out, CR_ERA_MODERN, 1, "echo");
    CHECK(cr_buf_err(&out) == CAPRUN_E_TOOBIG);
    cr_buf_clear(&out);
}

TEST(the_versions_of_the_legacy_era_are_known)
{
    CHECK(cr_rpc_is_legacy_version("2024-11-05") && cr_rpc_is_legacy_version("2025-03-26"));
    CHECK(cr_rpc_is_legacy_version("2025-06-18") && cr_rpc_is_legacy_version("2025-11-25"));
    CHECK(cr_rpc_is_legacy_version(CR_RPC_LEGACY_VERSION));
    CHECK(!cr_rpc_is_legacy_version(CR_RPC_MODERN_VERSION) && !cr_rpc_is_legacy_version(""));
    CHECK(!cr_rpc_is_legacy_version("2025-11-2") && !cr_rpc_is_legacy_version("2025-11-255"));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
