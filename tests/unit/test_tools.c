/*
 * test_tools.c - the list of tools of a server: pages and cursors, refused lists, names and their
 * aliases, and which parts of a definition are pinned.
 */
#include "tap.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "counting.h"
#include "failing.h"
#include "mcp/tools.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Binary searches in 10,000 names, by name and by alias, take 14 steps each and one check. */
#define FEW 32u

static struct cr_tools tools;
static struct cr_err err;

static void start(void)
{
    cr_tools_clear(&tools);
    err = (struct cr_err){0};
}

/* Adds a page from a copy that is freed afterwards. */
static int add_bytes(const char *result, size_t len)
{
    char *copy = malloc(len ? len : 1);
    int r;

    if (!copy)
        return 1;
    if (len)
        memcpy(copy, result, len);
    r = cr_tools_add_page(&tools, copy, len, &err);
    free(copy);
    return r;
}

static int add(const char *result)
{
    return add_bytes(result, strlen(result));
}

/* Is a list with only this page refused with |code| and |words|? */
static bool is_refused(const char *result, int code, const char *words)
{
    int r;

    start();
    r = add(result);
    if (r != code || err.code != code || !strstr(err.text, words))
        printf("# got %d: %s\n", r, err.text);
    return r == code && err.code == code && strstr(err.text, words);
}

static bool cursor_is(const char *wanted)
{
    return tools.cursor.len == strlen(wanted) &&
           (!tools.cursor.len || memcmp(tools.cursor.data, wanted, tools.cursor.len) == 0);
}

/* --- pages ---------------------------------------------------------------------------------- */

TEST(tools_are_listed_in_the_servers_order_over_all_pages)
{
    static const char *const names[] = {"b", "a", "d", "c", "e"};

    start();
    CHECK(add("{\"tools\":[{\"name\":\"b\"},{\"name\":\"a\"}],\"nextCursor\":\"p2\"}") == 0);
    CHECK(cursor_is("\"p2\"") && tools.count == 2);
    CHECK(add("{\"nextCursor\":\"p3\",\"tools\":[]}") == 0 && cursor_is("\"p3\""));
    CHECK(add("{\"tools\":[{\"name\":\"d\"},{\"name\":\"c\"},{\"x\":1,\"name\":\"e\"}]}") == 0);
    CHECK(cursor_is("") && tools.count == COUNT(names) && tools.page_count == 3);
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct cr_tool *tool = &tools.list[i], *first, *second;

        CHECK(strcmp(tool->name, names[i]) == 0);
        CHECK(cr_tools_find(&tools, names[i], &first, &second) == tool && !first && !second);
        CHECK(tool->bytes[0] == '{' && tool->bytes[tool->len - 1] == '}');
        CHECK(memmem(tool->bytes, tool->len, names[i], strlen(names[i])));
    }
}

TEST(an_empty_string_is_a_cursor_and_null_is_not)
{
    start();
    CHECK(add("{\"tools\":[],\"nextCursor\":\"\"}") == 0 && cursor_is("\"\""));
    CHECK(add("{\"tools\":[],\"nextCursor\":null}") == 0 && cursor_is(""));
    CHECK(add("{\"tools\":[],\"nextCursor\":\"a\\u0062\\\"\"}") == 0);
    CHECK(cursor_is("\"ab\\\"\""));
}

TEST(a_cursor_that_came_before_is_an_error_that_names_it)
{
    start();
    CHECK(add("{\"tools\":[],\"nextCursor\":\"ab\"}") == 0);
    CHECK(add("{\"tools\":[],\"nextCursor\":\"\"}") == 0);
    CHECK(add("{\"tools\":[],\"nextCursor\":\"a\\u0062\"}") == CAPRUN_E_PEER);
    CHECK(err.code == CAPRUN_E_PEER && strstr(err.text, "'ab' was used before"));
    start();
    CHECK(add("{\"tools\":[],\"nextCursor\":\"\"}") == 0);
    CHECK(add("{\"tools\":[],\"nextCursor\":\"\"}") == CAPRUN_E_PEER);
}

