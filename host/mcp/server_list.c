/*
 * server_list.c - fetches a server's list of tools page by page, and replaces the old list.
 *
 * Parsing a large page takes long, so the helper thread does it. Meanwhile a struct cr_server_page
 * owns the list so far and the bytes of the page. It is abandoned when the list is not needed any
 * longer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/locate.h"
#include "mcp/eras.h"
#include "mcp/server_parts.h"

#define SECOND_US 1000000
#define LIST_US (60 * (int64_t)SECOND_US)
#define LEAST_TTL_MS 60000
#define MOST_TTL_MS 86400000
#define SMALL_PAGE (16u << 10) /* bytes up to which a page is parsed in the loop's thread */

#define METHOD_NOT_FOUND (-32601)

struct cr_server_page {
    struct cr_job job;
    struct cr_server *server;
    struct cr_tools tools; /* the list so far; includes this page when the job is done */
    uint8_t *block;        /* the memory that |result| is in */
    const char *result;
    size_t len;
    int code; /* result of cr_tools_add_page() */
    struct cr_err err;
    long long ttl_ms;
};

static void ask_for_page(struct cr_server *s)
{
    s->asked_id = ++s->last_id;
    cr_rpc_list(cr_server_new_line(s), s->era, s->asked_id, &s->fresh.cursor);
    (void)cr_server_send_line(s, "tools/list", s->asked_id);
}

void cr_server_ask_for_tools(struct cr_server *s)
{
    cr_tools_clear(&s->fresh);
    s->list_bytes = 0;
    s->stale = false; /* only a change reported after this request makes it stale again */
    s->state = CR_SERVER_LISTING;
    cr_loop_set(s->all->loop, &s->timer, cr_loop_now() + LIST_US);
    ask_for_page(s);
}

/* |ttl_ms| is how long the list may be used before it is fetched again. */
static void listing_done(struct cr_server *s, long long ttl_ms)
{
    struct cr_tools old = s->tools;

    s->listed_us = cr_loop_now();
    s->list_until_us = s->listed_us + ttl_ms * 1000;
    s->tools = s->fresh;
    s->fresh = old;
    cr_tools_clear(&s->fresh);
    s->knows_tools = true;
    s->state = CR_SERVER_READY;
    cr_loop_unset(s->all->loop, &s->timer);
    if (s->forced == CR_ERA_UNKNOWN && s->remembered != s->era) {
        s->guess = s->remembered = s->era;
        cr_eras_remember_later(s->all->loop, s->eras_dir, s->endpoint->key, s->era);
    }
    s->owner->listed(s->data, s);
    cr_server_wake(s);
}

void cr_server_list_failed(struct cr_server *s, const char *words)
{
    cr_server_abandon_page(s);
    if (!s->knows_tools) {
        cr_server_break_off(s, "gave no list of its tools: %s", words);
        return;
    }
    s->listed_us = cr_loop_now(); /* do not ask again at once */
    (void)cr_err_end(&s->why, CAPRUN_OUTCOME_RPC_ERROR, NULL,
                     "The server \"%s\" gave no new list of its tools: %s", s->name, words);
    s->stale = true;
    s->asked_id = 0; /* a late answer is ignored */
    s->state = CR_SERVER_READY;
    cr_loop_unset(s->all->loop, &s->timer);
    cr_server_fail_queue(s, &s->waiting, &s->why);
    cr_server_end_waiters(s, &s->why);
    cr_server_wake(s);
}

/* --- pages -------------------------------------------------------------------------------------
 */

/* The server may set the time: it is limited to the range of one minute to one day. */
static long long read_ttl_ms(const char *result, size_t size)
{
    size_t len = 0;
    const char *text = cr_locate_member(result, size, "ttlMs", &len);
    long long ms = text && len < 20 ? strtoll(text, NULL, 10) : MOST_TTL_MS;

    return ms < LEAST_TTL_MS ? LEAST_TTL_MS : ms > MOST_TTL_MS ? MOST_TTL_MS : ms;
}

