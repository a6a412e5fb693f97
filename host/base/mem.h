/*
 * mem.h - local variables that clean up after themselves.
 *
 * A local marked cr_autoclose (a descriptor) or cr_autofree (memory) is initialised where it is
 * declared, and closed or freed when it goes out of scope. cr_steal_fd() takes a descriptor out of
 * such a local. buf.h has cr_autobuf.
 */
#ifndef CR_MEM_H
#define CR_MEM_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

/* |at| is the address of a pointer of any type. */
static inline void cr_mem_free_(void *at)
{
    void *memory;

    memcpy(&memory, at, sizeof(memory));
    free(memory);
}

#define cr_autoclose __attribute__((cleanup(cr_mem_close_)))
#define cr_autofree __attribute__((cleanup(cr_mem_free_)))

#endif
