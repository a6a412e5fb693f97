/*
 * work.h - how much a call of console may do, whatever it is given.
 *
 * A unit is about a property, a prototype or an entry that is looked at. Who looks pays first, and
 * stops when nothing is left.
 */
#ifndef CRW_WORK_H
#define CRW_WORK_H

#include <stdbool.h>
#include <stddef.h>

/* A call begins. */
void crw_work_begin(void);

/* Pays |units|, or for |characters| that are copied. Return false when all is spent. */
bool crw_work_charge(size_t units);
bool crw_work_charge_text(size_t characters);

#endif
