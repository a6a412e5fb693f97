/* test_outbox.c - the queue of bytes that a socket did not take at once. */
#include "tap.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/outbox.h"
#include "caprun.h"
#include "failing.h"

#define LARGE (4u << 20)
#define MAX (16u << 20)

static int ours, theirs;
static struct cr_outbox box;
static struct cr_loop loop;

static bool begin(size_t max)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return false;
    ours = pair[0];
    theirs = pair[1];
    cr_outbox_init(&box, max, &loop.helper);
    return cr_loop_init(&loop, NULL) == 0;
}

static bool finish(void)
{
    cr_outbox_clear(&box);
    cr_loop_clear(&loop);
    return close(ours) == 0 && close(theirs) == 0;
}

/* |len| bytes whose values depend on their position and on |kind|. */
static uint8_t *make(size_t len, uint8_t salt)
{
    uint8_t *bytes = malloc(len);

    for (size_t i = 0; bytes && i < len; i++)
        bytes[i] = (uint8_t)(i * 31 + i / 251 + salt);
    return bytes;
}

static int send_frame(const char *head, const uint8_t *bytes, size_t len, uint8_t **block)
{
    const struct cr_outbox_part parts[] = {{.bytes = head, .len = strlen(head)},
                                           {.bytes = bytes, .len = len, .block = block}};

    return cr_outbox_add(&box, ours, parts, 2);
}

/* Reads |len| bytes at the other end, and lets the outbox write whenever there is room. */
static bool arrives(const void *bytes, size_t len)
{
    const uint8_t *expected = bytes;
    uint8_t chunk[65536];

    while (len) {
        ssize_t n = recv(theirs, chunk, len < sizeof(chunk) ? len : sizeof(chunk), MSG_DONTWAIT);

        if (n <= 0 || memcmp(chunk, expected, (size_t)n) != 0)
            return false;
        expected += n;
        len -= (size_t)n;
        cr_outbox_write(&box, ours);
    }
    return true;
}

static bool nothing_is_left(void)
{
    char byte;

    return cr_outbox_waiting(&box) == 0 && recv(theirs, &byte, 1, MSG_DONTWAIT) < 0;
}

TEST(a_small_frame_goes_at_once_and_takes_nothing)
{
    uint8_t *block = make(100, 1), *bytes = block;

    CHECK(begin(MAX) && send_frame("head", bytes, 100, &block) == 0);
    CHECK(block == bytes && cr_outbox_waiting(&box) == 0 && !box.first);
    CHECK(arrives("head", 4) && arrives(bytes, 100) && nothing_is_left() && finish());
    free(block);
}

TEST(a_large_frame_is_taken_and_not_copied)
{
    uint8_t *block = make(LARGE, 2), *bytes = block, *same = make(LARGE, 2);

    CHECK(begin(MAX) && send_frame("head", bytes, LARGE, &block) == 0);
    CHECK(!block && box.first == box.last && cr_outbox_waiting(&box) > 0);
    /* the sender can still read the bytes, to record them */
    CHECK(bytes[LARGE - 1] == same[LARGE - 1]);
    CHECK(arrives("head", 4) && arrives(same, LARGE) && nothing_is_left() && !box.first);
    CHECK(finish());
    free(same);
}

TEST(a_large_frame_that_is_not_ours_is_copied)
{
    uint8_t *bytes = make(LARGE, 3), *same = make(LARGE, 3);

    CHECK(begin(MAX) && send_frame("head", bytes, LARGE, NULL) == 0);
    memset(bytes, 0, LARGE);
    CHECK(cr_outbox_waiting(&box) > 0 && arrives("head", 4) && arrives(same, LARGE));
    CHECK(nothing_is_left() && finish());
    free(bytes);
    free(same);
}

TEST(what_comes_behind_a_large_frame_comes_after_it)
{
    uint8_t *first = make(LARGE, 4), *second = make(LARGE, 5);
    uint8_t *same[2] = {make(LARGE, 4), make(LARGE, 5)};

    CHECK(begin(MAX) && send_frame("one", first, LARGE, &first) == 0 && !first);
    CHECK(send_frame("two", second, LARGE, &second) == 0 && !second);
    CHECK(send_frame("three", (const uint8_t *)"x", 1, NULL) == 0);
    CHECK(arrives("one", 3) && arrives(same[0], LARGE) && arrives("two", 3));
    CHECK(arrives(same[1], LARGE) && arrives("threex", 6) && nothing_is_left() && finish());
    free(same[0]);
    free(same[1]);
}

TEST(what_waits_is_freed_with_the_box)
{
    uint8_t *block = make(LARGE, 6);

    CHECK(begin(MAX) && send_frame("head", block, LARGE, &block) == 0 && !block);
    CHECK(finish()); /* a sanitizer notices if the block is not freed */
}

TEST(more_than_may_wait_is_refused_and_nothing_of_it_is_sent)
{
    uint8_t *bytes = make(LARGE, 7);

    CHECK(begin(LARGE) && send_frame("head", bytes, LARGE, NULL) == CAPRUN_E_TOOBIG);
    CHECK(nothing_is_left());
    CHECK(send_frame("", bytes, LARGE, NULL) == 0 && cr_outbox_waiting(&box) > 0);
    CHECK(send_frame("", bytes, LARGE, NULL) == CAPRUN_E_TOOBIG);
    CHECK(arrives(bytes, LARGE) && nothing_is_left() && finish());
    free(bytes);
}

