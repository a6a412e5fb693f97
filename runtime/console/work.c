/* work.c - the work budget of one call of console. */
#include "work.h"

#define UNITS_MAX ((size_t)4 << 20)
#define CHARACTERS_A_UNIT 64u

static size_t left;

void crw_work_begin(void)
{
    left = UNITS_MAX;
}

bool crw_work_charge(size_t units)
{
    left = units < left ? left - units : 0;
    return left > 0;
}

bool crw_work_charge_text(size_t characters)
{
    return crw_work_charge(1 + characters / CHARACTERS_A_UNIT);
}
