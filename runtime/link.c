/* link.c - reads and writes frames; the only system calls are read, write and exit_group. */
#include "link.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arena.h"

/* A small run writes to the first page only. */
static struct {
    uint8_t in[3 * LIMIT_KIB];
    size_t in_from, in_to; /* unread bytes are in[in_from..in_to) */
    size_t out_len;
    uint32_t frames_read;
    uint8_t out[32 * LIMIT_KIB];
} __attribute__((aligned(4096))) io;

_Noreturn void crw_link_leave(enum wire_exit status)
{
    for (;;)
        (void)syscall(SYS_exit_group, (int)status);
}

static size_t read_some(void *to, size_t len)
{
    ssize_t n;

    do
        n = read(WIRE_FD, to, len);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        crw_link_leave(WIRE_EXIT_SOCKET);
    if (n == 0)
        crw_link_leave(WIRE_EXIT_OK);
    return (size_t)n;
}

static void read_full(void *to, size_t len)
{
    uint8_t *at = to;

    while (len) {
        size_t n = io.in_to - io.in_from;

        if (n == 0 && len < sizeof(io.in)) {
            io.in_from = 0;
            io.in_to = n = read_some(io.in, sizeof(io.in));
        }
        if (n == 0) {
            n = read_some(at, len);
        } else {
            n = n < len ? n : len;
            memcpy(at, io.in + io.in_from, n);
            io.in_from += n;
        }
        at += n;
        len -= n;
    }
}

uint8_t *crw_link_read(struct wire_header *ret_header)
{
    uint8_t *payload;

    read_full(ret_header, sizeof(*ret_header));
    if (wire_check(ret_header, WIRE_HOST) < 0)
        crw_link_leave(WIRE_EXIT_FRAME);
    payload = crw_arena_malloc(NULL, (size_t)ret_header->length + 1);
    read_full(payload, ret_header->length);
    payload[ret_header->length] = '\0';
    io.frames_read++;
    return payload;
}

static void write_full(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    while (len) {
        ssize_t n = write(WIRE_FD, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            crw_link_leave(WIRE_EXIT_SOCKET);
        at += n;
        len -= (size_t)n;
    }
}

void crw_link_flush(void)
{
    size_t len = io.out_len;

    io.out_len = 0;
    if (len)
        write_full(io.out, len);
}

bool crw_link_waiting(void)
{
    return io.out_len > 0;
}

static void put(const void *bytes, size_t len)
{
    if (len > sizeof(io.out) - io.out_len)
        crw_link_flush();
    if (len > sizeof(io.out)) {
        write_full(bytes, len);
    } else if (len) {
        memcpy(io.out + io.out_len, bytes, len);
        io.out_len += len;
    }
}

void crw_link_put(enum wire_type type, uint32_t id, const struct wire_part *parts, size_t count)
{
    struct wire_header header = {.type = (uint16_t)type, .id = id};
    size_t len = 0;

    for (size_t i = 0; i < count; i++)
        len += parts[i].len;
    header.length = (uint32_t)len;
    put(&header, sizeof(header));
    for (size_t i = 0; i < count; i++)
        put(parts[i].bytes, parts[i].len);
}

_Noreturn void crw_link_wait_for_close(void)
{
    crw_link_flush();
    for (;;)
        (void)read_some(io.in, sizeof(io.in));
}

_Noreturn void crw_link_full(void)
{
    crw_link_put(WIRE_FULL, 0, NULL, 0);
    crw_link_wait_for_close();
}

uint32_t crw_link_frames_read(void)
{
    return io.frames_read;
}
