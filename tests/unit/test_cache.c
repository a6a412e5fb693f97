/* test_cache.c - the HTTP cache on disk: writing, finding and removing entries. */
#include "tap.h"

#include <stdlib.h>

#include "failing.h"
#include "registry/cache.c"

#define URL "https://registry.example/r/acme.tools.text.summary"
#define ACCEPT "application/json"

static char folder[] = "/tmp/caprun-test-XXXXXX";

/* An empty cache in a new directory. */
static struct cr_cache new_cache(void)
{
    struct cr_cache cache = {.dir = -1};
    char note[256];

    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    if (mkdtemp(folder))
        cr_cache_open(&cache, folder, note);
    return cache;
}

static void remove_cache(struct cr_cache *cache)
{
    DIR *dir = list_dir(cache);

    for (struct dirent *file; dir && (file = readdir(dir));)
        (void)unlinkat(cache->dir, file->d_name, 0);
    if (dir)
        (void)closedir(dir);
    cr_cache_close(cache);
    (void)rmdir(folder);
}

static size_t count_files(const struct cr_cache *cache)
{
    DIR *dir = list_dir(cache);
    size_t count = 0;

    for (struct dirent *file; dir && (file = readdir(dir));)
        count += file->d_name[0] != '.';
    if (dir)
        (void)closedir(dir);
    return count;
}

static bool exists(const struct cr_cache *cache, const char *name)
{
    return faccessat(cache->dir, name, F_OK, 0) == 0;
}

