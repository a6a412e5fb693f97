/* store.c - paths, search and removal of journals in the state directory, and its key. */
#include "journal/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "journal/blobs.h"
#include "journal/record.h"

#define RUNS "runs"
#define KEY "key"
static const char suffix[] = ".jsonl";
#define SUFFIX (sizeof(suffix) - 1)

static int runs_dir(const char *dir, char ret[PATH_MAX], struct cr_err *err)
{
    if (snprintf(ret, PATH_MAX, "%s/" RUNS, dir) < PATH_MAX)
        return 0;
    return cr_err_set(err, CAPRUN_E_SYS, "the path of the state directory is too long");
}

int cr_store_make(const char *dir, struct cr_err *err)
{
    char path[PATH_MAX], name[320];
    struct stat st;

    if (runs_dir(dir, path, err) < 0)
        return CAPRUN_E_SYS;
    if (mkdir(path, 0700) < 0 && errno != EEXIST && cr_file_make_dirs(path) < 0)
        return cr_err_sys(err, "cannot make '%s'", path);
    if (stat(path, &st) < 0)
        return cr_err_sys(err, "cannot look at '%s'", path);
    (void)snprintf(name, sizeof(name), "'%.300s'", path);
    return cr_file_check_owner(&st, name, err) < 0 ? CAPRUN_E_SYS : 0;
}

void cr_store_path(const char *dir, const char *id, char ret[PATH_MAX])
{
    (void)snprintf(ret, PATH_MAX, "%s/" RUNS "/%s%s", dir, id, suffix);
}

static bool is_id(const char *text, size_t len)
{
    return strspn(text, "0123456789abcdef-") >= len;
}

static bool is_journal(const char *name)
{
    return strlen(name) == CR_STORE_ID + SUFFIX && is_id(name, CR_STORE_ID) &&
           strcmp(name + CR_STORE_ID, suffix) == 0;
}

int cr_store_list(const char *dir, void (*each)(void *data, int dir, const char *name), void *data,
                  struct cr_err *err)
{
    const struct dirent *entry;
    char path[PATH_MAX];
    DIR *entries;

    if (runs_dir(dir, path, err) < 0)
        return CAPRUN_E_SYS;
    entries = opendir(path);
    if (!entries)
        return errno == ENOENT ? 0 : cr_err_sys(err, "cannot read '%s'", path);
    while ((entry = readdir(entries)))
        if (is_journal(entry->d_name))
            each(data, dirfd(entries), entry->d_name);
    (void)closedir(entries);
    return 0;
}

/* --- finding -------------------------------------------------------------------------------- */

struct search {
    const char *word;
    size_t len;
    size_t count;
    char id[CR_STORE_ID + 1];
};

/* An id begins with a time and ends with random digits: a few characters of either identify it. */
static void match_id(void *data, int dir, const char *name)
{
    struct search *s = data;

    (void)dir;
    if (memcmp(name, s->word, s->len) != 0 &&
        memcmp(name + CR_STORE_ID - s->len, s->word, s->len) != 0)
        return;
    s->count++;
    (void)snprintf(s->id, sizeof(s->id), "%.*s", (int)CR_STORE_ID, name);
}

int cr_store_find(const char *dir, const char *word, char ret[PATH_MAX], struct cr_err *why)
{
    struct search s = {.word = word, .len = strlen(word)};
    bool may_be_id = dir[0] && s.len && s.len <= CR_STORE_ID && is_id(word, s.len);
    struct cr_err err;

    if (may_be_id && cr_store_list(dir, match_id, &s, &err) < 0)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, NULL, "%s", err.text);
    if (strpbrk(word, "/.") || (!s.count && access(word, F_OK) == 0)) {
        (void)snprintf(ret, PATH_MAX, "%s", word);
        return 0;
    }
    if (!may_be_id)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun runs lists them",
                          "'%s' is not the id of a run, nor the path of a journal", word);
    if (s.count != 1)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun runs lists them",
                          s.count ? "'%s' is the beginning or the end of %zu runs; write more of it"
                                  : "no run '%s' was recorded here",
                          word, s.count);
    cr_store_path(dir, s.id, ret);
    return 0;
}

bool cr_store_has(const char *dir, const char *path)
{
    const char *slash = strrchr(path, '/');
    char there[PATH_MAX];

    return slash && runs_dir(dir, there, NULL) == 0 && strlen(there) == (size_t)(slash - path) &&
           memcmp(there, path, strlen(there)) == 0 && is_journal(slash + 1);
}

bool cr_store_is_live(int dir, const char *name)
{
    cr_autoclose int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    return fd >= 0 && cr_file_is_locked(fd);
}

/* --- removing old journals ------------------------------------------------------------------ */

struct stored_run {
    char name[CR_STORE_ID + SUFFIX + 1];
    time_t changed;
    uint64_t bytes;
};

struct sweep {
    const char *dir;
    struct stored_run *list;
    size_t count, cap;
};

