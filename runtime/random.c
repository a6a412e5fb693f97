/* random.c - the ChaCha20 keystream, computed block by block. */
#include "random.h"

#include <string.h>

#define BLOCK 64u
#define ROUNDS 20

static uint32_t state[16]; /* four constants, the key, the counter in two words, the nonce */
static uint8_t block[BLOCK];
static size_t left; /* unused bytes at the end of |block| */

static uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static void quarter_round(uint32_t *x, int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 7);
}

/* The words of a block are in little-endian order on every machine. */
static uint32_t load(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store(uint8_t *at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> (8 * i));
}

static void next_block(void)
{
    uint32_t x[16];

    memcpy(x, state, sizeof(x));
    for (int i = 0; i < ROUNDS; i += 2) {
        for (int column = 0; column < 4; column++)
            quarter_round(x, column, column + 4, column + 8, column + 12);
        for (int diagonal = 0; diagonal < 4; diagonal++)
            quarter_round(x, diagonal, (diagonal + 1) % 4 + 4, (diagonal + 2) % 4 + 8,
                          (diagonal + 3) % 4 + 12);
    }
    for (int i = 0; i < 16; i++)
        store(block + 4 * i, x[i] + state[i]);
    if (++state[12] == 0)
        state[13]++;
    left = BLOCK;
}

void crw_random_seed(const uint8_t key[32])
{
    static const uint8_t constants[] = "expand 32-byte k";

    memset(state, 0, sizeof(state));
    for (int i = 0; i < 4; i++)
        state[i] = load(constants + 4 * i);
    for (int i = 0; i < 8; i++)
        state[4 + i] = load(key + 4 * i);
    left = 0;
}

void crw_random_fill(void *out, size_t len)
{
    uint8_t *to = out;

    while (len > 0) {
        size_t n;

        if (left == 0)
            next_block();
        n = left < len ? left : len;
        memcpy(to, block + BLOCK - left, n);
        left -= n;
        to += n;
        len -= n;
    }
}
