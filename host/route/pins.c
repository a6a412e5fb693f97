/*
 * pins.c - compares the tools of a server's list with caprun.lock, and pins new ones.
 *
 * The helper thread reads the lockfile, hashes definitions, waits for other writers and syncs. A
 * job gets copies of its input and returns its result. Until then the calls of that server wait:
 * cr_route_check_pin() returns CR_ROUTE_LATER.
 *
 * Failures and the explanations of changed tools are kept for a second, and for longer if the job
 * was long: thousands of calls may ask at once, but a person may accept a change meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "route/route_parts.h"

#define MAX_DEFINITIONS (4u * CR_TOOLS_MAX_BYTES)
#define MAX_EXPLAINED (1u << 20) /* bytes of long explanations; other tools get short ones */
#define MAX_CHANGED (64u << 20)
#define REMEMBERED_US 1000000
#define REMEMBERED_BYTE_US 16 /* more for each byte of the job: 17 s for 1 MiB */
#define MOST_REMEMBERED_US (60 * (int64_t)REMEMBERED_US)

/* The tools of a list, in the form that the lockfile compares. */
struct now {
    struct cr_tool_now *list;
    size_t count;
    struct cr_buf text; /* names and definitions */
};

struct cr_route_job {
    struct cr_job job;
    struct cr_route_server *rs; /* the helper thread must not use it */
    struct cr_helper *helper;
    char *dir, *server;
    struct now now;
    bool may_pin;
    char *accept; /* the tool to pin as it is now, or NULL */
    bool lists;   /* true: for a listing; false: for a call of the tool |want| */
    size_t want;

    size_t lock_bytes; /* of the lockfile */
    int code;          /* 0, CAPRUN_E_BUSY, or an error that |why| explains */
    struct cr_err why;
    uint8_t *states;     /* of each tool, enum cr_tool_state */
    size_t explained;    /* bytes of long explanations */
    uint32_t *words_at;  /* as in struct cr_route_pins */
    struct cr_buf words; /* as there; for a listing: JSON objects with commas between them */
};

/* --- in the helper ------------------------------------------------------------------------------
 */

static void add_words(struct cr_route_job *j, size_t i, const struct cr_err *why)
{
    j->words_at[i] = (uint32_t)j->words.len;
    cr_buf_add(&j->words, why->text, strlen(why->text) + 1);
    cr_buf_add(&j->words, why->hint, strlen(why->hint) + 1);
}

static void add_json(struct cr_buf *out, const char *tool, const struct cr_err *why)
{
    cr_buf_str(out, out->len ? ",{\"name\":" : "{\"name\":");
    cr_escape_json_str(out, tool);
    cr_escape_member(out, "message", why->text);
    cr_escape_member(out, "hint", why->hint);
    cr_buf_str(out, "}");
}

static void explain_change(struct cr_route_job *j, const struct cr_lockfile *lock, size_t i)
{
    const struct cr_tool_now *tool = &j->now.list[i];
    struct cr_err why;

    if (j->explained < MAX_EXPLAINED)
        (void)cr_tool_pins_explain(lock, j->server, tool, &why);
    else
        (void)cr_tool_pins_refuse_changed(j->server, tool->name, &why);
    j->explained += strlen(why.text) + strlen(why.hint);
    if (j->lists)
        add_json(&j->words, tool->name, &why);
    else
        add_words(j, i, &why);
}

static int compare_with(struct cr_route_job *j, const struct cr_lockfile *lock)
{
    struct cr_tool_pins_index index;
    int r = cr_tool_pins_index(lock, j->server, &index);

    if (r < 0)
        return cr_err_memory(&j->why);
    for (size_t i = 0; i < j->now.count; i++) {
        j->states[i] = (uint8_t)cr_tool_pins_check(&index, &j->now.list[i]);
        if (j->states[i] == CR_TOOL_CHANGED)
            explain_change(j, lock, i);
    }
    cr_tool_pins_index_clear(&index);
    return cr_buf_err(&j->words) ? cr_err_memory(&j->why) : 0;
}

static int compare_with_lockfile(struct cr_route_job *j)
{
    const struct cr_lockfile *lock;
    int r = cr_lockfile_view(j->helper, j->dir, &lock, &j->why);

    if (r < 0)
        return r;
    j->lock_bytes = lock->text.len;
    cr_buf_drop(&j->words, j->words.len);
    j->explained = 0;
    return compare_with(j, lock);
}

static int pin_accepted(struct cr_route_job *j)
{
    for (size_t i = 0; i < j->now.count; i++)
        if (strcmp(j->now.list[i].name, j->accept) == 0)
            return cr_tool_pins_pin(j->dir, j->server, &j->now.list[i], 1, true, &j->why);
    return cr_err_end(&j->why, CAPRUN_OUTCOME_NOT_FOUND, "caprun tools lists what there is",
                      "The server '%s' has no tool '%s'", j->server, j->accept);
}

