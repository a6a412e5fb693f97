/* test_when.c - parsing RFC 3339 times. */
#include "tap.h"

#include "registry/when.h"

TEST(times_of_rfc_3339_are_read)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01", 0},
        {"1970-01-01T00:00:00.5Z", 500},
        {"1970-01-01T00:00:00.123456789Z", 123},
        {"1970-01-01T02:00:00+02:00", 0},
        {"1969-12-31T22:30:00-01:30", 0},
        {"2026-11-16T09:30:00Z", 1794821400000},
        {"2024-02-29T00:00:00z", 1709164800000},
        {"2016-12-31T23:59:60Z", 1483228800000},
        {"0001-01-01", -62135596800000},
    };

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        int64_t ms = 99;

        CHECK(cr_when_parse(good[i].text, &ms) == 0);
        CHECK(ms == good[i].ms);
    }
}

TEST(anything_else_is_no_time_and_leaves_the_value_alone)
{
    static const char *const bad[] = {
        "",
        "now",
        "2026",
        "2026-11",
        "2026-13-01",
        "2026-00-10",
        "2026-02-30",
        "2025-02-29T00:00:00Z",
        "2026-11-16 09:30:00Z",
        "2026-11-16T09:30Z",
        "2026-11-16T09:30:00",
        "2026-11-16T24:00:00Z",
        "2026-11-16T09:60:00Z",
        "2026-11-16T09:30:61Z",
        "2026-11-16T09:30:00.Z",
        "2026-11-16T09:30:00+2:00",
        "2026-11-16T09:30:00+0200",
        "2026-11-16T09:30:00Zx",
        "2026-11-16T09:30:00+24:00",
        " 2026-11-16",
        "+026-11-16",
        "1794821400",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int64_t ms = 99;

        CHECK(cr_when_parse(bad[i], &ms) == -1);
        CHECK(ms == 99);
    }
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
