/*
 * advice.h - what a missing layer costs, and how to enable the layer.
 */
#ifndef CR_ADVICE_H
#define CR_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

const char *cr_advice_cost(enum wire_layer layer);

/*
 * Returns what to do about a |layer| that is missing with errno |error|. |alone|: the layer does
 * not depend on the user namespace, because that is present, or because root needs none.
 */
const char *cr_advice_remedy(enum wire_layer layer, int error, bool alone);

/*
 * Returns what to do about a failed step without which nothing runs; |step| is an enum wire_step.
 */
const char *cr_advice_step_remedy(uint32_t step);

/* Returns what to do where workers cannot be killed. */
const char *cr_advice_kill_remedy(void);

#endif