/* Pins all new tools of the server, not only the called one: trust on first use is per server. */
static void work(struct cr_job *job)
{
    struct cr_route_job *j = cr_container(job, struct cr_route_job, job);

    if (j->accept)
        j->code = pin_accepted(j);
    if (j->code == 0)
        j->code = compare_with_lockfile(j);
    if (j->code < 0 || j->lists || j->states[j->want] != CR_TOOL_NEW || !j->may_pin)
        return;
    j->code = cr_tool_pins_pin(j->dir, j->server, j->now.list, j->now.count, false, &j->why);
    if (j->code == 0)
        j->code = compare_with_lockfile(j);
}

/* --- jobs ----------------------------------------------------------------------------------------
 */

static void discard(struct cr_job *job)
{
    struct cr_route_job *j = cr_container(job, struct cr_route_job, job);

    free(j->dir);
    free(j->server);
    free(j->accept);
    free(j->now.list);
    cr_buf_clear(&j->now.text);
    free(j->states);
    free(j->words_at);
    cr_buf_clear(&j->words);
    free(j);
}

/* Sets the pointers last: adding bytes may move the buffer. */
static bool copy_tools(const struct cr_tools *tools, struct now *ret)
{
    const char *at;

    ret->count = tools->count;
    ret->list = calloc(tools->count + 1, sizeof(*ret->list));
    for (size_t i = 0; ret->list && i < tools->count; i++) {
        const struct cr_tool *tool = &tools->list[i];

        cr_buf_add(&ret->text, tool->name, strlen(tool->name) + 1);
        cr_buf_add(&ret->text, tool->essence, tool->essence_len);
        ret->list[i].len = tool->essence_len;
    }
    if (!ret->list || cr_buf_err(&ret->text))
        return false;
    at = (const char *)ret->text.data;
    for (size_t i = 0; i < tools->count; i++) {
        ret->list[i].name = at;
        ret->list[i].definition = at + strlen(at) + 1;
        at = ret->list[i].definition + ret->list[i].len;
    }
    return true;
}

/* Returns NULL if there is no memory. */
static struct cr_route_job *new_job(struct cr_route_server *rs, void (*done)(struct cr_job *job))
{
    const struct cr_tools *tools = cr_server_tools(rs->server);
    struct cr_route_job *j = calloc(1, sizeof(*j));

    if (!j)
        return NULL;
    j->job = (struct cr_job){.work = work, .done = done, .discard = discard, .name = "pins"};
    j->rs = rs;
    j->helper = &rs->route->all.loop->disk;
    j->may_pin = !rs->route->frozen;
    j->dir = strdup(rs->route->dir);
    j->server = strdup(rs->name);
    j->states = calloc(tools->count + 1, 1);
    j->words_at = calloc(tools->count + 1, sizeof(*j->words_at));
    cr_buf_init(&j->now.text, MAX_DEFINITIONS);
    cr_buf_init(&j->words, MAX_CHANGED);
    if (j->dir && j->server && j->states && j->words_at && copy_tools(tools, &j->now)) {
        j->job.bytes = j->now.text.len + rs->route->lock_bytes;
        return j;
    }
    discard(&j->job);
    return NULL;
}

static void submit(struct cr_route_job *j)
{
    j->code = 0;
    cr_helper_submit(j->helper, &j->job);
}

/*
 * Another process is writing: retries after a pause. Returns false, with an error, when it has
 * waited too long.
 */
static bool try_again(struct cr_route_job *j, struct cr_timer *again, int64_t *since_us)
{
    int64_t now = cr_loop_now();

    if (!*since_us)
        *since_us = now;
    if (now - *since_us < CR_LOCKFILE_WAIT_MS * (int64_t)1000) {
        cr_loop_set(j->rs->route->all.loop, again, now + CR_LOCKFILE_PAUSE_MS * (int64_t)1000);
        return true;
    }
    *since_us = 0;
    j->code = cr_lockfile_refuse_busy(j->dir, &j->why);
    return false;
}

/* --- may it be called? ---------------------------------------------------------------------------
 */

static void forget_states(struct cr_route_pins *p)
{
    free(p->states);
    free(p->words_at);
    p->states = NULL;
    p->words_at = NULL;
    cr_buf_clear(&p->words);
}

void cr_route_forget_pins(struct cr_route_server *rs)
{
    struct cr_loop *loop = rs->route->all.loop;
    struct cr_route_pins *p = &rs->pins;

    cr_loop_unset(loop, &p->again);
    if (p->check)
        cr_helper_abandon(&loop->disk, &p->check->job);
    p->check = NULL;
    p->busy_us = 0;
    p->has_checked = false;
    forget_states(p);
}

/* A comparison reads the definitions; a failed write had to read the lockfile, too. */
static int64_t how_long(const struct cr_route_job *j)
{
    size_t bytes = j->now.text.len + (j->code < 0 ? j->lock_bytes : 0);
    int64_t us = REMEMBERED_US + (int64_t)bytes * REMEMBERED_BYTE_US;

    return us < MOST_REMEMBERED_US ? us : MOST_REMEMBERED_US;
}