TEST(words_of_the_server_in_an_error_are_cut_and_harmless)
{
    static const char page[] = "{\"tools\":[],\"nextCursor\":\"\\u001b[31m\\u202e"
                               "0123456789012345678901234567890123456789012345678901234"
                               "\xe2\x82\xac and more\"}";

    start();
    CHECK(add(page) == 0);
    CHECK(add(page) == CAPRUN_E_PEER);
    CHECK(strstr(err.text, "'\\u001b[31m\\u202e0123456789"));
    CHECK(strstr(err.text, "01234'...") && !strstr(err.text, "more"));
}

TEST(an_invalid_list_of_tools_is_refused)
{
    CHECK(is_refused("", CAPRUN_E_PEER, "cannot be read"));
    CHECK(is_refused("{\"tools\":[]", CAPRUN_E_PEER, "column"));
    CHECK(is_refused("[]", CAPRUN_E_PEER, "no array 'tools'"));
    CHECK(is_refused("{}", CAPRUN_E_PEER, "no array 'tools'"));
    CHECK(is_refused("{\"tools\":{}}", CAPRUN_E_PEER, "no array 'tools'"));
    CHECK(is_refused("{\"tools\":[],\"tools\":[]}", CAPRUN_E_PEER, "duplicate key"));
    CHECK(is_refused("{\"tools\":[],\"nextCursor\":1}", CAPRUN_E_PEER, "a number, not a string"));
    CHECK(is_refused("{\"tools\":[{\"name\":\"a\"},7]}", CAPRUN_E_PEER, "tool 2"));
    CHECK(
        is_refused("{\"tools\":[{}]}", CAPRUN_E_PEER, "tool 1 of the server's list has no 'name'"));
    CHECK(is_refused("{\"tools\":[{\"name\":\"\"}]}", CAPRUN_E_PEER, "no 'name'"));
    CHECK(is_refused("{\"tools\":[{\"name\":null}]}", CAPRUN_E_PEER, "no 'name'"));
    CHECK(is_refused("{\"tools\":[{\"name\":\"a\\u0000\"}]}", CAPRUN_E_PEER, "NUL"));
}

TEST(a_name_that_came_before_is_refused_on_any_page)
{
    CHECK(is_refused("{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"\\u0061\"}]}",
                     CAPRUN_E_PEER, "the tool 'a' twice"));
    start();
    CHECK(add("{\"tools\":[{\"name\":\"b\"},{\"name\":\"a\"}],\"nextCursor\":\"x\"}") == 0);
    CHECK(add("{\"tools\":[{\"name\":\"c\"},{\"name\":\"b\"}]}") == CAPRUN_E_PEER);
    CHECK(strstr(err.text, "'b'"));
}

/* --- limits --------------------------------------------------------------------------------- */

/* Adds |count| tools with numbers from |first|, in reverse order if |down|. */
static int add_many(unsigned first, unsigned count, bool down)
{
    struct cr_buf page;
    int r;

    cr_buf_init(&page, 4u << 20);
    cr_buf_str(&page, "{\"tools\":[");
    for (unsigned i = 0; i < count; i++)
        cr_buf_fmt(&page, "%s{\"name\":\"tool-%u\"}", i ? "," : "",
                   down ? first + count - 1 - i : first + i);
    cr_buf_str(&page, "]}");
    r = cr_buf_err(&page) ? 1 : add_bytes((char *)page.data, page.len);
    cr_buf_clear(&page);
    return r;
}

TEST(ten_thousand_tools_are_found_and_one_more_is_too_many)
{
    const struct cr_tool *first, *second;
    char name[32];

    start();
    CHECK(add_many(5000, 5000, true) == 0 && add_many(0, 5000, false) == 0);
    for (unsigned i = 0; i < CR_TOOLS_MAX; i++) {
        (void)snprintf(name, sizeof(name), "tool-%u", i);
        CHECK(cr_tools_find(&tools, name, &first, &second) ==
              &tools.list[i < 5000 ? 5000 + i : 9999 - i]);
    }
    CHECK(!cr_tools_find(&tools, "tool-10000", &first, &second));
    CHECK(cr_tools_find(&tools, "tool_77", &first, &second) == &tools.list[5077]);
    CHECK(add_many(20000, 1, false) == CAPRUN_E_TOOBIG && strstr(err.text, "10000"));
}

