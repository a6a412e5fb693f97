/*
 * lockfile_parts.h - how the files that make up caprun.lock's code share it. Others have lockfile.h
 * and tool_pins.h.
 *
 *     lockfile.c          reads the file, and knows the pins of capabilities
 *     lockfile_parse.c    is it one?
 *     lockfile_compose.c  its text
 *     lockfile_write.c    takes turns, and replaces it
 *     tool_pins.c         the pins of tools
 */
#ifndef CR_LOCKFILE_PARTS_H
#define CR_LOCKFILE_PARTS_H

#include "registry/lockfile.h"
#include "registry/tool_pins.h"

#define CR_LOCKFILE_VERSION 1
#define CR_LOCKFILE_MIB 16
#define CR_LOCKFILE_HASH_START "sha256-"
#define CR_LOCKFILE_MEND "restore it from version control, or delete it to pin anew what runs next"

/* What is to be pinned: a capability, if it has a |name|, or tools of a server. */
struct cr_lockfile_news {
    const char *name;
    const struct cr_pin *pin;
    const char *server;
    const struct cr_tool_now *tools; /* no name twice */
    size_t count;
    bool accept; /* replace what is pinned */
};

/*
 * Names the lockfile of |dir| and makes it an empty one; then reads it, if it is there, from |dir|
 * open. The caller ends it with cr_lockfile_clear(), whatever happens.
 */
int cr_lockfile_begin(struct cr_lockfile *lock, const char *dir, struct cr_err *why);
int cr_lockfile_load(struct cr_lockfile *lock, int dir, struct cr_err *why);

/*
 * Appends the text of |lock| with |news|, sorted and indented. Returns how many pins it has that
 * |lock| has not, or has otherwise; if there are none, the text is of no use.
 */
size_t cr_lockfile_compose(struct cr_buf *out, const struct cr_lockfile *lock,
                           const struct cr_lockfile_news *news);

/*
 * Takes a turn, reads the file again, and replaces it by one with |news|; with nothing new nothing
 * is written. Returns as cr_lockfile_pin() does; or CAPRUN_E_BUSY, without words, if another
 * process writes now. cr_lockfile_write() waits for its turn.
 */
int cr_lockfile_try_write(const char *dir, const struct cr_lockfile_news *news, struct cr_err *why);
int cr_lockfile_write(const char *dir, const struct cr_lockfile_news *news, struct cr_err *why);

#endif
