/*
 * spawn.h - starts caprun-fetch with two descriptors and a small environment.
 */
#ifndef CR_HTTP_SPAWN_H
#define CR_HTTP_SPAWN_H

#include <sys/types.h>

/*
 * Starts the program |path|. It gets |socket| as FETCH_SOCKET, |alive| as FETCH_ALIVE, and those
 * variables of the environment that libcurl reads. Returns 0 with its process in |ret_pid|; or an
 * error of errno.
 */
int cr_http_spawn(const char *path, int socket, int alive, pid_t *ret_pid);

#endif
