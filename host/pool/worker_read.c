/*
 * worker_read.c - reads frames from a worker, in turns.
 *
 * A worker may send as much and as fast as it likes. Its frames are handled until the turn is over.
 * The rest stays in |in| and in the socket, which is not watched until the loop gives the worker
 * another turn.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "pool/verify.h"
#include "pool/worker_parts.h"

/* After so many bytes from one worker the other workers get their turn. */
#define READ_TURN (512u * LIMIT_KIB)
#define READ_MOST (256u * LIMIT_KIB) /* in one system call */
#define WORTH_TAKING LIMIT_MIB       /* bytes of a payload; a shorter one is copied */
/* The first workers of a zygote are verified from outside, and later one in so many. */
#define VERIFIED_FIRST 4u
#define VERIFIED_ONE_IN 16u

#define NOTHING_NOW (-1)
#define NO_MEMORY (-2)

/* Reads into |w->in|. Returns the number of bytes, 0 at the end, NOTHING_NOW or NO_MEMORY. */
static ssize_t receive_bytes(struct cr_worker *w, size_t room, pid_t *ret_pid)
{
    union {
        struct cmsghdr header;
        uint8_t bytes[CMSG_SPACE(sizeof(struct ucred))];
    } anc;
    uint8_t *to = cr_buf_room(&w->in, room);
    struct iovec iov = {to, room};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    struct cmsghdr *c;
    ssize_t n;

    if (!to)
        return NO_MEMORY;
    if (!w->pid) {
        msg.msg_control = &anc;
        msg.msg_controllen = sizeof(anc);
    }
    n = recvmsg(w->socket.fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return NOTHING_NOW;
    if (n < 0) {
        w->unread = errno == ECONNRESET;
        return 0;
    }
    w->in.len += (size_t)n;
    c = !w->pid ? CMSG_FIRSTHDR(&msg) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
        struct ucred cred;

        memcpy(&cred, CMSG_DATA(c), sizeof(cred));
        *ret_pid = cred.pid;
    }
    return n;
}

static bool is_sample(const struct cr_worker *w)
{
    return w->slot <= VERIFIED_FIRST || w->slot % VERIFIED_ONE_IN == 0;
}

/* All workers of a zygote start with the same resident memory: measure one for all. */
static int verify(struct cr_worker *w, struct cr_err *err)
{
    w->zygote->resident = cr_verify_resident(w->pid);
    return cr_verify_worker(w->pid, w->zygote->filters, err);
}

/* The first frame has no content. The kernel says which process sent it. */
static void take_ready(struct cr_worker *w, const struct wire_header *header, pid_t pid)
{
    struct cr_err why;
    int off = 0;

    if (header->type != WIRE_READY || pid <= 0) {
        cr_worker_fault(w, "the first frame was not READY");
        return;
    }
    w->pid = pid;
    (void)setsockopt(w->socket.fd, SOL_SOCKET, SO_PASSCRED, &off, sizeof(off));
    if (!is_sample(w) || verify(w, &why) == 0) {
        w->owner->ready(w);
        return;
    }
    if (cr_worker_is_dead(w)) /* then /proc no longer describes this worker */
        (void)cr_err_set(&why, CAPRUN_E_STATE, "the worker was killed from outside");
    cr_worker_end(w, &why);
}

static void take_other(struct cr_worker *w, const struct wire_header *header,
                       const uint8_t *payload)
{
    if (header->type == WIRE_READY) {
        cr_worker_fault(w, "READY came twice");
        return;
    }
    w->has_sent_frame = true;
    w->owner->frame(w, header, payload);
}

/* Each frame type has a maximum length; some are also limited by the run. */
static bool is_permitted(const struct cr_worker *w, const struct wire_header *header)
{
    return wire_check(header, WIRE_WORKER) == 0 &&
           (header->type != WIRE_DONE || header->length <= w->limits.result_bytes) &&
           (header->type != WIRE_LOG || header->length <= w->limits.log_bytes);
}

/* Shows part of a long frame to the owner while it arrives, so that its end costs little. */
static void show_part(struct cr_worker *w, const struct wire_header *header, const uint8_t *payload,
                      size_t have)
{
    if (header->length > CR_WORKER_CHUNK && have && w->pid && w->owner->part)
        w->owner->part(w, header, payload, have);
}

/* Hands the first frame in |w->in| to the owner. Returns false if that is not possible now. */
static bool take_frame(struct cr_worker *w, pid_t pid)
{
    struct wire_header header;
    size_t from = w->in_at, left = w->in.len - from;

    if (left < sizeof(header))
        return false;
    memcpy(&header, w->in.data + from, sizeof(header));
    if (!is_permitted(w, &header)) {
        char what[64];

        (void)snprintf(what, sizeof(what), "type %u (%s) with %u bytes", header.type,
                       wire_type_name(header.type), header.length);
        cr_worker_fault(w, what);
        return false;
    }
    if (left - sizeof(header) < header.length) {
        show_part(w, &header, w->in.data + from + sizeof(header), left - sizeof(header));
        return false;
    }
    if (!w->pid)
        take_ready(w, &header, pid);
    else
        take_other(w, &header, w->in.data + from + sizeof(header));
    if (w->gone || w->paused)
        return false;
    if (!w->has_taken)
        w->in_at = from + sizeof(header) + header.length;
    w->has_taken = false;
    return true;
}

