/* test_utf8.c - the UTF-8 decoder, compared with the table of RFC 3629. */
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"

/* A row of the table of well-formed byte sequences; unused bytes have the range 0..0. */
struct row {
    uint8_t first[4];
    uint8_t last[4];
    size_t len;
};

static const struct row rows[] = {
    {{0x00}, {0x7f}, 1},
    {{0xc2, 0x80}, {0xdf, 0xbf}, 2},
    {{0xe0, 0xa0, 0x80}, {0xe0, 0xbf, 0xbf}, 3},
    {{0xe1, 0x80, 0x80}, {0xec, 0xbf, 0xbf}, 3},
    {{0xed, 0x80, 0x80}, {0xed, 0x9f, 0xbf}, 3},
    {{0xee, 0x80, 0x80}, {0xef, 0xbf, 0xbf}, 3},
    {{0xf0, 0x90, 0x80, 0x80}, {0xf0, 0xbf, 0xbf, 0xbf}, 4},
    {{0xf1, 0x80, 0x80, 0x80}, {0xf3, 0xbf, 0xbf, 0xbf}, 4},
    {{0xf4, 0x80, 0x80, 0x80}, {0xf4, 0x8f, 0xbf, 0xbf}, 4},
};

static bool fits(const struct row *row, const uint8_t *bytes, size_t len)
{
    if (len < row->len)
        return false;
    for (size_t i = 0; i < row->len; i++) {
        if (bytes[i] < row->first[i] || bytes[i] > row->last[i])
            return false;
    }
    return true;
}

static size_t reference_len(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (fits(&rows[i], bytes, len))
            return rows[i].len;
    }
    return 0;
}

static size_t reference_prefix(const uint8_t *bytes, size_t len)
{
    size_t at = 0, n;

    while ((n = reference_len(bytes + at, len - at)) > 0)
        at += n;
    return at;
}

static bool agrees(const uint8_t *bytes, size_t len)
{
    uint32_t c;

    return cr_utf8_decode(bytes, len, &c) == reference_len(bytes, len) &&
           cr_utf8_valid_prefix(bytes, len) == reference_prefix(bytes, len);
}

static size_t encode(uint32_t c, uint8_t out[4])
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (uint8_t)(0xc0 | c >> 6);
        out[1] = (uint8_t)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (uint8_t)(0xe0 | c >> 12);
        out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | c >> 18);
    out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (c & 0x3f));
    return 4;
}

TEST(every_character_decodes_to_itself_and_every_surrogate_is_refused)
{
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        bool surrogate = c >= 0xd800 && c <= 0xdfff;
        uint32_t got = 0xffffffff;
        uint8_t bytes[4];
        size_t len = encode(c, bytes);

        CHECK(cr_utf8_decode(bytes, len, &got) == (surrogate ? 0 : len));
        CHECK(got == (surrogate ? 0xffffffff : c));
        CHECK(cr_utf8_valid_prefix(bytes, len) == (surrogate ? 0 : len));
    }
}

TEST(every_character_is_encoded_as_it_should_be)
{
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        uint8_t bytes[4], expected[4];
        size_t len = encode(c, expected);

        CHECK(cr_utf8_encode(c, bytes) == len);
        CHECK(memcmp(bytes, expected, len) == 0);
    }
}

TEST(a_character_cut_anywhere_is_refused)
{
    static const uint32_t chars[] = {0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff};
    uint8_t bytes[4];
    uint32_t c;

    for (size_t i = 0; i < sizeof(chars) / sizeof(chars[0]); i++) {
        size_t len = encode(chars[i], bytes);

        CHECK(cr_utf8_decode(bytes, len, &c) == len);
        for (size_t cut = 0; cut < len; cut++)
            CHECK(cr_utf8_decode(bytes, cut, &c) == 0);
    }
}

TEST(all_one_and_two_byte_sequences_agree_with_the_table)
{
    for (unsigned v = 0; v <= 0xffff; v++) {
        uint8_t bytes[2] = {(uint8_t)(v >> 8), (uint8_t)v};

        CHECK(agrees(bytes, 1));
        CHECK(agrees(bytes, 2));
    }
}

TEST(all_three_byte_sequences_with_a_lead_of_three_agree_with_the_table)
{
    for (unsigned v = 0xe00000; v <= 0xefffff; v++) {
        uint8_t bytes[3] = {(uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};

        CHECK(agrees(bytes, 3));
    }
}

TEST(four_byte_sequences_agree_with_the_table_at_all_boundaries)
{
    static const uint8_t tails[] = {0x00, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0xbf, 0xc0, 0xff};
    const size_t n = sizeof(tails);

    for (unsigned v = 0xf000; v <= 0xffff; v++) {
        for (size_t i = 0; i < n * n; i++) {
            uint8_t bytes[4] = {(uint8_t)(v >> 8), (uint8_t)v, tails[i / n], tails[i % n]};

            CHECK(agrees(bytes, 4));
        }
    }
}

TEST(the_valid_prefix_ends_at_the_bad_byte_wherever_it_is)
{
    uint8_t bytes[40];

    for (size_t bad = 0; bad < sizeof(bytes); bad++) {
        memset(bytes, 'a', sizeof(bytes));
        CHECK(cr_utf8_valid_prefix(bytes, sizeof(bytes)) == sizeof(bytes));
        bytes[bad] = 0xff;
        CHECK(cr_utf8_valid_prefix(bytes, sizeof(bytes)) == bad);
    }
}

TEST(the_valid_prefix_of_random_bytes_agrees_with_the_table)
{
    static const uint8_t likely[] = {0x41, 0x80, 0xbf, 0xc3, 0xe0, 0xa0, 0xed, 0xf0, 0x90, 0xf4};
    uint32_t seed = 1;
    uint8_t bytes[24];

    for (int round = 0; round < 300000; round++) {
        for (size_t i = 0; i < sizeof(bytes); i++) {
            seed = seed * 1664525 + 1013904223;
            bytes[i] = likely[(seed >> 16) % sizeof(likely)];
        }
        CHECK(agrees(bytes, sizeof(bytes)));
    }
}

TEST(nothing_at_all_is_valid_and_holds_no_character)
{
    uint32_t c = 7;

    CHECK(cr_utf8_valid_prefix((const uint8_t *)"", 0) == 0);
    CHECK(cr_utf8_decode((const uint8_t *)"", 0, &c) == 0);
    CHECK(c == 7);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
