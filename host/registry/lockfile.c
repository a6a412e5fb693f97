/*
 * lockfile.c - caprun.lock: read strictly, compared, written in turns.
 *
 * What is read is checked in full before anything is asked of it, so that the rest takes its shape
 * for granted. What is written is checked in the same way before it replaces anything.
 */
#include "registry/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/scan.h"

#define VERSION 1
#define MIB_MAX 16
#define WAIT_MS 10000 /* for other writers */
#define PAUSE_MS 10
#define HASH_START "sha256-"

static const char mend[] =
    "restore it from version control, or delete it to pin anew what runs next";

void cr_lockfile_show(const uint8_t *digest, char ret[CR_LOCKFILE_HASH + 1])
{
    (void)snprintf(ret, CR_LOCKFILE_HASH + 1, HASH_START);
    cr_hash_show(digest, ret + strlen(HASH_START));
}

void cr_lockfile_hash(const void *bytes, size_t len, char ret[CR_LOCKFILE_HASH + 1])
{
    uint8_t digest[CR_HASH_BYTES];

    cr_hash_take(bytes, len, digest);
    cr_lockfile_show(digest, ret);
}

/* --- what is wrong -------------------------------------------------------------------------- */

static int refuse_at(const struct cr_lockfile *lock, size_t line, size_t column, const char *words,
                     struct cr_problem *why)
{
    return cr_problem_set(why, CAPRUN_OUTCOME_CONFIG_ERROR, mend, "%s:%zu:%zu: %s", lock->path,
                          line, column, words);
}

/* The words may quote the file, and stay on one line: of two, the second could be a lie. */
static int __attribute__((format(printf, 4, 5)))
refuse(const struct cr_lockfile *lock, size_t at, struct cr_problem *why, const char *fmt, ...)
{
    struct cr_buf shown;
    size_t line, column;
    const char *text;
    char words[512];
    va_list ap;
    int r;

    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    cr_buf_init(&shown, 8 * sizeof(words));
    cr_escape_terminal(&shown, words, strlen(words));
    text = cr_buf_text(&shown);
    cr_json_place(&lock->doc, at, &line, &column);
    r = text ? refuse_at(lock, line, column, text, why) : cr_problem_memory(why);
    cr_buf_clear(&shown);
    return r;
}

static int refuse_json(const struct cr_lockfile *lock, const struct cr_err *err,
                       struct cr_problem *why)
{
    size_t line, column;
    const char *words = cr_scan_place(err, &line, &column);

    return err->code == CAPRUN_E_NOMEM ? cr_problem_memory(why)
                                       : refuse_at(lock, line, column, words, why);
}

static int cannot_read(const struct cr_lockfile *lock, int code, struct cr_problem *why)
{
    enum caprun_outcome outcome = CAPRUN_OUTCOME_CONFIG_ERROR;

    if (code == CAPRUN_E_NOMEM)
        return cr_problem_memory(why);
    if (code == CAPRUN_E_TOOBIG)
        return cr_problem_set(why, outcome, mend, "'%s' is over %d MiB", lock->path, MIB_MAX);
    if (code == CAPRUN_E_INVAL)
        return cr_problem_set(why, outcome, mend, "'%s' is not a regular file", lock->path);
    return cr_problem_set(why, outcome, NULL, "cannot read '%s': %s", lock->path, strerror(errno));
}

static int cannot_write(const struct cr_lockfile *lock, struct cr_problem *why)
{
    bool forbidden = errno == EACCES || errno == EPERM || errno == EROFS;

    return cr_problem_set(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                          forbidden ? "run in a directory of your own, or give --config FILE whose "
                                      "directory can be written"
                                    : NULL,
                          "cannot write '%s': %s", lock->path, strerror(errno));
}

/* --- reading -------------------------------------------------------------------------------- */

