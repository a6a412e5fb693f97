/*
 * lockfile_parts.h - what the files of caprun.lock's code share. All other code uses lockfile.h and
 * tool_pins.h.
 *
 *     lockfile.c          reads the file; pins of capabilities
 *     lockfile_view.c     keeps what was read for later jobs
 *     lockfile_parse.c    checks the whole file
 *     lockfile_compose.c  creates the new text
 *     lockfile_write.c    takes turns with other writers, and replaces the file
 *     tool_pins.c         pins of tools
 */
#ifndef CR_LOCKFILE_PARTS_H
#define CR_LOCKFILE_PARTS_H

#include "registry/lockfile.h"
#include "registry/tool_pins.h"

#define CR_LOCKFILE_VERSION 1
#define CR_LOCKFILE_MIB 16
/* The most that the pins of all servers take: there must be room for capabilities. */
#define CR_LOCKFILE_TOOLS_MIB 12
#define CR_LOCKFILE_TOOLS_KEYS 150000
#define CR_LOCKFILE_TOOLS_VALUES 900000 /* of CR_JSON_MAX_VALUES */
#define CR_LOCKFILE_HASH_START "sha256-"
#define CR_LOCKFILE_REPAIR "restore it from version control, or delete it to pin what runs next"

/* What to pin: a capability if |name| is set, else tools of a server. */
struct cr_lockfile_news {
    const char *name;
    const struct cr_pin *pin;
    const char *server;
    const struct cr_tool_now *tools; /* no name twice */
    size_t count;
    bool accept; /* replace existing pins */
};

/*
 * cr_lockfile_begin() initializes |lock| as empty, with the path of the lockfile in |dir|.
 * cr_lockfile_load() then reads the file, if it exists, from the open directory |dir|. The caller
 * clears |lock| with cr_lockfile_clear(), also after an error.
 */
int cr_lockfile_begin(struct cr_lockfile *lock, const char *dir, struct cr_err *why);
int cr_lockfile_load(struct cr_lockfile *lock, int dir, struct cr_err *why);

/*
 * Appends the text of |lock| with |news|, sorted and indented; long definitions are on one line
 * each. Returns how many pins are new or
 * changed; if 0, the text is incomplete and must not be used.
 */
size_t cr_lockfile_compose(struct cr_buf *out, const struct cr_lockfile *lock,
                           const struct cr_lockfile_news *news);

/*
 * Takes the lock for writers, reads the file again, and replaces it by one with |news|; writes
 * nothing if nothing is new. Returns as cr_lockfile_pin() does; or CAPRUN_E_BUSY, without a
 * message, if another process is writing. cr_lockfile_write() waits for other writers.
 */
int cr_lockfile_try_write(const char *dir, const struct cr_lockfile_news *news, struct cr_err *why);
int cr_lockfile_write(const char *dir, const struct cr_lockfile_news *news, struct cr_err *why);

#endif
