/*
 * date.c - converts dates to days and back, in UTC.
 *
 * A year begins on March 1 here, so that February 29 is its last day. Years are counted in cycles
 * of 400 years, which have equally many days.
 */
#include "base/date.h"

#define CYCLE_DAYS 146097
#define EPOCH 719468 /* days from 0000-03-01 to 1970-01-01 */

/* Returns the days of a year before its month |month|, March being 0. */
static int64_t days_before(int64_t month)
{
    return (153 * month + 2) / 5;
}

int64_t cr_date_to_days(struct cr_date date)
{
    int64_t month = (date.month + 9) % 12, year = date.year - (date.month < 3) + 4000;

    return year * 365 + year / 4 - year / 100 + year / 400 + days_before(month) + date.day - 1 -
           10 * CYCLE_DAYS - EPOCH;
}

struct cr_date cr_date_from_days(int64_t days)
{
    int64_t all = days + EPOCH + 10 * CYCLE_DAYS; /* not negative */
    int64_t day = all % CYCLE_DAYS;
    int64_t year = (day - day / 1460 + day / 36524 - day / (CYCLE_DAYS - 1)) / 365;
    int64_t month;

    day -= 365 * year + year / 4 - year / 100;
    month = (5 * day + 2) / 153;
    year += all / CYCLE_DAYS * 400 - 4000;
    return (struct cr_date){.year = (int)year + (month > 9),
                            .month = (int)(month < 10 ? month + 3 : month - 9),
                            .day = (int)(day - days_before(month)) + 1};
}
