/* test_nearest.c - finding the known word that a misspelled word probably means, if any. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

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

TEST(a_dozen_edits_are_forgiven_in_a_long_word_and_no_more)
{
    char word[101], other[101];
    const char *const known[] = {other};

    memset(word, 'a', 100);
    memset(other, 'a', 100);
    word[100] = other[100] = '\0';
    memset(other + 30, 'b', CR_NEAREST_EDITS);
    CHECK(cr_nearest(word, known, 1) == other);
    other[99] = 'c';
    CHECK(!cr_nearest(word, known, 1));
    memset(other, 'a', 100);
    other[100 - CR_NEAREST_EDITS] = '\0';
    CHECK(cr_nearest(word, known, 1) == other);
    other[99 - CR_NEAREST_EDITS] = '\0';
    CHECK(!cr_nearest(word, known, 1));
}

/* The number of edits, computed with a full table. */
static size_t count_edits(const char *a, const char *b)
{
    size_t table[16][16];

    for (size_t i = 0; i <= strlen(a); i++) {
        for (size_t j = 0; j <= strlen(b); j++) {
            size_t edits = i && j ? table[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i + j;

            if (i && table[i - 1][j] + 1 < edits)
                edits = table[i - 1][j] + 1;
            if (j && table[i][j - 1] + 1 < edits)
                edits = table[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                table[i - 2][j - 2] + 1 < edits)
                edits = table[i - 2][j - 2] + 1;
            table[i][j] = edits;
        }
    }
    return table[strlen(a)][strlen(b)];
}

static void make_word(unsigned *seed, char ret[16])
{
    size_t len = 1 + (size_t)rand_r(seed) % 15;

    for (size_t i = 0; i < len; i++)
        ret[i] = "abc"[rand_r(seed) % 3];
    ret[len] = '\0';
}

TEST(what_is_found_is_what_a_whole_table_finds)
{
    char words[8][16], word[16];
    const char *known[COUNT(words)];
    unsigned seed = 1;

    for (int n = 0; n < 20000; n++) {
        size_t best, edits;
        const char *wanted = NULL;

        make_word(&seed, word);
        best = (strlen(word) + 2) / 3 + 1;
        for (size_t i = 0; i < COUNT(words); i++) {
            make_word(&seed, words[i]);
            known[i] = words[i];
            edits = count_edits(word, words[i]);
            wanted = edits < best ? words[i] : wanted;
            best = edits < best ? edits : best;
        }
        CHECK(cr_nearest(word, known, COUNT(words)) == wanted);
    }
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