TEST(there_may_be_a_thousand_pages_and_no_more)
{
    char page[64];

    start();
    for (unsigned i = 0; i < CR_TOOLS_MAX_PAGES; i++) {
        (void)snprintf(page, sizeof(page), "{\"tools\":[],\"nextCursor\":\"%u\"}", i);
        CHECK(add(page) == 0);
    }
    CHECK(add("{\"tools\":[]}") == CAPRUN_E_TOOBIG && strstr(err.text, "1000 pages"));
}

/* Adds a page of |len| bytes that are spaces, or values if |values|. */
static int add_padded(size_t len, bool values)
{
    static const char before[] = "{\"tools\":[],\"x\":[0";
    char *page = malloc(len);
    int r;

    if (!page)
        return 1;
    memset(page, ' ', len);
    memcpy(page, before, sizeof(before) - 1);
    for (size_t i = sizeof(before) - 1; values && i + 4 < len; i += 2)
        memcpy(page + i, ",0", 2);
    memcpy(page + len - 2, "]}", 2);
    r = add_bytes(page, len);
    free(page);
    return r;
}

TEST(all_pages_together_have_a_limit_of_bytes)
{
    start();
    CHECK(add_padded(CR_TOOLS_MAX_BYTES / 2, false) == 0);
    CHECK(add_padded(CR_TOOLS_MAX_BYTES / 2, false) == 0);
    CHECK(add("{\"tools\":[]}") == CAPRUN_E_TOOBIG && strstr(err.text, "4 MiB"));
}

TEST(all_pages_together_have_a_limit_of_values)
{
    start();
    CHECK(add_padded(CR_TOOLS_MAX_VALUES, true) == 0);
    CHECK(add_padded(3 * CR_TOOLS_MAX_VALUES / 2, true) == CAPRUN_E_TOOBIG);
    CHECK(strstr(err.text, "values"));
    start();
    CHECK(add_padded(3 * CR_TOOLS_MAX_VALUES, true) == CAPRUN_E_TOOBIG);
    CHECK(strstr(err.text, "values"));
}

/* --- names ---------------------------------------------------------------------------------- */

TEST(an_alias_has_an_underscore_for_each_character_not_allowed_in_identifiers)
{
    CHECK(cr_tools_is_alias("read_file", "read-file"));
    CHECK(cr_tools_is_alias("a_b_c_d_$1", "a.b/c_d $1"));
    CHECK(cr_tools_is_alias("1_", "1\xe2\x82\xac"));
    CHECK(cr_tools_is_alias("a", "a"));
    CHECK(!cr_tools_is_alias("a-b", "a-b"));
    CHECK(!cr_tools_is_alias("a_", "a") && !cr_tools_is_alias("a", "a-"));
    CHECK(!cr_tools_is_alias("A_b", "a-b") && !cr_tools_is_alias("", "a"));
}

TEST(the_exact_name_wins_and_an_alias_works_only_where_it_is_unique)
{
    const struct cr_tool *first, *second;

    start();
    CHECK(add("{\"tools\":[{\"name\":\"x.y\"},{\"name\":\"a-b\"},{\"name\":\"x-y\"},"
              "{\"name\":\"x/y\"},{\"name\":\"p_q\"},{\"name\":\"p-q\"}]}") == 0);
    CHECK(cr_tools_find(&tools, "a-b", &first, &second) == &tools.list[1] && !first && !second);
    CHECK(cr_tools_find(&tools, "a_b", &first, &second) == &tools.list[1] && !first && !second);
    CHECK(cr_tools_find(&tools, "p_q", &first, &second) == &tools.list[4] && !first && !second);
    CHECK(cr_tools_find(&tools, "p-q", &first, &second) == &tools.list[5] && !first && !second);
    CHECK(cr_tools_find(&tools, "x-y", &first, &second) == &tools.list[2] && !first && !second);
    CHECK(!cr_tools_find(&tools, "x_y", &first, &second));
    CHECK(first == &tools.list[0] && second == &tools.list[2]);
    CHECK(!cr_tools_find(&tools, "x+y", &first, &second) && !first && !second);
    CHECK(!cr_tools_find(&tools, "", &first, &second) && !first && !second);
    start();
    CHECK(!cr_tools_find(&tools, "a", &first, &second) && !first && !second);
}

