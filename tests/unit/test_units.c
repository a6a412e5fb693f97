/* test_units.c - parsing and showing durations and sizes. */
#include "tap.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

struct written {
    const char *text;
    uint64_t value;
};

static bool shows_duration(uint64_t ms, const char *text)
{
    char out[32];

    cr_units_show_duration(ms, out);
    return strcmp(out, text) == 0;
}

static bool shows_size(uint64_t bytes, const char *text)
{
    char out[32];

    cr_units_show_size(bytes, out);
    return strcmp(out, text) == 0;
}

TEST(durations_are_digits_and_a_unit)
{
    static const struct written good[] = {
        {"250ms", 250},
        {"30s", 30000},
        {"5m", 300000},
        {"1h", 3600000},
        {"0", 0},
        {"0s", 0},
        {"007s", 7000},
        {"576h", CR_UNITS_MAX_MS},
        {"1ms", 1},
        {"90m", 5400000},
        {"2073600000ms", CR_UNITS_MAX_MS},
    };

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        uint64_t ms = 99;

        CHECK(cr_units_duration(good[i].text, &ms, NULL) == 0);
        CHECK(ms == good[i].value);
    }
}

TEST(anything_else_is_not_a_duration_and_leaves_the_value_alone)
{
    static const char *const bad[] = {
        "",     "s",  "ms",  "30",         "00",        "-1s",  "+1s",  " 1s",   "1s ",   "1 s",
        "1.5s", "1S", "1Ms", "1d",         "1min",      "1sec", "1s1s", "1h30m", "0x10s", "1e3s",
        "1,5s", "1k", "s30", "1\xc2\xb5s", "\xd9\xa1s", "nan",  "inf",  "1s\n",  "١s",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t ms = 99;

        CHECK(cr_units_duration(bad[i], &ms, NULL) == CAPRUN_E_INVAL);
        CHECK(ms == 99);
    }
}

TEST(sizes_are_digits_and_a_unit)
{
    static const struct written good[] = {
        {"64k", 65536},
        {"512m", 536870912},
        {"1g", 1073741824},
        {"0", 0},
        {"0k", 0},
        {"0001k", 1024},
        {"1024g", CR_UNITS_MAX_BYTES},
        {"1048576m", CR_UNITS_MAX_BYTES},
        {"1073741824k", CR_UNITS_MAX_BYTES},
    };

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        uint64_t bytes = 99;

        CHECK(cr_units_size(good[i].text, &bytes, NULL) == 0);
        CHECK(bytes == good[i].value);
    }
}

TEST(anything_else_is_not_a_size_and_leaves_the_value_alone)
{
    static const char *const bad[] = {
        "",    "k",   "64",  "64K", "512M", "1G",   "1t",    "64kb", "64kB", "64KiB", "64b",
        "-1k", "+1k", " 1k", "1k ", "1 k",  "1.5g", "0x1fk", "1m1k", "1e3k", "1s",    "bytes",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t bytes = 99;

        CHECK(cr_units_size(bad[i], &bytes, NULL) == CAPRUN_E_INVAL);
        CHECK(bytes == 99);
    }
}

TEST(one_over_the_longest_is_too_big_and_nothing_overflows)
{
    static const char *const durations[] = {
        "2073600001ms",
        "2073601s",
        "34561m",
        "577h",
        "18446744073709551615ms",
        "18446744073709551616ms",
        "18446744073709551617s",
        "5124095576030431h",
        "99999999999999999999999999999999999999999999999999h",
    };
    static const char *const sizes[] = {
        "1025g",
        "1048577m",
        "1073741825k",
        "17179869184g",
        "18014398509481985k",
        "18446744073709551616g",
        "99999999999999999999999999999999999999999999999999k",
    };
    uint64_t value = 99;

    for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++)
        CHECK(cr_units_duration(durations[i], &value, NULL) == CAPRUN_E_TOOBIG);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        CHECK(cr_units_size(sizes[i], &value, NULL) == CAPRUN_E_TOOBIG);
    CHECK(value == 99);
}

TEST(errors_quote_the_text_and_show_what_is_right)
{
    struct cr_err err = {0};
    uint64_t value;

    CHECK(cr_units_duration("soon", &value, &err) == CAPRUN_E_INVAL);
    CHECK(err.code == CAPRUN_E_INVAL);
    CHECK(strcmp(err.text, "'soon' is not a duration; write it like 250ms, 30s, 5m or 1h") == 0);
    CHECK(cr_units_duration("600h", &value, &err) == CAPRUN_E_TOOBIG);
    CHECK(strstr(err.text, "'600h' is over 24 days") != NULL);
    CHECK(cr_units_size("64K", &value, &err) == CAPRUN_E_INVAL);
    CHECK(strcmp(err.text, "'64K' is not a size; write it like 64k, 512m or 1g") == 0);
    CHECK(cr_units_size("2000g", &value, &err) == CAPRUN_E_TOOBIG);
    CHECK(strstr(err.text, "'2000g' is over 1024g") != NULL);
}

TEST(a_very_long_text_is_cut_so_that_the_example_still_shows)
{
    struct cr_err err = {0};
    char text[2000];
    uint64_t value;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    CHECK(cr_units_size(text, &value, &err) == CAPRUN_E_INVAL);
    CHECK(strstr(err.text, "64k, 512m or 1g") != NULL);
}

TEST(durations_show_in_the_largest_unit_without_a_fraction)
{
    CHECK(shows_duration(300000, "5 min"));
    CHECK(shows_duration(30000, "30 s"));
    CHECK(shows_duration(500, "500 ms"));
    CHECK(shows_duration(90000, "90 s"));
    CHECK(shows_duration(7200000, "2 h"));
    CHECK(shows_duration(1500, "1500 ms"));
    CHECK(shows_duration(5400000, "90 min"));
    CHECK(shows_duration(60000, "1 min"));
    CHECK(shows_duration(0, "0 ms"));
    CHECK(shows_duration(1, "1 ms"));
    CHECK(shows_duration(CR_UNITS_MAX_MS, "576 h"));
    CHECK(shows_duration(UINT64_MAX, "18446744073709551615 ms"));
}

TEST(sizes_show_in_the_largest_unit_without_a_fraction)
{
    CHECK(shows_size(64ull << 20, "64 MiB"));
    CHECK(shows_size(512ull << 10, "512 KiB"));
    CHECK(shows_size(1ull << 30, "1 GiB"));
    CHECK(shows_size(1000, "1000 bytes"));
    CHECK(shows_size(1536ull << 20, "1536 MiB"));
    CHECK(shows_size(0, "0 bytes"));
    CHECK(shows_size(CR_UNITS_MAX_BYTES, "1024 GiB"));
    CHECK(shows_size(UINT64_MAX, "18446744073709551615 bytes"));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
