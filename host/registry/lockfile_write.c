/*
 * lockfile_write.c - replaces caprun.lock: locks out other writers, and checks that the new text
 * can be read.
 */
#include "registry/lockfile_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/words.h"

#define TURN_NAME ".caprun.lock.busy"
#define TURN_TRIES 100 /* each time another writer was faster */

static int cannot_write(const struct cr_lockfile *lock, struct cr_err *why)
{
    bool forbidden = errno == EACCES || errno == EPERM || errno == EROFS;

    (void)cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "cannot write '%s': %s", lock->path,
                     strerror(errno));
    return forbidden ? cr_err_hint(why,
                                   "run in a directory of your own, or give %s a file whose "
                                   "directory can be written",
                                   cr_words[CR_WORD_CONFIG])
                     : CAPRUN_E_INVAL;
}

/* With the new pins, the file would exceed its limits. */
static int no_room(const struct cr_lockfile *lock, const struct cr_lockfile_news *news,
                   struct cr_err *why)
{
    if (news->name)
        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, "delete it to pin what runs next",
                          "'%s' is full: there is no room to pin '%s'", lock->path, news->name);
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                      "remove servers that you no longer use from it; a server that alone exceeds "
                      "the limits cannot be used",
                      "'%s' has no room for the tools of '%s': all tools in it have at most %d "
                      "MiB, %d keys and %d levels",
                      lock->path, news->server, CR_LOCKFILE_TOOLS_MIB, CR_LOCKFILE_TOOLS_KEYS,
                      CR_SCAN_MAX_DEPTH);
}

/* What a part of the file takes of the limits of reading. */
struct amount {
    size_t bytes, keys, values;
};

static void count_within(const struct cJSON *value, struct amount *sum)
{
    for (const struct cJSON *v = cr_json_first(value); v; v = cr_json_next(v)) {
        sum->keys += cr_json_key(v) != NULL;
        sum->values++;
        count_within(v, sum);
    }
}

static bool is_within(const struct cr_lockfile *lock, const struct cJSON *value,
                      const struct amount *most)
{
    struct amount sum = {.bytes = cr_json_place_of(&lock->doc, value).len};

    count_within(value, &sum);
    return sum.bytes <= most->bytes && sum.keys <= most->keys && sum.values <= most->values;
}

/*
 * Limits the pins of each server, as they will be written, and of all servers: the tools of one
 * server must not use up the room of other servers and of capabilities.
 */
static int check_budget(const struct cr_lockfile *made, const struct cr_lockfile_news *news,
                        struct cr_err *why)
{
    static const struct amount one = {CR_TOOL_PINS_MAX, CR_TOOL_PINS_MAX_KEYS,
                                      CR_TOOL_PINS_MAX_VALUES};
    static const struct amount all = {CR_LOCKFILE_TOOLS_MIB << 20, CR_LOCKFILE_TOOLS_KEYS,
                                      CR_LOCKFILE_TOOLS_VALUES};
    const struct cJSON *servers = cr_json_get(made->doc.root, "servers");

    if (!news->server)
        return 0;
    if (!is_within(made, cr_json_get(servers, news->server), &one))
        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                          "remove the pins of tools that are gone, or stop using that server",
                          "the tools of '%s' take more than %u MiB, %d keys or %d values of '%s'",
                          news->server, CR_TOOL_PINS_MAX >> 20, CR_TOOL_PINS_MAX_KEYS,
                          CR_TOOL_PINS_MAX_VALUES, made->path);
    if (!is_within(made, servers, &all))
        return no_room(made, news, why);
    return 0;
}

/*
 * Fills |made|, and checks that it can be read again. Returns 1; 0 if nothing is new; or an error.
 */
