/*
 * bent_frames.h - makes valid frames and packets, with the errors that the fuzzer's input selects.
 *
 * Each clears the worker's |obeys| if an honest worker could not have sent the frame.
 */
#ifndef BENT_FRAMES_H
#define BENT_FRAMES_H

#include "fake_peers.h"
#include "input.h"

#define NO_PROCESS 0x3fffffff /* larger than any pid */

/* Returns |right| or, if the input says so, another number. */
static uint32_t bend(uint32_t right, struct input *in)
{
    static const uint32_t edges[] = {0, 1, 0x7fffffff, 0xffffffff, LIMIT_DEFAULT_CALLS + 1};
    uint8_t how = input_byte(in);

    if (how < 0xe0)
        return right;
    if (how < 0xe8)
        return right + how % 4 - 2;
    return how < 0xf8 ? edges[how % 5] : input_number(in);
}

static uint32_t add_text(struct cr_buf *to, struct input *in, size_t most)
{
    struct input text = input_text(in);

    text.len = text.len < most ? text.len : most;
    cr_buf_add(to, text.at, text.len);
    return (uint32_t)text.len;
}

static void add_call(struct worker_end *w, struct input *in, struct cr_buf *to)
{
    struct wire_call call;
    char action;

    call.namespace_len = bend(2, in);
    call.action_len = bend(1, in);
    action = (char)('a' + input_byte(in) % 26);
    cr_buf_add(to, &call, sizeof(call));
    cr_buf_str(to, "ns");
    cr_buf_add(to, &action, 1);
    if (!add_text(to, in, 1 << 16))
        cr_buf_str(to, "{}");
    /* action "c" cancels the run, and too many waiting calls end it */
    w->obeys &= call.namespace_len == 2 && call.action_len == 1 && action != 'c' && w->calls < 250;
}

static void add_attempt(struct worker_end *w, struct input *in, struct cr_buf *to)
{
    struct wire_blocked b = {0};
    size_t at = to->len;

    cr_buf_add(to, &b, sizeof(b));
    b.api_len = bend(add_text(to, in, LIMIT_DENIED_API_BYTES), in);
    b.access_len = bend(add_text(to, in, LIMIT_DENIED_ACCESS_BYTES), in);
    b.target_len = bend(add_text(to, in, LIMIT_DENIED_TARGET_BYTES), in);
    b.message_len = bend(add_text(to, in, LIMIT_DENIED_MESSAGE_BYTES), in);
    b.use_len = bend(b.message_len / 2, in);
    memcpy(to->data + at, &b, sizeof(b));
    w->obeys = false; /* the frame may end the run */
}

static void add_error(struct worker_end *w, struct input *in, struct cr_buf *to)
{
    struct wire_threw threw = {0};
    size_t at = to->len;

    threw.why = bend(WIRE_WHY_THREW + input_byte(in) % 4, in);
    threw.call = bend(input_byte(in) & 1 ? w->calls : 0, in);
    threw.blocked = bend(input_byte(in) & 1 ? w->attempts : 0, in);
    cr_buf_add(to, &threw, sizeof(threw));
    threw.name_len = bend(add_text(to, in, LIMIT_ERROR_NAME_BYTES), in);
    threw.message_len = bend(add_text(to, in, 1 << 16), in);
    threw.stack_len = bend(add_text(to, in, LIMIT_ERROR_STACK_BYTES), in);
    memcpy(to->data + at, &threw, sizeof(threw));
}

static void add_idle(struct worker_end *w, struct input *in, struct cr_buf *to)
{
    static const int64_t times[] = {-1, 0, 1000, 1000000, 300000000, INT64_MAX, INT64_MIN};
    uint8_t which = input_byte(in);

    cr_buf_add(to, &times[which % 7], sizeof(times[0]));
    w->obeys &= which % 7 >= 1 && which % 7 <= 4; /* otherwise the run may have stalled */
}

/* Returns the valid id for the frame. */
static uint32_t add_payload(struct worker_end *w, unsigned type, struct input *in,
                            struct cr_buf *to)
{
    size_t at, len;

    switch (type) {
    case WIRE_CALL:
        add_call(w, in, to);
        return ++w->calls;
    case WIRE_BLOCKED:
        add_attempt(w, in, to);
        return ++w->attempts;
    case WIRE_IDLE:
        add_idle(w, in, to);
        return w->frames_read;
    case WIRE_THREW:
        add_error(w, in, to);
        return 0;
    case WIRE_DONE:
        if (add_text(to, in, 1 << 16))
            w->obeys = false; /* the payload may be anything */
        else
            cr_buf_str(to, "[42]");
        return 0;
    default:
        at = to->len;
        len = add_text(to, in, 1 << 16);
        w->obeys &= type == WIRE_LOG && (!len || to->data[at] != 'C'); /* a line "C" cancels */
        return 0;
    }
}

/* Adds a frame to the output of |w|. Returns its type. */
static unsigned bent_frame(struct worker_end *w, struct input *in)
{
    static const uint8_t types[] = {WIRE_CALL,  WIRE_LOG,   WIRE_BLOCKED, WIRE_IDLE, WIRE_DONE,
                                    WIRE_THREW, WIRE_CALL,  WIRE_LATE,    WIRE_FULL, WIRE_READY,
                                    WIRE_JOB,   WIRE_REPLY, WIRE_FAIL,    WIRE_WAKE, 0,
                                    WIRE_CALL};
    struct wire_header right, header = {.type = types[input_byte(in) % 16]};
    size_t at = w->to_say.len;

    w->obeys &= w->ready && w->run >= 0;
    cr_buf_add(&w->to_say, &header, sizeof(header));
    header.id = add_payload(w, header.type, in, &w->to_say);
    header.length = (uint32_t)(w->to_say.len - at - sizeof(header));
    right = header;
    header.id = bend(header.id, in);
    header.length = bend(header.length, in);
    header.zero = (uint16_t)bend(0, in);
    header.now_us = bend(0, in);
    insist(!cr_buf_err(&w->to_say));
    memcpy(w->to_say.data + at, &header, sizeof(header));
    w->obeys &= memcmp(&right, &header, sizeof(header)) == 0;
    return header.type;
}

/* Sends a packet as the zygote |z|. */
static void bent_packet(struct zygote_end *z, struct input *in)
{
    static const int32_t pids[] = {0, -1, NO_PROCESS, INT32_MAX, INT32_MIN};
    struct wire_control packet = {.version = bend(WIRE_VERSION, in)};
    uint8_t how = input_byte(in);
    size_t len = bend(sizeof(packet), in) % (sizeof(packet) + 1);

    packet.kind = input_byte(in) % 8;
    packet.slot = bend(z->slots - input_byte(in) % 4, in);
    packet.status = (int32_t)bend(input_byte(in), in);
    packet.error = input_byte(in);
    packet.step = input_byte(in) % 12;
    packet.pid = pids[input_byte(in) % 5];
    packet.layers[how % WIRE_LAYERS] = input_byte(in);
    for (struct worker_end *w = workers; w < workers + WORKERS; w++)
        w->obeys &= w->zygote != z;
    if (packet.version == WIRE_VERSION && len == sizeof(packet))
        tell_host(z, packet, how & 1 ? z->ended : -1);
    else
        (void)send(z->control, &packet, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

#endif
