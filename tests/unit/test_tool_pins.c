/* test_tool_pins.c - pinning the definitions of tools in caprun.lock, and comparing with them. */
#include "tap.h"

#include <sys/resource.h>
#include <time.h>

#include "base/scan.h"
#include "failing.h"
#include "lockfiles.h"
#include "registry/tool_pins.h"
#include "tool_state.h"

static struct cr_lockfile lock;

static struct cr_tool_now tool(const char *name, const char *definition)
{
    return (struct cr_tool_now){name, definition, strlen(definition)};
}

static int pin_tool(const char *server, const char *name, const char *definition, bool accept)
{
    struct cr_tool_now now = tool(name, definition);

    int r;

    /* wait for other writers */
    while ((r = cr_tool_pins_pin(scratch, server, &now, 1, accept, &why)) == CAPRUN_E_BUSY)
        (void)usleep(1000);
    return r;
}

/* The state of a tool compared with the file, or -1 if the file cannot be read. */
static int state(const char *server, const char *name, const char *definition)
{
    struct cr_tool_now now = tool(name, definition);
    int ret = -1;

    if (cr_lockfile_read(scratch, &lock, &why) == 0) {
        ret = tool_state(&lock, server, &now);
        cr_lockfile_clear(&lock);
    }
    return ret;
}

#define READ "{\"description\":\"Reads.\",\"name\":\"read\"}"
#define READ_2 "{\"description\":\"Reads and sends.\",\"name\":\"read\"}"

/* |definition| and its hash, as they stand in the file. */
static const char *entry(const char *name, const char *definition, const char *pretty)
{
    static char texts[4][4096];
    static int next;
    char *text = texts[next++ % 4], hash[CR_LOCKFILE_HASH + 1];

    cr_lockfile_hash(definition, strlen(definition), hash);
    (void)snprintf(text, sizeof(texts[0]),
                   "      \"%s\": {\n        \"sha256\": \"%s\",\n        \"definition\": %s\n"
                   "      }",
                   name, hash, pretty);
    return text;
}

#define READ_PRETTY \
    "{\n          \"description\": \"Reads.\",\n          \"name\": \"read\"\n        }"
#define READ_2_PRETTY \
    "{\n          \"description\": \"Reads and sends.\",\n          \"name\": \"read\"\n        }"

static bool holds_servers(const char *capabilities, const char *servers)
{
    char text[16384];

    (void)snprintf(text, sizeof(text),
                   "{\n  \"version\": 1,\n  \"capabilities\": %s,\n  \"servers\": {\n%s\n  }\n}\n",
                   capabilities, servers);
    if (holds(CR_LOCKFILE_NAME, text))
        return true;
    printf("# %s\n", get(CR_LOCKFILE_NAME));
    return false;
}

static const char *server_of(const char *name, const char *first, const char *second)
{
    static char texts[2][9000];
    static int next;
    char *text = texts[next++ % 2];

    (void)snprintf(text, sizeof(texts[0]), "    \"%s\": {\n%s%s%s\n    }", name, first,
                   second[0] ? ",\n" : "", second);
    return text;
}

/* --- pinned, and kept ----------------------------------------------------------------------- */

TEST(the_first_use_of_a_tool_pins_it_in_a_form_that_can_be_read)
{
    CHECK(scratch_begin());
    CHECK(state("files", "read", READ) == CR_TOOL_NEW);
    CHECK(pin_tool("files", "read", READ, false) == 0);
    CHECK(holds_servers("{}", server_of("files", entry("read", READ, READ_PRETTY), "")));
    CHECK(count_files() == 1 && mode_of(CR_LOCKFILE_NAME) == 0644);
    scratch_end();
}

