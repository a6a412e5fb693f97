/* process.h - facts about the test's own process, and the paths of the built programs. */
#ifndef PROCESS_H
#define PROCESS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns how many entries |path| has, without . and .. */
static inline int count_entries(const char *path)
{
    DIR *dir = opendir(path);
    int count = -2;

    while (dir && readdir(dir))
        count++;
    if (dir)
        (void)closedir(dir);
    return count;
}

/* Returns how many descriptors are open, without the one used for counting. */
static inline int count_descriptors(void)
{
    return count_entries("/proc/self/fd") - 1;
}

/* Returns the path of a program in the build folder, valid until the next call. */
static inline const char *built_program(const char *name)
{
    static char path[4096];
    const char *build = getenv("CAPRUN_BUILD");

    (void)snprintf(path, sizeof(path), "%s/%s", build ? build : "build", name);
    return path;
}

/* Returns the peak memory of this process. getrusage() would include the time before exec. */
static inline long peak_kib(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    char line[256];
    long kib = 0;

    while (status && fgets(line, sizeof(line), status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (status)
        (void)fclose(status);
    return kib;
}

#endif
