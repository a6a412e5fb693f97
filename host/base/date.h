/*
 * date.h - converts dates to days and back, in UTC.
 *
 * The functions of libc for dates read the file that TZ names, or /etc/localtime, even for UTC. The
 * loop must not wait for a file.
 */
#ifndef CR_DATE_H
#define CR_DATE_H

#include <stdint.h>

struct cr_date {
    int year, month, day; /* month and day count from 1 */
};

/* Returns the days from 1970-01-01 to |date|; a day after the end of its month counts on. */
int64_t cr_date_to_days(struct cr_date date);

/* |days| are days after 1970-01-01, from -1000000 to 1000000. */
struct cr_date cr_date_from_days(int64_t days);

#endif