/* An empty file of |size| bytes, last changed |age_s| seconds before the first file was put. */
static void put_file(const struct cr_cache *cache, const char *name, off_t size, time_t age_s)
{
    static time_t now; /* one for all files: two ages must not become one when a second ends */
    struct timespec times[2];
    int fd = openat(cache->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (!now)
        now = time(NULL);
    times[0] = times[1] = (struct timespec){now - age_s, 0};
    if (fd >= 0 && ftruncate(fd, size) == 0)
        (void)futimens(fd, times);
    if (fd >= 0)
        (void)close(fd);
}

static void put_number(const struct cr_cache *cache, unsigned number, off_t size, time_t age_s)
{
    char name[CR_ENTRY_KEY + 1];

    (void)snprintf(name, sizeof(name), "%064x", number);
    put_file(cache, name, size, age_s);
}

static bool has_number(const struct cr_cache *cache, unsigned number)
{
    char name[CR_ENTRY_KEY + 1];

    (void)snprintf(name, sizeof(name), "%064x", number);
    return exists(cache, name);
}

/* Stores |text| for URL, fresh for |max_age_s|. */
static void keep_text(struct cr_cache *cache, const char *text, int64_t max_age_s)
{
    struct cr_cache_found found = {.source = CR_CACHE_NET, .etag = "\"1\"", .max_age_s = max_age_s};
    struct cr_cache_want want = {.url = URL, .accept = ACCEPT};

    cr_buf_init(&found.body, 1024);
    cr_buf_str(&found.body, text);
    cr_cache_keep(cache, &want, &found, &found.body);
    cr_buf_clear(&found.body);
}

/* Is |text| stored for URL? */
static bool is_kept(const struct cr_cache *cache, const char *text, size_t max)
{
    struct cr_entry entry;
    struct cr_buf body;
    bool same;

    if (!load_entry(cache, URL, ACCEPT, max, &entry, &body))
        return false;
    same = body.len == strlen(text) && memcmp(body.data, text, body.len) == 0;
    cr_buf_clear(&body);
    return same;
}

/* --- entries -------------------------------------------------------------------------------- */

TEST(a_key_is_the_sha256_of_accept_and_url)
{
    char key[CR_ENTRY_KEY + 1], other[CR_ENTRY_KEY + 1];

    cr_entry_key("http://h/x", "a/b", key);
    CHECK(strcmp(key, "3fec1a5c18b0b7138b360123e1be4fdb2fc75ad8de163ea21059416e7ca3f2fb") == 0);
    cr_entry_key("http://h/y", "a/b", other);
    CHECK(strcmp(key, other) != 0);
    cr_entry_key("http://h/x", "a/c", other);
    CHECK(strcmp(key, other) != 0);
}

TEST(a_line_is_read_as_it_was_written)
{
    struct cr_entry entry, again;
    struct cr_buf body, line;
    char url[2049];

    memset(url, '"', 2048);
    url[2048] = '\0';
    cr_buf_init(&body, 100);
    cr_buf_init(&line, 1 << 16);
    cr_buf_add(&body, "a\nb", 3);
    CHECK(cr_entry_make(url, "\\", &body, 12345, &entry));
    entry.max_age_s = 67;
    memset(entry.etag, '\\', sizeof(entry.etag) - 1);
    cr_entry_write(&line, &entry);
    CHECK(!cr_buf_err(&line) && line.len <= CR_ENTRY_LINE_MAX);
    CHECK(cr_entry_read(line.data, line.len, &again) == line.len);
    CHECK(strcmp(again.url, url) == 0 && strcmp(again.accept, "\\") == 0);
    CHECK(strcmp(again.etag, entry.etag) == 0 && strcmp(again.sha256, entry.sha256) == 0);
    CHECK(again.fetched_s == 12345 && again.max_age_s == 67 && again.length == 3);
    CHECK(cr_entry_holds(&again, body.data, 3));
    CHECK(!cr_entry_holds(&again, body.data, 2));
    CHECK(!cr_entry_holds(&again, (const uint8_t *)"a\nc", 3));
    for (size_t len = 0; len < line.len; len++)
        CHECK(cr_entry_read(line.data, len, &again) == 0);
    cr_buf_clear(&body);
    cr_buf_clear(&line);
}

TEST(a_url_that_is_too_long_has_no_entry)
{
    struct cr_entry entry;
    struct cr_buf body;
    char url[2050];

    memset(url, 'x', 2049);
    url[2049] = '\0';
    cr_buf_init(&body, 100);
    CHECK(!cr_entry_make(url, "", &body, 0, &entry));
    CHECK(cr_entry_make(url + 1, "", &body, 0, &entry));
}

TEST(an_entry_is_fresh_until_its_age_is_reached_and_never_before_it_was_made)
{
    struct cr_entry entry = {.fetched_s = 1000, .max_age_s = 60};

    CHECK(cr_entry_is_fresh(&entry, 1000) && cr_entry_is_fresh(&entry, 1059));
    CHECK(!cr_entry_is_fresh(&entry, 1060) && !cr_entry_is_fresh(&entry, 999));
    entry.max_age_s = 0;
    CHECK(!cr_entry_is_fresh(&entry, 1000));
}

/* --- the directory -------------------------------------------------------------------------- */

TEST(no_directory_is_no_cache_and_a_note)
{
    struct cr_cache cache;
    char note[256];

    cr_cache_open(&cache, NULL, note);
    CHECK(cache.dir == -1 && strstr(note, "nothing is kept"));
    keep_text(&cache, "a", 60);
    CHECK(!is_kept(&cache, "a", 100));
    remove_entry(&cache, URL, ACCEPT);
    cr_cache_list(&cache, "", NULL, NULL);
    cr_cache_close(&cache);
}

TEST(directories_are_made_for_their_owner_alone)
{
    struct cr_cache cache = new_cache(), deep;
    char path[256], note[256];
    struct stat st;

    (void)snprintf(path, sizeof(path), "%s/a//b/", folder);
    cr_cache_open(&deep, path, note);
    CHECK(deep.dir >= 0 && !note[0]);
    CHECK(fstat(deep.dir, &st) == 0 && (st.st_mode & 0777) == 0700);
    cr_cache_close(&deep);
    CHECK(unlinkat(cache.dir, "a/b", AT_REMOVEDIR) == 0);
    CHECK(unlinkat(cache.dir, "a", AT_REMOVEDIR) == 0);
    remove_cache(&cache);
}

TEST(what_is_kept_is_found_again)
{
    struct cr_cache cache = new_cache();

    CHECK(!is_kept(&cache, "text", 100));
    keep_text(&cache, "text", 60);
    CHECK(is_kept(&cache, "text", 100) && is_kept(&cache, "text", 4));
    CHECK(!is_kept(&cache, "text", 3));
    keep_text(&cache, "other", 60);
    CHECK(is_kept(&cache, "other", 100) && count_files(&cache) == 1);
    remove_entry(&cache, URL, ACCEPT);
    CHECK(!is_kept(&cache, "other", 100) && count_files(&cache) == 0);
    remove_cache(&cache);
}

TEST(what_is_fresh_is_not_asked_about)
{
    struct cr_cache cache = new_cache();
    struct cr_cache_want want = {.url = URL, .accept = ACCEPT, .max = 100};
    struct cr_cache_kept kept;
    struct cr_cache_found found;

    keep_text(&cache, "text", 60);
    CHECK(cr_cache_find(&cache, &want, &kept, &found) && !kept.is_kept);
    CHECK(found.source == CR_CACHE_KEPT && found.body.len == 4 && !found.offline_reason[0]);
    CHECK(strcmp(cr_buf_text(&found.body), "text") == 0);
    cr_buf_clear(&found.body);
    cache.always_ask = true;
    CHECK(!cr_cache_find(&cache, &want, &kept, &found) && kept.is_kept);
    cr_cache_kept_clear(&kept);
    remove_cache(&cache);
}

/* --- tidying -------------------------------------------------------------------------------- */

TEST(the_oldest_of_too_many_files_are_removed)
{
    struct cr_cache cache = new_cache();

    for (unsigned i = 0; i < MOST_FILES + 10; i++)
        put_number(&cache, i, 0, 100 + (time_t)(i * 7 % (MOST_FILES + 10)));
    keep_text(&cache, "text", 60);
    CHECK(count_files(&cache) == MOST_FILES);
    CHECK(is_kept(&cache, "text", 100));
    CHECK(has_number(&cache, 0));
    for (unsigned i = 0; i < MOST_FILES + 10; i++)
        CHECK(has_number(&cache, i) == (i * 7 % (MOST_FILES + 10) < MOST_FILES - 1));
    remove_cache(&cache);
}

TEST(the_oldest_of_too_big_files_are_removed)
{
    struct cr_cache cache = new_cache();

    for (unsigned i = 1; i <= 5; i++)
        put_number(&cache, i, 200 << 20, 100 * (time_t)i);
    keep_text(&cache, "text", 60);
    CHECK(is_kept(&cache, "text", 100));
    CHECK(has_number(&cache, 1) && has_number(&cache, 2));
    CHECK(!has_number(&cache, 3) && !has_number(&cache, 4) && !has_number(&cache, 5));
    remove_cache(&cache);
}

TEST(what_a_crash_has_left_is_removed_after_a_day_and_nothing_of_others)
{
    static const char begun[] = "%064x.0123456789abcdef.tmp";
    struct cr_cache cache = new_cache();
    char old[128], new[128];

    (void)snprintf(old, sizeof(old), begun, 1u);
    (void)snprintf(new, sizeof(new), begun, 2u);
    put_file(&cache, old, 5, CRASHED_AFTER_S + 100);
    put_file(&cache, new, 5, CRASHED_AFTER_S - 100);
    put_file(&cache, "others.tmp", 5, 9 * CRASHED_AFTER_S);
    put_file(&cache, "others", 1ll << 30, 9 * CRASHED_AFTER_S);
    keep_text(&cache, "text", 60);
    CHECK(!exists(&cache, old) && exists(&cache, new));
    CHECK(exists(&cache, "others.tmp") && exists(&cache, "others"));
    CHECK(is_kept(&cache, "text", 100));
    remove_cache(&cache);
}

/* --- no memory ------------------------------------------------------------------------------ */

static void count_name(void *data, const char *rest)
{
    *(int *)data += strcmp(rest, "acme.tools.text.summary") == 0;
}

TEST(without_memory_nothing_is_kept_or_found_and_nothing_breaks)
{
    struct cr_cache cache = new_cache();
    int kept = 0, found = 0, listed = 0;

    while (failing_more()) {
        keep_text(&cache, "text", 60);
        failing_stop();
        kept += is_kept(&cache, "text", 100);
    }
    CHECK(!FAILING || kept > 0);
    keep_text(&cache, "text", 60);
    while (failing_more()) {
        found += is_kept(&cache, "text", 100);
        failing_stop();
    }
    CHECK(!FAILING || found > 0);
    while (failing_more()) {
        cr_cache_list(&cache, "https://registry.example/r/", count_name, &listed);
        failing_stop();
    }
    CHECK(!FAILING || listed > 0);
    CHECK(is_kept(&cache, "text", 100));
    remove_cache(&cache);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
