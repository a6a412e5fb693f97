/*
 * lockfile_view.c - keeps a lockfile that was read, so that jobs do not parse it again while the
 * file is unchanged.
 *
 * A file counts as unchanged if its status is the same, with the times to the nanosecond. The
 * kernel's clock for files advances only every few milliseconds, so a change shortly after another
 * can have the same time. So only a file whose last change was a while ago is kept.
 */
#include "registry/lockfile_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/loop.h"
#include "base/mem.h"

/* The age of a change after which a second change has another time; in whole seconds, as on FAT. */
#define SETTLED_MS 100
#define SETTLED_WHOLE_MS 3000

struct view {
    struct cr_helper_data kept;
    struct cr_lockfile lock;
    bool is_filled;
};

static void discard_view(struct cr_helper_data *kept)
{
    struct view *v = cr_container(kept, struct view, kept);

    if (v->is_filled)
        cr_lockfile_clear(&v->lock);
    free(v);
}

static struct view *view_of(struct cr_helper *helper)
{
    struct view *v;

    if (helper->kept)
        return cr_container(helper->kept, struct view, kept);
    v = calloc(1, sizeof(*v));
    if (!v)
        return NULL;
    v->kept.discard = discard_view;
    helper->kept = &v->kept;
    return v;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           is_same_time(&a->st_mtim, &b->st_mtim) && is_same_time(&a->st_ctim, &b->st_ctim);
}

/* Is |lock| still the file at its path, and may nobody else write it? */
static bool is_current(const struct cr_lockfile *lock)
{
    struct cr_err unused;
    struct stat now;

    return fstatat(AT_FDCWD, lock->path, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
           is_same(&now, &lock->file) &&
           cr_file_check_owner_or_group(AT_FDCWD, lock->path, &now, "", &unused) == 0;
}

static bool is_settled(const struct cr_lockfile *lock)
{
    const struct timespec *changed = &lock->file.st_ctim, *read = &lock->read_at;
    int64_t age_ms = (int64_t)(read->tv_sec - changed->tv_sec) * 1000 +
                     (read->tv_nsec - changed->tv_nsec) / 1000000;

    return lock->doc.root && age_ms > (changed->tv_nsec ? SETTLED_MS : SETTLED_WHOLE_MS);
}

int cr_lockfile_view(struct cr_helper *helper, const char *dir, const struct cr_lockfile **ret,
                     struct cr_err *why)
{
    struct view *v = view_of(helper);
    struct cr_lockfile named;
    bool is_kept;
    int r;

    if (!v || cr_lockfile_begin(&named, dir, why) < 0)
        return cr_err_memory(why);
    is_kept = v->is_filled && is_settled(&v->lock) && strcmp(v->lock.path, named.path) == 0 &&
              is_current(&v->lock);
    cr_lockfile_clear(&named);
    *ret = &v->lock;
    if (is_kept)
        return 0;
    if (v->is_filled)
        cr_lockfile_clear(&v->lock);
    r = cr_lockfile_read(dir, &v->lock, why);
    v->is_filled = r == 0;
    return r;
}