TEST(memory_is_taken_wherever_in_a_message_it_is)
{
    uint8_t *block = make(LARGE, 10), *same = make(LARGE, 10);
    const struct cr_outbox_part parts[] = {{.bytes = "head", .len = 4},
                                           {.bytes = block + 1, .len = LARGE - 1, .block = &block},
                                           {.bytes = "tail", .len = 4}};

    CHECK(begin(MAX) && cr_outbox_add(&box, ours, parts, 3) == 0 && !block);
    CHECK(arrives("head", 4) && arrives(same + 1, LARGE - 1) && arrives("tail", 4));
    CHECK(nothing_is_left() && !box.is_broken && finish());
    free(same);
}

TEST(a_part_marked_as_staying_is_neither_copied_nor_freed)
{
    uint8_t *bytes = make(LARGE, 13);
    const struct cr_outbox_part parts[] = {{.bytes = "head", .len = 4, .stays = true},
                                           {.bytes = bytes, .len = LARGE, .stays = true}};

    CHECK(begin(MAX) && cr_outbox_add(&box, ours, parts, 2) == 0);
    CHECK(arrives("head", 4) && arrives(bytes, LARGE) && nothing_is_left());
    CHECK(cr_outbox_add(&box, ours, parts, 2) == 0 && cr_outbox_waiting(&box) > 0 && finish());
    CHECK(bytes[0] == 13); /* a sanitizer notices if the bytes were freed */
    free(bytes);
}

/* Freed here, the blocks would merge, and the last free() would return gigabytes to the kernel. */
TEST(many_small_messages_that_wait_are_freed_by_the_helper)
{
    static const uint8_t small[25000];

    CHECK(begin(MAX) && send_frame("", small, 100, NULL) == 0);
    cr_outbox_clear(&box);
    CHECK(!loop.helper.has_thread); /* too little memory for the helper */
    for (int i = 0; i < 400; i++)
        CHECK(send_frame("head", small, sizeof(small), NULL) == 0);
    CHECK(cr_outbox_waiting(&box) > 8u << 20);
    cr_outbox_clear(&box);
    CHECK(loop.helper.has_thread && finish());
}

TEST(heads_between_large_messages_take_little_room)
{
    static uint8_t bytes[CR_HELPER_WORTH];
    const struct cr_outbox_part parts[] = {{.bytes = "head", .len = 4},
                                           {.bytes = bytes, .len = sizeof(bytes), .stays = true}};
    size_t before;

    CHECK(begin(256u << 20));
    before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (int i = 0; i < 1000; i++)
        CHECK(cr_outbox_add(&box, ours, parts, 2) == 0);
    CHECK(mallinfo2().uordblks + mallinfo2().hblkhd - before < 8u << 20);
    CHECK(finish());
}

TEST(many_small_messages_arrive_in_their_order)
{
    bool ok = begin(MAX);

    for (int i = 0; i < 400; i++) {
        uint8_t *bytes = make(25000, (uint8_t)i);

        ok = ok && bytes && send_frame("head", bytes, 25000, NULL) == 0;
        free(bytes);
    }
    for (int i = 0; i < 400; i++) {
        uint8_t *bytes = make(25000, (uint8_t)i);

        ok = ok && bytes && arrives("head", 4) && arrives(bytes, 25000);
        free(bytes);
    }
    CHECK(ok && nothing_is_left() && finish());
}

TEST(a_peer_that_has_left_is_noticed)
{
    CHECK(begin(MAX) && close(theirs) == 0);
    theirs = dup(ours);
    CHECK(send_frame("head", (const uint8_t *)"x", 1, NULL) == 0 && box.is_broken && finish());
}

TEST(a_closed_socket_takes_nothing)
{
    uint8_t *block = make(LARGE, 8);

    CHECK(begin(MAX));
    CHECK(cr_outbox_add(&box, -1,
                        &(struct cr_outbox_part){.bytes = block, .len = LARGE, .block = &block},
                        1) == 0 &&
          !block);
    CHECK(cr_outbox_waiting(&box) == LARGE && finish());
}

TEST(without_memory_for_the_rest_it_says_so)
{
    uint8_t *bytes = make(LARGE, 9);
    int r;

    CHECK(begin(MAX));
    failing_left = 0;
    r = send_frame("head", bytes, LARGE, NULL);
    failing_left = -1;
    CHECK(r == (FAILING ? CAPRUN_E_NOMEM : 0) && box.is_broken == FAILING && finish());
    free(bytes);
}

TEST(without_memory_for_a_message_earlier_messages_stay)
{
    uint8_t *first = make(LARGE, 11), *bytes = make(LARGE, 12), *same = make(LARGE, 11);
    int r;

    CHECK(begin(MAX) && send_frame("head", first, LARGE, &first) == 0);
    CHECK(send_frame("", (const uint8_t *)"small", 5, NULL) == 0);
    failing_left = 0;
    r = send_frame("head", bytes, LARGE, NULL);
    failing_left = -1;
    CHECK(r == (FAILING ? CAPRUN_E_NOMEM : 0) && !box.is_broken);
    CHECK(arrives("head", 4) && arrives(same, LARGE) && arrives("small", 5));
    CHECK((FAILING ? nothing_is_left() : arrives("head", 4)) && finish());
    free(bytes);
    free(same);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
