/* test_web_host.c - does a URL lead to the host of a rule? Each refused URL has a twin that holds.
 */
#include "tap.h"

#include "base/web_host.h"

static enum cr_truth holds(const char *host, const char *url)
{
    struct cr_web_host h;

    return cr_web_host_parse(host, &h) ? cr_web_host_holds(&h, url, strlen(url)) : (enum cr_truth)9;
}

struct row {
    const char *host, *url;
    enum cr_truth truth;
};

static bool all_are_right(const struct row *rows, size_t count)
{
    bool right = true;

    for (size_t i = 0; i < count; i++) {
        enum cr_truth found = holds(rows[i].host, rows[i].url);

        if (found == rows[i].truth)
            continue;
        (void)fprintf(stderr, "# %s of %s: %d\n", rows[i].host, rows[i].url, (int)found);
        right = false;
    }
    return right;
}

#define ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))
#define YES CR_TRUTH_YES
#define NO CR_TRUTH_NO
#define UNCLEAR CR_TRUTH_UNCLEAR

TEST(the_host_is_compared_and_not_the_text)
{
    static const struct row rows[] = {
        {"good.example", "https://good.example/a?b#c", YES},
        {"good.example", "https://good.example", YES},
        {"good.example", "http://good.example:8080/", YES},
        {"good.example", "ws://good.example/", YES},
        {"good.example", "HTTPS://GOOD.Example/", YES},
        {"GOOD.example", "https://good.example/", YES},
        {"good.example", "https://evil.example/good.example", NO},
        {"good.example", "https://evil.example/?https://good.example/", NO},
        {"good.example", "https://evil.example/#@good.example", NO},
        {"good.example", "https://evil.example?@good.example", NO},
        {"good.example", "https://good.example.evil.example/", NO},
        {"good.example", "https://evilgood.example/", NO},
        {"good.example", "https://a.good.example/", NO},
    };

    CHECK(all_are_right(rows, ROWS(rows)));
}

TEST(user_info_is_not_the_host)
{
    static const struct row rows[] = {
        {"good.example", "https://user:pass@good.example/", YES},
        {"good.example", "https://good.example@evil.example/", NO},
        {"good.example", "https://good.example:443@evil.example/", NO},
        {"good.example", "https://good.example%2f@evil.example/", NO},
        {"good.example", "https://evil.example@good.example@evil.example/", UNCLEAR},
    };

    CHECK(all_are_right(rows, ROWS(rows)));
}

TEST(a_port_counts_if_the_rule_names_one)
{
    static const struct row rows[] = {
        {"good.example:443", "https://good.example/", YES},
        {"good.example:443", "https://good.example:443/", YES},
        {"good.example:443", "https://good.example:/", YES},
        {"good.example:443", "http://good.example/", NO},
        {"good.example:443", "https://good.example:8443/", NO},
        {"good.example:8443", "https://good.example:8443/", YES},
        {"good.example:80", "https://good.example:00080/", YES},
        {"good.example", "https://good.example:65536/", UNCLEAR},
        {"good.example", "https://good.example:0/", UNCLEAR},
        {"good.example", "https://good.example:+1/", UNCLEAR},
        {"good.example", "https://good.example:1:2/", UNCLEAR},
    };

    CHECK(all_are_right(rows, ROWS(rows)));
}

TEST(a_star_means_names_below_and_not_the_name_itself)
{
    static const struct row rows[] = {
        {"*.good.example", "https://a.good.example/", YES},
        {"*.good.example", "https://a.b.good.example/", YES},
        {"*.good.example", "https://good.example/", NO},
        {"*.good.example", "https://evilgood.example/", NO},
        {"*.good.example", "https://.good.example/", UNCLEAR},
        {"*.good.example:8080", "http://a.good.example:8080/", YES},
        {"*.good.example:8080", "http://a.good.example/", NO},
    };

    CHECK(all_are_right(rows, ROWS(rows)));
}

