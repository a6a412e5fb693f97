/* outbox.c - queues and writes messages, as a list of pieces. */
#include "base/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "caprun.h"

/* Bytes; keeps a peer that reads as fast as we write from holding the loop. */
#define WRITE_TURN (1u << 20)
#define WORTH_TAKING CR_HELPER_WORTH /* bytes; smaller memory is copied */
#define SMALL_PIECE (4u << 10)       /* room for small parts, if little waits */
#define LARGE_PIECE (1u << 20)       /* the same, if WORTH_TAKING or more waits */

struct cr_outbox_piece {
    struct cr_outbox_piece *next;
    uint8_t *block;           /* memory from malloc() that was taken, or NULL */
    struct cr_shared *shared; /* or a reference to shared memory, or NULL */
    bool stays;               /* or the sender keeps the memory; else the bytes are in |copied| */
    const uint8_t *at;
    size_t len;  /* bytes that wait */
    size_t room; /* free bytes after them, in |copied| */
    uint8_t copied[];
};

void cr_outbox_init(struct cr_outbox *o, size_t max, struct cr_helper *helper)
{
    *o = (struct cr_outbox){.max = max, .helper = helper};
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

/* Frees a piece, by the helper if it is large. Its memory may be larger than |end| shows. */
static void free_large(struct cr_outbox_piece *piece, struct cr_helper *helper)
{
    const uint8_t *end = piece->at + piece->len + piece->room;

    if (piece->block) {
        cr_helper_free(helper, piece->block, (size_t)(end - piece->block));
    } else if (piece->shared) {
        cr_shared_unref_large(piece->shared, (size_t)(end - piece->shared->block), helper);
    } else if (!piece->stays) {
        cr_helper_free(helper, piece, sizeof(*piece) + (size_t)(end - piece->copied));
        return;
    }
    free(piece);
}

void cr_outbox_clear(struct cr_outbox *o)
{
    while (o->first)
        free_large(take_first(o), o->helper);
}

/* Appends a piece with |room| bytes for copies. Returns NULL without memory. */
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

/*
 * Many small messages fill large pieces, so only a small piece that is full is followed by a large
 * one. A head between two messages that are kept in place gets a small piece.
 */
static size_t least_room(const struct cr_outbox *o)
{
    bool is_in_place = o->last && (o->last->block || o->last->shared || o->last->stays);

    return o->waiting < WORTH_TAKING || is_in_place ? SMALL_PIECE : LARGE_PIECE;
}

static int copy(struct cr_outbox *o, const uint8_t *bytes, size_t len)
{
    struct cr_outbox_piece *piece = o->last;

    if (!piece || piece->room < len)
        piece = add_piece(o, least_room(o) > len ? least_room(o) : len);
    if (!piece)
        return CAPRUN_E_NOMEM;
    memcpy((uint8_t *)(uintptr_t)piece->at + piece->len, bytes, len);
    piece->len += len;
    piece->room -= len;
    o->waiting += len;
    return 0;
}

/* --- writing --------------------------------------------------------------------------------- */

static bool is_temporary(int error)
{
    return error == EAGAIN || error == EINTR || error == ENOBUFS || error == ENOMEM;
}

/* Shortens |parts| to WRITE_TURN bytes, and sends them. Returns how many the socket accepted. */
static size_t send_some(struct cr_outbox *o, int fd, struct iovec *parts, size_t count)
{
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    size_t most = WRITE_TURN;
    ssize_t n;

    if (fd < 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].iov_len > most)
            parts[i].iov_len = most;
        most -= parts[i].iov_len;
    }
    n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && !is_temporary(errno))
        o->is_broken = true;
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
        if (piece->len)
            break;
        (void)take_first(o);
        if (o->first) /* freeing the last of many gives back the memory of all: slow */
            free_large(piece, o->helper);
        else
            free_piece(piece);
    }
}

void cr_outbox_write(struct cr_outbox *o, int fd)
{
    size_t n = 1, turn = 0;

    while (n && turn < WRITE_TURN && o->waiting) {
        struct iovec parts[CR_OUTBOX_PARTS];
        size_t count = 0;

        for (const struct cr_outbox_piece *p = o->first; p && count < CR_OUTBOX_PARTS; p = p->next)
            parts[count++] = (struct iovec){(void *)(uintptr_t)p->at, p->len};
        n = send_some(o, fd, parts, count);
        turn += n;
        forget_sent(o, n);
    }
}

/* --- messages --------------------------------------------------------------------------------- */

/* Queues the rest of |part|, |len| bytes at |bytes|: in place if possible, else a copy. */
static int keep(struct cr_outbox *o, const struct cr_outbox_part *part, const uint8_t *bytes,
                size_t len)
{
    struct cr_outbox_piece *piece;

    if (len < WORTH_TAKING || (!part->shared && !part->stays && (!part->block || !*part->block)))
        return copy(o, bytes, len);
    piece = add_piece(o, 0);
    if (!piece)
        return CAPRUN_E_NOMEM;
    piece->at = bytes;
    piece->len = len;
    o->waiting += len;
    piece->stays = part->stays;
    if (part->shared) {
        piece->shared = cr_shared_ref(part->shared);
    } else if (!part->stays) {
        piece->block = *part->block;
        *part->block = NULL;
    }
    return 0;
}

/* Queues all of the message except its first |sent| bytes. */
static int keep_rest(struct cr_outbox *o, const struct cr_outbox_part *parts, size_t count,
                     size_t sent)
{
    int r = 0;

    for (size_t i = 0; i < count && r == 0; i++) {
        size_t skipped = sent < parts[i].len ? sent : parts[i].len;

        sent -= skipped;
        if (skipped < parts[i].len)
            r = keep(o, &parts[i], (const uint8_t *)parts[i].bytes + skipped,
                     parts[i].len - skipped);
    }
    return r;
}

/* Frees the pieces after |last|, and shortens |last| to |len| bytes. */
static void cut_off(struct cr_outbox *o, struct cr_outbox_piece *last, size_t len)
{
    struct cr_outbox_piece *piece, *behind = last ? last->next : o->first;

    *(last ? &last->next : &o->first) = NULL;
    o->last = last;
    if (last) {
        o->waiting -= last->len - len;
        last->room += last->len - len;
        last->len = len;
    }
    while ((piece = behind)) {
        behind = piece->next;
        o->waiting -= piece->len;
        free_piece(piece);
    }
}

int cr_outbox_add(struct cr_outbox *o, int fd, const struct cr_outbox_part *parts, size_t count)
{
    struct cr_outbox_piece *last = o->last;
    struct iovec all[CR_OUTBOX_PARTS];
    size_t last_len = last ? last->len : 0, len = 0, sent = 0;
    int r;

    if (count > CR_OUTBOX_PARTS)
        return CAPRUN_E_INVAL;
    for (size_t i = 0; i < count; i++) {
        all[i] = (struct iovec){(void *)(uintptr_t)parts[i].bytes, parts[i].len};
        len += parts[i].len;
    }
    if (len > o->max || o->waiting > o->max - len)
        return CAPRUN_E_TOOBIG;
    if (!o->waiting)
        sent = send_some(o, fd, all, count);
    r = sent < len ? keep_rest(o, parts, count, sent) : 0;
    if (r < 0) {
        cut_off(o, last, last_len);
        o->is_broken = o->is_broken || sent;
    }
    return r;
}
