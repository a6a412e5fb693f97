/*
 * shared.c - measures the coverage of a locked worker: puts gcov's line counters into a shared
 * file.
 *
 * A locked worker cannot write files. So before the lock-down a file is mapped over the counters,
 * which counters.ld has put on separate pages. The zygote and its workers inherit the mapping; to
 * count a line is still an increment in memory. They exit without calling gcov. When the program is
 * then started by hand, it returns from main(), and gcov writes the counts of the file in its own
 * format. Only VARIANT=cover links this file; if the counters file is missing, nothing is shared.
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
