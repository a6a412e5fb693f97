/* test_mem.c - the worker's memcpy, memmove and memcmp, compared with simple loops. */
#include "tap.h"

#include <stdint.h>

/* renamed, so that the test itself uses the C library's functions */
#define memcpy tested_memcpy
#define memmove tested_memmove
#define memcmp tested_memcmp
void *tested_memcpy(void *restrict to, const void *restrict from, size_t n);
void *tested_memmove(void *to, const void *from, size_t n);
int tested_memcmp(const void *left, const void *right, size_t n);
#include "mem.c"

#define ROOM 6000

static uint8_t bytes[ROOM], expected[ROOM];

static void fill(void)
{
    uint32_t x = 12345;

    for (size_t i = 0; i < ROOM; i++) {
        x = x * 1103515245u + 12345u;
        bytes[i] = expected[i] = (uint8_t)(x >> 16);
    }
}

static void slow_move(uint8_t *to, const uint8_t *from, size_t n)
{
    if (to < from)
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
    else
        while (n--)
            to[n] = from[n];
}

static int moves_right(size_t to, size_t from, size_t n)
{
    fill();
    slow_move(expected + to, expected + from, n);
    if (tested_memmove(bytes + to, bytes + from, n) != bytes + to)
        return 0;
    for (size_t i = 0; i < ROOM; i++)
        if (bytes[i] != expected[i])
            return 0;
    return 1;
}

TEST(every_short_size_moves_at_every_small_distance)
{
    for (size_t n = 0; n <= 200; n++)
        for (size_t distance = 0; distance <= 70; distance += distance < 20 ? 1 : 7) {
            CHECK(moves_right(100 + distance, 100, n));
            CHECK(moves_right(100, 100 + distance, n));
        }
}

TEST(long_moves_may_overlap)
{
    static const size_t sizes[] = {255, 256, 257, 1000, 2047, 2048, 2049, 2500};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (size_t distance = 1; distance <= 3000; distance = distance * 3 + 1) {
            CHECK(moves_right(3 + distance, 3, sizes[i]));
            CHECK(moves_right(3, 3 + distance, sizes[i]));
        }
}

TEST(a_copy_that_does_not_overlap_is_a_move)
{
    fill();
    CHECK(tested_memcpy(bytes + 3000, bytes, 3000) == bytes + 3000);
    for (size_t i = 0; i < 3000; i++)
        CHECK(bytes[3000 + i] == expected[i]);
}

TEST(comparing_finds_the_first_difference_and_its_sign)
{
    uint8_t a[40], b[40];

    for (size_t n = 0; n <= 40; n++) {
        memset(a, 0x80, sizeof(a));
        memset(b, 0x80, sizeof(b));
        CHECK(tested_memcmp(a, b, n) == 0);
        for (size_t at = 0; at < n; at++) {
            memset(b, 0x80, sizeof(b));
            b[at] = 0x7f;
            if (at + 1 < n)
                b[at + 1] = 0xff; /* bytes after the first difference do not matter */
            CHECK(tested_memcmp(a, b, n) > 0);
            CHECK(tested_memcmp(b, a, n) < 0);
        }
    }
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
