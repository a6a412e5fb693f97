/*
 * crashes.h - which code has crashed its worker, and how often.
 *
 * Untrusted code may try an exploit again and again until it works; each failed try is a crash. So
 * code that has crashed its worker three times is refused. The table has a fixed size: a new entry
 * replaces the oldest one.
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
    size_t oldest; /* when all entries are in use, the one that is replaced next */
};

void cr_crashes_add(struct cr_crashes *crashes, const uint8_t digest[CR_HASH_BYTES]);
bool cr_crashes_refuse(const struct cr_crashes *crashes, const uint8_t digest[CR_HASH_BYTES]);

#endif
