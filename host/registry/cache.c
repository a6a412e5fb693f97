/* cache.c - finds cached downloads, uses them or the server's answer, and stores new ones. */
#include "registry/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define MOST_FILES 4096
#define MOST_BYTES (512ull << 20)
#define CRASHED_AFTER_S 86400 /* an older temporary file was left by a crash */

/* --- the directory -------------------------------------------------------------------------- */

static int open_dir(const char *path, struct cr_err *err)
{
    cr_autoclose int dir = -1;
    char name[512];
    struct stat st;

    (void)snprintf(name, sizeof(name), "'%s'", path);
    dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (dir < 0 && errno == ENOENT && cr_file_make_dirs(path) == 0)
        dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (dir < 0 || fstat(dir, &st) < 0)
        return cr_err_sys(err, "cannot use %s", name);
    if (cr_file_check_owner(&st, name, err))
        return err->code;
    return cr_steal_fd(&dir);
}

void cr_cache_open(struct cr_cache *cache, const char *path, char ret_note[256])
{
    struct cr_err err = {0};

    ret_note[0] = '\0';
    cache->dir = path ? open_dir(path, &err) : -1;
    if (!path)
        (void)snprintf(ret_note, 256, "nothing is kept: there is no directory for the cache");
    else if (cache->dir < 0)
        (void)snprintf(ret_note, 256, "nothing is kept: %.230s", err.text);
    if (cache->dir < 0)
        cache->dir = -1;
}

void cr_cache_close(struct cr_cache *cache)
{
    if (cache->dir >= 0)
        (void)close(cache->dir);
    cache->dir = -1;
}

/* --- files in the directory ----------------------------------------------------------------- */

/* Returns what follows the key in |name|; NULL if |name| does not begin with a key. */
static const char *after_key(const char *name)
{
    return strspn(name, "0123456789abcdef") == CR_ENTRY_KEY ? name + CR_ENTRY_KEY : NULL;
}

static bool is_entry(const char *name)
{
    const char *rest = after_key(name);

    return rest && !*rest;
}

/* Is it a temporary file of cr_file_replace()? */
static bool is_begun(const char *name)
{
    const char *rest = after_key(name);
    size_t len = rest ? strlen(rest) : 0;

    return len > 4 && rest[0] == '.' && strcmp(rest + len - 4, ".tmp") == 0;
}

/*
 * Opens the directory for reading all names; the caller calls closedir(). Returns NULL on failure.
 */
