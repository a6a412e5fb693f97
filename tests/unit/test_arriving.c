/* test_arriving.c - scanning a text that arrives in parts: no state is kept for another text. */
#include "tap.h"

#include "caprun.h"
#include "run/arriving.h"

static struct cr_arriving a;
static struct cr_err err;

static void feed(const char *text, enum cr_scan_rules rules)
{
    cr_arriving_feed(&a, rules, (const uint8_t *)text, strlen(text));
}

static int finish(const char *text, enum cr_scan_rules rules)
{
    return cr_arriving_finish(&a, rules, (const uint8_t *)text, strlen(text), &err);
}

TEST(a_text_that_came_in_parts_is_judged_as_a_whole_one)
{
    feed("{\"a\":[1,", CR_SCAN_STRICT);
    CHECK(finish("{\"a\":[1,2]}", CR_SCAN_STRICT) == 0 && !a.text);
    feed("{\"a\":1,", CR_SCAN_STRICT);
    CHECK(finish("{\"a\":1,\"a\":2}", CR_SCAN_STRICT) == CAPRUN_E_INVAL && !a.text);
    CHECK(strstr(err.text, "duplicate key") != NULL);
    CHECK(finish("{\"a\":1,\"a\":2}", CR_SCAN_STRICT) == CAPRUN_E_INVAL);
    CHECK(finish("[]", CR_SCAN_STRICT) == 0);
}

TEST(other_rules_begin_from_the_start)
{
    feed("{\"a\":1,\"a\":2,", CR_SCAN_PASS);
    CHECK(finish("{\"a\":1,\"a\":2,\"b\":3}", CR_SCAN_STRICT) == CAPRUN_E_INVAL && !a.text);
}

TEST(a_text_that_has_become_shorter_is_refused_unread)
{
    feed("{\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", CR_SCAN_STRICT);
    CHECK(finish("{}", CR_SCAN_STRICT) == CAPRUN_E_INVAL && !a.text);
}

TEST(what_is_forgotten_is_not_counted)
{
    feed("{\"a\":", CR_SCAN_STRICT);
    cr_arriving_clear(&a);
    CHECK(finish("}}}}}1}", CR_SCAN_STRICT) == CAPRUN_E_INVAL);
    CHECK(finish("[1]", CR_SCAN_STRICT) == 0);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
