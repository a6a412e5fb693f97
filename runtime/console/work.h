/*
 * work.h - limits the work of one call of console, whatever its arguments.
 *
 * A unit is about one property, prototype or entry that is read. The code that reads it pays first,
 * and stops when the budget is used up.
 */
#ifndef CRW_WORK_H
#define CRW_WORK_H

#include <stdbool.h>
#include <stddef.h>

/* Resets the budget, when a call begins. */
void crw_work_begin(void);

/* Pay for |units|, or for copying |characters|. Return false when the budget is used up. */
bool crw_work_charge(size_t units);
bool crw_work_charge_text(size_t characters);

#endif
