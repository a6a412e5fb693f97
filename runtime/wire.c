/* wire.c - checks frame headers against the table of frames; sends and receives packets. */
#include "wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint16_t type;
    enum wire_side side;
    size_t least;
    size_t most;
} types[] = {
#define XX(name, number, side, least, most) {#name, (number), (side), (least), (most)},
    WIRE_TYPE_MAP(XX)
#undef XX
};

int wire_check(const struct wire_header *header, enum wire_side side)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].type != header->type || types[i].side != side)
            continue;
        if (header->length < types[i].least || header->length > types[i].most || header->zero)
            return -1;
        return side == WIRE_WORKER && (header->left_ms || header->date_us || header->now_us) ? -1
                                                                                             : 0;
    }
    return -1;
}

const char *wire_type_name(unsigned type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].type == type)
            return types[i].name;
    return "?";
}

static int is_name(const char *text, size_t len, size_t max, const char *extra)
{
    if (len < 1 || len > max)
        return 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c && strchr(extra, c))))
            return 0;
    }
    return 1;
}

int wire_is_namespace(const char *text, size_t len)
{
    return is_name(text, len, LIMIT_NAMESPACE_CHARS, "_-");
}

int wire_is_action(const char *text, size_t len)
{
    return is_name(text, len, LIMIT_ACTION_CHARS, "_./-");
}

union ancillary {
    struct cmsghdr header;
    uint8_t bytes[CMSG_SPACE(sizeof(int))];
};

int wire_send_packet(int socket, struct wire_control *packet, int passed, int flags)
{
    union ancillary anc;
    struct iovec iov = {packet, sizeof(*packet)};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

    packet->version = WIRE_VERSION;
    if (passed >= 0) {
        memset(&anc, 0, sizeof(anc));
        anc.header.cmsg_level = SOL_SOCKET;
        anc.header.cmsg_type = SCM_RIGHTS;
        anc.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&anc.header), &passed, sizeof(passed));
        msg.msg_control = &anc;
        msg.msg_controllen = sizeof(anc);
    }
    return sendmsg(socket, &msg, flags | MSG_NOSIGNAL) == (ssize_t)sizeof(*packet) ? 0 : -1;
}

int wire_receive_packet(int socket, struct wire_control *ret, int *ret_passed, int flags)
{
    union ancillary anc;
    struct iovec iov = {ret, sizeof(*ret)};
    /* exactly one descriptor: with the padding of CMSG_SPACE a second one would fit */
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &anc,
                         .msg_controllen = CMSG_LEN(sizeof(int))};
    ssize_t n = recvmsg(socket, &msg, flags);
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;

    *ret_passed = -1;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(ret_passed, CMSG_DATA(c), sizeof(int));
    if (n <= 0)
        return (int)n;
    if (n == (ssize_t)sizeof(*ret) && ret->version == WIRE_VERSION) {
        if (msg.msg_flags & MSG_CTRUNC)
            ret->error = EMFILE;
        return 1;
    }
    if (*ret_passed >= 0)
        (void)close(*ret_passed);
    *ret_passed = -1;
    errno = EPROTO;
    return -1;
}
