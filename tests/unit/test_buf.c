/* test_buf.c - the byte buffer: growth, the size limit, and failures that stick. */
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "caprun.h"

/* By default AddressSanitizer aborts when an allocation is too large; let malloc() return NULL. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static bool holds(const struct cr_buf *b, const char *text)
{
    return b->len == strlen(text) && (!b->len || memcmp(b->data, text, b->len) == 0);
}

static bool invariant(const struct cr_buf *b)
{
    return (b->data || b->cap == 0) && b->len <= b->cap && b->cap <= b->max;
}

TEST(a_new_buffer_is_empty_and_owns_nothing)
{
    struct cr_buf b;

    cr_buf_init(&b, 100);
    CHECK(!b.data && b.len == 0 && b.cap == 0 && b.max == 100);
    CHECK(cr_buf_err(&b) == 0);
}

TEST(bytes_strings_and_formats_are_appended_in_order)
{
    struct cr_buf b;

    cr_buf_init(&b, 1000);
    cr_buf_add(&b, "ab", 2);
    cr_buf_str(&b, "cd");
    cr_buf_fmt(&b, "%d-%s", 42, "x");
    CHECK(holds(&b, "abcd42-x"));
    CHECK(invariant(&b) && cr_buf_err(&b) == 0);
    cr_buf_clear(&b);
}

TEST(nothing_can_be_added_and_nothing_changes)
{
    struct cr_buf b;

    cr_buf_init(&b, 10);
    cr_buf_add(&b, NULL, 0);
    cr_buf_str(&b, "");
    CHECK(b.len == 0 && cr_buf_err(&b) == 0 && invariant(&b));
    cr_buf_clear(&b);
}

TEST(it_fills_to_its_ceiling_exactly)
{
    for (size_t max = 0; max < 300; max++) {
        struct cr_buf b;

        cr_buf_init(&b, max);
        for (size_t i = 0; i < max; i++) {
            cr_buf_add(&b, "x", 1);
            CHECK(b.len == i + 1 && invariant(&b));
        }
        CHECK(cr_buf_err(&b) == 0);
        cr_buf_add(&b, "x", 1);
        CHECK(cr_buf_err(&b) == CAPRUN_E_TOOBIG && b.len == max);
        cr_buf_clear(&b);
    }
}

TEST(add_past_max_fails_and_sticks)
{
    struct cr_buf b;

    cr_buf_init(&b, 4);
    cr_buf_str(&b, "abc");
    cr_buf_str(&b, "de");
    CHECK(cr_buf_err(&b) == CAPRUN_E_TOOBIG);
    cr_buf_str(&b, "d");
    cr_buf_fmt(&b, "%d", 1);
    CHECK(!cr_buf_room(&b, 0) && !cr_buf_text(&b));
    CHECK(holds(&b, "abc"));
    cr_buf_clear(&b);
}

TEST(an_enormous_length_is_refused_without_wrapping)
{
    struct cr_buf b;

    cr_buf_init(&b, 1000);
    cr_buf_str(&b, "abc");
    CHECK(!cr_buf_room(&b, SIZE_MAX));
    CHECK(cr_buf_err(&b) == CAPRUN_E_TOOBIG && holds(&b, "abc"));
    cr_buf_clear(&b);
    CHECK(!cr_buf_room(&b, SIZE_MAX - 1));
    cr_buf_clear(&b);
}

TEST(clear_forgets_the_failure_and_keeps_the_ceiling)
{
    struct cr_buf b;

    cr_buf_init(&b, 3);
    cr_buf_str(&b, "abcd");
    cr_buf_clear(&b);
    CHECK(!b.data && b.max == 3 && cr_buf_err(&b) == 0);
    cr_buf_str(&b, "abc");
    CHECK(holds(&b, "abc"));
    cr_buf_clear(&b);
    cr_buf_clear(&b);
}

TEST(without_memory_it_says_so_and_keeps_what_it_has)
{
    struct cr_buf b;

    cr_buf_init(&b, SIZE_MAX / 2);
    cr_buf_str(&b, "abc");
    CHECK(!cr_buf_room(&b, SIZE_MAX / 2 - 3));
    CHECK(cr_buf_err(&b) == CAPRUN_E_NOMEM);
    CHECK(holds(&b, "abc"));
    cr_buf_clear(&b);
}

TEST(room_is_where_the_next_bytes_go)
{
    struct cr_buf b;
    uint8_t *room;

    cr_buf_init(&b, 100);
    cr_buf_str(&b, "ab");
    room = cr_buf_room(&b, 98);
    CHECK(room && room == b.data + 2 && b.len == 2 && b.cap == 100);
    memcpy(room, "cd", 2);
    b.len += 2;
    CHECK(holds(&b, "abcd"));
    CHECK(!cr_buf_room(&b, 97));
    cr_buf_clear(&b);
}

TEST(drop_takes_from_the_front)
{
    struct cr_buf b;

    cr_buf_init(&b, 100);
    cr_buf_str(&b, "abcdef");
    cr_buf_drop(&b, 0);
    CHECK(holds(&b, "abcdef"));
    cr_buf_drop(&b, 2);
    CHECK(holds(&b, "cdef"));
    cr_buf_str(&b, "gh");
    CHECK(holds(&b, "cdefgh"));
    cr_buf_drop(&b, 6);
    CHECK(b.len == 0 && cr_buf_err(&b) == 0);
    cr_buf_clear(&b);
}

TEST(text_ends_in_a_nul_that_is_not_counted)
{
    struct cr_buf b;
    const char *text;

    cr_buf_init(&b, 100);
    text = cr_buf_text(&b);
    CHECK(text && text[0] == '\0' && b.len == 0);
    for (size_t i = 0; i < 99; i++)
        cr_buf_str(&b, "y");
    text = cr_buf_text(&b);
    CHECK(text && strlen(text) == 99 && b.len == 99);
    cr_buf_str(&b, "y");
    CHECK(b.len == 100 && !cr_buf_text(&b));
    cr_buf_clear(&b);
}

TEST(a_long_format_grows_the_buffer)
{
    struct cr_buf b;

    cr_buf_init(&b, 100000);
    cr_buf_fmt(&b, "%*d", 50000, 7);
    CHECK(b.len == 50000 && b.data[49999] == '7' && b.data[0] == ' ');
    cr_buf_fmt(&b, "%*d", 50000, 7);
    CHECK(cr_buf_err(&b) == CAPRUN_E_TOOBIG && b.len == 50000);
    cr_buf_clear(&b);
}

TEST(a_number_is_its_digits)
{
    struct cr_buf b;

    cr_buf_init(&b, 64);
    cr_buf_number(&b, 0);
    cr_buf_str(&b, " ");
    cr_buf_number(&b, 1234567890);
    cr_buf_str(&b, " ");
    cr_buf_number(&b, UINT64_MAX);
    CHECK(strcmp(cr_buf_text(&b), "0 1234567890 18446744073709551615") == 0);
    cr_buf_clear(&b);
    cr_buf_init(&b, 3);
    cr_buf_number(&b, 1000);
    CHECK(cr_buf_err(&b) == CAPRUN_E_TOOBIG && b.len == 0);
    cr_buf_clear(&b);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
