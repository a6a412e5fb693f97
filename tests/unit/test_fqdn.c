/* test_fqdn.c - parsing the names of capabilities: their parts, and which names are refused. */
#include "tap.h"

#include <stdlib.h>

#include "registry/fqdn.h"

#define LONG16 "abcdefghijklmnop"
#define LONG64 LONG16 LONG16 LONG16 LONG16
#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct cr_fqdn f;
static struct cr_err err;

static bool accepts(const char *text)
{
    return cr_fqdn_parse(text, &f, &err) == 0;
}

/* Is |text| refused with a message, and the output left unchanged? */
static bool refuses(const char *text, const char *words)
{
    struct cr_fqdn untouched;

    memset(&f, 0x5a, sizeof(f));
    memset(&untouched, 0x5a, sizeof(untouched));
    err = (struct cr_err){0};
    if (cr_fqdn_parse(text, &f, &err) == CAPRUN_E_INVAL && err.code == CAPRUN_E_INVAL &&
        strstr(err.text, words) && memcmp(&f, &untouched, sizeof(f)) == 0)
        return true;
    printf("# '%s': %s\n", text, err.text);
    return false;
}

TEST(four_parts_are_a_name_and_a_tool)
{
    CHECK(accepts("acme.tools.text.summary"));
    CHECK(strcmp(f.full, "acme.tools.text.summary") == 0);
    CHECK(strcmp(f.name, "acme.tools.text.summary") == 0);
    CHECK(strcmp(f.hash, "") == 0);
    CHECK(strcmp(f.tool, "text:summary") == 0);
}

TEST(a_fifth_part_is_the_hash)
{
    CHECK(accepts("acme.tools.text.summary.1a2b3c4d"));
    CHECK(strcmp(f.full, "acme.tools.text.summary.1a2b3c4d") == 0);
    CHECK(strcmp(f.name, "acme.tools.text.summary") == 0);
    CHECK(strcmp(f.hash, "1a2b3c4d") == 0);
    CHECK(strcmp(f.tool, "text:summary") == 0);
}

TEST(parts_may_be_as_short_as_a_letter_and_as_long_as_64)
{
    CHECK(accepts("a.b.c.d") && strcmp(f.tool, "c:d") == 0);
    CHECK(accepts("_._._._") && strcmp(f.tool, "_:_") == 0);
    CHECK(accepts("a1.B_2.c-3.D--") && strcmp(f.tool, "c-3:D--") == 0);
    CHECK(accepts(LONG64 "." LONG64 "." LONG64 "." LONG64 "." HEX64));
    CHECK(strlen(f.full) == CR_FQDN_MAX && strlen(f.name) == CR_FQDN_MAX - 65);
    CHECK(strcmp(f.hash, HEX64) == 0 && strcmp(f.tool, LONG64 ":" LONG64) == 0);
    CHECK(accepts("a.b.c.d.0123") && strcmp(f.hash, "0123") == 0);
}

TEST(the_wrong_number_of_parts_is_said)
{
    CHECK(refuses("a", "1 part, and needs four"));
    CHECK(refuses("a.b", "2 parts"));
    CHECK(refuses("a.b.c", "3 parts"));
    CHECK(refuses("a.b.c.d.1234.5678", "more than four parts and a hash"));
    CHECK(refuses("a.b.c.d.1234.", "more than four parts and a hash"));
}

TEST(the_part_that_is_wrong_is_named)
{
    CHECK(refuses("", "the organisation, ''"));
    CHECK(refuses(".b.c.d", "the organisation, ''"));
    CHECK(refuses("a..c.d", "the project, ''"));
    CHECK(refuses("a.b..d", "the namespace, ''"));
    CHECK(refuses("a.b.c.", "the action, ''"));
    CHECK(refuses("a.b.c.d.", "the hash, ''"));
    CHECK(refuses("1.b.c.d", "the organisation, '1'"));
    CHECK(refuses("a.-b.c.d", "the project, '-b'"));
    CHECK(refuses("a.b.c c.d", "the namespace, 'c c'"));
    CHECK(refuses("a.b.c.d:e", "the action, 'd:e'"));
    CHECK(refuses("a.b.c.x" LONG64, "the action, 'x" LONG64 "'"));
}

