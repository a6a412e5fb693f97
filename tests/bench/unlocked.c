/*
 * unlocked.c - replaces the worker's lock-down, its zygote and its host, so that valgrind can count
 * the instructions of a run: one process from the engine's start to the last frame. Only tests and
 * `make bench` link it.
 *
 * Standard input is the code. Environment variables name files: BENCH_ARGS, the args, and
 * BENCH_ANSWER, the result of an MCP tools/call that answers every call. The result, or the message
 * of an error, is written to standard output; all other frames are ignored.
 *
 * The worker's descriptor is not a socket: read() copies the host's frames from memory, and write()
 * looks for calls. So nothing depends on the scheduler, and an answer may have any length.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "link.h"
#include "lockdown.h"
#include "zygote.h"

ssize_t __real_read(int fd, void *to, size_t len);
ssize_t __real_write(int fd, const void *bytes, size_t len);
ssize_t __wrap_read(int fd, void *to, size_t len);
ssize_t __wrap_write(int fd, const void *bytes, size_t len);

static struct {
    bool is_there;
    struct wire_header header; /* of the frame that the worker is reading */
    struct wire_job job;
    struct wire_part parts[6]; /* all of that frame */
    size_t count;
    struct wire_part args, answer;
    uint32_t calls, answered;
    struct wire_header heard; /* of the frame that the worker is writing */
    size_t heard_len;         /* bytes of that header so far */
    size_t left;              /* bytes of its payload that are still missing */
    bool has_result;
} host;

static void need(int ok)
{
    if (!ok)
        crw_link_leave(WIRE_EXIT_LOCKDOWN);
}

/* --- lock-down and zygote -------------------------------------------------------------------- */

/* main() checks that the control socket is open. */
__attribute__((constructor)) static void open_control_socket(void)
{
    int ends[2];

    need(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 && dup2(ends[0], WIRE_FD) == WIRE_FD);
}

void crw_lockdown_zygote(void (*warm)(void), uint32_t uid_base, uint8_t layers[WIRE_LAYERS])
{
    (void)uid_base;
    (void)layers;
    warm();
}

void crw_lockdown_zygote_filter(uint8_t layers[WIRE_LAYERS])
{
    (void)layers;
}

_Noreturn void crw_lockdown_refuse(enum wire_step step, int error)
{
    (void)step;
    (void)error;
    crw_link_leave(WIRE_EXIT_LOCKDOWN);
}

/* --- what the host says ---------------------------------------------------------------------- */

static struct wire_part map_file(const char *path)
{
    struct wire_part file = {NULL, 0};
    int fd = open(path, O_RDONLY);
    struct stat st;

    need(fd >= 0 && fstat(fd, &st) == 0);
    file.len = (size_t)st.st_size;
    file.bytes = mmap(NULL, file.len, PROT_READ, MAP_PRIVATE, fd, 0);
    need(file.bytes != MAP_FAILED);
    (void)close(fd);
    return file;
}

/* Returns the file that |variable| names, or |otherwise|. */
static struct wire_part map_named(const char *variable, const char *otherwise)
{
    const char *path = getenv(variable);

    return path ? map_file(path) : (struct wire_part){otherwise, strlen(otherwise)};
}

/* Prepares a frame for the worker to read; |parts| is its payload. */
static void say(enum wire_type type, uint32_t id, const struct wire_part *parts, size_t count)
{
    host.header = (struct wire_header){.type = (uint16_t)type, .id = id, .left_ms = LIMIT_MAX_MS};
    host.parts[0] = (struct wire_part){&host.header, sizeof(host.header)};
    for (size_t i = 0; i < count; i++) {
        host.parts[i + 1] = parts[i];
        host.header.length += (uint32_t)parts[i].len;
    }
    host.count = count + 1;
}

static void say_job(const char *code, size_t len)
{
    static const char name[] = "cap:bench";

    host.job = (struct wire_job){.name_len = sizeof(name) - 1,
                                 .code_len = (uint32_t)len,
                                 .args_len = (uint32_t)host.args.len,
                                 .limits = {LIMIT_DEFAULT_RESULT_BYTES, LIMIT_DEFAULT_LOG_BYTES,
                                            LIMIT_DEFAULT_CALLS, LIMIT_DEFAULT_CALLS_AT_ONCE}};
    say(WIRE_JOB, 0,
        (struct wire_part[]){
            {&host.job, sizeof(host.job)}, {name, sizeof(name) - 1}, {code, len}, host.args},
        4);
}

/* Returns the next part to be read, or NULL if nothing is left and nothing will come. */
static struct wire_part *next_part(void)
{
    static const struct wire_reply reply = {.kind = WIRE_REPLY_TOOL};

    for (;;) {
        for (size_t i = 0; i < host.count; i++)
            if (host.parts[i].len)
                return &host.parts[i];
        if (host.answered == host.calls)
            return NULL;
        say(WIRE_REPLY, ++host.answered, (struct wire_part[]){{&reply, sizeof(reply)}, host.answer},
            2);
    }
}

/* If nothing is left to read, the worker has ended, or waits for a frame that will never come. */
ssize_t __wrap_read(int fd, void *to, size_t len)
{
    uint8_t *at = to;
    struct wire_part *part;

    if (fd != WIRE_FD || !host.is_there)
        return __real_read(fd, to, len);
    while (len && (part = next_part())) {
        size_t n = part->len < len ? part->len : len;

        memcpy(at, part->bytes, n);
        part->bytes = (const uint8_t *)part->bytes + n;
        part->len -= n;
        at += n;
        len -= n;
    }
    need(at > (uint8_t *)to || host.has_result);
    return at - (uint8_t *)to;
}

/* --- what the host hears --------------------------------------------------------------------- */

/* Takes bytes from the front of a frame. Returns how many. */
static size_t hear(const uint8_t *bytes, size_t len)
{
    size_t missing = sizeof(host.heard) - host.heard_len;
    size_t n = missing ? missing : host.left;

    n = n < len ? n : len;
    if (missing) {
        memcpy((uint8_t *)&host.heard + host.heard_len, bytes, n);
        host.heard_len += n;
        host.left = host.heard.length;
    } else {
        if (host.heard.type == WIRE_DONE || host.heard.type == WIRE_THREW)
            need(__real_write(STDOUT_FILENO, bytes, n) == (ssize_t)n);
        host.left -= n;
    }
    if (host.heard_len == sizeof(host.heard) && !host.left) {
        host.calls += host.heard.type == WIRE_CALL;
        host.has_result = host.heard.type == WIRE_DONE;
        host.heard_len = 0;
    }
    return n;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t len)
{
    size_t done = 0;

    if (fd != WIRE_FD || !host.is_there)
        return __real_write(fd, bytes, len);
    while (done < len)
        done += hear((const uint8_t *)bytes + done, len - done);
    return (ssize_t)len;
}

/* This process itself is the worker: no fork. */
void crw_zygote_serve(pid_t own)
{
    static char code[64 * LIMIT_KIB];
    ssize_t len = __real_read(STDIN_FILENO, code, sizeof(code));

    (void)own;
    need(len > 0 && crw_arena_enter_run(LIMIT_DEFAULT_MEMORY_BYTES, 1) == 0);
    host.args = map_named("BENCH_ARGS", "{}");
    host.answer = map_named("BENCH_ANSWER", "{\"content\":[]}");
    host.is_there = true;
    say_job(code, (size_t)len);
}
