/* sizes.h - how many workers there may be, how many runs may wait, with how much memory, and what
 * their sandbox has to be. */
#ifndef CR_SIZES_H
#define CR_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "pool/zygote.h"

struct cr_pool_sizes {
    uint32_t warm, max_workers, max_waiting;
    uint64_t max_memory;
    uint64_t memory; /* the limit with which workers are made ready */
    bool fresh;      /* a zygote for each worker */
    struct cr_zygote_rules sandbox;
};

#endif
