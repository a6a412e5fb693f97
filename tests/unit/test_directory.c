/* test_directory.c - a directory as a registry: which of its files a capability's name finds. */
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

#include "failing.h"
#include "registry/directory.h"

static char dir[] = "/tmp/caprun-test-XXXXXX";
static struct cr_err why;
static struct cr_job job; /* for which the tests look */

static void put(const char *name, const char *text)
{
    char path[1024];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

static void publish(const char *fqdn, const char *published)
{
    char name[1024], json[1024];

    (void)snprintf(name, sizeof(name), "%s.json", fqdn);
    (void)snprintf(json, sizeof(json), "{\"fqdn\":\"%s\",\"type\":\"js\"%s%s%s}", fqdn,
                   published ? ",\"publishedAt\":\"" : "", published ? published : "",
                   published ? "\"" : "");
    put(name, json);
    (void)snprintf(name, sizeof(name), "%s.js", fqdn);
    put(name, fqdn);
}

static void empty_directory(void)
{
    char command[64];

    (void)snprintf(command, sizeof(command), "rm -f %s/*", dir);
    if (system(command) != 0)
        abort();
}

/* Returns the code that |name| finds, "" if it finds none, or "!" for an error. */
static const char *find_code(const char *name)
{
    static char found[1024];
    struct cr_metadata meta;
    struct cr_buf code;
    struct cr_fqdn want;
    struct cr_err err;
    int r;

    if (cr_fqdn_parse(name, &want, &err) < 0)
        abort();
    cr_buf_init(&code, CAPRUN_MAX_CODE);
    r = cr_directory_load(&job, dir, &want, &meta, &code, NULL, &why);
    if (r == 0) {
        (void)snprintf(found, sizeof(found), "%.*s", (int)code.len, (const char *)code.data);
        cr_metadata_clear(&meta);
    }
    cr_buf_clear(&code);
    return r == 0 ? found : r > 0 ? "" : "!";
}

TEST(a_whole_name_finds_its_own_files_and_no_others)
{
    empty_directory();
    publish("a.b.c.d.1111", NULL);
    publish("a.b.c.d.2222", NULL);
    CHECK(strcmp(find_code("a.b.c.d.1111"), "a.b.c.d.1111") == 0);
    CHECK(strcmp(find_code("a.b.c.d.2222"), "a.b.c.d.2222") == 0);
    CHECK(strcmp(find_code("a.b.c.d.3333"), "") == 0);
    CHECK(strcmp(find_code("a.b.c.e"), "") == 0);
}

TEST(four_parts_find_the_latest)
{
    empty_directory();
    publish("a.b.c.d.1111", "2026-01-02");
    publish("a.b.c.d.2222", "2026-01-03");
    publish("a.b.c.d.3333", "2026-01-01");
    publish("a.b.c.dd.4444", "2027-01-01");
    CHECK(strcmp(find_code("a.b.c.d"), "a.b.c.d.2222") == 0);
    publish("a.b.c.d", "2026-01-04");
    CHECK(strcmp(find_code("a.b.c.d"), "a.b.c.d") == 0);
    publish("a.b.c.d.5555", NULL);
    CHECK(strcmp(find_code("a.b.c.d"), "a.b.c.d") == 0);
}

TEST(two_latest_versions_of_one_date_are_an_error)
{
    empty_directory();
    publish("a.b.c.d.1111", "2026-01-02");
    publish("a.b.c.d.2222", "2026-01-02T00:00:00Z");
    CHECK(strcmp(find_code("a.b.c.d"), "!") == 0);
    CHECK(why.outcome == CAPRUN_OUTCOME_METADATA_INVALID);
    CHECK(strstr(why.text, "a.b.c.d.1111") && strstr(why.text, "a.b.c.d.2222"));
    publish("a.b.c.d.3333", "2026-01-03");
    CHECK(strcmp(find_code("a.b.c.d"), "a.b.c.d.3333") == 0);
    empty_directory();
    publish("a.b.c.d.1111", NULL);
    publish("a.b.c.d.2222", NULL);
    CHECK(strcmp(find_code("a.b.c.d"), "!") == 0);
}

TEST(a_version_that_is_broken_stops_the_search)
{
    empty_directory();
    publish("a.b.c.d.1111", "2026-01-02");
    put("a.b.c.d.2222.json", "{");
    CHECK(strcmp(find_code("a.b.c.d"), "!") == 0);
    CHECK(why.outcome == CAPRUN_OUTCOME_METADATA_INVALID && strstr(why.text, "2222"));
    CHECK(strcmp(find_code("a.b.c.d.1111"), "a.b.c.d.1111") == 0);
}

TEST(a_file_has_the_metadata_of_its_name)
{
    empty_directory();
    put("a.b.c.d.1111.json", "{\"fqdn\":\"a.b.c.d.2222\",\"type\":\"js\"}");
    CHECK(strcmp(find_code("a.b.c.d.1111"), "!") == 0 && strstr(why.text, "a.b.c.d.2222"));
    put("a.b.c.d.1111.json", "{\"fqdn\":\"a.b.c.d\",\"type\":\"js\"}");
    CHECK(strcmp(find_code("a.b.c.d.1111"), "!") == 0);
    put("a.b.c.e.json", "{\"fqdn\":\"a.b.c.e.1111\",\"type\":\"js\"}");
    put("a.b.c.e.js", "e");
    CHECK(strcmp(find_code("a.b.c.e"), "e") == 0);
}

TEST(a_directory_that_is_none_and_code_that_is_missing_are_problems)
{
    static const struct cr_fqdn want = {.full = "a.b.c.d", .name = "a.b.c.d"};
    struct cr_metadata meta;
    struct cr_buf code;

    cr_buf_init(&code, 10);
    CHECK(cr_directory_load(&job, "/nowhere", &want, &meta, &code, NULL, &why) < 0);
    CHECK(why.outcome == CAPRUN_OUTCOME_NOT_FOUND && strstr(why.text, "'/nowhere'"));
    empty_directory();
    put("a.b.c.d.json", "{\"fqdn\":\"a.b.c.d\",\"type\":\"js\"}");
    CHECK(strcmp(find_code("a.b.c.d"), "!") == 0);
    CHECK(why.outcome == CAPRUN_OUTCOME_NOT_FOUND && strstr(why.text, "'a.b.c.d.js'"));
}

TEST(no_memory_is_our_problem_and_not_that_of_the_files)
{
    int failed = 0;

    empty_directory();
    publish("a.b.c.d.1111", "2026-01-01T00:00:00Z");
    publish("a.b.c.d.2222", "2026-01-02T00:00:00Z");
    while (failing_more()) {
        const char *found = find_code("a.b.c.d");

        failing_stop();
        CHECK(strcmp(found, failing_failed ? "!" : "a.b.c.d.2222") == 0);
        CHECK(!failing_failed || why.outcome == CAPRUN_OUTCOME_INTERNAL);
        failed += failing_failed;
    }
    CHECK(!failing_works() || failed > 5);
}

static void count(void *data, const struct cr_fqdn *name)
{
    int *names = data;

    (void)name;
    ++*names;
}

TEST(only_names_of_capabilities_are_listed)
{
    int names = 0;

    empty_directory();
    publish("a.b.c.d.1111", NULL);
    publish("a.b.c.e", NULL);
    put("README.json", "");
    put("a.b.c.json", "");
    put(".json", "");
    put("a.b.c.f.js", "");
    CHECK(cr_directory_list(dir, count, NULL, &names, &why) == 0 && names == 2);
    CHECK(cr_directory_list("/nowhere", count, NULL, &names, &why) == CAPRUN_E_INVAL);
    CHECK(why.outcome == CAPRUN_OUTCOME_NOT_FOUND && strstr(why.text, "/nowhere"));
    CHECK(names == 2);
}

TEST(a_directory_with_too_many_versions_is_refused_and_whole_names_still_found)
{
    static char longest[900000];
    char name[64];

    empty_directory();
    for (int i = 1; i <= 1001; i++) {
        (void)snprintf(name, sizeof(name), "a.b.c.d.%04x", i);
        publish(name, i == 7 ? "2026-11-16" : "2026-11-15");
        if (i == 1000)
            CHECK(strcmp(find_code("a.b.c.d"), "a.b.c.d.0007") == 0);
    }
    CHECK(strcmp(find_code("a.b.c.d"), "!") == 0);
    CHECK(why.outcome == CAPRUN_OUTCOME_METADATA_INVALID && strstr(why.text, "over 1000"));
    CHECK(strcmp(find_code("a.b.c.d.0007"), "a.b.c.d.0007") == 0);

    empty_directory();
    memset(longest, ' ', sizeof(longest) - 1);
    for (int i = 1; i <= 20; i++) {
        (void)snprintf(name, sizeof(name), "a.b.c.d.%04x.json", i);
        longest[snprintf(longest, sizeof(longest), "{\"fqdn\":\"a.b.c.d.%04x\",\"type\":\"js\"}",
                         i)] = ' ';
        put(name, longest);
    }
    CHECK(strcmp(find_code("a.b.c.d"), "!") == 0 && strstr(why.text, "or over 16 MiB"));
}

TEST(a_search_for_which_nobody_waits_any_more_ends)
{
    empty_directory();
    publish("a.b.c.d.1111", NULL);
    job.abandoned = true;
    CHECK(strcmp(find_code("a.b.c.d"), "!") == 0 && why.outcome == CAPRUN_OUTCOME_CANCELLED);
    job.abandoned = false;
    CHECK(strcmp(find_code("a.b.c.d"), "a.b.c.d.1111") == 0);
}

static void ignore(void *data, const struct cr_fqdn *name)
{
    (void)data;
    (void)name;
}

static void take_stray(void *data, const char *file, const char *wrong)
{
    struct cr_buf *found = data;

    cr_buf_fmt(found, "%s: %s", file, wrong);
}

TEST(metadata_beside_code_under_a_name_that_is_invalid_is_a_stray)
{
    cr_autobuf struct cr_buf found = CR_BUF(1000);

    empty_directory();
    publish("a.b.c.d", "return 1");
    put("a.b.c.json", "{}");
    put("package.json", "{}");
    CHECK(cr_directory_list(dir, ignore, take_stray, &found, &why) == 0 && !found.len);
    put("a.b.c.js", "return 1");
    CHECK(cr_directory_list(dir, ignore, take_stray, &found, &why) == 0);
    CHECK(cr_buf_text(&found) &&
          strcmp(cr_buf_text(&found), "a.b.c.json: it has 3 parts, and needs four") == 0);
}

int main(int argc, char **argv)
{
    int r;

    if (!mkdtemp(dir))
        return 1;
    r = tap_main(argc, argv);
    empty_directory();
    (void)rmdir(dir);
    return r;
}