/* A page was added to |s->fresh|; or |code| is an error, explained by |err|. */
static void page_added(struct cr_server *s, int code, const struct cr_err *err, long long ttl_ms)
{
    if (code < 0)
        cr_server_list_failed(s, err->text);
    else if (s->fresh.cursor.len)
        ask_for_page(s);
    else
        listing_done(s, ttl_ms);
}

static void free_page(struct cr_job *job)
{
    struct cr_server_page *page = cr_container(job, struct cr_server_page, job);

    cr_tools_clear(&page->tools);
    free(page->block);
    free(page);
}

/* Runs in the helper thread. */
static void parse_page(struct cr_job *job)
{
    struct cr_server_page *page = cr_container(job, struct cr_server_page, job);

    page->code = cr_tools_add_page(&page->tools, page->result, page->len, &page->err);
    if (page->code == 0)
        page->ttl_ms = read_ttl_ms(page->result, page->len);
}

static void page_parsed(struct cr_job *job)
{
    struct cr_server_page *page = cr_container(job, struct cr_server_page, job);
    struct cr_server *s = page->server;
    struct cr_err err = page->err;
    int code = page->code;
    long long ttl_ms = page->ttl_ms;

    s->page = NULL;
    s->fresh = page->tools;
    cr_tools_init(&page->tools);
    cr_helper_free(&s->all->loop->helper, page->block,
                   (size_t)(page->result + page->len - (const char *)page->block));
    page->block = NULL;
    free_page(job);
    page_added(s, code, &err, ttl_ms);
}

/* Takes over the memory of |m|, or copies the result. Returns false if there is no memory. */
static bool take_bytes(struct cr_server_page *page, const struct cr_message *m)
{
    page->len = m->result.len;
    if (m->block) {
        page->block = *m->block;
        page->result = m->result.at;
        *m->block = NULL;
        return true;
    }
    page->block = malloc(m->result.len);
    if (page->block)
        memcpy(page->block, m->result.at, m->result.len);
    page->result = (const char *)page->block;
    return page->block;
}

static void parse_later(struct cr_server *s, const struct cr_message *m)
{
    struct cr_server_page *page = calloc(1, sizeof(*page));

    if (!page || !take_bytes(page, m)) {
        free(page);
        cr_server_list_failed(s, "no memory for it");
        return;
    }
    page->job = (struct cr_job){
        .work = parse_page, .done = page_parsed, .discard = free_page, .name = "page of tools"};
    page->server = s;
    page->tools = s->fresh;
    cr_tools_init(&s->fresh);
    s->page = page;
    cr_helper_submit(&s->all->loop->helper, &page->job);
}

void cr_server_abandon_page(struct cr_server *s)
{
    if (s->page)
        cr_helper_abandon(&s->all->loop->helper, &s->page->job);
    s->page = NULL;
}

/* A page over the limit for all pages is rejected before parsing, so it needs no helper. */
static void take_result(struct cr_server *s, const struct cr_message *m)
{
    struct cr_err err;
    int code;

    s->list_bytes += m->result.len;
    if (m->result.len > SMALL_PAGE && m->result.len <= CR_TOOLS_MAX_BYTES) {
        parse_later(s, m);
        return;
    }
    code = cr_tools_add_page(&s->fresh, m->result.at, m->result.len, &err);
    page_added(s, code, &err, code == 0 ? read_ttl_ms(m->result.at, m->result.len) : 0);
}

void cr_server_take_page(struct cr_server *s, const struct cr_message *m)
{
    char words[256];
    long code;

    if (m->kind == CR_MESSAGE_TOO_LONG) {
        cr_server_list_failed(s, "it is too long");
    } else if (m->kind == CR_MESSAGE_RESULT) {
        take_result(s, m);
    } else {
        code = cr_server_error_code(m, words, sizeof(words));
        if (code == METHOD_NOT_FOUND && !s->fresh.count)
            listing_done(s, MOST_TTL_MS); /* the server has no tools */
        else
            cr_server_list_failed(s, words);
    }
}
