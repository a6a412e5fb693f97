/* sizes.h - how many workers there may be, how many runs may wait, and with how much memory. */
#ifndef CR_SIZES_H
#define CR_SIZES_H

#include <stdbool.h>
#include <stdint.h>

struct cr_pool_sizes {
    uint32_t warm, max_workers, max_waiting;
    uint64_t max_memory;
    uint64_t memory; /* the limit with which workers are made ready */
    bool fresh;      /* a zygote for each worker */
};

#endif
