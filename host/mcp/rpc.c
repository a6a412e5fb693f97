/* rpc.c - writes each message as JSON text. */
#include "mcp/rpc.h"

#include <string.h>

#include "base/escape.h"
#include "caprun.h"

#define CLIENT "{\"name\":\"caprun\",\"version\":\"" CAPRUN_VERSION "\"}"

/* Every request of the modern era has this in its _meta. */
#define MODERN_META                                                              \
    "\"io.modelcontextprotocol/protocolVersion\":\"" CR_RPC_MODERN_VERSION "\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{},"                         \
    "\"io.modelcontextprotocol/clientInfo\":" CLIENT

static void begin_request(struct cr_buf *out, uint64_t id, const char *method)
{
    cr_buf_fmt(out, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"%s\",\"params\":{",
               (unsigned long long)id, method);
}

void cr_rpc_discover(struct cr_buf *out, uint64_t id)
{
    begin_request(out, id, "server/discover");
    cr_buf_str(out, "\"_meta\":{" MODERN_META "}}}");
}

void cr_rpc_initialize(struct cr_buf *out, uint64_t id)
{
    begin_request(out, id, "initialize");
    cr_buf_str(out, "\"protocolVersion\":\"" CR_RPC_LEGACY_VERSION "\",\"capabilities\":{},"
                    "\"clientInfo\":" CLIENT "}}");
}

void cr_rpc_initialized(struct cr_buf *out)
{
    cr_buf_str(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

void cr_rpc_list(struct cr_buf *out, enum cr_era era, uint64_t id, const struct cr_buf *cursor)
{
    bool modern = era == CR_ERA_MODERN;

    begin_request(out, id, "tools/list");
    if (modern)
        cr_buf_str(out, "\"_meta\":{" MODERN_META "}");
    if (cursor->len) {
        cr_buf_str(out, modern ? ",\"cursor\":" : "\"cursor\":");
        cr_buf_add(out, cursor->data, cursor->len);
    }
    cr_buf_str(out, "}}");
}

size_t cr_rpc_call(struct cr_buf *out, enum cr_era era, uint64_t id, const char *tool)
{
    size_t args_at;

    begin_request(out, id, "tools/call");
    cr_buf_str(out, "\"name\":");
    cr_escape_json_str(out, tool);
    cr_buf_str(out, ",\"arguments\":");
    args_at = out->len;
    cr_buf_fmt(out, ",\"_meta\":{%s\"progressToken\":%llu}}}",
               era == CR_ERA_MODERN ? MODERN_META "," : "", (unsigned long long)id);
    return args_at;
}

void cr_rpc_cancelled(struct cr_buf *out, uint64_t id, const char *reason)
{
    cr_buf_fmt(out,
               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
               "{\"requestId\":%llu",
               (unsigned long long)id);
    cr_escape_member(out, "reason", reason);
    cr_buf_str(out, "}}");
}

void cr_rpc_answer(struct cr_buf *out, const struct cr_message *request)
{
    static const char ping[] = "ping";
    bool is_ping = request->method.len == sizeof(ping) - 1 &&
                   memcmp(request->method.at, ping, sizeof(ping) - 1) == 0;

    cr_buf_str(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    cr_buf_add(out, request->id_text.at, request->id_text.len);
    cr_buf_str(out, is_ping ? ",\"result\":{}}"
                            : ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
}

int cr_rpc_is_legacy_version(const char *version)
{
    static const char *const versions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
        if (strcmp(version, versions[i]) == 0)
            return 1;
    return 0;
}
