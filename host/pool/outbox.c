/* outbox.c - a list of pieces. */
#include "pool/outbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "caprun.h"

#define MOST_PARTS 8
/* Bytes; a worker that reads as fast as we write keeps us no longer. */
#define WRITE_TURN LIMIT_MIB
#define WORTH_TAKING (64u * LIMIT_KIB) /* bytes; less is copied */
#define SMALL_PIECE (4u * LIMIT_KIB)   /* room for small frames */

struct cr_outbox_piece {
    struct cr_outbox_piece *next;
    uint8_t *block;           /* the memory that was taken, or NULL */
    struct cr_shared *shared; /* or a reference to it, or NULL: then it is |copied| */
    const uint8_t *at;
    size_t len;  /* bytes that wait */
    size_t room; /* for more, behind them, in |copied| */
    uint8_t copied[];
};

void cr_outbox_init(struct cr_outbox *o, size_t max)
{
    *o = (struct cr_outbox){.max = max};
}

size_t cr_outbox_waiting(const struct cr_outbox *o)
{
    return o->waiting;
}

/* --- pieces --------------------------------------------------------------------------------- */

static void free_piece(struct cr_outbox_piece *piece)
{
    free(piece->block);
    cr_shared_unref(piece->shared);
    free(piece);
}

static struct cr_outbox_piece *take_first(struct cr_outbox *o)
{
    struct cr_outbox_piece *piece = o->first;

    o->first = piece->next;
    if (!o->first)
        o->last = NULL;
    o->waiting -= piece->len;
    return piece;
}

/* The memory of a piece, behind which nothing is known, has at least so many bytes. */
static void free_large(struct cr_outbox_piece *piece, struct cr_helper *helper)
{
    uint8_t *memory = piece->block ? piece->block : piece->copied;
    size_t size = (size_t)(piece->at + piece->len - memory);

    if (piece->block) {
        cr_helper_free(helper, piece->block, size);
        piece->block = NULL;
    } else if (!piece->shared) {
        cr_helper_free(helper, piece, sizeof(*piece) + size);
        return;
    }
    free_piece(piece);
}

void cr_outbox_clear(struct cr_outbox *o, struct cr_helper *helper)
{
    while (o->first)
        free_large(take_first(o), helper);
}

/* A new last piece with |room| bytes of its own. NULL: no memory. */
static struct cr_outbox_piece *add_piece(struct cr_outbox *o, size_t room)
{
    struct cr_outbox_piece *piece = malloc(sizeof(*piece) + room);

    if (!piece)
        return NULL;
    *piece = (struct cr_outbox_piece){.at = piece->copied, .room = room};
    *(o->last ? &o->last->next : &o->first) = piece;
    o->last = piece;
    return piece;
}

static int copy(struct cr_outbox *o, const uint8_t *bytes, size_t len)
{
    struct cr_outbox_piece *piece = o->last;

    if (!len)
        return 0;
    if (!piece || piece->room < len)
        piece = add_piece(o, len < SMALL_PIECE ? SMALL_PIECE : len);
    if (!piece)
        return CAPRUN_E_NOMEM;
    memcpy((uint8_t *)(uintptr_t)piece->at + piece->len, bytes, len);
    piece->len += len;
    piece->room -= len;
    o->waiting += len;
    return 0;
}

/* --- writing --------------------------------------------------------------------------------- */

/* Returns how many bytes the socket took. */
static size_t send_some(int fd, struct iovec *parts, size_t count)
{
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    ssize_t n = fd < 0 ? -1 : sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);

    return n < 0 ? 0 : (size_t)n;
}

static void forget_sent(struct cr_outbox *o, size_t len)
{
    while (len && o->first) {
        struct cr_outbox_piece *piece = o->first;
        size_t sent = len < piece->len ? len : piece->len;

        piece->at += sent;
        piece->len -= sent;
        o->waiting -= sent;
        len -= sent;
        if (!piece->len)
            free_piece(take_first(o));
    }
}

void cr_outbox_write(struct cr_outbox *o, int fd)
{
    size_t n = 1, turn = 0;

    while (n && turn < WRITE_TURN && o->waiting) {
        struct iovec parts[MOST_PARTS];
        size_t count = 0;

        for (const struct cr_outbox_piece *p = o->first; p && count < MOST_PARTS; p = p->next)
            parts[count++] = (struct iovec){(void *)(uintptr_t)p->at, p->len};
        n = send_some(fd, parts, count);
        turn += n;
        forget_sent(o, n);
    }
}

/* --- frames ----------------------------------------------------------------------------------- */

/* Keeps what is left of the last part: in place if that can be, or a copy. */
static int keep_last(struct cr_outbox *o, const uint8_t *bytes, size_t len, uint8_t **block,
                     struct cr_shared *shared)
{
    struct cr_outbox_piece *piece;

    if (len < WORTH_TAKING || (!shared && (!block || !*block)))
        return copy(o, bytes, len);
    piece = add_piece(o, 0);
    if (!piece)
        return CAPRUN_E_NOMEM;
    piece->at = bytes;
    piece->len = len;
    o->waiting += len;
    if (shared) {
        piece->shared = cr_shared_ref(shared);
    } else {
        piece->block = *block;
        *block = NULL;
    }
    return 0;
}

int cr_outbox_add(struct cr_outbox *o, int fd, const struct wire_part *parts, size_t count,
                  uint8_t **block, struct cr_shared *shared)
{
    struct iovec all[MOST_PARTS];
    size_t len = 0, sent = 0;
    int r = 0;

    if (count > MOST_PARTS)
        return CAPRUN_E_INVAL;
    for (size_t i = 0; i < count; i++) {
        all[i] = (struct iovec){(void *)(uintptr_t)parts[i].bytes, parts[i].len};
        len += parts[i].len;
    }
    if (len > o->max || o->waiting > o->max - len)
        return CAPRUN_E_TOOBIG;
    if (!o->waiting)
        sent = send_some(fd, all, count);
    for (size_t i = 0; i < count && r == 0; i++) {
        size_t skipped = sent < parts[i].len ? sent : parts[i].len;
        size_t left = parts[i].len - skipped;
        const uint8_t *bytes = left ? (const uint8_t *)parts[i].bytes + skipped : NULL;

        sent -= skipped;
        r = i + 1 < count ? copy(o, bytes, left) : keep_last(o, bytes, left, block, shared);
    }
    return r;
}