/*
 * Returns how many bytes to read: the rest of the frame that has begun, but at least a chunk, since
 * small frames come together; and at most a turn's worth, or a worker that writes while we read
 * could make one read as long as it likes.
 */
static size_t bytes_wanted(struct cr_worker *w)
{
    struct wire_header header;
    size_t whole, more;

    if (w->in.len < sizeof(header))
        return CR_WORKER_CHUNK;
    memcpy(&header, w->in.data, sizeof(header));
    whole = sizeof(header) + header.length;
    /* a frame a little longer than twice the buffer would be moved once more at its end */
    if (whole > w->in.cap && whole / 3 < w->in.cap)
        cr_buf_grow_to(&w->in, whole + CR_WORKER_CHUNK);
    more = whole > w->in.len + CR_WORKER_CHUNK ? whole - w->in.len : CR_WORKER_CHUNK;
    return more < READ_MOST ? more : READ_MOST;
}

static void end_without_memory(struct cr_worker *w)
{
    struct cr_err why;

    (void)cr_err_set(&why, CAPRUN_E_NOMEM, "no memory for the worker's frames");
    cr_worker_end(w, &why);
}

/*
 * Hands all complete frames in |w->in| to the owner. Returns false if some are left because the
 * turn is over, or if the worker is gone or paused. |pid| is the sender's, if these are the first
 * frames.
 */
static bool take_frames(struct cr_worker *w, pid_t pid)
{
    bool is_over = false;

    while (!is_over && take_frame(w, pid))
        is_over = cr_loop_turn_is_over(w->zygote->loop);
    if (w->gone || w->paused) /* frames of a paused worker stay where they are */
        return false;
    cr_buf_drop(&w->in, w->in_at);
    w->in_at = 0;
    return !is_over;
}

static void end_drained(struct cr_worker *w)
{
    struct cr_err why;

    (void)cr_err_set(&why, w->last.code, "%s", w->last.text);
    cr_worker_end(w, &why);
}

/* Nothing is left to read: not now, or never again. */
static void stop_reading(struct cr_worker *w, ssize_t n)
{
    if (n == NO_MEMORY)
        end_without_memory(w);
    else if (w->draining)
        end_drained(w);
    else if (n == 0)
        cr_worker_socket_closed(w);
}

/*
 * Returns true if the turn is over and more may have come. After a short read from a live worker
 * the loop finds out whether there is more.
 */
static bool read_turn(struct cr_worker *w)
{
    size_t turn = 0;
    ssize_t n = CR_WORKER_CHUNK;
    pid_t pid = w->pid;

    while (take_frames(w, pid)) {
        if (n < (ssize_t)CR_WORKER_CHUNK && !w->draining)
            return false;
        if (turn >= READ_TURN || cr_loop_turn_is_over(w->zygote->loop))
            return true;
        n = receive_bytes(w, bytes_wanted(w), &pid);
        if (n <= 0) {
            stop_reading(w, n);
            return false;
        }
        turn += (size_t)n;
    }
    return !w->gone && !w->paused;
}

uint8_t *cr_worker_take_frame(struct cr_worker *w)
{
    uint8_t *memory = w->in.data;
    struct wire_header header;
    struct cr_buf behind;
    size_t end;

    memcpy(&header, memory + w->in_at, sizeof(header));
    if (header.length < WORTH_TAKING || w->in.cap / 2 > header.length)
        return NULL; /* the buffer was grown for a longer frame: keeping it would waste memory */
    end = w->in_at + sizeof(header) + header.length;
    cr_buf_init(&behind, w->in.max);
    cr_buf_add(&behind, memory + end, w->in.len - end);
    if (cr_buf_err(&behind))
        return NULL;
    w->in = behind;
    w->in_at = 0;
    w->has_taken = true;
    return memory;
}

void cr_worker_take_payload(struct cr_worker *w, const uint8_t *payload, size_t len,
                            struct cr_buf *ret)
{
    bool is_worth_it = len >= WORTH_TAKING && len <= ret->max;
    size_t cap = is_worth_it ? w->in.cap : 0;
    uint8_t *memory = is_worth_it ? cr_worker_take_frame(w) : NULL;

    if (!memory) {
        cr_buf_add(ret, payload, len);
        return;
    }
    memmove(memory, payload, len);
    cr_buf_clear(ret);
    ret->data = memory;
    ret->cap = cap < ret->max ? cap : ret->max;
    ret->len = len;
}

void cr_worker_read(struct cr_worker *w)
{
    cr_worker_hold(w);
    w->put_off = read_turn(w);
    if (w->put_off)
        cr_loop_defer_busy(w->zygote->loop, &w->rest);
    cr_worker_watch(w);
    cr_worker_release(w);
}

void cr_worker_read_on(struct cr_task *task)
{
    cr_worker_read(cr_container(task, struct cr_worker, rest));
}

void cr_worker_read_rest(struct cr_worker *w, const struct cr_err *why)
{
    /* a worker that never was ready got no job, and has sent nothing that counts */
    if (w->closed || !w->pid) {
        cr_worker_end(w, why);
        return;
    }
    w->draining = true;
    w->last.code = why->code;
    (void)snprintf(w->last.text, sizeof(w->last.text), "%.255s", why->text);
    if (!w->put_off && !w->paused)
        cr_worker_read(w);
}
