/* test_nearest.c - which known word was meant, and when nobody can tell. */
#include "tap.h"

#include <stdbool.h>

#include "base/nearest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const keys[] = {"registries", "mcpServers", "permissions",
                                   "limits",     "env",        "in"};

static bool finds(const char *word, const char *wanted)
{
    const char *found = cr_nearest(word, keys, COUNT(keys));

    return wanted ? found && strcmp(found, wanted) == 0 : !found;
}

TEST(a_letter_more_less_or_other_is_forgiven)
{
    CHECK(finds("permisions", "permissions"));
    CHECK(finds("permisssions", "permissions"));
    CHECK(finds("permizsions", "permissions"));
    CHECK(finds("registry", "registries"));
    CHECK(finds("limit", "limits"));
}

TEST(two_neighbours_that_changed_places_are_one_edit)
{
    CHECK(finds("evn", "env"));
    CHECK(finds("ni", "in"));
    CHECK(finds("vne", NULL));
}

TEST(case_does_not_count)
{
    CHECK(finds("MCPSERVERS", "mcpServers"));
    CHECK(finds("McpServer", "mcpServers"));
}

TEST(a_known_word_is_nearest_to_itself)
{
    for (size_t i = 0; i < COUNT(keys); i++)
        CHECK(finds(keys[i], keys[i]));
}

TEST(what_is_not_near_is_not_guessed)
{
    CHECK(finds("frobnicate", NULL));
    CHECK(finds("", NULL));
    CHECK(finds("x", NULL));
    CHECK(finds("permit", NULL));
    CHECK(!cr_nearest("limits", keys, 0));
}

TEST(of_two_that_are_as_near_it_is_the_first)
{
    static const char *const twins[] = {"maxCall", "maxCells", "maxCalls"};

    CHECK(strcmp(cr_nearest("maxCallz", twins, COUNT(twins)), "maxCall") == 0);
    CHECK(strcmp(cr_nearest("maxCalls", twins, COUNT(twins)), "maxCalls") == 0);
}

TEST(long_words_are_compared_up_to_the_ceiling_and_not_beyond)
{
    char word[CR_NEAREST_MAX + 2], other[CR_NEAREST_MAX + 2];
    const char *const known[] = {other};

    memset(word, 'a', sizeof(word) - 1);
    memset(other, 'a', sizeof(other) - 1);
    word[CR_NEAREST_MAX] = other[CR_NEAREST_MAX] = '\0';
    other[7] = 'b';
    CHECK(cr_nearest(word, known, 1) == other);
    other[CR_NEAREST_MAX] = 'a';
    other[CR_NEAREST_MAX + 1] = '\0';
    CHECK(!cr_nearest(word, known, 1));
    CHECK(!cr_nearest(other, keys, COUNT(keys)));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
