/* place.c - asks the dynamic linker which file we are in. */
#include "pool/place.h"

#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct wanted {
    uintptr_t address;
    char file[PATH_MAX];
};

static int contains(const struct dl_phdr_info *object, uintptr_t address)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD &&
            address - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return 1;
    }
    return 0;
}

/* The program's own file, also where /proc is not mounted. */
static const char *program(void)
{
    return access("/proc/self/exe", F_OK) == 0 ? "/proc/self/exe"
                                               : (const char *)getauxval(AT_EXECFN);
}

/* The program itself has an empty name there. */
static int take_if_ours(struct dl_phdr_info *object, size_t size, void *data)
{
    struct wanted *w = data;

    (void)size;
    if (!contains(object, w->address))
        return 0;
    if (!realpath(object->dlpi_name[0] ? object->dlpi_name : program(), w->file))
        w->file[0] = '\0';
    return 1;
}

void cr_place_worker(char *ret_path, size_t size)
{
    struct wanted w = {.address = (uintptr_t)&cr_place_worker};
    const char *folder = "/usr/local/bin";
    char *slash;

    if (dl_iterate_phdr(take_if_ours, &w) && (slash = strrchr(w.file, '/'))) {
        *slash = '\0';
        folder = w.file;
    }
    if ((size_t)snprintf(ret_path, size, "%s/caprun-worker", folder) >= size ||
        access(ret_path, X_OK) != 0)
        (void)snprintf(ret_path, size, "%s/../libexec/caprun/caprun-worker", folder);
}