TEST(a_hash_is_4_to_64_lower_case_digits)
{
    CHECK(refuses("a.b.c.d.123", "the hash, '123', is not 4 to 64"));
    CHECK(refuses("a.b.c.d.1234A", "the hash, '1234A'"));
    CHECK(refuses("a.b.c.d.12g4", "the hash, '12g4'"));
    CHECK(refuses("a.b.c.d." HEX64 "0", "the hash, '" HEX64 "0'"));
    CHECK(refuses("a.b.c.d.sha256-12", "the hash"));
}

TEST(nothing_that_means_something_in_a_path_or_a_url_passes)
{
    static const char *const bad[] = {
        "../../etc.b.c.d", "a/b.b.c.d",      "a.b.c.d/../e", "..a.b.c.d", "a.b.c.%2f", "a.b.c.d%00",
        "a.b.c.d?x",       "a.b.c.d#x",      "a.b.c.d\n",    "a.b.c.d ",  " a.b.c.d",  "a.b.c.d\\e",
        "a.b.c.d@e",       "a.b.c.\xc3\xa9", "~.b.c.d",      "a.b.c.d;e"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK(refuses(bad[i], "is not"));
}

/* The rules again, byte by byte, in the simplest form. */
TEST(every_byte_is_allowed_where_it_should_be_and_nowhere_else)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    char text[64];

    for (int c = 1; c < 256; c++) {
        bool letter = strchr(letters, c), digit = c >= '0' && c <= '9';

        if (c == '.')
            continue;
        (void)snprintf(text, sizeof(text), "a.b.%c.d", c);
        CHECK(accepts(text) == letter);
        (void)snprintf(text, sizeof(text), "a.b.c%c.d", c);
        CHECK(accepts(text) == (letter || digit || c == '-'));
        (void)snprintf(text, sizeof(text), "a.b.c.d.000%c", c);
        CHECK(accepts(text) == (digit || (c >= 'a' && c <= 'f')));
    }
}

TEST(a_long_mistake_is_cut_and_still_explained)
{
    static char text[100000];

    memset(text, 'x', sizeof(text) - 1);
    CHECK(refuses(text, "64 in all at most"));
    memset(text, '.', sizeof(text) - 1);
    CHECK(refuses(text, "the organisation, ''"));
    memcpy(text, "a.b.c.d.", 8);
    memset(text + 8, '0', sizeof(text) - 9);
    CHECK(refuses(text, "is not 4 to 64 digits"));
}

TEST(the_words_may_be_unwanted)
{
    CHECK(cr_fqdn_parse("a", &f, NULL) == CAPRUN_E_INVAL);
    CHECK(cr_fqdn_parse("a.b.c.d", &f, NULL) == 0);
}

static bool finds(const char *a, const char *b)
{
    struct cr_fqdn x, y;

    return cr_fqdn_parse(a, &x, NULL) == 0 && cr_fqdn_parse(b, &y, NULL) == 0 &&
           cr_fqdn_finds(&x, &y);
}

TEST(a_name_finds_its_versions_and_a_version_only_itself)
{
    CHECK(finds("a.b.c.d", "a.b.c.d"));
    CHECK(finds("a.b.c.d", "a.b.c.d.1234"));
    CHECK(finds("a.b.c.d.1234", "a.b.c.d.1234"));
    CHECK(!finds("a.b.c.d.1234", "a.b.c.d"));
    CHECK(!finds("a.b.c.d.1234", "a.b.c.d.12345"));
    CHECK(!finds("a.b.c.d.12345", "a.b.c.d.1234"));
    CHECK(!finds("a.b.c.d", "a.b.c.D.1234"));
    CHECK(!finds("a.b.c.d", "a.b.c.dd"));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
