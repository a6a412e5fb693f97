/* test_tail.c - the buffer that keeps the last output of a server, compared with all output. */
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

#include "mcp/tail.h"

static struct cr_tail tail;
static char all[1u << 20]; /* all that was added */
static size_t all_len;

static void start(void)
{
    cr_tail_init(&tail);
    all_len = 0;
}

static void add(const char *bytes, size_t len)
{
    cr_tail_add(&tail, bytes, len);
    memcpy(all + all_len, bytes, len);
    all_len += len;
}

static bool shows(const char *between, size_t max, const char *wanted)
{
    struct cr_buf out;
    bool same;

    cr_buf_init(&out, 1u << 20);
    cr_tail_show(&tail, between, max, &out);
    same = out.len == strlen(wanted) && (!out.len || memcmp(out.data, wanted, out.len) == 0);
    if (!same)
        printf("# shows %.*s\n", (int)out.len, out.data ? (const char *)out.data : "");
    cr_buf_clear(&out);
    return same;
}

/* The part of |all| that the tail must keep, from its first whole line. */
static const char *kept(void)
{
    const char *from = all, *line;

    all[all_len] = '\0';
    if (all_len <= CR_CHILD_TAIL)
        return all;
    from = all + all_len - CR_CHILD_TAIL;
    line = strchr(from, '\n');
    return line && line[1] ? line + 1 : from;
}

TEST(an_empty_tail_shows_nothing)
{
    start();
    CHECK(shows(" | ", 100, ""));
    cr_tail_add(&tail, "", 0);
    CHECK(shows(" | ", 100, "") && tail.len == 0);
}

TEST(lines_are_joined_and_blank_ones_left_out)
{
    start();
    cr_tail_add(&tail, "half", 4);
    cr_tail_add_line(&tail, "a", 1);
    cr_tail_add_line(&tail, " \t\r", 3);
    cr_tail_add_line(&tail, "b", 1);
    cr_tail_add(&tail, "c", 1);
    CHECK(shows(" | ", 100, "half | a | b | c"));
    CHECK(shows(" | ", 5, "b | c") && shows(" | ", 4, "c"));
}

/* Lines are shown with "\n" between them, so that the shown text equals the kept text. */
TEST(whatever_the_sizes_the_tail_is_the_end_of_the_text)
{
    static char piece[3 * CR_CHILD_TAIL];
    unsigned seed = 1;

    for (size_t i = 0; i < sizeof(piece); i++)
        piece[i] = i % 61 == 60 ? '\n' : (char)('a' + i % 26);
    for (int round = 0; round < 30; round++) {
        start();
        while (all_len < 20 * CR_CHILD_TAIL) {
            seed = seed * 1103515245u + 12345u;
            add(piece + seed % 61, 1 + (seed >> 8) % (round % 2 ? 2 * CR_CHILD_TAIL : 100));
            if (all[all_len - 1] == '\n')
                add("x", 1);
            CHECK(shows("\n", 2 * CR_CHILD_TAIL, kept()));
        }
    }
}

TEST(one_line_that_is_longer_than_the_tail_is_cut_at_its_beginning)
{
    static char line[CR_CHILD_TAIL + 10], wanted[CR_CHILD_TAIL];

    start();
    memset(line, 'x', sizeof(line));
    memset(wanted, 'x', sizeof(wanted) - 1);
    cr_tail_add_line(&tail, line, sizeof(line));
    CHECK(tail.len == CR_CHILD_TAIL && tail.cut && shows("|", 2 * CR_CHILD_TAIL, wanted));
    cr_tail_add_line(&tail, "last", 4);
    CHECK(shows("|", 2 * CR_CHILD_TAIL, "last"));
}

/* Adding a short line must not move the bytes that are kept already. */
TEST(a_line_that_is_added_moves_no_other)
{
    static char before[CR_CHILD_TAIL];
    int moved = 0;

    start();
    for (int i = 0; i < CR_CHILD_TAIL; i++)
        cr_tail_add(&tail, i % 2 ? "a" : "b", 1);
    memcpy(before, tail.bytes, sizeof(before));
    cr_tail_add_line(&tail, "c", 1);
    for (size_t i = 0; i < sizeof(before); i++)
        moved += tail.bytes[i] != before[i];
    CHECK(moved == 3 && tail.len == CR_CHILD_TAIL);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