/* Looks up |action|. Returns the number of comparisons. */
static size_t cost_of(const char *action, const struct cr_tool *wanted, bool ambiguous)
{
    const struct cr_tool *first, *second, *found;
    size_t cost;

    counting_comparisons = 0;
    found = cr_tools_find(&tools, action, &first, &second);
    cost = counting_comparisons;
    return found == wanted && (first && second) == ambiguous ? cost : SIZE_MAX;
}

TEST(a_look_up_among_ten_thousand_tools_takes_few_comparisons)
{
    start();
    CHECK(add_many(0, CR_TOOLS_MAX, false) == 0);
    CHECK(cost_of("tool-77", &tools.list[77], false) <= FEW);
    CHECK(cost_of("tool_9999", &tools.list[9999], false) <= FEW);
    CHECK(cost_of("tool_10000", NULL, false) <= FEW);
    CHECK(cost_of("zzz", NULL, false) <= FEW && cost_of("a", NULL, false) <= FEW);
}

/* CPU time of this thread for a thousand look-ups, in nanoseconds; the best of a few rounds. */
static int64_t time_look_ups(void)
{
    const struct cr_tool *first, *second;
    int64_t least = INT64_MAX;

    for (int round = 0; round < 5; round++) {
        struct timespec from, to;
        int64_t took;

        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        for (int i = 0; i < 500; i++) {
            (void)cr_tools_find(&tools, "tool_3", &first, &second);
            (void)cr_tools_find(&tools, "tool_x", &first, &second);
        }
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        took = (int64_t)(to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
        least = took < least ? took : least;
    }
    return least;
}

TEST(an_alias_is_found_among_ten_thousand_tools_about_as_fast_as_among_ten)
{
    int64_t few, many;

    start();
    CHECK(add_many(0, 10, false) == 0);
    few = time_look_ups();
    start();
    CHECK(add_many(0, CR_TOOLS_MAX, false) == 0);
    many = time_look_ups();
    printf("# %lld and %lld ns\n", (long long)few, (long long)many);
    CHECK(many < 50 * (few + 1));
}

TEST(thousands_of_tools_with_one_alias_are_ambiguous_with_few_comparisons)
{
    struct cr_buf page;

    start();
    cr_buf_init(&page, 1u << 20);
    cr_buf_str(&page, "{\"tools\":[");
    for (unsigned i = 4096; i > 0; i--) {
        cr_buf_str(&page, i == 4096 ? "{\"name\":\"" : ",{\"name\":\"");
        for (unsigned bit = 0; bit < 12; bit++)
            cr_buf_str(&page, (i - 1) >> bit & 1 ? "-" : "+");
        cr_buf_str(&page, "\"}");
    }
    cr_buf_str(&page, "]}");
    CHECK(!cr_buf_err(&page) && add_bytes((char *)page.data, page.len) == 0);
    cr_buf_clear(&page);
    CHECK(cost_of("____________", NULL, true) <= FEW);
    CHECK(cost_of("++++++++++++", &tools.list[4095], false) <= FEW);
}

TEST(a_long_list_on_many_pages_is_added_with_few_comparisons)
{
    size_t pages = 0;

    start();
    counting_comparisons = 0;
    for (; pages < CR_TOOLS_MAX_PAGES; pages++)
        CHECK(add_many(pages % 2 ? 20000 - 10 * (unsigned)pages : 10 * (unsigned)pages, 10,
                       pages % 3 == 0) == 0);
    CHECK(tools.count == CR_TOOLS_MAX && counting_comparisons < 100 * CR_TOOLS_MAX);
    CHECK(strcmp(tools.by_name[0].text, "tool-0") == 0);
    for (size_t i = 1; i < tools.count; i++)
        CHECK(strcmp(tools.by_name[i - 1].text, tools.by_name[i].text) < 0 &&
              strcmp(tools.by_alias[i - 1].text, tools.by_alias[i].text) < 0);
}

/* --- what was meant ------------------------------------------------------------------------- */

TEST(of_a_short_list_each_name_may_have_been_meant)
{
    start();
    CHECK(!cr_tools_nearest(&tools, "tool-7"));
    CHECK(add_many(0, CR_TOOLS_COMPARED - 1, false) == 0);
    CHECK(add("{\"tools\":[{\"name\":\"read_file\"}]}") == 0);
    CHECK(strcmp(cr_tools_nearest(&tools, "xead_file"), "read_file") == 0);
    CHECK(strcmp(cr_tools_nearest(&tools, "zread_file"), "read_file") == 0);
    CHECK(!cr_tools_nearest(&tools, "frobnicate"));
}

TEST(of_a_long_list_only_names_beside_the_wrong_one_are_compared)
{
    start();
    CHECK(add_many(1000, CR_TOOLS_COMPARED, false) == 0);
    CHECK(add("{\"tools\":[{\"name\":\"read_file\"}]}") == 0);
    CHECK(strcmp(cr_tools_nearest(&tools, "read_fiel"), "read_file") == 0);
    CHECK(strcmp(cr_tools_nearest(&tools, "aread_file"), "read_file") == 0);
    CHECK(strcmp(cr_tools_nearest(&tools, "tool-125x"), "tool-1250") == 0);
    CHECK(!cr_tools_nearest(&tools, "zread_file"));
}

/* --- essence -------------------------------------------------------------------------------- */

/* Makes a list of one tool. Returns the essence of its definition. */
static bool essence_is(const char *definition, const char *wanted)
{
    struct cr_buf out;
    char page[1024];
    bool same;

    start();
    (void)snprintf(page, sizeof(page), "{\"tools\":[%s]}", definition);
    if (add(page) < 0)
        return false;
    cr_buf_init(&out, 4096);
    cr_buf_add(&out, tools.list[0].essence, tools.list[0].essence_len);
    same = cr_buf_text(&out) && strcmp((char *)out.data, wanted) == 0;
    if (!same)
        printf("# got %.*s\n", (int)out.len, out.data ? (char *)out.data : "");
    cr_buf_clear(&out);
    return same;
}

TEST(the_essence_is_the_same_whatever_the_order_the_spaces_and_the_rest)
{
    static const char wanted[] = "{\"annotations\":{},\"description\":\"d\\\"\",\"inputSchema\":"
                                 "{\"a\":[2,1],\"b\":1},\"name\":\"n\",\"outputSchema\":true,"
                                 "\"title\":\"t\"}";

    CHECK(essence_is("{\"name\":\"n\",\"title\":\"t\",\"description\":\"d\\\"\",\"inputSchema\":"
                     "{\"b\":1,\"a\":[2,1]},\"outputSchema\":true,\"annotations\":{}}",
                     wanted));
    CHECK(essence_is("{\"_meta\":{\"x\":1}, \"annotations\": { }, \"icons\":[],"
                     "\"inputSchema\":{\"a\":[2, 1], \"b\":1}, \"outputSchema\" : true,"
                     "\"title\":\"\\u0074\", \"description\":\"d\\u0022\", \"n\\u0061me\":\"n\"}",
                     wanted));
    CHECK(essence_is("{\"name\":\"n\"}", "{\"name\":\"n\"}"));
    CHECK(essence_is("{\"name\":\"n\",\"title\":null}", "{\"name\":\"n\",\"title\":null}"));
}

/* --- memory --------------------------------------------------------------------------------- */

TEST(each_allocation_that_fails_is_an_error)
{
    static const char one[] = "{\"tools\":[{\"name\":\"a\"}],\"nextCursor\":\"c\"}";
    static const char two[] = "{\"tools\":[{\"name\":\"b\"}],\"nextCursor\":\"c\"}";
    int failed = 0;

    while (failing_more()) {
        int r;

        start();
        r = cr_tools_add_page(&tools, one, sizeof(one) - 1, &err);
        if (r == 0)
            r = cr_tools_add_page(&tools, two, sizeof(two) - 1, &err);
        failing_stop();
        CHECK(r == (failing_failed ? CAPRUN_E_NOMEM : CAPRUN_E_PEER));
        CHECK(err.code == r && err.text[0]);
        failed += failing_failed;
    }
    CHECK(!failing_works() || failed >= 10);
}

int main(int argc, char **argv)
{
    int status;

    cr_tools_init(&tools);
    status = tap_main(argc, argv);
    cr_tools_clear(&tools);
    return status;
}