static void remember(struct cr_route_pins *p, struct cr_route_job *j)
{
    p->has_checked = p->is_unused = true;
    p->has_failed = j->code < 0;
    p->kept_until_us = cr_loop_now() + how_long(j);
    j->rs->route->lock_bytes = j->lock_bytes;
    if (p->has_failed) {
        p->failure = j->why;
        return;
    }
    forget_states(p);
    p->states = j->states;
    p->words_at = j->words_at;
    p->words = j->words;
    j->states = NULL;
    j->words_at = NULL;
    cr_buf_init(&j->words, 0);
}

static void checked(struct cr_job *job)
{
    struct cr_route_job *j = cr_container(job, struct cr_route_job, job);
    struct cr_route_server *rs = j->rs;

    if (j->code == CAPRUN_E_BUSY && try_again(j, &rs->pins.again, &rs->pins.busy_us))
        return;
    rs->pins.busy_us = 0;
    remember(&rs->pins, j);
    rs->pins.check = NULL;
    discard(job);
    cr_server_continue(rs->server);
}

void cr_route_check_again(struct cr_timer *timer)
{
    submit(cr_container(timer, struct cr_route_pins, again)->check);
}

static int start_check(struct cr_route_server *rs, size_t tool, struct cr_err *why)
{
    struct cr_route_job *j = new_job(rs, checked);

    if (!j)
        return cr_err_memory(why);
    j->want = tool;
    rs->pins.check = j;
    submit(j);
    return CR_ROUTE_LATER;
}

/* Can the last result be used: is it recent, or has no call used it yet? */
static bool is_recent(struct cr_route_pins *p)
{
    bool is_recent = p->has_checked && (p->is_unused || cr_loop_now() <= p->kept_until_us);

    p->is_unused = false;
    return is_recent;
}

static int refuse_changed(const struct cr_route_pins *p, size_t tool, struct cr_err *why)
{
    const char *text = (const char *)p->words.data + p->words_at[tool];

    return cr_err_end(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH, text + strlen(text) + 1, "%s", text);
}

int cr_route_check_pin(struct cr_route_server *rs, const struct cr_tool *tool, struct cr_err *why)
{
    size_t i = (size_t)(tool - cr_server_tools(rs->server)->list);
    struct cr_route_pins *p = &rs->pins;

    if (p->states && p->states[i] == CR_TOOL_PINNED)
        return 0;
    if (p->states && p->states[i] == CR_TOOL_NEW && rs->route->frozen)
        return cr_tool_pins_refuse_new(rs->name, tool->name, why);
    if (p->check)
        return CR_ROUTE_LATER;
    if (!is_recent(p))
        return start_check(rs, i, why);
    if (p->has_failed) {
        *why = p->failure;
        return CAPRUN_E_INVAL;
    }
    if (!p->states ||
        p->states[i] == CR_TOOL_NEW) /* the check was for another tool, and pinned nothing */
        return start_check(rs, i, why);
    return refuse_changed(p, i, why);
}

/* --- all changed tools ---------------------------------------------------------------------------
 */

static void listed(struct cr_job *job)
{
    struct cr_route_job *j = cr_container(job, struct cr_route_job, job);
    struct cr_route_server *rs = j->rs;

    if (j->code == CAPRUN_E_BUSY && try_again(j, &rs->pins.list_again, &rs->pins.list_busy_us))
        return;
    rs->pins.list_busy_us = 0;
    rs->pins.list = NULL;
    if (j->code == 0)
        rs->accept[0] = '\0'; /* accept once: a later change needs a new decision */
    cr_route_deliver_changes(rs, j->code, &j->why, &j->words);
    discard(job);
}

void cr_route_list_again(struct cr_timer *timer)
{
    submit(cr_container(timer, struct cr_route_pins, list_again)->list);
}

void cr_route_find_changes(struct cr_route_server *rs)
{
    struct cr_route_job *j = new_job(rs, listed);
    struct cr_err why;

    if (j && rs->accept[0] && !(j->accept = strdup(rs->accept))) {
        discard(&j->job);
        j = NULL;
    }
    if (!j) {
        (void)cr_err_memory(&why);
        cr_route_deliver_changes(rs, CAPRUN_E_NOMEM, &why, NULL);
        return;
    }
    j->lists = true;
    rs->pins.list = j;
    submit(j);
}

void cr_route_end_pins(struct cr_route_server *rs)
{
    struct cr_loop *loop = rs->route->all.loop;

    cr_route_forget_pins(rs);
    cr_loop_unset(loop, &rs->pins.list_again);
    if (rs->pins.list)
        cr_helper_abandon(&loop->disk, &rs->pins.list->job);
    rs->pins.list = NULL;
}
