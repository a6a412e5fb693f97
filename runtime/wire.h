/*
 * wire.h - the protocol between host, zygote and worker. docs/protocol.md describes each frame; a
 * test checks that the page and this file agree.
 *
 * Host and worker share one stream socket and speak in frames: a fixed header, then |length| bytes
 * of payload. Host and zygote share one socket of packets, each a struct wire_control. Numbers are
 * in the machine's own byte order, because all three run on the same machine.
 *
 * Both sides check every length with wire_check() before they allocate. The numbers of types,
 * layers, steps and exit statuses are never reused.
 */
#ifndef CAPRUN_WIRE_H
#define CAPRUN_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "run_limits.h"

#define WIRE_VERSION 5u

/* The worker's only descriptor; in the zygote, the control socket. */
#define WIRE_FD 3

struct wire_header {
    uint32_t length;  /* bytes of payload that follow */
    uint16_t type;    /* enum wire_type */
    uint16_t zero;    /* always 0 */
    uint32_t id;      /* its meaning depends on the type */
    uint32_t left_ms; /* from the host: wall time that the run has left; from the worker: 0 */
    int64_t date_us;  /* from the host: the time that Date shows, in microseconds since 1970 */
    int64_t now_us;   /* from the host: the time that performance.now shows */
};

enum wire_side { WIRE_HOST, WIRE_WORKER };

/* XX(name, number, sender, least payload, largest payload) */
#define WIRE_TYPE_MAP(XX)                                                         \
    XX(JOB, 1, WIRE_HOST, sizeof(struct wire_job), WIRE_JOB_MAX)                  \
    XX(REPLY, 2, WIRE_HOST, sizeof(struct wire_reply) + 1, WIRE_REPLY_MAX)        \
    XX(FAIL, 3, WIRE_HOST, sizeof(struct wire_fail), WIRE_FAIL_MAX)               \
    XX(WAKE, 4, WIRE_HOST, 0, 0)                                                  \
    XX(READY, 16, WIRE_WORKER, 0, 0)                                              \
    XX(CALL, 17, WIRE_WORKER, sizeof(struct wire_call), WIRE_CALL_MAX)            \
    XX(LOG, 18, WIRE_WORKER, 0, LIMIT_MAX_LOG_BYTES)                              \
    XX(BLOCKED, 19, WIRE_WORKER, sizeof(struct wire_blocked), WIRE_BLOCKED_MAX)   \
    XX(IDLE, 20, WIRE_WORKER, sizeof(struct wire_idle), sizeof(struct wire_idle)) \
    XX(DONE, 21, WIRE_WORKER, 1, LIMIT_MAX_RESULT_BYTES)                          \
    XX(THREW, 22, WIRE_WORKER, sizeof(struct wire_threw), WIRE_THREW_MAX)         \
    XX(LATE, 23, WIRE_WORKER, 0, LIMIT_ERROR_STACK_BYTES)                         \
    XX(FULL, 24, WIRE_WORKER, 0, 0)

#define WIRE_SEED_MATH 8u
#define WIRE_SEED_CRYPTO 32u

/*
 * The limits of a run, each from 1 to the maximum in run_limits.h. The host enforces them; the
 * worker also obeys them, and reports which limit it reached.
 */
struct wire_limits {
    uint32_t result_bytes;
    uint32_t log_bytes;
    uint32_t calls;
    uint32_t calls_at_once;
};

/* How the engine words its errors. Journals have the number: replays need the recorded words. */
enum wire_wording {
    WIRE_WORDING_ENGINE = 0, /* the engine's own words: "not a function" */
    WIRE_WORDING_V8 = 1,     /* those of V8: "o.foo is not a function" */
};

/* Journals have the number, like that of the wording. */
enum wire_language {
    WIRE_LANGUAGE_JAVASCRIPT = 0,
    WIRE_LANGUAGE_AUTO = 1, /* JavaScript; TypeScript if it does not parse as JavaScript */
    WIRE_LANGUAGE_TYPESCRIPT = 2,
};

