/*
 * test_options.c - parsing the command line: which options are kept, and in which order. Messages
 * about bad command lines are tested in tests/integration/exec.t.
 */
#include "tap.h"

#include <stdlib.h>

#include "cli/options.h"

#define MOST 1000

static struct cr_options options;
static struct cr_err err;

/* Parses the words of |line|, cut at each space. */
static int parse(const char *line)
{
    static char copy[20000];
    static char *argv[MOST + 1];
    static char name[] = "caprun";
    char *rest = copy;
    int argc = 1;

    (void)snprintf(copy, sizeof(copy), "%s", line);
    argv[0] = name;
    while (rest && argc < MOST)
        argv[argc++] = strsep(&rest, " ");
    argv[argc] = NULL;
    err = (struct cr_err){0};
    return cr_options_parse(argc, argv, &options, &err);
}

static bool has(int at, int answer, const char *pattern)
{
    return options.permissions[at].answer == answer &&
           strcmp(options.permissions[at].pattern, pattern) == 0;
}

TEST(permissions_are_kept_in_their_order)
{
    CHECK(parse("--deny a:b exec --allow=ns x.js --ask * --deny -q --allow c:*") < 0);
    CHECK(strstr(err.text, "'--deny' needs a value; one with a - is --deny=-q"));
    CHECK(parse("--deny a:b exec --allow=ns x.js --ask * --deny=-q --allow c:*") == 0);
    CHECK(options.permission_count == 5 && options.word_count == 2);
    CHECK(has(0, CAPRUN_DENY, "a:b") && has(1, CAPRUN_ALLOW, "ns") && has(2, CAPRUN_ASK, "*"));
    CHECK(has(3, CAPRUN_DENY, "-q") && has(4, CAPRUN_ALLOW, "c:*"));
    CHECK(parse("exec x.js") == 0 && options.permission_count == 0);
}

TEST(what_is_no_pattern_is_refused_with_what_a_pattern_is)
{
    static const char *const bad[] = {"exec --allow=", "exec --ask=ns:", "exec --deny=a.b:c",
                                      "exec --deny=${X}:c --json"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(parse(bad[i]) == CAPRUN_E_INVAL);
        CHECK(strstr(err.text,
                     "is not a pattern like \"ns:action\", \"ns:read_*\", \"ns\" or \"*\""));
        CHECK(options.permission_count == 0);
    }
    CHECK(options.json);
}

TEST(there_may_be_256_of_each_and_not_one_more)
{
    static const char *const names[] = {" --allow=a", " --ask=a", " --deny=a"};
    static char line[20000];
    size_t len = (size_t)snprintf(line, sizeof(line), "exec");

    for (int i = 0; i < 3 * CR_OPTIONS_PATTERNS; i++)
        len += (size_t)snprintf(line + len, sizeof(line) - len, "%s", names[i % 3]);
    CHECK(parse(line) == 0 && options.permission_count == 3 * CR_OPTIONS_PATTERNS);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(line + len, sizeof(line) - len, "%s", names[i]);
        CHECK(parse(line) == CAPRUN_E_TOOBIG);
        CHECK(strstr(err.text, ": 'a' is one too many: at most 256"));
    }
}

TEST(permissions_are_a_group_that_not_every_command_takes)
{
    static const char *const lines[] = {"x --allow a", "x --ask a", "x --deny a"};

    for (int i = 0; i < 3; i++) {
        CHECK(parse(lines[i]) == 0);
        CHECK(!cr_options_outside(&options, CR_OPTION_POLICY));
        CHECK(!strncmp(cr_options_outside(&options, ~(unsigned)CR_OPTION_POLICY), "--", 2));
    }
    CHECK(parse("x --json") == 0 && !cr_options_outside(&options, 0));
}

TEST(there_may_be_1024_words_and_not_one_more)
{
    static char *argv[CR_OPTIONS_WORDS + 3];
    static char word[] = "w", last[] = "last", more[] = "more";

    for (int i = 0; i < CR_OPTIONS_WORDS; i++)
        argv[i] = word;
    argv[CR_OPTIONS_WORDS] = last;
    CHECK(cr_options_parse(CR_OPTIONS_WORDS + 1, argv, &options, &err) == 0);
    CHECK(options.word_count == CR_OPTIONS_WORDS && CR_OPTIONS_WORDS == 1024);
    CHECK(options.words[CR_OPTIONS_WORDS - 1] == last && !options.words[CR_OPTIONS_WORDS]);
    argv[CR_OPTIONS_WORDS + 1] = more;
    CHECK(cr_options_parse(CR_OPTIONS_WORDS + 2, argv, &options, &err) == CAPRUN_E_INVAL);
    CHECK(strcmp(err.text, "one word too many: 'more'") == 0);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
