/*
 * pinning.h - reads and writes caprun.lock in the helper thread for disks.
 *
 * If another process is writing the lockfile, a timer retries.
 */
#ifndef CR_PINNING_H
#define CR_PINNING_H

#include "base/loop.h"
#include "registry/lockfile.h"

/* The callback at the end, from the loop; the pinning is freed then. */
struct cr_pinning_listener {
    /*
     * |pinned| is the pin that was read; NULL if the name has no pin, and after a write. |why| is
     * NULL, or an error of cr_lockfile_read() or cr_lockfile_pin().
     */
    void (*done)(void *data, const struct cr_pin *pinned, const struct cr_err *why);
    void *data;
};

/*
 * Looks up |name| in the lockfile of |dir|; or pins |now| for |name| in it. If the lockfile has a
 * pin for |name| by then, checks that pin, or replaces it if |accept| is set. All arguments are
 * copied. Returns a handle for cr_pinning_cancel(), valid until done() is called; or NULL if there
 * is no memory.
 */
struct cr_pinning *cr_pinning_read(struct cr_loop *loop, const char *dir, const char *name,
                                   const struct cr_pinning_listener *listener);
struct cr_pinning *cr_pinning_write(struct cr_loop *loop, const char *dir, const char *name,
                                    const struct cr_pin *now, bool accept,
                                    const struct cr_pinning_listener *listener);

/* Prevents the call of done(); a write that has begun is completed. Takes NULL. */
void cr_pinning_cancel(struct cr_pinning *pinning);

#endif
