/* listing.c - lists the tools of each server, and which of them have changed, as JSON. */
#include <string.h>

#include "base/escape.h"
#include "base/loop.h"
#include "base/watchdog.h"
#include "route/route_parts.h"

#define MAX_LISTING (64u << 20)

static void begin_object(struct cr_buf *out, const struct cr_route_server *rs, const char *state)
{
    cr_buf_str(out, "{\"name\":");
    cr_escape_json_str(out, rs->name);
    cr_escape_member(out, "state", state);
}

static void add_failure(struct cr_buf *out, const struct cr_route_server *rs, const char *code,
                        const char *words, const char *hint)
{
    begin_object(out, rs, "failed");
    cr_escape_member(out, "code", code);
    cr_escape_member(out, "error", words);
    if (hint[0])
        cr_escape_member(out, "hint", hint);
    cr_buf_str(out, "}");
}

/* Adds the definitions exactly as the server sent them. */
static void add_tools(struct cr_buf *out, const struct cr_tools *tools)
{
    cr_buf_str(out, ",\"tools\":[");
    for (size_t i = 0; i < tools->count; i++) {
        const struct cr_tool *tool = &tools->list[i];

        cr_buf_str(out, i ? "," : "");
        cr_buf_add(out, tool->bytes, tool->len);
    }
    cr_buf_str(out, "]");
}

static void add_server(struct cr_buf *out, const struct cr_route_server *rs,
                       const struct cr_buf *changed, const char *lock_error)
{
    const struct cr_server *s = rs->server;

    begin_object(out, rs, "ok");
    cr_escape_member(out, "era", cr_server_era(s) == CR_ERA_MODERN ? "modern" : "legacy");
    cr_escape_member(out, "protocolVersion", cr_server_version(s));
    if (cr_server_info(s)[0]) {
        cr_buf_str(out, ",\"serverInfo\":");
        cr_buf_str(out, cr_server_info(s));
    }
    add_tools(out, cr_server_tools(s));
    cr_buf_str(out, ",\"changed\":[");
    cr_buf_add(out, changed ? changed->data : NULL, changed ? changed->len : 0);
    cr_buf_str(out, "]");
    if (lock_error)
        cr_escape_member(out, "lockError", lock_error);
    cr_buf_str(out, "}");
}

/* Counts down before the callback: the callback may start the next listing. */
static void deliver_listing(struct cr_route *route, struct cr_buf *json)
{
    static const char no_memory[] = "{\"name\":\"\",\"state\":\"failed\",\"code\":\"INTERNAL\","
                                    "\"error\":\"no memory for the list\"}";
    bool whole = cr_buf_err(json) == 0;

    route->to_list--;
    cr_watchdog_leave();
    if (route->each)
        route->each(route->data, whole ? (const char *)json->data : no_memory,
                    whole ? json->len : sizeof(no_memory) - 1);
    cr_watchdog_return();
    cr_buf_clear(json);
}

/* If the lockfile cannot be read, the tools are still listed; a tool to accept is then an error. */
void cr_route_deliver_changes(struct cr_route_server *rs, int code, const struct cr_err *why,
                              const struct cr_buf *changed)
{
    struct cr_buf json;

    cr_buf_init(&json, MAX_LISTING);
    if (code < 0 && rs->accept[0])
        add_failure(&json, rs, caprun_outcome_name(why->outcome), why->text, why->hint);
    else
        add_server(&json, rs, changed, code < 0 ? why->text : NULL);
    deliver_listing(rs->route, &json);
}

static void listed(struct cr_server_waiter *waiter, struct cr_server *server,
                   const struct cr_err *why)
{
    struct cr_route_server *rs = cr_container(waiter, struct cr_route_server, waiter);
    struct cr_buf json;

    (void)server;
    if (!why) {
        cr_route_find_changes(rs);
        return;
    }
    cr_buf_init(&json, MAX_LISTING);
    add_failure(&json, rs, caprun_outcome_name(why->outcome), why->text, why->hint);
    deliver_listing(rs->route, &json);
}

static void ask_server(struct cr_route *route, struct cr_route_server *rs)
{
    route->to_list++;
    rs->waiter.done = listed;
    cr_server_list(rs->server, &rs->waiter);
}

int cr_route_list(struct cr_route *route, const char *name, caprun_tools_fn *each, void *data,
                  struct cr_err *err)
{
    if (route->to_list)
        return cr_err_set(err, CAPRUN_E_STATE, "the servers are being asked already");
    route->each = each;
    route->data = data;
    for (size_t i = 0; i < route->count; i++)
        if (!name || strcmp(name, route->servers[i].name) == 0)
            ask_server(route, &route->servers[i]);
    return (int)route->to_list;
}
