/* test_crashes.c - code that crashed too often is refused; a full table drops its oldest entry. */
#include "tap.h"

#include "pool/crashes.h"

static struct cr_crashes crashes;

/* A different digest for each number. */
static const uint8_t *digest(unsigned number)
{
    static uint8_t bytes[CR_HASH_BYTES];

    memset(bytes, 0, sizeof(bytes));
    bytes[0] = (uint8_t)number;
    bytes[CR_HASH_BYTES - 1] = (uint8_t)(number >> 8);
    return bytes;
}

static void crash(unsigned number, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        cr_crashes_add(&crashes, digest(number));
}

static void forget_all(void)
{
    memset(&crashes, 0, sizeof(crashes));
}

TEST(code_that_never_crashed_is_not_refused)
{
    forget_all();
    CHECK(!cr_crashes_refuse(&crashes, digest(0)));
    crash(1, CR_CRASHES_ALLOWED);
    CHECK(!cr_crashes_refuse(&crashes, digest(0)));
    CHECK(!cr_crashes_refuse(&crashes, digest(257)));
}

TEST(code_is_refused_from_its_third_crash_on)
{
    forget_all();
    for (unsigned i = 1; i <= 2 * CR_CRASHES_ALLOWED; i++) {
        crash(7, 1);
        CHECK(cr_crashes_refuse(&crashes, digest(7)) == (i >= CR_CRASHES_ALLOWED));
    }
    CHECK(crashes.count == 1);
}

TEST(crashes_of_different_code_are_counted_apart)
{
    forget_all();
    for (unsigned i = 0; i < CR_CRASHES_ALLOWED - 1; i++)
        for (unsigned code = 0; code < 10; code++)
            crash(code, 1);
    crash(4, 1);
    for (unsigned code = 0; code < 10; code++)
        CHECK(cr_crashes_refuse(&crashes, digest(code)) == (code == 4));
}

TEST(when_the_table_is_full_the_oldest_is_forgotten)
{
    forget_all();
    for (unsigned code = 0; code < CR_CRASHES_KEPT; code++)
        crash(code, CR_CRASHES_ALLOWED);
    CHECK(cr_crashes_refuse(&crashes, digest(0)));
    crash(1000, CR_CRASHES_ALLOWED);
    CHECK(crashes.count == CR_CRASHES_KEPT);
    CHECK(cr_crashes_refuse(&crashes, digest(1000)) && !cr_crashes_refuse(&crashes, digest(0)));
    CHECK(cr_crashes_refuse(&crashes, digest(1)));
    for (unsigned code = 1001; code < 1000 + 2 * CR_CRASHES_KEPT; code++)
        crash(code, 1);
    CHECK(crashes.count == CR_CRASHES_KEPT && !cr_crashes_refuse(&crashes, digest(1000)));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
