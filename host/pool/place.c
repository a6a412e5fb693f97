/*
 * place.c - finds the worker program, beside the file that this code was loaded from.
 *
 * The dynamic linker may know only a relative path of that file, as from dlopen("./libcaprun.so").
 * So the path is made absolute at load time, before the application can change its directory.
 */
#include "pool/place.h"

#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char own_file[PATH_MAX]; /* "": unknown */

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

/* Returns the path of the program's file, also where /proc is not mounted. */
static const char *program(void)
{
    return access("/proc/self/exe", F_OK) == 0 ? "/proc/self/exe"
                                               : (const char *)getauxval(AT_EXECFN);
}

/* In the linker's list, the program itself has an empty name. */
static int take_if_ours(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    (void)data;
    if (!contains(object, (uintptr_t)&cr_place_worker))
        return 0;
    if (!realpath(object->dlpi_name[0] ? object->dlpi_name : program(), own_file))
        own_file[0] = '\0';
    return 1;
}

__attribute__((constructor)) static void find_own_file(void)
{
    (void)dl_iterate_phdr(take_if_ours, NULL);
}

void cr_place_worker(char *ret_path, size_t size)
{
    const char *slash = strrchr(own_file, '/');
    const char *folder = slash ? own_file : "/usr/local/bin";
    int len = slash ? (int)(slash - own_file) : (int)strlen(folder);

    if ((size_t)snprintf(ret_path, size, "%.*s/caprun-worker", len, folder) >= size ||
        access(ret_path, X_OK) != 0)
        (void)snprintf(ret_path, size, "%.*s/../libexec/caprun/caprun-worker", len, folder);
}