static int make_text(struct cr_lockfile *made, const struct cr_lockfile *lock,
                     const struct cr_lockfile_news *news, struct cr_err *why)
{
    size_t fresh = cr_lockfile_compose(&made->text, lock, news);
    int r = cr_buf_err(&made->text);

    if (r == 0 && fresh)
        r = cr_lockfile_parse(made, why);
    if (r == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    if (!fresh)
        return 0;
    if (r < 0)
        return no_room(lock, news, why);
    return check_budget(made, news, why) < 0 ? CAPRUN_E_INVAL : 1;
}

/* Writes |made| to |dir|, durably; the caller holds the lock. */
static int store(const struct cr_lockfile *made, int dir, struct cr_err *why)
{
    cr_file_sweep(dir, CR_LOCKFILE_NAME);
    if (cr_file_replace(dir, CR_LOCKFILE_NAME, made->text.data, made->text.len, 0644, NULL) < 0)
        return cannot_write(made, why);
    /* EINVAL: some file systems do not support fsync() of directories */
    if (fsync(dir) < 0 && errno != EINVAL)
        return cannot_write(made, why);
    return 0;
}

static int write_in(struct cr_lockfile *lock, const char *dir_name, int dir,
                    const struct cr_lockfile_news *news, struct cr_err *why)
{
    struct cr_lockfile made;
    int r = cr_lockfile_load(lock, dir, why);

    if (r < 0)
        return r;
    if (news->name) {
        r = cr_lockfile_check(lock, news->name, news->pin, why);
        if (r == 0 || (r < 0 && !news->accept))
            return r;
    }
    r = cr_lockfile_begin(&made, dir_name, why);
    if (r == 0)
        r = make_text(&made, lock, news, why);
    if (r > 0)
        r = store(&made, dir, why);
    cr_lockfile_clear(&made);
    return r;
}

/* --- taking turns --------------------------------------------------------------------------- */

/*
 * Opens a separate file to lock, which only this user can open, so that no other user can hold the
 * lock: any user who may read a directory could lock the directory. The file exists only while a
 * writer writes.
 */
static int open_turn_file(const struct cr_lockfile *lock, int dir, int *ret_fd, struct cr_err *why)
{
    cr_autoclose int fd = openat(
        dir, TURN_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    struct stat st;

    if (fd < 0 && errno != ELOOP && errno != EISDIR)
        return cannot_write(lock, why);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        st.st_mode & (S_IRWXG | S_IRWXO))
        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, "remove it",
                          "cannot write '%s': '" TURN_NAME "' beside it is not a file of this "
                          "user alone",
                          lock->path);
    *ret_fd = cr_steal_fd(&fd);
    return 0;
}

/* Is the locked file still the one in |dir|? The previous writer may have removed it meanwhile. */
static bool is_the_file(int dir, int fd)
{
    struct stat ours, there;

    return fstat(fd, &ours) == 0 && fstatat(dir, TURN_NAME, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

/* Returns 0; CAPRUN_E_BUSY if another process writes now; or CONFIG_ERROR. */
static int take_turn(const struct cr_lockfile *lock, int dir, int *ret_fd, struct cr_err *why)
{
    for (int tries = 0; tries < TURN_TRIES; tries++) {
        cr_autoclose int fd = -1;

        if (open_turn_file(lock, dir, &fd, why) < 0)
            return CAPRUN_E_INVAL;
        if (cr_file_lock(fd) < 0)
            return errno == EAGAIN || errno == EACCES ? CAPRUN_E_BUSY : cannot_write(lock, why);
        if (is_the_file(dir, fd)) {
            *ret_fd = cr_steal_fd(&fd);
            return 0;
        }
    }
    return CAPRUN_E_BUSY;
}

int cr_lockfile_try_write(const char *dir, const struct cr_lockfile_news *news, struct cr_err *why)
{
    cr_autoclose int fd = -1, turn = -1;
    struct cr_lockfile lock;
    int r = cr_lockfile_begin(&lock, dir, why);

    if (r == 0) {
        fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        r = fd < 0 ? cannot_write(&lock, why) : take_turn(&lock, fd, &turn, why);
    }
    if (r == 0)
        r = write_in(&lock, dir, fd, news, why);
    if (turn >= 0)
        (void)unlinkat(fd, TURN_NAME, 0); /* while it is locked */
    cr_lockfile_clear(&lock);
    return r;
}

int cr_lockfile_refuse_busy(const char *dir, struct cr_err *why)
{
    struct cr_lockfile lock;
    int r = cr_lockfile_begin(&lock, dir, why);

    if (r == 0)
        r = cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                       "lslocks shows which; wait for them, or end them",
                       "cannot write '%s': other processes have held the lock on it for %d s",
                       lock.path, CR_LOCKFILE_WAIT_MS / 1000);
    cr_lockfile_clear(&lock);
    return r;
}

int cr_lockfile_write(const char *dir, const struct cr_lockfile_news *news, struct cr_err *why)
{
    const struct timespec pause = {.tv_nsec = CR_LOCKFILE_PAUSE_MS * 1000000L};
    int r = cr_lockfile_try_write(dir, news, why);

    for (int waited = 0; r == CAPRUN_E_BUSY && waited < CR_LOCKFILE_WAIT_MS;
         waited += CR_LOCKFILE_PAUSE_MS) {
        (void)nanosleep(&pause, NULL);
        r = cr_lockfile_try_write(dir, news, why);
    }
    return r == CAPRUN_E_BUSY ? cr_lockfile_refuse_busy(dir, why) : r;
}

int cr_lockfile_pin(const char *dir, const char *name, const struct cr_pin *now, bool accept,
                    struct cr_err *why)
{
    struct cr_lockfile_news news = {.name = name, .pin = now, .accept = accept};

    return cr_lockfile_write(dir, &news, why);
}

int cr_lockfile_try_pin(const char *dir, const char *name, const struct cr_pin *now, bool accept,
                        struct cr_err *why)
{
    struct cr_lockfile_news news = {.name = name, .pin = now, .accept = accept};

    return cr_lockfile_try_write(dir, &news, why);
}