TEST(the_second_use_finds_it_and_writes_nothing)
{
    struct stat before, after;

    CHECK(scratch_begin() && pin_tool("files", "read", READ, false) == 0);
    CHECK(stat(path_of(CR_LOCKFILE_NAME), &before) == 0);
    CHECK(state("files", "read", READ) == CR_TOOL_PINNED);
    CHECK(pin_tool("files", "read", READ, false) == 0 &&
          pin_tool("files", "read", READ, true) == 0);
    CHECK(cr_tool_pins_pin(scratch, "files", NULL, 0, true, &why) == 0);
    CHECK(stat(path_of(CR_LOCKFILE_NAME), &after) == 0);
    CHECK(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    scratch_end();
}

TEST(a_tool_is_known_by_its_server_and_its_name)
{
    CHECK(scratch_begin() && pin_tool("files", "read", READ, false) == 0);
    CHECK(state("files", "Read", READ) == CR_TOOL_NEW);
    CHECK(state("other", "read", READ_2) == CR_TOOL_NEW);
    CHECK(state("files", "sha256", READ) == CR_TOOL_NEW);
    CHECK(state("files", "read", READ_2) == CR_TOOL_CHANGED);
    scratch_end();
}

TEST(a_changed_tool_stays_as_it_is_pinned_until_it_is_accepted)
{
    CHECK(scratch_begin() && pin_tool("files", "read", READ, false) == 0);
    CHECK(pin_tool("files", "read", READ_2, false) == 0);
    CHECK(holds_servers("{}", server_of("files", entry("read", READ, READ_PRETTY), "")));
    CHECK(state("files", "read", READ_2) == CR_TOOL_CHANGED);
    CHECK(pin_tool("files", "read", READ_2, true) == 0);
    CHECK(state("files", "read", READ_2) == CR_TOOL_PINNED);
    CHECK(state("files", "read", READ) == CR_TOOL_CHANGED);
    CHECK(holds_servers("{}", server_of("files", entry("read", READ_2, READ_2_PRETTY), "")));
    scratch_end();
}

TEST(only_new_tools_are_pinned_and_the_others_stay)
{
    struct cr_tool_now now[] = {tool("write", "{}"), tool("read", READ_2)};
    char both[18000];

    CHECK(scratch_begin() && pin("a.b.c.d", "012", false) == 0);
    CHECK(pin_tool("files", "read", READ, false) == 0 && pin_tool("a", "read", READ, false) == 0);
    CHECK(cr_tool_pins_pin(scratch, "files", now, 2, false, &why) == 0);
    (void)snprintf(
        both, sizeof(both), "%s,\n%s", server_of("a", entry("read", READ, READ_PRETTY), ""),
        server_of("files", entry("read", READ, READ_PRETTY), entry("write", "{}", "{}")));
#define PINS "{\n    \"a.b.c.d\": " PIN("a.b.c.d.aaaa0", HASH(1), HASH(2)) "\n  }"
    CHECK(holds_servers(PINS, both));
    CHECK(cr_tool_pins_pin(scratch, "files", now, 2, true, &why) == 0);
    (void)snprintf(
        both, sizeof(both), "%s,\n%s", server_of("a", entry("read", READ, READ_PRETTY), ""),
        server_of("files", entry("read", READ_2, READ_2_PRETTY), entry("write", "{}", "{}")));
    CHECK(holds_servers(PINS, both));
    scratch_end();
}

static void note(void *data, const char *server, const char *name, const char *hash)
{
    char *text = data;
    size_t len = strlen(text);

    (void)snprintf(text + len, 500 - len, "%s:%s=%zu ", server, name, strlen(hash));
}

TEST(each_tool_is_shown_sorted_by_server_and_name)
{
    char text[500] = "";

    CHECK(scratch_begin());
    CHECK(cr_lockfile_read(scratch, &lock, &why) == 0);
    cr_tool_pins_each(&lock, NULL, NULL);
    cr_lockfile_clear(&lock);
    CHECK(pin_tool("b", "z", "{}", false) == 0 && pin_tool("b", "a", "{}", false) == 0);
    CHECK(pin_tool("a", "x", "{}", false) == 0 && pin_tool("B", "x\n", "{}", false) == 0);
    CHECK(cr_lockfile_read(scratch, &lock, &why) == 0);
    cr_tool_pins_each(&lock, note, text);
    cr_lockfile_clear(&lock);
    CHECK(strcmp(text, "B:x\n=71 a:x=71 b:a=71 b:z=71 ") == 0);
    scratch_end();
}

TEST(what_a_person_sees_of_a_definition_in_the_file_hides_nothing)
{
    static const char hidden[] = "{\"description\":\"a\xe2\x80\xae\x7f\xf3\xa0\x81\x81 \xc3\xa9\"}";

    CHECK(scratch_begin() && pin_tool("s", "t\xe2\x80\x8b", hidden, false) == 0);
    CHECK(strstr(get(CR_LOCKFILE_NAME), "\"t\\u200b\": {"));
    CHECK(strstr(get(CR_LOCKFILE_NAME), "\"a\\u202e\\u007f\\udb40\\udc41 \xc3\xa9\""));
    CHECK(state("s", "t\xe2\x80\x8b", hidden) == CR_TOOL_PINNED);
    scratch_end();
}

/* --- what is not written -------------------------------------------------------------------- */

TEST(a_definition_that_is_not_in_the_canonical_form_is_not_written)
{
    static const char *const bad[] = {
        "{ }",
        "{\"b\":1,\"a\":1}",
        "[]",
        "",
        "{",
        "{\"a\":\"\\u0041\"}",
        "{}}",
        "{}},\"u\":{\"sha256\":\"x\"",
        "{\"a\":\"\xff\"}",
    };

    CHECK(scratch_begin() && pin_tool("s", "old", "{}", false) == 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(pin_tool("s", "t", bad[i], true) < 0 && why.outcome == CAPRUN_OUTCOME_CONFIG_ERROR);
        CHECK(holds_servers("{}", server_of("s", entry("old", "{}", "{}"), "")));
    }
    scratch_end();
}

/* Is |definition| refused as too large, and the file unchanged? */
static bool has_no_room(const char *definition)
{
    char expected[2048];

    (void)snprintf(expected, sizeof(expected),
                   "'%s' has no room for the tools of 's': all tools in it have at most 12 MiB, "
                   "150000 keys and 1000 levels",
                   path_of(CR_LOCKFILE_NAME));
    return pin_tool("s", "t", definition, false) < 0 &&
           says(CAPRUN_OUTCOME_CONFIG_ERROR, expected,
                "remove servers that you no longer use from it; a server that alone exceeds the "
                "limits cannot be used") &&
           holds_servers("{}", server_of("s", entry("old", "{}", "{}"), ""));
}

/* A definition with |depth| nested arrays. */
static const char *nest(char *text, size_t depth)
{
    memcpy(text, "{\"\":", 4);
    memset(text + 4, '[', depth);
    memset(text + 4 + depth, ']', depth);
    memcpy(text + 4 + 2 * depth, "}", 2);
    return text;
}

TEST(a_definition_that_could_not_be_read_again_is_not_written)
{
    static char text[17 << 20];
    size_t len = 0;

    CHECK(scratch_begin() && pin_tool("s", "old", "{}", false) == 0);
    memset(text, 'x', sizeof(text));
    memcpy(text, "{\"\":\"", 5);
    memcpy(text + (16 << 20), "\"}", 3);
    CHECK(has_no_room(text));
    for (int i = 0; i < CR_SCAN_MAX_KEYS; i++)
        len += (size_t)sprintf(text + len, "%c\"%06d\":1", i ? ',' : '{', i);
    memcpy(text + len, "}", 2);
    CHECK(has_no_room(text));
    CHECK(has_no_room(nest(text, 996)));
    (void)nest(text, 995);
    CHECK(pin_tool("s", "t", text, false) == 0 && state("s", "t", text) == CR_TOOL_PINNED);
    scratch_end();
}

/* A definition with a text of |digits| digits. */
static const char *long_text(size_t digits)
{
    static char text[(4u << 20) + 64];

    (void)snprintf(text, sizeof(text), "{\"description\":\"%0*d\"}", (int)digits, 0);
    return text;
}

/* |count| numbers of one digit, nested nine deep: indentation makes it 11 times longer. */
static const char *many_numbers(size_t count)
{
    static char text[2u << 20];
    size_t len = (size_t)sprintf(text, "{\"x\":[[[[[[[[");

    for (size_t i = 0; i < count; i++)
        len += (size_t)sprintf(text + len, "%c1", i ? ',' : '[');
    (void)sprintf(text + len, "]]]]]]]]]}");
    return text;
}

static const char *many_keys(size_t count)
{
    static char text[4u << 20];
    size_t len = 0;

    for (size_t i = 0; i < count; i++)
        len += (size_t)sprintf(text + len, "%c\"%06zu\":1", i ? ',' : '{', i);
    (void)sprintf(text + len, "}");
    return text;
}

static bool is_over_budget(const char *server)
{
    char expected[2048];

    (void)snprintf(expected, sizeof(expected),
                   "the tools of '%s' take more than 2 MiB, 75000 keys or 250000 values of '%s'",
                   server, path_of(CR_LOCKFILE_NAME));
    return says(CAPRUN_OUTCOME_CONFIG_ERROR, expected,
                "remove the pins of tools that are gone, or stop using that server");
}

TEST(a_server_whose_pins_take_too_much_gets_no_more_and_others_do)
{
    CHECK(scratch_begin());
    CHECK(pin_tool("files", "big", long_text(CR_TOOL_PINS_MAX), false) < 0);
    CHECK(is_over_budget("files") && count_files() == 0);
    CHECK(pin_tool("files", "big", many_numbers(499000), false) < 0);
    CHECK(is_over_budget("files") && count_files() == 0);
    CHECK(pin_tool("files", "big", many_keys(CR_TOOL_PINS_MAX_KEYS), false) < 0);
    CHECK(is_over_budget("files") && count_files() == 0);
    CHECK(pin_tool("files", "big", many_keys(CR_TOOL_PINS_MAX_KEYS - 100), false) == 0);
    CHECK(pin_tool("files", "more", many_keys(100), false) < 0 && is_over_budget("files"));
    CHECK(pin_tool("other", "more", "{}", false) == 0 && pin("a.b.c.d", "012", false) == 0);
    scratch_end();
}

TEST(the_first_list_of_a_server_that_is_long_when_indented_leaves_room_for_others)
{
    const char *text, *definition = many_numbers(240000);
    char name[] = "0";
    struct stat st;

    CHECK(scratch_begin() && pin_tool("p", "it", definition, false) == 0);
    text = get(CR_LOCKFILE_NAME);
    CHECK(text && strstr(text, "\"definition\": {\"x\":[[[[[[[[[1,1,1,"));
    CHECK(stat(path_of(CR_LOCKFILE_NAME), &st) == 0 &&
          st.st_size < (off_t)strlen(definition) + 1000);
    CHECK(state("p", "it", definition) == CR_TOOL_PINNED);
    CHECK(pin_tool("q", "it", READ, false) == 0 && pin("a.b.c.d", "012", false) == 0);
    /* servers alone cannot fill it */
    for (; *name <= '9' && pin_tool(name, "it", long_text(2000000), false) == 0;)
        ++*name;
    CHECK(*name == '6' && strstr(why.text, "has no room for the tools of '6': all tools"));
    CHECK(pin("a.b.c.e", "012", false) == 0 && is_valid());
    CHECK(state("q", "it", READ) == CR_TOOL_PINNED);
    scratch_end();
}

TEST(a_definition_on_one_line_shows_hidden_characters_as_escapes)
{
    static char text[(1u << 20) + 200];
    int len = sprintf(text, "{\"a\":\"\xe2\x80\xae\",\"b\":\"%0*d\"}", 1 << 20, 0);
    const char *written;

    CHECK(scratch_begin() && len > 0 && pin_tool("s", "t", text, false) == 0);
    written = get(CR_LOCKFILE_NAME);
    CHECK(written && strstr(written, "\"definition\": {\"a\":\"\\u202e\",\"b\":\"000"));
    CHECK(state("s", "t", text) == CR_TOOL_PINNED);
    scratch_end();
}

TEST(a_file_that_cannot_be_read_is_not_written_over)
{
    static const char text[] = "{\"version\":1,\"capabilities\":{},\"servers\":{\"s\":[]}}";

    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, text));
    CHECK(pin_tool("s", "t", "{}", true) < 0);
    CHECK(strstr(why.text, "caprun.lock:1:47: 's' is an array, not an object"));
    CHECK(holds(CR_LOCKFILE_NAME, text));
    scratch_end();
}

