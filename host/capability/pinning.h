/*
 * pinning.h - caprun.lock, read and written by the helper for disks.
 *
 * Where another process writes at the same time, a timer tries again.
 */
#ifndef CR_PINNING_H
#define CR_PINNING_H

#include "base/loop.h"
#include "registry/lockfile.h"

/* Who hears of the end, in a step of the loop; the pinning is gone then. */
struct cr_pinning_listener {
    /*
     * |pinned| is the pin that was read; NULL: there is no pin of that name, or one was written.
     * |why| is NULL; or there is a problem, as of cr_lockfile_read() and cr_lockfile_pin().
     */
    void (*done)(void *data, const struct cr_pin *pinned, const struct cr_err *why);
    void *data;
};

/*
 * Looks up |name| in the lockfile of |dir|; or pins |now| for |name| in it, unless it is pinned by
 * now. The lockfile is in memory only while the helper works: it may be large. All is copied.
 * Returns what cr_pinning_cancel() takes until done() is called; NULL: no memory.
 */
struct cr_pinning *cr_pinning_read(struct cr_loop *loop, const char *dir, const char *name,
                                   const struct cr_pinning_listener *listener);
struct cr_pinning *cr_pinning_write(struct cr_loop *loop, const char *dir, const char *name,
                                    const struct cr_pin *now,
                                    const struct cr_pinning_listener *listener);

/* done() is not called any more. What is being written is written. Takes NULL. */
void cr_pinning_cancel(struct cr_pinning *pinning);

#endif