/* All of |names|, of which the first |needed| must be there, and no others. */
static int check_keys(const struct cr_lockfile *lock, const struct cr_json *object,
                      const char *what, const char *const names[3], int needed,
                      struct cr_problem *why)
{
    if (object->type != CR_JSON_OBJECT)
        return refuse(lock, object->at, why, "%s is %s, not an object", what,
                      cr_json_type_name(object->type));
    for (const struct cr_json *value = object->first; value; value = value->next)
        if (strcmp(value->key, names[0]) != 0 && strcmp(value->key, names[1]) != 0 &&
            strcmp(value->key, names[2]) != 0)
            return refuse(lock, value->key_at, why, "unknown key '%.64s'", value->key);
    for (int i = 0; i < needed; i++)
        if (!cr_json_get(object, names[i]))
            return refuse(lock, object->at, why, "%s has no '%s'", what, names[i]);
    return 0;
}

static bool is_hash(const char *text)
{
    size_t start = strlen(HASH_START);

    return strlen(text) == CR_LOCKFILE_HASH && strncmp(text, HASH_START, start) == 0 &&
           strspn(text + start, "0123456789abcdef") == CR_LOCKFILE_HASH - start;
}

static int check_hash(const struct cr_lockfile *lock, const struct cr_json *value,
                      struct cr_problem *why)
{
    if (value->type == CR_JSON_STRING && is_hash(value->text))
        return 0;
    return refuse(lock, value->at, why,
                  "'%s' is not \"" HASH_START "\" and 64 lower-case hexadecimal digits",
                  value->key);
}

static int check_fqdn(const struct cr_lockfile *lock, const struct cr_json *value,
                      struct cr_problem *why)
{
    struct cr_fqdn fqdn;
    struct cr_err err = {0};

    if (value->type != CR_JSON_STRING)
        return refuse(lock, value->at, why, "'fqdn' is %s, not a string",
                      cr_json_type_name(value->type));
    if (cr_fqdn_parse(value->text, &fqdn, &err) < 0)
        return refuse(lock, value->at, why, "'%.64s' is not the name of a capability: %s",
                      value->text, err.text);
    if (strcmp(fqdn.name, value->parent->key) != 0)
        return refuse(lock, value->at, why, "'%s' is not a version of '%s'", fqdn.full,
                      value->parent->key);
    return 0;
}

static int check_pin(const struct cr_lockfile *lock, const struct cr_json *pin,
                     struct cr_problem *why)
{
    static const char *const names[3] = {"fqdn", "code", "metadata"};
    struct cr_fqdn key;
    struct cr_err err = {0};
    int r;

    if (cr_fqdn_parse(pin->key, &key, &err) < 0)
        return refuse(lock, pin->key_at, why, "'%.64s' is not the name of a capability: %s",
                      pin->key, err.text);
    if (key.hash[0])
        return refuse(lock, pin->key_at, why, "'%s' has a hash, which belongs into 'fqdn'",
                      key.full);
    r = check_keys(lock, pin, "a pin", names, 3, why);
    if (r == 0)
        r = check_fqdn(lock, cr_json_get(pin, "fqdn"), why);
    if (r == 0)
        r = check_hash(lock, cr_json_get(pin, "code"), why);
    return r < 0 ? r : check_hash(lock, cr_json_get(pin, "metadata"), why);
}

/* Before all else: of a newer file nothing more is known. */
static int check_version(const struct cr_lockfile *lock, struct cr_problem *why)
{
    const struct cr_json *value = cr_json_get(lock->doc.root, "version");
    uint64_t version = 0;
    int r;

    if (!value)
        return 0;
    r = cr_json_number(value, VERSION, &version);
    if (r == CAPRUN_E_TOOBIG) {
        (void)refuse(lock, value->at, why, "this lockfile was written by a newer caprun");
        return cr_problem_hint(why, "use a newer caprun here, too");
    }
    if (r < 0 || version != VERSION)
        return refuse(lock, value->at, why, "'version' is not %d", VERSION);
    return 0;
}

