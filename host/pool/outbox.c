/* outbox.c - one block that goes first, and a buffer. */
#include "pool/outbox.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "caprun.h"

#define MOST_PARTS 8
#define WORTH_TAKING (64u * LIMIT_KIB) /* bytes; less is copied */

void cr_outbox_init(struct cr_outbox *o, size_t max)
{
    *o = (struct cr_outbox){.block = NULL};
    cr_buf_init(&o->copied, max);
}

static void forget_block(struct cr_outbox *o)
{
    free(o->block);
    o->block = NULL;
    o->taken_len = 0;
}

void cr_outbox_clear(struct cr_outbox *o)
{
    forget_block(o);
    cr_buf_clear(&o->copied);
    o->sent = 0;
}

size_t cr_outbox_waiting(const struct cr_outbox *o)
{
    return o->taken_len + o->copied.len - o->sent;
}

/* Returns how many bytes the socket took. */
static size_t send_some(int fd, struct iovec *parts, size_t count)
{
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    ssize_t n = fd < 0 ? -1 : sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);

    return n < 0 ? 0 : (size_t)n;
}

static void forget_sent(struct cr_outbox *o)
{
    cr_buf_drop(&o->copied, o->sent);
    o->sent = 0;
}

void cr_outbox_write(struct cr_outbox *o, int fd)
{
    size_t n = 1;

    while (n && cr_outbox_waiting(o)) {
        struct iovec rest[2] = {{(void *)(uintptr_t)o->taken, o->taken_len},
                                {o->copied.data + o->sent, o->copied.len - o->sent}};
        size_t of_taken;

        n = send_some(fd, rest, 2);
        of_taken = n < o->taken_len ? n : o->taken_len;
        if (of_taken) /* or there may be none */
            o->taken += of_taken;
        o->taken_len -= of_taken;
        o->sent += n - of_taken;
        if (!o->taken_len)
            forget_block(o);
    }
    if (o->sent == o->copied.len)
        forget_sent(o);
}

/* Copies what is left of the parts behind |skip| bytes. */
static int copy_rest(struct cr_outbox *o, const struct wire_part *parts, size_t count, size_t skip)
{
    for (size_t i = 0; i < count; i++) {
        size_t skipped = skip < parts[i].len ? skip : parts[i].len;

        if (skipped < parts[i].len) /* there may be no bytes at all, and then NULL */
            cr_buf_add(&o->copied, (const uint8_t *)parts[i].bytes + skipped,
                       parts[i].len - skipped);
        skip -= skipped;
    }
    return cr_buf_err(&o->copied);
}

int cr_outbox_add(struct cr_outbox *o, int fd, const struct wire_part *parts, size_t count,
                  uint8_t **block)
{
    struct iovec all[MOST_PARTS];
    const struct wire_part *last = &parts[count - 1];
    size_t len = 0, sent = 0;

    if (count > MOST_PARTS)
        return CAPRUN_E_INVAL;
    for (size_t i = 0; i < count; i++) {
        all[i] = (struct iovec){(void *)(uintptr_t)parts[i].bytes, parts[i].len};
        len += parts[i].len;
    }
    if (len > o->copied.max || cr_outbox_waiting(o) > o->copied.max - len)
        return CAPRUN_E_TOOBIG;
    if (!cr_outbox_waiting(o))
        sent = send_some(fd, all, count);
    if (sent == len)
        return 0;
    if (block && *block && !cr_outbox_waiting(o) && len - sent >= WORTH_TAKING &&
        len - sent <= last->len) {
        o->block = *block;
        *block = NULL;
        o->taken = (const uint8_t *)last->bytes + (last->len - (len - sent));
        o->taken_len = len - sent;
        return 0;
    }
    /* not after each write: a large answer would be moved a hundred times */
    if (o->sent > o->copied.len / 2 || len > o->copied.max - o->copied.len)
        forget_sent(o);
    return copy_rest(o, parts, count, sent);
}
