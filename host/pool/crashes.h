/*
 * crashes.h - which code has crashed its worker, and how often.
 *
 * Code that nobody has read may try an exploit again and again until it works; each try that fails
 * is a crash. So code that has crashed three times is not run any more. The memory is of a fixed
 * size: the oldest entry is forgotten for a new one.
 */
#ifndef CR_CRASHES_H
#define CR_CRASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define CR_CRASHES_ALLOWED 3u
#define CR_CRASHES_KEPT 512u

struct cr_crashes {
    struct {
        uint8_t digest[CR_HASH_BYTES]; /* SHA-256 of the code */
        uint32_t times;
    } entries[CR_CRASHES_KEPT];
    size_t count;
    size_t oldest; /* when all are in use, the one to forget next */
};

void cr_crashes_add(struct cr_crashes *crashes, const uint8_t digest[CR_HASH_BYTES]);
bool cr_crashes_refuse(const struct cr_crashes *crashes, const uint8_t digest[CR_HASH_BYTES]);

#endif