static int check_text(struct cr_lockfile *lock, struct cr_problem *why)
{
    static const char *const names[3] = {"version", "capabilities", "servers"};
    const struct cr_json *pins, *servers;
    struct cr_err err = {0};
    int r;

    if (lock->text.len == 0)
        return refuse_at(lock, 1, 1, "the lockfile is empty", why);
    if (cr_json_parse(lock->text.data, lock->text.len, &lock->doc, &err) < 0)
        return refuse_json(lock, &err, why);
    r = check_version(lock, why);
    if (r == 0)
        r = check_keys(lock, lock->doc.root, "the lockfile", names, 2, why);
    if (r < 0)
        return r;
    servers = cr_json_get(lock->doc.root, "servers");
    if (servers && servers->type != CR_JSON_OBJECT)
        return refuse(lock, servers->at, why, "'servers' is %s, not an object",
                      cr_json_type_name(servers->type));
    pins = cr_json_get(lock->doc.root, "capabilities");
    if (pins->type != CR_JSON_OBJECT)
        return refuse(lock, pins->at, why, "'capabilities' is %s, not an object",
                      cr_json_type_name(pins->type));
    for (const struct cr_json *pin = pins->first; pin && r == 0; pin = pin->next)
        r = check_pin(lock, pin, why);
    return r;
}

int cr_lockfile_parse(struct cr_lockfile *lock, struct cr_problem *why)
{
    int r = check_text(lock, why);

    if (r < 0)
        cr_json_clear(&lock->doc);
    return r;
}

/* Names the lockfile of |dir| and makes it an empty one. */
static int begin(struct cr_lockfile *lock, const char *dir, struct cr_problem *why)
{
    size_t len = strlen(dir), size = len + sizeof("/" CR_LOCKFILE_NAME);

    *lock = (struct cr_lockfile){.path = malloc(size)};
    cr_buf_init(&lock->text, (size_t)MIB_MAX << 20);
    if (!lock->path)
        return cr_problem_memory(why);
    (void)snprintf(lock->path, size, "%s%s" CR_LOCKFILE_NAME, dir,
                   len && dir[len - 1] == '/' ? "" : "/");
    return 0;
}

