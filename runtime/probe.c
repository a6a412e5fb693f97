/* probe.c - the attacks of `caprun doctor`; each is harmless if it succeeds. */
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "arena.h"
#include "link.h"
#include "probe_map.h"
#include "wire.h"

/* --- before the filter -------------------------------------------------------------------- */

static int reach(int type, const struct sockaddr *to, socklen_t len,
                 int (*how)(int, const struct sockaddr *, socklen_t))
{
    int fd = socket(to->sa_family, type, 0);
    int error = fd >= 0 && how(fd, to, len) == 0 ? 0 : errno;

    if (fd >= 0)
        (void)close(fd);
    return error;
}

/* Connecting a datagram socket sends nothing, but fails without a route. */
static int reach_network(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return reach(SOCK_DGRAM, (struct sockaddr *)&to, sizeof(to), connect);
}

static int bind_tcp(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};

    return reach(SOCK_STREAM, (struct sockaddr *)&any, sizeof(any), bind);
}

static int reach_abstract_socket(pid_t host)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int len = snprintf(to.sun_path + 1, sizeof(to.sun_path) - 1, PROBE_SOCKET_NAME, (int)host);

    return reach(SOCK_STREAM, (struct sockaddr *)&to,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len), connect);
}

/* In another PID namespace the host's pid may be the pid of any process, even of this one. */
static int see_host(pid_t host)
{
    if (getppid() == 0)
        return ESRCH;
    return kill(host, 0) == 0 ? 0 : errno;
}

static int list_root(void)
{
    int fd = open("/", O_RDONLY | O_DIRECTORY);
    int error = fd >= 0 ? 0 : errno;

    if (fd >= 0)
        (void)close(fd);
    return error;
}

static int make_code(void)
{
    void *at =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int error = at != MAP_FAILED ? 0 : errno;

    if (at != MAP_FAILED)
        (void)munmap(at, 4096);
    return error;
}

static int attack_layer(enum probe_layer layer, pid_t host)
{
    uid_t other = geteuid() + 1;

    switch (layer) {
    case PROBE_SEE_FILES:
        return access("/dev/null", F_OK) == 0 ? 0 : errno;
    case PROBE_LIST_ROOT:
        return list_root();
    case PROBE_REACH_NETWORK:
        return reach_network();
    case PROBE_BIND_TCP:
        return bind_tcp();
    case PROBE_ABSTRACT_SOCKET:
        return reach_abstract_socket(host);
    case PROBE_SEE_HOST:
        return see_host(host);
    case PROBE_CHANGE_UID:
        return setresuid(other, other, other) == 0 ? 0 : errno;
    case PROBE_USE_CAPABILITY:
        return chroot("/") == 0 ? 0 : errno;
    case PROBE_NEW_CODE:
        return make_code();
    case PROBE_LAYERS:
        break;
    }
    return 0;
}

void crw_probe_layers(pid_t host)
{
    for (int i = 0; i < PROBE_LAYERS; i++) {
        struct wire_control packet = {.kind = WIRE_CONTROL_PROBED, .slot = (uint32_t)i};

        packet.error = attack_layer((enum probe_layer)i, host);
        if (wire_send_packet(WIRE_FD, &packet, -1, 0) < 0)
            crw_link_leave(WIRE_EXIT_SOCKET);
    }
}

/* --- behind the filter -------------------------------------------------------------------- */

#if defined(__x86_64__)
static long call_32(void)
{
    long result;

    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20 /* getpid */) : "memory");
    return result;
}
#endif

static long attack_filter(uint32_t number)
{
    static char *const nothing[] = {NULL};
    static char page[4096];

    switch (number) {
    case PROBE_OPEN:
        return syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY, 0);
    case PROBE_SOCKET:
        return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
    case PROBE_EXECVE:
        return syscall(SYS_execve, "/bin/true", nothing, nothing);
    case PROBE_FORK:
        return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    case PROBE_PTRACE:
        return syscall(SYS_ptrace, 0 /* PTRACE_TRACEME */, 0, NULL, NULL);
    case PROBE_KILL:
        return syscall(SYS_kill, 1, 0);
    case PROBE_MMAP:
        return syscall(SYS_mmap, NULL, sizeof(page), PROT_READ | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    case PROBE_MPROTECT:
        return syscall(SYS_mprotect, page, sizeof(page), PROT_READ | PROT_EXEC);
    case PROBE_READ:
        return syscall(SYS_read, 0, page, 1);
    case PROBE_WRITE:
        return syscall(SYS_write, 2, page, 1);
    case PROBE_MEMORY:
        return syscall(SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0);
    case PROBE_PIDFD:
        return syscall(SYS_pidfd_getfd, 0, 0, 0);
    case PROBE_UNSHARE:
        return syscall(SYS_unshare, 0);
    case PROBE_MOUNT:
        return syscall(SYS_mount, NULL, "/", NULL, 0, NULL);
    case PROBE_PRCTL:
        return syscall(SYS_prctl, PR_GET_DUMPABLE);
    case PROBE_SECCOMP:
        return syscall(SYS_seccomp, 0xffff, 0, NULL);
    case PROBE_IO_URING:
        return syscall(SYS_io_uring_setup, 1, page);
    case PROBE_BPF:
        return syscall(SYS_bpf, 0, page, 0);
    case PROBE_CLOSE:
        return syscall(SYS_close, 0);
    case PROBE_GETRANDOM:
        return syscall(SYS_getrandom, page, 1, 0);
#if defined(__x86_64__)
    case PROBE_CALL_32:
        return call_32();
    case PROBE_CALL_X32:
        return syscall(SYS_getpid | 0x40000000);
#endif
    default:
        return 0;
    }
}

_Noreturn void crw_probe_filter(void)
{
    struct wire_header header;
    long result;
    char text[32];
    struct wire_part part = {text, 0};

    crw_arena_free(NULL, crw_link_read(&header));
    result = attack_filter(header.id);
    part.len = (size_t)snprintf(text, sizeof(text), "%ld", result);
    crw_link_put(WIRE_DONE, 0, &part, 1);
    crw_link_wait_for_close();
}
