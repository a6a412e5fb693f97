/* test_columns.c - text that is cut, padded or wrapped to the width of a terminal. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/columns.h"

#define MAX_TEXT 4096

static struct cr_buf out;

static bool is(const char *wanted)
{
    bool same = cr_buf_text(&out) && strcmp(cr_buf_text(&out), wanted) == 0;

    if (!same)
        printf("# got '%s'\n", cr_buf_text(&out) ? cr_buf_text(&out) : "");
    cr_buf_clear(&out);
    cr_buf_init(&out, MAX_TEXT);
    return same;
}

static void wrap(const char *text, size_t used, size_t indent, size_t columns)
{
    cr_columns_wrap(&out, text, strlen(text), used, indent, columns);
}

TEST(lines_are_broken_at_spaces_and_indented)
{
    cr_buf_init(&out, MAX_TEXT);
    wrap("one two three", 0, 2, 8);
    CHECK(is("one two\n  three"));
    wrap("one two three", 5, 2, 8);
    CHECK(is("one\n  two\n  three"));
    wrap("one two", 0, 2, 7);
    CHECK(is("one two"));
    wrap("  one  two   three ", 0, 0, 10);
    CHECK(is("  one  two\nthree"));
    wrap("", 3, 2, 8);
    CHECK(is(""));
    cr_buf_clear(&out);
}

TEST(a_word_that_is_longer_than_a_line_stays_whole)
{
    cr_buf_init(&out, MAX_TEXT);
    wrap("see /a/long/path now", 0, 2, 8);
    CHECK(is("see\n  /a/long/path\n  now"));
    wrap("/a/long/path", 2, 2, 8);
    CHECK(is("/a/long/path"));
    cr_buf_clear(&out);
}

TEST(without_a_limit_nothing_is_broken_or_cut)
{
    char text[3001];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    text[1000] = ' ';
    cr_buf_init(&out, MAX_TEXT);
    wrap(text, 9, 2, CR_COLUMNS_ALL);
    CHECK(is(text));
    cr_columns_cut(&out, text, CR_COLUMNS_ALL);
    CHECK(is(text));
    cr_columns_cut(&out, text, 3);
    CHECK(is("xx…"));
    cr_buf_clear(&out);
}

TEST(the_width_is_that_of_the_escaped_text)
{
    cr_buf_init(&out, MAX_TEXT);
    wrap("a\033b ccc", 0, 0, 9);
    CHECK(is("a\\u001bb\nccc"));
    wrap("äöü äöü", 0, 0, 7);
    CHECK(is("äöü äöü"));
    wrap("a\nb c", 0, 0, 80);
    CHECK(is("a\\nb c"));
    cr_columns_left(&out, "a\tb", 4);
    CHECK(out.len == 4);
    cr_buf_clear(&out);
}

TEST(only_a_terminal_and_COLUMNS_limit_the_width)
{
    int pipes[2];

    CHECK(pipe(pipes) == 0 && unsetenv("COLUMNS") == 0);
    CHECK(cr_columns_available(pipes[1]) == CR_COLUMNS_ALL);
    CHECK(setenv("COLUMNS", "72", 1) == 0);
    CHECK(cr_columns_available(pipes[1]) == CR_COLUMNS_ALL);
    CHECK(cr_columns_available(STDOUT_FILENO) == 72 || isatty(STDOUT_FILENO));
    CHECK(setenv("COLUMNS", "9999", 1) == 0);
    CHECK(cr_columns_available(STDOUT_FILENO) == CR_COLUMNS_MOST || isatty(STDOUT_FILENO));
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
