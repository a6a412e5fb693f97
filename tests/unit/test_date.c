/* test_date.c - dates and days, compared with those of libc. */
#include <stdbool.h>
#include <time.h>

#include "tap.h"

#include "base/date.h"

static bool is_same_as_libc(int64_t day)
{
    time_t seconds = (time_t)(day * 86400);
    struct cr_date date = cr_date_from_days(day);
    struct tm utc;

    return gmtime_r(&seconds, &utc) && date.year == utc.tm_year + 1900 &&
           date.month == utc.tm_mon + 1 && date.day == utc.tm_mday && cr_date_to_days(date) == day;
}

TEST(each_day_of_some_centuries_is_that_of_libc)
{
    for (int64_t day = -1000000; day <= 1000000; day += day < -150000 || day > 150000 ? 97 : 1)
        CHECK(is_same_as_libc(day));
}

TEST(a_day_after_the_end_of_a_month_counts_on)
{
    CHECK(cr_date_to_days((struct cr_date){1970, 1, 1}) == 0);
    CHECK(cr_date_to_days((struct cr_date){1970, 2, 30}) ==
          cr_date_to_days((struct cr_date){1970, 3, 2}));
    CHECK(cr_date_to_days((struct cr_date){2024, 2, 29}) + 1 ==
          cr_date_to_days((struct cr_date){2024, 3, 1}));
    CHECK(cr_date_to_days((struct cr_date){2100, 2, 29}) ==
          cr_date_to_days((struct cr_date){2100, 3, 1}));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
