/*
 * fake_frames.h - sends and reads the frames of the fake worker, and defines the plan of its
 * behaviour. Part of fake_worker.h.
 */
#ifndef FAKE_FRAMES_H
#define FAKE_FRAMES_H

#include <errno.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "wire.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define FAKE_EARLY (1ull << 30)
#define FAKE_SIGNAL_FD 4
#define FAKE_MISSING_LAYER WIRE_LAYER_MDWE /* the fake zygote reports this layer as ENOSYS */

enum fake_early {
    FAKE_HONEST,
    /* the worker */
    FAKE_EXITS,
    FAKE_CLOSES,
    FAKE_LOGS_FIRST,
    FAKE_READY_WITH_PAYLOAD,
    FAKE_READY_IN_PIECES,
    FAKE_NO_FILTER,
    FAKE_NEW_PRIVILEGES,
    FAKE_DESCRIPTOR_MORE,
    FAKE_NEVER_READY,
    FAKE_LEAVES_AT_ONCE, /* after READY; the job may be on its way or not */
    FAKE_LEAVES_UNREAD,  /* when the job has arrived */
    FAKE_LEAVES_HALF,    /* after reading the job's header */
    /* the zygote */
    FAKE_FORK_FAILS,
    FAKE_REFUSES,
    FAKE_OTHER_VERSION,
    FAKE_SHORT_PACKET,
    FAKE_UNKNOWN_KIND,
    FAKE_ZYGOTE_DIES,
    FAKE_WRONG_SLOT,
    FAKE_EXITED_BEFORE_FORKED,
    FAKE_FORKED_TWICE,
};

enum fake_birth {
    FAKE_IS_BORN,
    FAKE_HANGS_UNBORN,   /* the program keeps running, and sends nothing */
    FAKE_DIES_UNBORN,    /* the program exits, and sends nothing */
    FAKE_HANGS_AT_BIRTH, /* the zygote never sends HELLO */
    FAKE_DIES_AT_BIRTH,
    FAKE_REFUSES_AT_BIRTH,
    FAKE_HAS_ALL_LAYERS,
    FAKE_LACKS_THE_CLOCK,
    FAKE_SAYS_NO_HELLO, /* but forks */
};

/*
 * The behaviour of the next zygotes and workers, whatever their memory limit, and a record of what
 * they did. It is in a memfd of the test, which a fake opens through /proc.
 */
struct fake_plan {
    enum fake_birth birth;
    int births; /* how many zygotes behave like |birth| */
    enum fake_early early;
    int forks;      /* how many workers behave like |early| */
    pid_t pids[64]; /* the pids of the last workers */
    unsigned forked;
};

#define FAKE_PLAN_FD 200

/* --- frames ------------------------------------------------------------------------------- */

static void fake_put(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    while (len) {
        ssize_t n = write(WIRE_FD, at, len);

        if (n <= 0)
            _exit(WIRE_EXIT_SOCKET);
        at += n;
        len -= (size_t)n;
    }
}

static void fake_read(void *to, size_t len)
{
    uint8_t *at = to;

    while (len) {
        ssize_t n = read(WIRE_FD, at, len);

        if (n <= 0)
            _exit(WIRE_EXIT_SOCKET);
        at += n;
        len -= (size_t)n;
    }
}

/* Sends only the header; |length| may be wrong. */
static void fake_header(uint32_t length, unsigned type, uint32_t id)
{
    struct wire_header header = {.length = length, .type = (uint16_t)type, .id = id};

    fake_put(&header, sizeof(header));
}

static void fake_frame(enum wire_type type, uint32_t id, const void *payload, size_t len)
{
    fake_header((uint32_t)len, type, id);
    fake_put(payload, len);
}

static void fake_text(enum wire_type type, const char *text)
{
    fake_frame(type, 0, text, strlen(text));
}

static void fake_idle(uint32_t id, int64_t wake_us)
{
    struct wire_idle idle = {wake_us};

    fake_frame(WIRE_IDLE, id, &idle, sizeof(idle));
}

/* Waits until the host has read everything that was written. */
static void fake_drain(void)
{
    int waiting = 1;

    while (ioctl(WIRE_FD, SIOCOUTQ, &waiting) == 0 && waiting > 0)
        (void)sched_yield();
}

static void fake_put_in_pieces(const void *bytes, size_t len, size_t piece)
{
    for (size_t at = 0; at < len; at += piece) {
        fake_put((const uint8_t *)bytes + at, piece < len - at ? piece : len - at);
        fake_drain();
    }
}

/* Reads the next frame of the host. Returns its payload with a NUL after it; do not free it. */
static char *fake_next(struct wire_header *ret)
{
    char *payload;

    fake_read(ret, sizeof(*ret));
    if (wire_check(ret, WIRE_HOST) < 0)
        _exit(WIRE_EXIT_FRAME);
    payload = malloc((size_t)ret->length + 1);
    if (!payload)
        _exit(WIRE_EXIT_SOCKET);
    fake_read(payload, ret->length);
    payload[ret->length] = '\0';
    return payload;
}

_Noreturn static void fake_wait_for_the_end(void)
{
    for (;;)
        (void)pause();
}

static void fake_sleep_ms(uint32_t ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    (void)nanosleep(&t, NULL);
}

#endif
