/*
 * shared.c - lets a locked worker be measured: its counters of executed lines are a file's pages.
 *
 * A worker can write no file, nor call anything that would. So before anything is locked,
 * counters.ld having put all counters on pages of their own, a file is mapped over them; the zygote
 * and its workers inherit that, and counting stays what it was, an increment in memory. They leave
 * without a word to gcov. The program started by hand, which returns from main(), writes what the
 * file has in gcov's form. Only VARIANT=cover links this, and without the file nothing is shared.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

extern char counters_start[], counters_end[]; /* counters.ld */

__attribute__((constructor)) static void share_counters(void)
{
    size_t size = (uintptr_t)counters_end - (uintptr_t)counters_start;
    int fd = open(COUNTERS_FILE, O_RDWR);

    if (fd < 0)
        return;
    if (ftruncate(fd, (off_t)size) < 0 || mmap(counters_start, size, PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
        _exit(1);
    (void)close(fd);
}