/*
 * The code to run. Then come the bytes of name, schema, code, args and env, without separators.
 */
struct wire_job {
    uint8_t seed[WIRE_SEED_MATH + WIRE_SEED_CRYPTO]; /* of Math.random, then of crypto */
    uint32_t name_len;   /* what stack traces call the code: "cap:" and a short hash, or a file */
    uint32_t schema_len; /* JSON Schema that the args must fit; 0: no schema */
    uint32_t code_len;
    uint32_t args_len;
    uint32_t env_len;  /* the value of args.env, a JSON object; 0: no args.env */
    uint32_t wording;  /* enum wire_wording */
    uint32_t language; /* enum wire_language */
    struct wire_limits limits;
};

/*
 * In |header.id| of DONE, above the KiB of memory: why a run that returned undefined may be a
 * mistake. The host tells a person; the result stays the same.
 */
#define WIRE_DONE_KIB 0x3fffffffu
#define WIRE_DONE_DROPPED                                                                      \
    (1u << 30)                     /* the last statement is an expression, and is not returned \
                                    */
#define WIRE_DONE_TIMER (1u << 31) /* a timer was still set */

enum wire_reply_kind {
    WIRE_REPLY_VALUE = 1, /* the value that the call returns, unchanged */
    WIRE_REPLY_TOOL = 2,  /* the result of an MCP tools/call: the worker extracts the value */
};

/* Call |header.id| was answered. Then come the bytes of the JSON. */
struct wire_reply {
    uint32_t kind; /* enum wire_reply_kind */
    uint32_t zero;
};

/* Call |header.id| failed. Then come the bytes of the code's name and of the message. */
struct wire_fail {
    uint32_t code_len;
    uint32_t message_len;
};

/*
 * Call number |header.id|, counted from 1. Then come the bytes of both names and of the args. At
 * most limits.calls_at_once calls wait for an answer; the worker queues further calls. The call
 * with number limits.calls + 1 may overtake queued calls: it ends the run.
 */
struct wire_call {
    uint32_t namespace_len;
    uint32_t action_len;
};

/*
 * The code tried to use a denied API; |header.id| counts these attempts from 1. Then come the bytes
 * of the four texts.
 */
struct wire_blocked {
    uint32_t api_len;     /* "Deno.readFile" */
    uint32_t access_len;  /* "read" */
    uint32_t target_len;  /* "/etc/passwd"; may be empty */
    uint32_t message_len; /* the message that the code got */
    uint32_t use_len;     /* so many bytes at the end of the message say what to use instead */
};

/*
 * Nothing is left to run. |header.id| is the number of frames that the worker has read: it tells
 * the host whether the worker has read all of its frames.
 */
struct wire_idle {
    int64_t wake_us; /* send WAKE when now_us has reached this; negative: no timer is set */
};

/* Why there is no result. */
enum wire_why {
    WIRE_WHY_THREW = 1,    /* the code threw */
    WIRE_WHY_SYNTAX = 2,   /* the code does not parse */
    WIRE_WHY_NOT_JSON = 3, /* the code returned a value that is not JSON */
    WIRE_WHY_TOO_LONG = 4, /* the result is over limits.result_bytes */
    WIRE_WHY_ARGS = 5,     /* the args do not fit the schema; the message says where, in lines */
    WIRE_WHY_SCHEMA = 6,   /* the schema is invalid; the message says where, in lines */
};

/*
 * The end of the run without a result. Then come the bytes of the error's name, message and stack.
 * As in DONE, |header.id| is the peak memory of the run in KiB.
 */
struct wire_threw {
    uint32_t why;  /* enum wire_why */
    uint32_t call; /* the call whose error the code did not catch, or 0 */
    /* the attempt whose error was not caught; LIMIT_BLOCKED + 1 if it is not listed; or 0 */
    uint32_t blocked;
    uint32_t name_len;
    uint32_t message_len;
    uint32_t stack_len;
};

