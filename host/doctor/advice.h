/*
 * advice.h - what the lack of a layer costs, and how to get it.
 */
#ifndef CR_ADVICE_H
#define CR_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

const char *cr_advice_cost(enum wire_layer layer);

/*
 * What to do about a |layer| that is missing with errno |error|. |alone| says that it does not
 * depend on the user namespace, because that is there, or root needs none.
 */
const char *cr_advice_remedy(enum wire_layer layer, int error, bool alone);

/* The same for a step without which nothing runs; |step| is an enum wire_step. */
const char *cr_advice_step_remedy(uint32_t step);

/* The same where workers cannot be killed. */
const char *cr_advice_kill_remedy(void);

#endif
