/* lockfile.c - reads caprun.lock, and compares capabilities with their pins. */
#include "registry/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "registry/lockfile_parts.h"

void cr_lockfile_show(const uint8_t *digest, char ret[CR_LOCKFILE_HASH + 1])
{
    (void)snprintf(ret, CR_LOCKFILE_HASH + 1, CR_LOCKFILE_HASH_START);
    cr_hash_show(digest, ret + strlen(CR_LOCKFILE_HASH_START));
}

void cr_lockfile_hash(const void *bytes, size_t len, char ret[CR_LOCKFILE_HASH + 1])
{
    uint8_t digest[CR_HASH_BYTES];

    cr_hash_take(bytes, len, digest);
    cr_lockfile_show(digest, ret);
}

/* --- reading -------------------------------------------------------------------------------- */

static int cannot_read(const struct cr_lockfile *lock, int code, struct cr_err *why)
{
    enum caprun_outcome outcome = CAPRUN_OUTCOME_CONFIG_ERROR;

    if (code == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    if (code == CAPRUN_E_TOOBIG)
        return cr_err_end(why, outcome, CR_LOCKFILE_REPAIR, "'%s' is over %d MiB", lock->path,
                          CR_LOCKFILE_MIB);
    if (code == CAPRUN_E_INVAL)
        return cr_err_end(why, outcome, CR_LOCKFILE_REPAIR, "'%s' is not a regular file",
                          lock->path);
    return cr_err_end(why, outcome, NULL, "cannot read '%s': %s", lock->path, strerror(errno));
}

int cr_lockfile_begin(struct cr_lockfile *lock, const char *dir, struct cr_err *why)
{
    size_t len = strlen(dir), size = len + sizeof("/" CR_LOCKFILE_NAME);

    *lock = (struct cr_lockfile){.path = malloc(size)};
    cr_buf_init(&lock->text, (size_t)CR_LOCKFILE_MIB << 20);
    if (!lock->path)
        return cr_err_memory(why);
    (void)snprintf(lock->path, size, "%s%s" CR_LOCKFILE_NAME, dir,
                   len && dir[len - 1] == '/' ? "" : "/");
    return 0;
}

int cr_lockfile_load(struct cr_lockfile *lock, int dir, struct cr_err *why)
{
    struct cr_err err = {0};
    struct stat *st = &lock->file;
    int r;

    (void)clock_gettime(CLOCK_REALTIME, &lock->read_at);
    if (fstatat(dir, CR_LOCKFILE_NAME, st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st->st_mode))
        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, "put the file itself there",
                          "'%s' is a symbolic link, which the next pin would replace", lock->path);
    r = cr_file_read(dir, CR_LOCKFILE_NAME, &lock->text, st, &err);
    if (r == 1)
        return 0;
    if (r < 0)
        return cannot_read(lock, r, why);
    if (cr_file_check_owner_or_group(dir, CR_LOCKFILE_NAME, st, "", &err) < 0)
        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "'%s'%s", lock->path, err.text);
    return cr_lockfile_parse(lock, why);
}

int cr_lockfile_read(const char *dir, struct cr_lockfile *ret, struct cr_err *why)
{
    cr_autoclose int fd = -1;
    struct cr_lockfile lock;
    int r = cr_lockfile_begin(&lock, dir, why);

    if (r == 0) {
        fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
            r = cr_lockfile_load(&lock, fd, why);
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

static const struct cJSON *pins_of(const struct cr_lockfile *lock)
{
    return cr_json_get(lock->doc.root, "capabilities");
}

static struct cr_pin pin_of(const struct cJSON *value)
{
    struct cr_pin pin = {0};

    (void)snprintf(pin.fqdn, sizeof(pin.fqdn), "%s", cr_json_text(cr_json_get(value, "fqdn")));
    (void)snprintf(pin.code, sizeof(pin.code), "%s", cr_json_text(cr_json_get(value, "code")));
    (void)snprintf(pin.metadata, sizeof(pin.metadata), "%s",
                   cr_json_text(cr_json_get(value, "metadata")));
    return pin;
}

bool cr_lockfile_find(const struct cr_lockfile *lock, const char *name, struct cr_pin *ret)
{
    const struct cJSON *value = cr_json_get(pins_of(lock), name);

    if (value)
        *ret = pin_of(value);
    return value != NULL;
}

void cr_lockfile_each(const struct cr_lockfile *lock,
                      void (*each)(void *data, const char *name, const struct cr_pin *pin),
                      void *data)
{
    const struct cJSON *pins = pins_of(lock);
    struct cr_pin pin;

    for (const struct cJSON *value = cr_json_first(pins); value; value = cr_json_next(value)) {
        pin = pin_of(value);
        each(data, cr_json_key(value), &pin);
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

int cr_pin_check(const struct cr_pin *pinned, const char *name, const struct cr_pin *now,
                 struct cr_err *why)
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
    unsigned differs;

    if (!pinned)
        return 1;
    differs = compare(pinned, now);
    if (!differs)
        return 0;
    (void)cr_err_end(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH, NULL,
                     "%s is not what " CR_LOCKFILE_NAME " pins: %s changed\n"
                     "  pinned: %s\n"
                     "  now:    %s",
                     name, changes[differs], show_pin(before, pinned, differs),
                     show_pin(after, now, differs));
    return cr_err_hint(why, "if you expected that: caprun lock --accept %s", name);
}

#define SHORT_HASH 8 /* digits */

static void add_change(char ret[CR_PIN_CHANGES], const char *what, const char *before,
                       const char *now, int digits)
{
    size_t len = strlen(ret);

    (void)snprintf(ret + len, CR_PIN_CHANGES - len, "%s%s changed (%.*s to %.*s)", len ? ", " : "",
                   what, digits, before, digits, now);
}

/* The fifth part of |fqdn|, or "none". */
static const char *hash_of(const char *fqdn)
{
    int dots = 0;

    for (const char *c = fqdn; *c; c++)
        dots += *c == '.';
    return dots == 4 ? strrchr(fqdn, '.') + 1 : "none";
}

void cr_pin_show_changes(const struct cr_pin *before, const struct cr_pin *now,
                         char ret[CR_PIN_CHANGES])
{
    const size_t start = strlen(CR_LOCKFILE_HASH_START);
    unsigned differs = compare(before, now);

    ret[0] = '\0';
    if (differs & VERSION_DIFFERS)
        add_change(ret, "the version", hash_of(before->fqdn), hash_of(now->fqdn), CR_FQDN_PART);
    if (differs & CODE_DIFFERS)
        add_change(ret, "the code", before->code + start, now->code + start, SHORT_HASH);
    if (differs & METADATA_DIFFERS)
        add_change(ret, "the metadata", before->metadata + start, now->metadata + start,
                   SHORT_HASH);
}

int cr_lockfile_check(const struct cr_lockfile *lock, const char *name, const struct cr_pin *now,
                      struct cr_err *why)
{
    struct cr_pin pinned;
    bool is_pinned = cr_lockfile_find(lock, name, &pinned);

    return cr_pin_check(is_pinned ? &pinned : NULL, name, now, why);
}
