/*
 * unlocked.c - stands in for the worker's lock-down and its zygote, so that valgrind can count the
 * instructions of a run: one process from the engine's start to the last frame, the code on
 * standard input, the frames that it sends thrown away. Only `make bench` links it.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arena.h"
#include "link.h"
#include "lockdown.h"
#include "zygote.h"

static int host_end;

static void need(int ok)
{
    if (!ok)
        crw_link_leave(WIRE_EXIT_LOCKDOWN);
}

static void open_socket(int type)
{
    int ends[2];

    need(socketpair(AF_UNIX, type, 0, ends) == 0 && dup2(ends[0], WIRE_FD) == WIRE_FD);
    host_end = ends[1];
}

/* main() expects to find the control socket. */
__attribute__((constructor)) static void open_control_socket(void)
{
    open_socket(SOCK_SEQPACKET);
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

static void send_job(const char *code, size_t len)
{
    static const char name[] = "cap:bench", args[] = "{}";
    struct wire_job job = {.name_len = sizeof(name) - 1,
                           .code_len = (uint32_t)len,
                           .args_len = 2,
                           .limits = {LIMIT_DEFAULT_RESULT_BYTES, LIMIT_DEFAULT_LOG_BYTES,
                                      LIMIT_DEFAULT_CALLS, LIMIT_DEFAULT_CALLS_AT_ONCE}};
    struct wire_header header = {.type = WIRE_JOB, .left_ms = LIMIT_DEFAULT_WALL_MS};
    struct wire_part parts[] = {
        {&header, sizeof(header)},
        {&job, sizeof(job)},
        {name, job.name_len},
        {code, len},
        {args, 2},
    };

    for (size_t i = 1; i < 5; i++)
        header.length += (uint32_t)parts[i].len;
    for (size_t i = 0; i < 5; i++)
        need(write(host_end, parts[i].bytes, parts[i].len) == (ssize_t)parts[i].len);
}

/* This process is the worker itself; it leaves when it has read all there is. */
void crw_zygote_serve(pid_t own)
{
    static char code[64 * LIMIT_KIB];
    ssize_t len = read(STDIN_FILENO, code, sizeof(code));

    (void)own;
    need(len > 0 && crw_arena_enter_run(LIMIT_DEFAULT_MEMORY_BYTES, 1) == 0);
    open_socket(SOCK_STREAM);
    send_job(code, (size_t)len);
    need(shutdown(host_end, SHUT_WR) == 0);
}
