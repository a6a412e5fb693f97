/* pins.c - the tools of a server's list, held against caprun.lock. */
#include <stdlib.h>
#include <string.h>

#include "route/route_parts.h"

#define MAX_DEFINITIONS (CR_TOOLS_MAX_BYTES * 2)
#define READ_AGAIN_US 1000000

/* The tools of a list as the lockfile wants them. */
struct now {
    struct cr_tool_now *list;
    size_t count;
    struct cr_buf text;
};

static void clear_now(struct now *now)
{
    free(now->list);
    cr_buf_clear(&now->text);
}

/* The bytes move while they are added, so that the pointers come last. */
static int fill_now(const struct cr_tool *tools, size_t count, struct now *ret,
                    struct cr_problem *why)
{
    size_t at = 0;

    *ret = (struct now){.list = calloc(count + 1, sizeof(*ret->list)), .count = count};
    cr_buf_init(&ret->text, MAX_DEFINITIONS);
    for (size_t i = 0; ret->list && i < count; i++) {
        size_t before = ret->text.len;

        cr_tools_essence(&tools[i], &ret->text);
        ret->list[i].name = tools[i].name;
        ret->list[i].len = ret->text.len - before;
    }
    if (!ret->list || cr_buf_err(&ret->text)) {
        clear_now(ret);
        return cr_problem_memory(why);
    }
    for (size_t i = 0; i < count; i++) {
        ret->list[i].definition = (const char *)ret->text.data + at;
        at += ret->list[i].len;
    }
    return 0;
}

void cr_route_forget_pins(struct cr_route_server *rs)
{
    free(rs->states);
    rs->states = NULL;
    cr_lockfile_clear(&rs->lock);
    rs->lock = (struct cr_lockfile){.path = NULL};
}

static int read_lock(struct cr_route_server *rs, struct cr_problem *why)
{
    cr_lockfile_clear(&rs->lock);
    rs->lock = (struct cr_lockfile){.path = NULL};
    rs->lock_us = cr_loop_now();
    return cr_lockfile_read(rs->route->dir, &rs->lock, why);
}

/* The first look at a new list. */
static int look(struct cr_route_server *rs, struct cr_problem *why)
{
    bool *states = calloc(cr_server_tools(rs->server)->count + 1, sizeof(*states));

    if (!states) {
        (void)cr_problem_memory(why);
        return CAPRUN_E_NOMEM;
    }
    if (read_lock(rs, why) < 0) {
        free(states);
        return CAPRUN_E_INVAL;
    }
    free(rs->states);
    rs->states = states;
    return 0;
}

/* All that is new: a server is trusted on first use as a whole. */
static int pin_new(struct cr_route_server *rs, struct cr_problem *why)
{
    const struct cr_tools *tools = cr_server_tools(rs->server);
    struct now now;
    int r = fill_now(tools->list, tools->count, &now, why);

    if (r < 0)
        return r;
    r = cr_tool_pins_pin(rs->route->dir, rs->name, now.list, now.count, false, why);
    clear_now(&now);
    return r < 0 ? r : read_lock(rs, why);
}

static size_t index_of(const struct cr_route_server *rs, const struct cr_tool *tool)
{
    return (size_t)(tool - cr_server_tools(rs->server)->list);
}

static int compare(struct cr_route_server *rs, const struct cr_tool_now *now,
                   struct cr_problem *why)
{
    if (cr_tool_pins_check(&rs->lock, rs->name, now) != CR_TOOL_CHANGED)
        return 0;
    /* somebody may have accepted it meanwhile; but thousands may have changed, or be called */
    if (cr_loop_now() - rs->lock_us > READ_AGAIN_US && read_lock(rs, why) < 0)
        return CAPRUN_E_INVAL;
    return cr_tool_pins_check(&rs->lock, rs->name, now) == CR_TOOL_CHANGED
               ? cr_tool_pins_explain(&rs->lock, rs->name, now, why)
               : 0;
}

/* Returns 0 if it is as it is pinned; 1 if it is not pinned; or INTEGRITY_MISMATCH. */
static int check(struct cr_route_server *rs, const struct cr_tool *tool, struct cr_problem *why)
{
    struct now now;
    int r = fill_now(tool, 1, &now, why);

    if (r < 0)
        return r;
    r = compare(rs, &now.list[0], why);
    if (r == 0 && cr_tool_pins_check(&rs->lock, rs->name, &now.list[0]) == CR_TOOL_NEW)
        r = 1;
    clear_now(&now);
    return r;
}

int cr_route_check_pin(struct cr_route_server *rs, const struct cr_tool *tool,
                       struct cr_problem *why)
{
    bool *is_pinned;
    int r;

    if (!rs->states && look(rs, why) < 0)
        return CAPRUN_E_INVAL;
    is_pinned = &rs->states[index_of(rs, tool)];
    if (*is_pinned)
        return 0;
    r = check(rs, tool, why);
    if (r > 0 && rs->route->frozen)
        return cr_tool_pins_refuse_new(rs->name, tool->name, why);
    if (r > 0)
        r = pin_new(rs, why) < 0 ? CAPRUN_E_INVAL : check(rs, tool, why);
    *is_pinned = r == 0;
    return r;
}

int cr_route_pin_accepted(struct cr_route_server *rs, struct cr_problem *why)
{
    const struct cr_tool *a, *b, *tool;
    struct now now;
    int r;

    if (!rs->accept[0])
        return 0;
    tool = cr_tools_find(cr_server_tools(rs->server), rs->accept, &a, &b);
    if (!tool || strcmp(tool->name, rs->accept) != 0)
        return cr_problem_set(why, CAPRUN_OUTCOME_NOT_FOUND, "caprun tools lists what there is",
                              "The server '%s' has no tool '%s'", rs->name, rs->accept);
    r = fill_now(tool, 1, &now, why);
    if (r < 0)
        return r;
    r = cr_tool_pins_pin(rs->route->dir, rs->name, now.list, 1, true, why);
    clear_now(&now);
    if (r == 0)
        rs->accept[0] = '\0'; /* once: the next change is another matter */
    return r;
}

int cr_route_each_changed(struct cr_route_server *rs,
                          void (*each)(void *data, const struct cr_tool *tool,
                                       const struct cr_problem *why),
                          void *data, struct cr_problem *why)
{
    const struct cr_tools *tools = cr_server_tools(rs->server);
    struct cr_problem change;

    if (look(rs, why) < 0)
        return CAPRUN_E_INVAL;
    for (size_t i = 0; i < tools->count; i++)
        if (check(rs, &tools->list[i], &change) < 0)
            each(data, &tools->list[i], &change);
    return 0;
}
