/* sizes.h - limits of a pool: workers, waiting runs, memory; and what their sandbox must have. */
#ifndef CR_SIZES_H
#define CR_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "pool/zygote.h"

struct cr_pool_sizes {
    uint32_t warm, max_workers, max_waiting;
    uint64_t max_memory;
    uint64_t memory; /* the memory limit of workers made ahead of demand */
    bool fresh;      /* start a new zygote for each worker */
    struct cr_zygote_rules sandbox;
};

#endif
