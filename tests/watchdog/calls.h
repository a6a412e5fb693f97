/* calls.h - the functions that replace the calls in the list `calls`. */
#ifndef WATCHDOG_CALLS_H
#define WATCHDOG_CALLS_H

#include <netdb.h>
#include <poll.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

int watched_fdatasync(int fd);
int watched_fsync(int fd);
int watched_flock(int fd, int operation);
int watched_nanosleep(const struct timespec *time, struct timespec *rest);
int watched_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int watched_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
pid_t watched_waitpid(pid_t pid, int *status, int options);
int watched_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                        struct addrinfo **ret);
struct tm *watched_gmtime_r(const time_t *time, struct tm *ret);
struct tm *watched_localtime_r(const time_t *time, struct tm *ret);
time_t watched_mktime(struct tm *date);
time_t watched_timegm(struct tm *date);
ssize_t watched_read(int fd, void *to, size_t size);

#endif