TEST(an_address_is_the_same_in_all_its_forms)
{
    static const struct row rows[] = {
        {"127.0.0.1", "http://127.0.0.1/", YES},
        {"127.0.0.1", "http://127.1/", YES},
        {"127.0.0.1", "http://2130706433/", YES},
        {"127.0.0.1", "http://0x7f000001/", YES},
        {"127.0.0.1", "http://0x7F.1/", YES},
        {"127.0.0.1", "http://0177.0.0.1/", YES},
        {"127.0.0.1", "http://017700000001/", YES},
        {"2130706433", "http://127.0.0.1/", YES},
        {"127.0.0.1", "http://127.0.0.2/", NO},
        {"127.0.0.1", "http://127.0.0.1.example/", NO},
        {"127.0.0.1", "http://127.0.0.1./", UNCLEAR},
        {"127.0.0.1", "http://127.0.0.256/", UNCLEAR},
        {"127.0.0.1", "http://127.0.0.09/", UNCLEAR},
        {"127.0.0.1", "http://1.2.3.4.5/", UNCLEAR},
        {"127.0.0.1", "http://4294967296/", UNCLEAR},
        {"127.0.0.1", "http://a.0x1/", UNCLEAR},
        {"[::1]", "http://[::1]/", YES},
        {"[::1]", "http://[0:0:0:0:0:0:0:1]:80/", YES},
        {"[2001:db8::a]", "http://[2001:DB8:0::A]/", YES},
        {"[::1]", "http://[::2]/", NO},
        {"127.0.0.1", "http://[::ffff:127.0.0.1]/", UNCLEAR},
        {"127.0.0.1", "http://[::7f00:1]/", UNCLEAR},
        {"127.0.0.1", "http://[::ffff:0:127.0.0.1]/", UNCLEAR},
        {"127.0.0.1", "http://[64:ff9b::7f00:1]/", UNCLEAR},
        {"127.0.0.1", "http://0x0000000000007f000001/", YES},
        {"127.0.0.1", "http://127.0.0.0x0000000000000000001/", YES},
        {"127.0.0.1", "http://00000000000017700000001/", YES},
        {"127.0.0.1", "http://0xfffffffffffffffffff/", UNCLEAR},
        {"127.0.0.1", "http://99999999999999999999/", UNCLEAR},
        {"[::1]", "http://[::1", UNCLEAR},
        {"[::1]", "http://[::1%25lo]/", UNCLEAR},
        {"[::1]", "http://[::1]x/", UNCLEAR},
    };

    CHECK(all_are_right(rows, ROWS(rows)));
}

TEST(what_parsers_read_in_different_ways_is_unclear)
{
    static const struct row rows[] = {
        {"good.example", "https:\\\\good.example/", UNCLEAR},
        {"good.example", "https://evil.example\\@good.example/", UNCLEAR},
        {"good.example", "https:good.example/", UNCLEAR},
        {"good.example", "https:/good.example/", UNCLEAR},
        {"good.example", "https:///good.example/", UNCLEAR},
        {"good.example", "//good.example/", UNCLEAR},
        {"good.example", "good.example", UNCLEAR},
        {"good.example", " https://good.example/", UNCLEAR},
        {"good.example", "https://good.exa\tmple/", UNCLEAR},
        {"good.example", "https://good.example/\n", UNCLEAR},
        {"good.example", "https://good.ex%61mple/", UNCLEAR},
        {"good.example", "https://good.example./", UNCLEAR},
        {"good.example", "https://g\xc3\xb6od.example/", UNCLEAR},
        {"good.example", "https://\xef\xbd\x87ood.example/", UNCLEAR},
        {"good.example",
         "https://good\xe3\x80\x82"
         "example/",
         UNCLEAR},
        {"good.example", "file://good.example/etc/passwd", UNCLEAR},
        {"good.example", "javascript://good.example/%0aalert(1)", UNCLEAR},
        {"good.example", "https://", UNCLEAR},
        {"good.example", "", UNCLEAR},
        {"xn--bcher-kva.example", "https://xn--bcher-kva.example/", YES},
        {"xn--bcher-kva.example", "https://xn--bcher-kvb.example/", NO},
    };
    char longest[9000];

    CHECK(all_are_right(rows, ROWS(rows)));
    memset(longest, 'a', sizeof(longest));
    memcpy(longest, "https://good.example/", strlen("https://good.example/"));
    longest[8192] = '\0';
    CHECK(holds("good.example", longest) == CR_TRUTH_YES);
    longest[8192] = 'a';
    longest[8193] = '\0';
    CHECK(holds("good.example", longest) == CR_TRUTH_UNCLEAR);
}

TEST(a_host_of_a_rule_that_could_never_match_is_refused)
{
    static const char *const bad[] = {"",     "*",      "*.",        "*.example", "a b",    "a..b",
                                      "a.",   ".a",     "https://a", "a/b",       "a:0",    "a:x",
                                      "[::1", "1.2.3.", "*.1.2",     "b\xc3\xbc", "a:65536"};
    struct cr_web_host h;

    for (size_t i = 0; i < ROWS(bad); i++)
        CHECK(!cr_web_host_parse(bad[i], &h));
    CHECK(cr_web_host_parse("localhost", &h) && cr_web_host_parse("*.a.b", &h));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
