/*
 * fake_peers.h - several fake zygotes and workers at once, without processes (fake_ends.h).
 *
 * They know what an honest peer would do next. The fuzzer decides whether they do it.
 */
#ifndef FAKE_PEERS_H
#define FAKE_PEERS_H

#include <stdio.h>
#include <sys/eventfd.h>

#include "fake_ends.h"

#define ZYGOTES 8
#define WORKERS 32

struct zygote_end {
    int control; /* its control socket, or -1 */
    int ended;   /* replaces its pidfd */
    uint32_t slots;
    bool told;
};

struct worker_end {
    int fd; /* its socket, or -1 */
    struct zygote_end *zygote;
    uint32_t slot;
    bool ready;
    bool obeys; /* an honest worker could have sent everything that it sent */
    int run;    /* the number in its args; -1: no job yet */
    uint32_t frames_read, calls, attempts;
    struct cr_buf heard, to_say;
};

static struct zygote_end zygotes[ZYGOTES];
static struct worker_end workers[WORKERS];

static int spawn_zygote(int control)
{
    for (struct zygote_end *z = zygotes; z < zygotes + ZYGOTES; z++) {
        if (z->control >= 0)
            continue;
        *z = (struct zygote_end){.control = control, .ended = eventfd(0, EFD_CLOEXEC)};
        insist(z->ended >= 0);
        return 0;
    }
    (void)close(control);
    return EAGAIN;
}

static void end_worker(struct worker_end *w)
{
    if (w->fd >= 0)
        (void)close(w->fd);
    w->fd = -1;
    cr_buf_clear(&w->heard);
    cr_buf_clear(&w->to_say);
}

/* Its workers die with it. */
static void end_zygote(struct zygote_end *z)
{
    const uint64_t one = 1;

    if (z->control < 0)
        return;
    insist(write(z->ended, &one, sizeof(one)) == (ssize_t)sizeof(one));
    (void)close(z->ended);
    (void)close(z->control);
    z->control = -1;
    for (struct worker_end *w = workers; w < workers + WORKERS; w++)
        if (w->fd >= 0 && w->zygote == z)
            end_worker(w);
}

static void fork_worker(struct zygote_end *z, uint32_t slot, int fd)
{
    struct worker_end *w = workers;

    while (w < workers + WORKERS && w->fd >= 0)
        w++;
    if (w == workers + WORKERS) {
        (void)close(fd);
        return;
    }
    *w = (struct worker_end){.fd = fd, .zygote = z, .slot = slot, .obeys = true, .run = -1};
    cr_buf_init(&w->heard, 128u << 20);
    cr_buf_init(&w->to_say, 1u << 20);
}

/* Handles the host's requests, and ends the peers whose sockets the host has closed. */
static void look_around(void)
{
    struct wire_control packet;
    int fd, r;

    for (struct worker_end *w = workers; w < workers + WORKERS; w++) {
        struct pollfd p = {.fd = w->fd};

        if (w->fd >= 0 && poll(&p, 1, 0) > 0)
            end_worker(w);
    }
    for (struct zygote_end *z = zygotes; z < zygotes + ZYGOTES; z++) {
        const int flags = MSG_DONTWAIT | MSG_CMSG_CLOEXEC;

        while (z->control >= 0 && (r = wire_receive_packet(z->control, &packet, &fd, flags)) >= 0) {
            insist(r == 0 || (packet.kind == WIRE_CONTROL_FORK && fd >= 0));
            if (r == 0)
                end_zygote(z);
            else
                fork_worker(z, z->slots = packet.slot, fd);
        }
    }
}

static void tell_host(struct zygote_end *z, struct wire_control packet, int passed)
{
    (void)wire_send_packet(z->control, &packet, passed, MSG_DONTWAIT);
}

static void say(struct worker_end *w, const void *bytes, size_t len)
{
    if (send(w->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)len)
        w->obeys = false;
}

/* Lets every zygote and worker send its honest next packet: BORN, HELLO, FORKED or READY. */
static void do_duties(void)
{
    static const struct wire_header ready = {.type = WIRE_READY};

    look_around();
    for (struct zygote_end *z = zygotes; z < zygotes + ZYGOTES; z++) {
        if (z->control < 0 || z->told)
            continue;
        z->told = true;
        tell_host(z, (struct wire_control){.kind = WIRE_CONTROL_BORN}, z->ended);
        tell_host(z, (struct wire_control){.kind = WIRE_CONTROL_HELLO}, -1);
    }
    for (struct worker_end *w = workers; w < workers + WORKERS; w++) {
        if (w->fd < 0 || w->ready)
            continue;
        w->ready = true;
        tell_host(w->zygote, (struct wire_control){.kind = WIRE_CONTROL_FORKED, .slot = w->slot},
                  w->zygote->ended);
        say(w, &ready, sizeof(ready));
    }
}

static void take_frame(void *data, const struct wire_header *header, const uint8_t *payload)
{
    struct worker_end *w = data;
    struct wire_job job;
    char args[32] = "";

    w->frames_read++;
    if (header->type != WIRE_JOB)
        return;
    memcpy(&job, payload, sizeof(job));
    insist(job.args_len < sizeof(args) && w->run < 0);
    memcpy(args, payload + sizeof(job) + job.name_len + job.schema_len + job.code_len,
           job.args_len);
    insist(sscanf(args, "{\"run\":%d}", &w->run) == 1 && w->run >= 0);
}

static void hear(struct worker_end *w)
{
    if (!fake_hear(w->fd, &w->heard, take_frame, w))
        end_worker(w);
}

#endif