static int writes_to_a_full_disk(int number)
{
    struct rlimit limit = {(rlim_t)number, (rlim_t)number};

    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) < 0)
        return 1;
    return pin_tool("s", "t", "{}", true) < 0 && strstr(why.text, "File too large") ? 0 : 2;
}

TEST(a_full_disk_is_an_error_and_the_old_file_stays)
{
    CHECK(scratch_begin() && pin_tool("s", "old", "{}", false) == 0);
    CHECK(in_child(writes_to_a_full_disk, 100) == 0);
    CHECK(holds_servers("{}", server_of("s", entry("old", "{}", "{}"), "")) && count_files() == 1);
    scratch_end();
}

TEST(every_allocation_of_a_pin_may_fail_and_then_nothing_has_changed)
{
    struct cr_tool_now now[] = {tool("read", READ_2), tool("\x7f", "{\"a\":{\"b\":[1]}}")};
    int failed = 0;

    CHECK(scratch_begin() && pin_tool("files", "read", READ, false) == 0);
    while (failing_more()) {
        int r = cr_tool_pins_pin(scratch, "files", now, 2, true, &why);

        failing_stop();
        CHECK(r == (failing_failed && r < 0 ? CAPRUN_E_NOMEM : 0));
        CHECK(r == 0 || why.outcome == CAPRUN_OUTCOME_INTERNAL);
        failed += r < 0;
        CHECK(r == 0 ||
              holds_servers("{}", server_of("files", entry("read", READ, READ_PRETTY), "")));
        if (r == 0)
            CHECK(is_valid() && unlink(path_of(CR_LOCKFILE_NAME)) == 0 &&
                  pin_tool("files", "read", READ, false) == 0);
    }
    CHECK(count_files() == 1 && (!failing_works() || failed > 20));
    scratch_end();
}

