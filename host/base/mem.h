/*
 * mem.h - memory and descriptors that clean up after themselves.
 *
 * A local marked cr_autofree or cr_autoclose is initialised where it is declared and released when
 * it goes out of scope; cr_steal() and cr_steal_fd() make a transfer visible.
 */
#ifndef CR_MEM_H
#define CR_MEM_H

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cr_mem_free_(void *slot)
{
    free(*(void **)slot);
}

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

#define cr_autofree __attribute__((cleanup(cr_mem_free_)))
#define cr_autoclose __attribute__((cleanup(cr_mem_close_)))
#define cr_steal(slot)                       \
    __extension__({                          \
        __typeof__(*(slot)) cr_s_ = *(slot); \
        *(slot) = NULL;                      \
        cr_s_;                               \
    })

#endif
