/*
 * probe_map.h - the attacks of `caprun doctor`, with the numbers that worker and host share.
 */
#ifndef CAPRUN_PROBE_MAP_H
#define CAPRUN_PROBE_MAP_H

/*
 * XX(name, number, words): system calls after the lock-down, each in a new worker. The filter must
 * kill that worker.
 */
#define PROBE_CALL_MAP(XX)                       \
    XX(OPEN, 0, "open")                          \
    XX(SOCKET, 1, "socket")                      \
    XX(EXECVE, 2, "execve")                      \
    XX(FORK, 3, "fork")                          \
    XX(PTRACE, 4, "ptrace")                      \
    XX(KILL, 5, "kill")                          \
    XX(MMAP, 6, "mmap with PROT_EXEC")           \
    XX(MPROTECT, 7, "mprotect with PROT_EXEC")   \
    XX(READ, 8, "read of another descriptor")    \
    XX(WRITE, 9, "write to another descriptor")  \
    XX(MEMORY, 10, "reading another's memory")   \
    XX(PIDFD, 11, "taking another's descriptor") \
    XX(UNSHARE, 12, "unshare")                   \
    XX(MOUNT, 13, "mount")                       \
    XX(PRCTL, 14, "prctl")                       \
    XX(SECCOMP, 15, "seccomp")                   \
    XX(IO_URING, 16, "io_uring")                 \
    XX(BPF, 17, "bpf")                           \
    XX(CLOSE, 18, "close")                       \
    XX(GETRANDOM, 19, "getrandom")               \
    PROBE_OTHER_DOORS(XX)

/* Other ways to make system calls, which only some machines have. */
#if defined(__x86_64__)
#define PROBE_OTHER_DOORS(XX)   \
    XX(CALL_32, 20, "int 0x80") \
    XX(CALL_X32, 21, "an x32 call")
#else
#define PROBE_OTHER_DOORS(XX)
#endif

enum probe_call {
#define XX(name, number, words) PROBE_##name = (number),
    PROBE_CALL_MAP(XX)
#undef XX
        PROBE_CALLS,
};

/*
 * XX(name, number, words): attacks before the filter is loaded, each on one of the other layers.
 * The result is 0 if the attack succeeded, or the errno that stopped it.
 */
#define PROBE_LAYER_MAP(XX)                                            \
    XX(SEE_FILES, 0, "finding /dev/null")                              \
    XX(LIST_ROOT, 1, "reading the root directory")                     \
    XX(REACH_NETWORK, 2, "a route to 127.0.0.1")                       \
    XX(BIND_TCP, 3, "binding a TCP port")                              \
    XX(ABSTRACT_SOCKET, 4, "connecting to the host's abstract socket") \
    XX(SEE_HOST, 5, "signalling the host")                             \
    XX(CHANGE_UID, 6, "becoming another user")                         \
    XX(USE_CAPABILITY, 7, "chroot")                                    \
    XX(NEW_CODE, 8, "memory to write and execute")

enum probe_layer {
#define XX(name, number, words) PROBE_##name = (number),
    PROBE_LAYER_MAP(XX)
#undef XX
        PROBE_LAYERS,
};

/* The name of the host's abstract socket; %d is the host's pid. */
#define PROBE_SOCKET_NAME "caprun-doctor-%d"

/* The worker's argument that makes it a probe. */
#define PROBE_ARGUMENT "probe"

#endif