/* --- many ----------------------------------------------------------------------------------- */

#define MANY 1000
#define WRITERS 8
#define EACH 15

static char names[MANY][16];
static char definitions[MANY][600];
static struct cr_tool_now many[MANY];

static void fill_many(void)
{
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "tool%d", i);
        (void)snprintf(definitions[i], sizeof(definitions[i]),
                       "{\"description\":\"The tool %d of many, with a description of some "
                       "length, as servers have them.\",\"inputSchema\":{\"properties\":{"
                       "\"path\":{\"description\":\"where\",\"type\":\"string\"},\"size\":{"
                       "\"type\":\"number\"}},\"required\":[\"path\"],\"type\":\"object\"},"
                       "\"name\":\"tool%d\"}",
                       i, i);
        many[i] = tool(names[i], definitions[i]);
    }
}

static double ms_of(struct timespec since)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - since.tv_sec) * 1e3 + (double)(now.tv_nsec - since.tv_nsec) / 1e6;
}

TEST(a_thousand_tools_are_pinned_in_one_write)
{
    struct timespec start;
    double first, second, read;

    fill_many();
    CHECK(scratch_begin());
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    CHECK(cr_tool_pins_pin(scratch, "s", many, MANY, false, &why) == 0);
    first = ms_of(start);
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    CHECK(cr_tool_pins_pin(scratch, "s", many, MANY, false, &why) == 0);
    second = ms_of(start);
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    CHECK(cr_lockfile_read(scratch, &lock, &why) == 0);
    read = ms_of(start);
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < MANY; i++)
        CHECK(tool_state(&lock, "s", &many[i]) == CR_TOOL_PINNED);
    printf("# pinned in %.1f ms, again in %.1f ms, read in %.1f ms, checked in %.1f ms\n", first,
           second, read, ms_of(start));
    cr_lockfile_clear(&lock);
    scratch_end();
}

