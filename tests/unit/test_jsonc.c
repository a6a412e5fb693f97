/* test_jsonc.c - comments and trailing commas become spaces. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/jsonc.h"

static bool becomes(const char *text, const char *wanted)
{
    char *copy = strdup(text);
    bool same;

    cr_jsonc_strip(copy, strlen(copy));
    same = strcmp(copy, wanted) == 0;
    if (!same)
        printf("# %s\n# became %s\n", text, copy);
    free(copy);
    return same;
}

TEST(comments_become_spaces_and_lines_stay)
{
    CHECK(becomes("{} // a\n", "{}     \n"));
    CHECK(becomes("/* a\r\n b */{}", "    \r\n     {}"));
    CHECK(becomes("{/**/}", "{    }") && becomes("{/***/}", "{     }") &&
          becomes("{/*/*/}", "{     }"));
    CHECK(becomes("//", "  ") && becomes("", ""));
}

TEST(commas_before_a_closing_bracket_become_spaces)
{
    CHECK(becomes("[1,]", "[1 ]") && becomes("{\"a\":1 , // x\n }", "{\"a\":1       \n }"));
    CHECK(becomes("[1,2]", "[1,2]") && becomes("[[1],[2],]", "[[1],[2] ]"));
    CHECK(becomes("[1,,]", "[1,,]") && becomes("[,]", "[,]") && becomes("{,}", "{,}"));
}

TEST(strings_are_not_changed)
{
    CHECK(becomes("\"// a, ]\"", "\"// a, ]\"") && becomes("\"/* a */\"", "\"/* a */\""));
    CHECK(becomes("\"\\\"// a\"", "\"\\\"// a\"") && becomes("[\"a,\"]", "[\"a,\"]"));
    CHECK(becomes("\"\\\\\"//", "\"\\\\\"  "));
}

TEST(what_is_not_closed_stays)
{
    CHECK(becomes("{} /* a", "{} /* a") && becomes("/*/", "/*/") &&
          becomes("\"a // b", "\"a // b"));
    CHECK(becomes("\"a\\", "\"a\\") && becomes("/", "/") && becomes("1 / 2", "1 / 2"));
}

/* A value that is JSON already stays the same. */
TEST(json_stays_as_it_is)
{
    static const char text[] = "{\"a\": [1, \"//\", {\"b,}\": null}], \"c\": \"/*\"}";

    CHECK(becomes(text, text));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