#define WIRE_NAME_MAX 64u
#define WIRE_JOB_MAX                                                                   \
    (sizeof(struct wire_job) + WIRE_NAME_MAX + LIMIT_SCHEMA_BYTES + LIMIT_CODE_BYTES + \
     LIMIT_ARGS_BYTES + LIMIT_ENV_BYTES)
#define WIRE_REPLY_MAX (sizeof(struct wire_reply) + LIMIT_ANSWER_BYTES)
#define WIRE_FAIL_MAX (sizeof(struct wire_fail) + WIRE_NAME_MAX + LIMIT_ERROR_MESSAGE_BYTES)
#define WIRE_CALL_MAX \
    (sizeof(struct wire_call) + LIMIT_NAMESPACE_CHARS + LIMIT_ACTION_CHARS + LIMIT_ARGS_BYTES)
#define WIRE_BLOCKED_MAX                                                                \
    (sizeof(struct wire_blocked) + LIMIT_DENIED_API_BYTES + LIMIT_DENIED_ACCESS_BYTES + \
     LIMIT_DENIED_TARGET_BYTES + LIMIT_DENIED_MESSAGE_BYTES)
#define WIRE_THREW_MAX                                                                \
    (sizeof(struct wire_threw) + LIMIT_ERROR_NAME_BYTES + LIMIT_ERROR_MESSAGE_BYTES + \
     LIMIT_ERROR_STACK_BYTES)

enum wire_type {
#define XX(name, number, side, least, most) WIRE_##name = (number),
    WIRE_TYPE_MAP(XX)
#undef XX
};

/* Returns 0 if |side| may send a frame with this header, -1 if not: type, length, zero fields. */
int wire_check(const struct wire_header *header, enum wire_side side);

/* One part of a payload that is assembled from several buffers. */
struct wire_part {
    const void *bytes;
    size_t len;
};

/* Returns 1 if |text| is a valid name of a namespace, or of an action. Both sides check this. */
int wire_is_namespace(const char *text, size_t len);
int wire_is_action(const char *text, size_t len);

/* Returns the type's name, or "?" for an unknown number. */
const char *wire_type_name(unsigned type);

/*
 * A zygote that root starts uses one of WIRE_UIDS uids; the last argument of the program is the
 * first of them. Uids below 65536 belong to people, services and system users. The last two uids
 * are excluded: one is not valid, and some systems give the other to a system user.
 */
#define WIRE_UIDS 65536u
#define WIRE_UID_LEAST 65536u
#define WIRE_UID_MOST (UINT32_MAX - 1u - WIRE_UIDS)

/* Optional layers of the sandbox: the zygote reports each as 0, or the errno if it is missing. */
#define WIRE_LAYER_MAP(XX)                                          \
    XX(USER_NS, 0, "user namespace")                                \
    XX(JOINED_NS, 1, "network, IPC, UTS and cgroup namespaces")     \
    XX(PID_NS, 2, "PID namespace")                                  \
    XX(EMPTY_ROOT, 3, "mount namespace with an empty root")         \
    XX(NO_CAPS, 4, "no capabilities, empty bounding set")           \
    XX(NOT_DUMPABLE, 5, "not dumpable")                             \
    XX(MDWE, 6, "no new executable memory (PR_SET_MDWE)")           \
    XX(LANDLOCK_FS, 7, "Landlock: files")                           \
    XX(LANDLOCK_NET, 8, "Landlock: TCP")                            \
    XX(LANDLOCK_SCOPE, 9, "Landlock: signals and abstract sockets") \
    XX(VDSO_CLOCK, 10, "clock without a system call (stacks of timeouts)")

enum wire_layer {
#define XX(name, number, text) WIRE_LAYER_##name = (number),
    WIRE_LAYER_MAP(XX)
#undef XX
        WIRE_LAYERS,
};

