/* process.h - what a test asks of its own process, and where the built programs are. */
#ifndef PROCESS_H
#define PROCESS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many entries |path| has, without . and .. */
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

/* Those that are open, without the one that looks. */
static inline int count_descriptors(void)
{
    return count_entries("/proc/self/fd") - 1;
}

/* The path of a program in the build folder, until the next call. */
static inline const char *built_program(const char *name)
{
    static char path[4096];
    const char *build = getenv("CAPRUN_BUILD");

    (void)snprintf(path, sizeof(path), "%s/%s", build ? build : "build", name);
    return path;
}

/* The most memory that this process had. Not getrusage(): that counts what it was before exec. */
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
