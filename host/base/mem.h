/*
 * mem.h - descriptors that clean up after themselves.
 *
 * A local marked cr_autoclose is initialised where it is declared and closed when it goes out of
 * scope; cr_steal_fd() makes a transfer visible.
 */
#ifndef CR_MEM_H
#define CR_MEM_H

#include <errno.h>
#include <unistd.h>

static inline void cr_mem_close_(int *fd)
{
    if (*fd >= 0) {
        int saved = errno;

        (void)close(*fd);
        errno = saved;
    }
}

static inline int cr_steal_fd(int *fd)
{
    int stolen = *fd;

    *fd = -1;
    return stolen;
}

#define cr_autoclose __attribute__((cleanup(cr_mem_close_)))

#endif
