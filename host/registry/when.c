/* when.c - parses the digits of a time, and converts it to milliseconds. */
#include "registry/when.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/date.h"

/* Reads |count| digits. Returns the number, or -1 if a digit is missing or it is out of range. */
static int take_number(const char **at, int count, int least, int most)
{
    int number = 0;

    for (int i = 0; i < count; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return -1;
        number = number * 10 + (**at - '0');
    }
    return number >= least && number <= most ? number : -1;
}

static bool take(const char **at, char c)
{
    if (**at != c)
        return false;
    (*at)++;
    return true;
}

/* Rejects days that do not exist, like February 30. */
static bool take_date(const char **at, int64_t *ret_days)
{
    struct cr_date date;

    if ((date.year = take_number(at, 4, 1, 9999)) < 0 || !take(at, '-') ||
        (date.month = take_number(at, 2, 1, 12)) < 0 || !take(at, '-') ||
        (date.day = take_number(at, 2, 1, 31)) < 0)
        return false;
    *ret_days = cr_date_to_days(date);
    return cr_date_from_days(*ret_days).day == date.day;
}

/* Allows second 60, a leap second. */
static bool take_time(const char **at, int64_t *ret_seconds)
{
    int hour, minute, second;

    if ((!take(at, 'T') && !take(at, 't')) || (hour = take_number(at, 2, 0, 23)) < 0 ||
        !take(at, ':') || (minute = take_number(at, 2, 0, 59)) < 0 || !take(at, ':') ||
        (second = take_number(at, 2, 0, 60)) < 0)
        return false;
    *ret_seconds = ((int64_t)hour * 60 + minute) * 60 + second;
    return true;
}

/* Digits after the third are checked, but ignored. */
static bool take_fraction(const char **at, int64_t *ret_ms)
{
    int64_t place = 100;

    *ret_ms = 0;
    if (!take(at, '.'))
        return true;
    if (**at < '0' || **at > '9')
        return false;
    for (; **at >= '0' && **at <= '9'; (*at)++, place /= 10)
        *ret_ms += (**at - '0') * place;
    return true;
}

static bool take_zone(const char **at, int64_t *ret_ms)
{
    bool west = **at == '-';
    int hours, minutes;

    *ret_ms = 0;
    if (take(at, 'Z') || take(at, 'z'))
        return true;
    if ((!take(at, '+') && !take(at, '-')) || (hours = take_number(at, 2, 0, 23)) < 0 ||
        !take(at, ':') || (minutes = take_number(at, 2, 0, 59)) < 0)
        return false;
    *ret_ms = (west ? -1 : 1) * ((int64_t)hours * 60 + minutes) * 60000;
    return true;
}

int cr_when_parse(const char *text, int64_t *ret_ms)
{
    int64_t days, seconds = 0, fraction = 0, zone = 0;

    if (!take_date(&text, &days) ||
        (*text && (!take_time(&text, &seconds) || !take_fraction(&text, &fraction) ||
                   !take_zone(&text, &zone))) ||
        *text)
        return -1;
    *ret_ms = (days * 86400 + seconds) * 1000 + fraction - zone;
    return 0;
}