/* Reads the file in |dir|, an open directory, if there is one. */
static int load(struct cr_lockfile *lock, int dir, struct cr_problem *why)
{
    struct cr_err err = {0};
    struct stat st;
    int r;

    if (fstatat(dir, CR_LOCKFILE_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
        return cr_problem_set(why, CAPRUN_OUTCOME_CONFIG_ERROR, "put the file itself there",
                              "'%s' is a symbolic link, which the next pin would replace",
                              lock->path);
    r = cr_file_read(dir, CR_LOCKFILE_NAME, &lock->text, &st, &err);
    if (r == 1)
        return 0;
    if (r < 0)
        return cannot_read(lock, r, why);
    if (cr_file_check_owner(&st, "", &err) < 0)
        return cr_problem_set(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "'%s'%s", lock->path,
                              err.text);
    return cr_lockfile_parse(lock, why);
}

int cr_lockfile_read(const char *dir, struct cr_lockfile *ret, struct cr_problem *why)
{
    cr_autoclose int fd = -1;
    struct cr_lockfile lock;
    int r = begin(&lock, dir, why);

    if (r == 0) {
        fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
            r = load(&lock, fd, why);
        else if (errno != ENOENT)
            r = cannot_read(&lock, CAPRUN_E_SYS, why);
    }
    if (r < 0)
        cr_lockfile_clear(&lock);
    else
        *ret = lock;
    return r;
}

void cr_lockfile_clear(struct cr_lockfile *lock)
{
    cr_json_clear(&lock->doc);
    cr_buf_clear(&lock->text);
    free(lock->path);
    lock->path = NULL;
}

/* --- pins ----------------------------------------------------------------------------------- */

static const struct cr_json *pins_of(const struct cr_lockfile *lock)
{
    return cr_json_get(lock->doc.root, "capabilities");
}

static struct cr_pin pin_of(const struct cr_json *value)
{
    struct cr_pin pin = {0};

    (void)snprintf(pin.fqdn, sizeof(pin.fqdn), "%s", cr_json_get(value, "fqdn")->text);
    (void)snprintf(pin.code, sizeof(pin.code), "%s", cr_json_get(value, "code")->text);
    (void)snprintf(pin.metadata, sizeof(pin.metadata), "%s", cr_json_get(value, "metadata")->text);
    return pin;
}

bool cr_lockfile_find(const struct cr_lockfile *lock, const char *name, struct cr_pin *ret)
{
    const struct cr_json *value = cr_json_get(pins_of(lock), name);

    if (value)
        *ret = pin_of(value);
    return value != NULL;
}

void cr_lockfile_each(const struct cr_lockfile *lock,
                      void (*each)(void *data, const char *name, const struct cr_pin *pin),
                      void *data)
{
    const struct cr_json *pins = pins_of(lock);
    struct cr_pin pin;

    for (const struct cr_json *value = pins ? pins->first : NULL; value; value = value->next) {
        pin = pin_of(value);
        each(data, value->key, &pin);
    }
}

enum { VERSION_DIFFERS = 1, CODE_DIFFERS = 2, METADATA_DIFFERS = 4 };

static unsigned compare(const struct cr_pin *a, const struct cr_pin *b)
{
    return (strcmp(a->fqdn, b->fqdn) != 0 ? VERSION_DIFFERS : 0u) |
           (strcmp(a->code, b->code) != 0 ? CODE_DIFFERS : 0u) |
           (strcmp(a->metadata, b->metadata) != 0 ? METADATA_DIFFERS : 0u);
}

#define ROWS 1024

/* The full name, and the hashes that differ, each in a row of its own. */
static const char *show_pin(char ret[ROWS], const struct cr_pin *pin, unsigned differs)
{
    bool code = differs & CODE_DIFFERS, metadata = differs & METADATA_DIFFERS;

    (void)snprintf(ret, ROWS, "%s%s%s%s%s", pin->fqdn, code ? "\n          code      " : "",
                   code ? pin->code : "", metadata ? "\n          metadata  " : "",
                   metadata ? pin->metadata : "");
    return ret;
}

int cr_lockfile_check(const struct cr_lockfile *lock, const char *name, const struct cr_pin *now,
                      struct cr_problem *why)
{
    static const char *const changes[] = {
        "",
        "the version",
        "the code",
        "the version and the code",
        "the metadata",
        "the version and the metadata",
        "the code and the metadata",
        "the version, the code and the metadata",
    };
    char before[ROWS], after[ROWS];
    struct cr_pin pinned;
    unsigned differs;

    if (!cr_lockfile_find(lock, name, &pinned))
        return 1;
    differs = compare(&pinned, now);
    if (!differs)
        return 0;
    (void)cr_problem_set(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH, NULL,
                         "%s is not what " CR_LOCKFILE_NAME " pins: %s changed\n"
                         "  pinned: %s\n"
                         "  now:    %s",
                         name, changes[differs], show_pin(before, &pinned, differs),
                         show_pin(after, now, differs));
    return cr_problem_hint(why, "if you expected that: caprun lock --accept %s", name);
}

/* --- writing -------------------------------------------------------------------------------- */

struct entry {
    const char *name;
    struct cr_pin pin;
};

static int compare_names(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* All pins of |lock| but that of |name|, which is |now|, in order. Returns NULL without memory. */
static struct entry *gather(const struct cr_lockfile *lock, const char *name,
                            const struct cr_pin *now, size_t *ret_count)
{
    const struct cr_json *pins = pins_of(lock);
    struct entry *entries = calloc((pins ? pins->count : 0) + 1, sizeof(*entries));
    size_t n = 0;

    if (!entries)
        return NULL;
    entries[n++] = (struct entry){name, *now};
    for (const struct cr_json *value = pins ? pins->first : NULL; value; value = value->next) {
        if (strcmp(value->key, name) == 0)
            continue;
        entries[n++] = (struct entry){value->key, pin_of(value)};
    }
    qsort(entries, n, sizeof(*entries), compare_names);
    *ret_count = n;
    return entries;
}

/* The file as it shall be. Names and hashes have nothing in them that JSON escapes. */
static void compose(struct cr_buf *out, const struct cr_lockfile *lock, const char *name,
                    const struct cr_pin *now)
{
    const struct cr_json *servers = cr_json_get(lock->doc.root, "servers");
    size_t count = 0;
    struct entry *entries = gather(lock, name, now, &count);

    if (!entries) {
        out->err = CAPRUN_E_NOMEM;
        return;
    }
    cr_buf_fmt(out, "{\n  \"version\": %d,\n  \"capabilities\": {\n", VERSION);
    for (size_t i = 0; i < count; i++)
        cr_buf_fmt(out,
                   "    \"%s\": {\n"
                   "      \"fqdn\": \"%s\",\n"
                   "      \"code\": \"%s\",\n"
                   "      \"metadata\": \"%s\"\n"
                   "    }%s\n",
                   entries[i].name, entries[i].pin.fqdn, entries[i].pin.code,
                   entries[i].pin.metadata, i + 1 < count ? "," : "");
    cr_buf_str(out, "  },\n  \"servers\": ");
    if (servers)
        cr_buf_add(out, lock->doc.bytes + servers->at, servers->len);
    else
        cr_buf_str(out, "{}");
    cr_buf_str(out, "\n}\n");
    free(entries);
}

/* Fills |made|, and makes sure that it can be read again. */
static int make(struct cr_lockfile *made, const struct cr_lockfile *lock, const char *name,
                const struct cr_pin *now, struct cr_problem *why)
{
    int r;

    compose(&made->text, lock, name, now);
    r = cr_buf_err(&made->text);
    if (r == 0)
        r = cr_lockfile_parse(made, why);
    if (r == CAPRUN_E_NOMEM)
        return cr_problem_memory(why);
    if (r < 0)
        return cr_problem_set(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                              "delete it to pin anew what runs next",
                              "'%s' is full: there is no room to pin '%s'", lock->path, name);
    return 0;
}

/* Puts |made| into |dir|, whose lock is held, so that it is there after a crash. */
static int store(const struct cr_lockfile *made, int dir, struct cr_problem *why)
{
    cr_file_sweep(dir, CR_LOCKFILE_NAME);
    if (cr_file_replace(dir, CR_LOCKFILE_NAME, made->text.data, made->text.len, 0644, NULL) < 0)
        return cannot_write(made, why);
    /* EINVAL: there are file systems whose directories need none */
    if (fsync(dir) < 0 && errno != EINVAL)
        return cannot_write(made, why);
    return 0;
}

static int pin_in(struct cr_lockfile *lock, const char *dir_name, int dir, const char *name,
                  const struct cr_pin *now, bool accept, struct cr_problem *why)
{
    struct cr_lockfile made;
    struct cr_pin pinned;
    int r = load(lock, dir, why);

    if (r < 0)
        return r;
    if (cr_lockfile_find(lock, name, &pinned) && (!accept || compare(&pinned, now) == 0))
        return cr_lockfile_check(lock, name, now, why);
    r = begin(&made, dir_name, why);
    if (r == 0)
        r = make(&made, lock, name, now, why);
    if (r == 0)
        r = store(&made, dir, why);
    cr_lockfile_clear(&made);
    return r;
}

/* Waits until nobody else writes in |dir|. The lock ends with the descriptor. */
static int take_turn(const struct cr_lockfile *lock, int dir, struct cr_problem *why)
{
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};

    for (int waited = 0; flock(dir, LOCK_EX | LOCK_NB) < 0; waited += PAUSE_MS) {
        if (errno != EWOULDBLOCK)
            return cr_problem_set(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL,
                                  "cannot lock the directory of '%s': %s", lock->path,
                                  strerror(errno));
        if (waited >= WAIT_MS)
            return cr_problem_set(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                                  "lslocks shows which; wait for them, or end them",
                                  "cannot write '%s': other processes have held the lock on its "
                                  "directory for %d s",
                                  lock->path, WAIT_MS / 1000);
        (void)nanosleep(&pause, NULL);
    }
    return 0;
}

int cr_lockfile_pin(const char *dir, const char *name, const struct cr_pin *now, bool accept,
                    struct cr_problem *why)
{
    cr_autoclose int fd = -1;
    struct cr_lockfile lock;
    int r = begin(&lock, dir, why);

    if (r == 0) {
        fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        r = fd < 0 ? cannot_write(&lock, why) : take_turn(&lock, fd, why);
    }
    if (r == 0)
        r = pin_in(&lock, dir, fd, name, now, accept, why);
    cr_lockfile_clear(&lock);
    return r;
}