static void add_journal(void *data, int dir, const char *name)
{
    struct sweep *s = data;
    struct stored_run *more;
    struct stat st;
    char path[PATH_MAX];

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (s->count == s->cap) {
        more = realloc(s->list, (2 * s->cap + 64) * sizeof(*more));
        if (!more)
            return; /* a later sweep will remove it */
        s->list = more;
        s->cap = 2 * s->cap + 64;
    }
    (void)snprintf(path, sizeof(path), "%s/" RUNS "/%s", s->dir, name);
    s->list[s->count] = (struct stored_run){.changed = st.st_mtime,
                                            .bytes = (uint64_t)st.st_size + cr_blobs_size(path)};
    (void)snprintf(s->list[s->count++].name, sizeof(s->list->name), "%s", name);
}

static int latest_first(const void *a, const void *b)
{
    const struct stored_run *x = a, *y = b;

    return x->changed < y->changed ? 1 : x->changed > y->changed ? -1 : strcmp(y->name, x->name);
}

/* Returns 0; 1 if the run goes on; or CAPRUN_E_SYS. */
static int remove_run(const char *dir, const char *name, struct cr_err *err)
{
    cr_autoclose int fd = -1;
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/" RUNS "/%s", dir, name);
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return cr_err_sys(err, "cannot open '%s'", path);
    if (cr_file_lock(fd) < 0)
        return errno == EAGAIN ? 1 : cr_err_sys(err, "cannot lock '%s'", path);
    cr_record_remove(path);
    return access(path, F_OK) < 0 ? 0 : cr_err_set(err, CAPRUN_E_SYS, "cannot remove '%s'", path);
}

int cr_store_remove(const char *dir, const char *id, struct cr_err *err)
{
    char name[CR_STORE_ID + SUFFIX + 1];

    (void)snprintf(name, sizeof(name), "%.*s.jsonl", (int)CR_STORE_ID, id);
    return remove_run(dir, name, err);
}

size_t cr_store_remove_older(const char *dir, int64_t seconds, size_t *ret_kept)
{
    struct sweep s = {.dir = dir};
    time_t latest = time(NULL) - (time_t)seconds;
    size_t removed = 0;

    *ret_kept = 0;
    (void)cr_store_list(dir, add_journal, &s, NULL);
    for (size_t i = 0; i < s.count; i++) {
        struct cr_err unused;

        if (s.list[i].changed > latest)
            continue;
        if (remove_run(dir, s.list[i].name, &unused) == 0)
            removed++;
        else
            ++*ret_kept;
    }
    free(s.list);
    return removed;
}

void cr_store_sweep(const char *dir, unsigned days, uint64_t max_bytes, size_t max_runs)
{
    struct sweep s = {.dir = dir};
    struct cr_err unused;
    time_t oldest = time(NULL) - (time_t)days * 24 * 3600;
    uint64_t bytes = 0;

    (void)cr_store_list(dir, add_journal, &s, NULL);
    if (s.count)
        qsort(s.list, s.count, sizeof(*s.list), latest_first);
    for (size_t i = 0; i < s.count; i++) {
        bytes += s.list[i].bytes;
        if (s.list[i].changed < oldest || bytes > max_bytes || i >= max_runs)
            (void)remove_run(dir, s.list[i].name, &unused);
    }
    free(s.list);
}

/* --- the key -------------------------------------------------------------------------------- */

static int read_key(const char *path, uint8_t ret[CR_HASH_BYTES], struct cr_err *err)
{
    cr_autobuf struct cr_buf text = CR_BUF(CR_HASH_BYTES);
    int r = cr_file_read(AT_FDCWD, path, &text, NULL, err);

    if (r != 0)
        return r;
    if (text.len != CR_HASH_BYTES)
        return cr_err_set(err, CAPRUN_E_SYS, "'%s' is not a key; remove it", path);
    memcpy(ret, text.data, CR_HASH_BYTES);
    return 0;
}

int cr_store_look_up_key(const char *dir, uint8_t ret[CR_HASH_BYTES], struct cr_err *err)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/" KEY, dir) >= PATH_MAX)
        return cr_err_set(err, CAPRUN_E_SYS, "the path of the state directory is too long");
    return read_key(path, ret, err);
}

int cr_store_key(const char *dir, uint8_t ret[CR_HASH_BYTES], struct cr_err *err)
{
    uint8_t key[CR_HASH_BYTES];
    char path[PATH_MAX], fresh[PATH_MAX];
    int r = cr_store_look_up_key(dir, ret, err);

    if (r <= 0)
        return r;
    if (snprintf(path, sizeof(path), "%s/" KEY, dir) >= PATH_MAX ||
        snprintf(fresh, sizeof(fresh), "%s/" KEY ".%ld", dir, (long)getpid()) >= PATH_MAX)
        return cr_err_set(err, CAPRUN_E_SYS, "the path of the state directory is too long");
    if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
        return cr_err_sys(err, "cannot make a key");
    /* if two processes make a key at once, the first wins: link() never replaces a file */
    if (cr_file_replace(AT_FDCWD, fresh, key, sizeof(key), 0600, err) < 0)
        return CAPRUN_E_SYS;
    if (link(fresh, path) < 0 && errno != EEXIST)
        r = cr_err_sys(err, "cannot make '%s'", path);
    (void)unlink(fresh);
    return r < 0 ? r : read_key(path, ret, err);
}