/* Required steps: if one fails, nothing runs. */
#define WIRE_STEP_MAP(XX)                                                               \
    XX(DESCRIPTORS, 1, "cannot close every other descriptor")                           \
    XX(SIGNALS, 2, "cannot reset signals, session or directory")                        \
    XX(RANDOMISATION, 3, "address randomisation is off, or page 0 is mapped (setarch)") \
    XX(IDENTITY, 4, "cannot give up uid and capabilities")                              \
    XX(FORK, 5, "cannot fork the zygote")                                               \
    XX(NO_NEW_PRIVS, 6, "cannot set no_new_privs")                                      \
    XX(RLIMITS, 7, "cannot set resource limits")                                        \
    XX(ENGINE, 8, "cannot start the engine")                                            \
    XX(SECCOMP, 9, "cannot load the system call filter")

enum wire_step {
#define XX(name, number, text) WIRE_STEP_##name = (number),
    WIRE_STEP_MAP(XX)
#undef XX
};

/* The exit status of a worker that the kernel did not kill. */
#define WIRE_EXIT_MAP(XX)                                                                        \
    XX(OK, 0, "left after its last frame")                                                       \
    XX(SOCKET, 10, "could not read or write its socket")                                         \
    XX(FRAME, 11, "was sent an invalid frame")                                                   \
    XX(LOCKDOWN, 13, "could not lock itself down")                                               \
    XX(ORPHAN, 14, "lost its parent")                                                            \
    XX(NO_SPACE, 15, "could not map its memory: is there a limit on address space (ulimit -v)?") \
    XX(RLIMITS, 16, "could not set its limits: is one set lower already (ulimit -Hs)?")

enum wire_exit {
#define XX(name, number, text) WIRE_EXIT_##name = (number),
    WIRE_EXIT_MAP(XX)
#undef XX
};

enum wire_control_kind {
    WIRE_CONTROL_FORK = 1,   /* host: fork a worker for |slot|; its socket comes with the packet */
    WIRE_CONTROL_HELLO = 2,  /* zygote: locked and warm; |layers| */
    WIRE_CONTROL_REFUSE = 3, /* zygote: |step| failed with |error|, nothing will run */
    WIRE_CONTROL_FORKED = 4, /* zygote: worker |slot| exists; a pidfd comes with the packet */
    WIRE_CONTROL_EXITED = 5, /* zygote: worker |slot| ended with |status|, not by SIGKILL */
    WIRE_CONTROL_BORN = 6,   /* program, zygote: the zygote's pidfd; from the program |pid| too */
    WIRE_CONTROL_PROBED = 7, /* probe: attack |slot| ended with |error|; see probe_map.h */
};

struct wire_control {
    uint32_t version; /* WIRE_VERSION */
    uint32_t kind;    /* enum wire_control_kind */
    uint32_t slot;    /* the host's name for the worker; in FORKED, |error| tells if it failed */
    uint32_t cpu_s;   /* FORK: RLIMIT_CPU, a backstop */
    uint64_t memory;  /* FORK: bytes for the run's own arena */
    int32_t status;   /* EXITED */
    int32_t error;    /* REFUSE, FORKED, PROBED: errno or 0 */
    uint32_t step;    /* REFUSE: enum wire_step */
    int32_t pid;      /* BORN */
    uint8_t layers[WIRE_LAYERS];
};

/*
 * Sends |packet|, its version filled in, and with it the descriptor |passed|, if that is not -1.
 * |flags| are those of sendmsg(). Returns 0, or -1 with errno.
 */
int wire_send_packet(int socket, struct wire_control *packet, int passed, int flags);

/*
 * Receives a packet and the descriptor that came with it, or -1. If this process has no free slot
 * for the descriptor, the packet's |error| is EMFILE. |flags| are those of recvmsg(). Returns 1; 0
 * if the other side has closed; -1 with errno, which is EPROTO for anything but a packet of this
 * version.
 */
int wire_receive_packet(int socket, struct wire_control *ret, int *ret_passed, int flags);

#endif