static DIR *list_dir(const struct cr_cache *cache)
{
    int fd = cache->dir < 0 ? -1 : openat(cache->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (!dir && fd >= 0)
        (void)close(fd);
    return dir;
}

struct file {
    char name[CR_ENTRY_KEY + 1];
    int64_t changed_s;
    uint64_t bytes;
};

static int by_age(const void *a, const void *b)
{
    const struct file *x = a, *y = b;

    return (x->changed_s > y->changed_s) - (x->changed_s < y->changed_s);
}

/*
 * Fills up to |most| |files|, and removes temporary files of crashes. Returns how many it filled.
 */
static size_t scan_files(const struct cr_cache *cache, DIR *dir, struct file *files, size_t most)
{
    size_t count = 0;
    struct stat st;

    for (struct dirent *found; count < most && (found = readdir(dir));) {
        if (!is_entry(found->d_name) && !is_begun(found->d_name))
            continue;
        if (fstatat(cache->dir, found->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (is_begun(found->d_name)) {
            if (time(NULL) - st.st_mtime > CRASHED_AFTER_S)
                (void)unlinkat(cache->dir, found->d_name, 0);
            continue;
        }
        memcpy(files[count].name, found->d_name, CR_ENTRY_KEY + 1);
        files[count].changed_s = st.st_mtime;
        files[count++].bytes = (uint64_t)st.st_size;
    }
    return count;
}

/*
 * Removes the oldest files over the limits of count and size. One write is small compared with the
 * limits, so other processes that do the same at the same time cause no harm.
 */
static void remove_oldest(const struct cr_cache *cache)
{
    size_t most = 2 * MOST_FILES, count, i = 0;
    struct file *files = malloc(most * sizeof(*files));
    DIR *dir = files ? list_dir(cache) : NULL;
    uint64_t bytes = 0;

    if (dir) {
        count = scan_files(cache, dir, files, most);
        (void)closedir(dir);
        qsort(files, count, sizeof(*files), by_age);
        for (size_t n = 0; n < count; n++)
            bytes += files[n].bytes;
        for (; i < count && (count - i > MOST_FILES || bytes > MOST_BYTES); i++) {
            (void)unlinkat(cache->dir, files[i].name, 0);
            bytes -= files[i].bytes;
        }
    }
    free(files);
}

/* --- one entry ------------------------------------------------------------------------------ */

/* Reads the cached file for |url|. Returns false, with nothing to free, unless it is valid. */
static bool load_entry(const struct cr_cache *cache, const char *url, const char *accept,
                       size_t max, struct cr_entry *ret, struct cr_buf *ret_body)
{
    char key[CR_ENTRY_KEY + 1];
    struct cr_buf bytes;
    size_t line = 0;

    if (cache->dir < 0)
        return false;
    cr_entry_key(url, accept, key);
    cr_buf_init(&bytes, max + CR_ENTRY_LINE_MAX + 1);
    if (cr_file_read(cache->dir, key, &bytes, NULL, NULL) == 0)
        line = cr_entry_read(bytes.data, bytes.len, ret);
    if (!line || bytes.len - line > max || strcmp(ret->url, url) != 0 ||
        strcmp(ret->accept, accept) != 0 ||
        !cr_entry_holds(ret, bytes.data + line, bytes.len - line)) {
        cr_buf_clear(&bytes);
        return false;
    }
    cr_buf_drop(&bytes, line);
    *ret_body = bytes;
    return true;
}

static void remove_entry(const struct cr_cache *cache, const char *url, const char *accept)
{
    char key[CR_ENTRY_KEY + 1];

    cr_entry_key(url, accept, key);
    if (cache->dir >= 0)
        (void)unlinkat(cache->dir, key, 0);
}

/* Ignores write errors, as of a full disk: then nothing is kept. */
static void store_entry(const struct cr_cache *cache, const struct cr_entry *entry,
                        const struct cr_buf *body)
{
    char key[CR_ENTRY_KEY + 1];
    struct cr_buf bytes;

    if (cache->dir < 0)
        return;
    cr_entry_key(entry->url, entry->accept, key);
    cr_buf_init(&bytes, body->len + CR_ENTRY_LINE_MAX);
    cr_entry_write(&bytes, entry);
    cr_buf_add(&bytes, body->data, body->len);
    if (!cr_buf_err(&bytes) &&
        cr_file_replace(cache->dir, key, bytes.data, bytes.len, 0600, NULL) == 0)
        remove_oldest(cache);
    cr_buf_clear(&bytes);
}

/* --- getting -------------------------------------------------------------------------------- */

static int set_found(struct cr_cache_found *ret, enum cr_cache_source source,
                     const struct cr_buf *body, const char *reason)
{
    *ret = (struct cr_cache_found){.body = *body, .source = source};
    (void)snprintf(ret->offline_reason, sizeof(ret->offline_reason), "%.*s",
                   (int)sizeof(ret->offline_reason) - 1, reason);
    return 0;
}

/* The server says that the cached file is unchanged: its freshness starts again now. */
static void renew(const struct cr_cache *cache, struct cr_entry *kept, const struct cr_buf *body,
                  const struct cr_http_answer *answer)
{
    kept->fetched_s = time(NULL);
    if (answer->max_age_s >= 0)
        kept->max_age_s = answer->max_age_s;
    if (answer->no_store)
        remove_entry(cache, kept->url, kept->accept);
    else
        store_entry(cache, kept, body);
}

void cr_cache_keep(const struct cr_cache *cache, const struct cr_cache_want *want,
                   const struct cr_cache_found *found, const struct cr_buf *body)
{
    struct cr_entry entry;

    if (found->source != CR_CACHE_NET)
        return;
    if (found->no_store || !cr_entry_make(want->url, want->accept, body, time(NULL), &entry)) {
        remove_entry(cache, want->url, want->accept);
        return;
    }
    entry.max_age_s = found->max_age_s > 0 ? found->max_age_s : 0;
    memcpy(entry.etag, found->etag, sizeof(entry.etag));
    store_entry(cache, &entry, body);
}

bool cr_cache_find(const struct cr_cache *cache, const struct cr_cache_want *want,
                   struct cr_cache_kept *kept, struct cr_cache_found *ret)
{
    kept->is_kept =
        load_entry(cache, want->url, want->accept, want->max, &kept->entry, &kept->body);
    if (!kept->is_kept || cache->always_ask || !cr_entry_is_fresh(&kept->entry, time(NULL)))
        return false;
    (void)set_found(ret, CR_CACHE_KEPT, &kept->body, "");
    kept->is_kept = false;
    return true;
}

void cr_cache_kept_clear(struct cr_cache_kept *kept)
{
    if (kept->is_kept)
        cr_buf_clear(&kept->body);
    kept->is_kept = false;
}

/* With a cached file as a fallback, the server is asked only once. */
void cr_cache_ask(const struct cr_cache_want *want, const struct cr_cache_kept *kept,
                  struct cr_http_ask *ret)
{
    ret->url = want->url;
    ret->accept = want->accept;
    ret->max = want->max;
    ret->etag = kept->is_kept ? kept->entry.etag : NULL;
    ret->tries = kept->is_kept ? 1 : 0;
}

int cr_cache_settle(const struct cr_cache *cache, const struct cr_cache_want *want,
                    struct cr_cache_kept *kept, struct cr_http_answer *answer,
                    const struct cr_err *why, struct cr_cache_found *ret)
{
    bool was_kept = kept->is_kept;

    kept->is_kept = false;
    if (!answer && was_kept && why->outcome == CAPRUN_OUTCOME_REGISTRY_UNREACHABLE)
        return set_found(ret, CR_CACHE_OFFLINE, &kept->body, why->text);
    if (answer && was_kept && answer->status == 304) {
        cr_buf_clear(&answer->body);
        renew(cache, &kept->entry, &kept->body, answer);
        return set_found(ret, CR_CACHE_KEPT, &kept->body, "");
    }
    if (was_kept)
        cr_buf_clear(&kept->body);
    if (!answer)
        return CAPRUN_E_INVAL;
    if (answer->status != 200) {
        cr_buf_clear(&answer->body);
        remove_entry(cache, want->url, want->accept);
        return 1;
    }
    (void)set_found(ret, CR_CACHE_NET, &answer->body, "");
    memcpy(ret->etag, answer->etag, sizeof(ret->etag));
    ret->max_age_s = answer->max_age_s;
    ret->no_store = answer->no_store;
    return 0;
}

/* --- listing -------------------------------------------------------------------------------- */

/* Reads only the first line of the file |name|. Returns false if the line does not fit |name|. */
static bool load_line(const struct cr_cache *cache, const char *name, struct cr_entry *ret)
{
    cr_autoclose int fd = openat(cache->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    uint8_t line[CR_ENTRY_LINE_MAX];
    char key[CR_ENTRY_KEY + 1];
    ssize_t len = fd < 0 ? -1 : read(fd, line, sizeof(line));

    if (len <= 0 || !cr_entry_read(line, (size_t)len, ret))
        return false;
    cr_entry_key(ret->url, ret->accept, key);
    return strcmp(key, name) == 0;
}

void cr_cache_list(const struct cr_cache *cache, const char *base,
                   void (*name)(void *data, const char *rest), void *data)
{
    DIR *dir = list_dir(cache);
    size_t len = strlen(base);
    struct cr_entry entry;

    if (!dir)
        return;
    for (struct dirent *file; (file = readdir(dir));)
        if (is_entry(file->d_name) && load_line(cache, file->d_name, &entry) &&
            strncmp(entry.url, base, len) == 0)
            name(data, entry.url + len);
    (void)closedir(dir);
}
