/* crashes.c - counts crashes of each code, in a small table that is searched from end to end. */
#include "pool/crashes.h"

#include <string.h>

static size_t find_crash(const struct cr_crashes *crashes, const uint8_t digest[CR_HASH_BYTES])
{
    size_t i = 0;

    while (i < crashes->count && memcmp(crashes->entries[i].digest, digest, CR_HASH_BYTES) != 0)
        i++;
    return i;
}

void cr_crashes_add(struct cr_crashes *crashes, const uint8_t digest[CR_HASH_BYTES])
{
    size_t at = find_crash(crashes, digest);

    if (at == crashes->count) {
        if (crashes->count < CR_CRASHES_KEPT) {
            crashes->count++;
        } else {
            at = crashes->oldest;
            crashes->oldest = (at + 1) % CR_CRASHES_KEPT;
        }
        memcpy(crashes->entries[at].digest, digest, CR_HASH_BYTES);
        crashes->entries[at].times = 0;
    }
    crashes->entries[at].times++;
}

bool cr_crashes_refuse(const struct cr_crashes *crashes, const uint8_t digest[CR_HASH_BYTES])
{
    size_t at = find_crash(crashes, digest);

    return at < crashes->count && crashes->entries[at].times >= CR_CRASHES_ALLOWED;
}