/* Under valgrind a writer may wait longer than the ten seconds that are allowed: retry. */
static int pins_one(int number, int i)
{
    char name[16], definition[64];

    (void)snprintf(name, sizeof(name), "t%d", number * EACH + i);
    (void)snprintf(definition, sizeof(definition), "{\"name\":\"%s\"}", name);
    for (int tries = 0; tries < 6; tries++) {
        if (pin_tool(number & 1 ? "odd" : "even", name, definition, false) == 0 &&
            pin("a.b.c.d", i & 1 ? "012" : "345", true) == 0)
            return 0;
        if (!strstr(why.text, "have held the lock"))
            break;
    }
    printf("# %s\n", why.text);
    return 1;
}

static int pins_some(int number)
{
    int r = 0;

    for (int i = 0; i < EACH && r == 0; i++)
        r = pins_one(number, i);
    return r;
}

TEST(writers_of_different_tools_at_the_same_time_lose_none)
{
    pid_t pids[WRITERS];
    char name[16], definition[64];

    CHECK(scratch_begin());
    for (int i = 0; i < WRITERS; i++)
        pids[i] = start_child(pins_some, i);
    for (int i = 0; i < WRITERS; i++)
        CHECK(end_of(pids[i]) == 0);
    for (int i = 0; i < WRITERS * EACH; i++) {
        (void)snprintf(name, sizeof(name), "t%d", i);
        (void)snprintf(definition, sizeof(definition), "{\"name\":\"%s\"}", name);
        CHECK(state(i / EACH & 1 ? "odd" : "even", name, definition) == CR_TOOL_PINNED);
    }
    CHECK(strstr(get(CR_LOCKFILE_NAME), "a.b.c.d.aaaa") && count_files() == 1);
    scratch_end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
