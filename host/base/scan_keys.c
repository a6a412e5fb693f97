/* scan_keys.c - a stack of keys, and a hash table over the keys of large objects. */
#include "base/scan_keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/unescape.h"
#include "base/utf8.h"
#include "caprun.h"

#define FEW 16u
#define FIRST_SLOTS 64u

/* Entries of objects that have ended stay in the table: numbers of objects are not used again. */
struct cr_scan_slot {
    uint32_t object; /* 0: the slot is free */
    uint32_t hash;
    uint32_t key; /* its place on the stack */
};

void cr_scan_keys_init(struct cr_scan_keys *k)
{
    k->stack = NULL;
    k->slots = NULL;
    k->len = k->cap = k->seen = k->slot_count = k->slots_used = 0;
    k->objects = 0;
    cr_buf_init(&k->unescaped, SIZE_MAX);
}

void cr_scan_keys_clear(struct cr_scan_keys *k)
{
    free(k->stack);
    free(k->slots);
    cr_buf_clear(&k->unescaped);
    cr_scan_keys_init(k);
}

void cr_scan_keys_open(struct cr_scan_keys *k, size_t level)
{
    k->first[level] = (uint32_t)k->len;
    k->object[level] = ++k->objects;
}

void cr_scan_keys_close(struct cr_scan_keys *k, size_t level)
{
    size_t first = k->first[level];

    if (k->len > first && k->unescaped.len)
        k->unescaped.len = k->stack[first].unescaped_at;
    k->len = first;
}

/* --- the hash: SipHash-1-3 ------------------------------------------------------------------ */

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
}

static uint32_t hash_key(const struct cr_scan_keys *k, uint32_t object, const uint8_t *bytes,
                         size_t len)
{
    uint64_t v[4] = {k->secret[0] ^ 0x736f6d6570736575u, k->secret[1] ^ 0x646f72616e646f6du,
                     k->secret[0] ^ 0x6c7967656e657261u, k->secret[1] ^ 0x7465646279746573u};
    uint64_t word = 0;
    size_t at = 0;

    take_word(v, (uint64_t)object << 32 | (uint32_t)len);
    for (; at + sizeof(word) <= len; at += sizeof(word)) {
        memcpy(&word, bytes + at, sizeof(word));
        take_word(v, word);
    }
    word = 0;
    memcpy(&word, bytes + at, len - at);
    take_word(v, word);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        mix(v);
    return (uint32_t)(v[0] ^ v[1] ^ v[2] ^ v[3]);
}

/* --- keys ----------------------------------------------------------------------------------- */

static const uint8_t *bytes_of(const struct cr_scan_keys *k, const uint8_t *text,
                               const struct cr_scan_key *key)
{
    return key->len == key->raw_len ? text + key->at : k->unescaped.data + key->unescaped_at;
}

static bool are_equal(const struct cr_scan_keys *k, const uint8_t *text,
                      const struct cr_scan_key *a, const struct cr_scan_key *b)
{
    return a->len == b->len && memcmp(bytes_of(k, text, a), bytes_of(k, text, b), a->len) == 0;
}

static void put(struct cr_scan_keys *k, struct cr_scan_slot slot)
{
    size_t i = slot.hash & (k->slot_count - 1);

    while (k->slots[i].object)
        i = (i + 1) & (k->slot_count - 1);
    k->slots[i] = slot;
}

/* Keeps a quarter of the slots free. */
static int make_room(struct cr_scan_keys *k)
{
    size_t before = k->slot_count;
    struct cr_scan_slot *old = k->slots;

    if ((k->slots_used + 1) * 4 <= before * 3)
        return 0;
    if (!before && getrandom(k->secret, sizeof(k->secret), 0) != (ssize_t)sizeof(k->secret))
        return CAPRUN_E_NOMEM;
    k->slots = calloc(before ? 2 * before : FIRST_SLOTS, sizeof(*k->slots));
    if (!k->slots) {
        k->slots = old;
        return CAPRUN_E_NOMEM;
    }
    k->slot_count = before ? 2 * before : FIRST_SLOTS;
    for (size_t i = 0; i < before; i++)
        if (old[i].object)
            put(k, old[i]);
    free(old);
    return 0;
}

/* Puts the key at |place| of the stack into the table. Returns 1 if an equal key is in there. */
static int add_to_table(struct cr_scan_keys *k, uint32_t object, const uint8_t *text, size_t place)
{
    const struct cr_scan_key *key = &k->stack[place];
    struct cr_scan_slot slot = {.object = object, .key = (uint32_t)place};
    size_t i;

    if (make_room(k) < 0)
        return CAPRUN_E_NOMEM;
    slot.hash = hash_key(k, object, bytes_of(k, text, key), key->len);
    for (i = slot.hash & (k->slot_count - 1); k->slots[i].object; i = (i + 1) & (k->slot_count - 1))
        if (k->slots[i].object == object && k->slots[i].hash == slot.hash &&
            are_equal(k, text, &k->stack[k->slots[i].key], key))
            return 1;
    k->slots[i] = slot;
    k->slots_used++;
    return 0;
}

static int grow_stack(struct cr_scan_keys *k)
{
    size_t cap = k->cap ? 2 * k->cap : 64;
    struct cr_scan_key *stack = realloc(k->stack, cap * sizeof(*stack));

    if (!stack)
        return CAPRUN_E_NOMEM;
    k->stack = stack;
    k->cap = cap;
    return 0;
}

static int unescape(struct cr_scan_keys *k, const uint8_t *text, const struct cr_scan_key *key)
{
    const uint8_t *at = text + key->at, *end = at + key->raw_len;
    uint8_t *to = cr_buf_room(&k->unescaped, key->len);
    uint32_t c = 0;

    if (!to)
        return CAPRUN_E_NOMEM;
    while (at < end) {
        if (*at == '\\') {
            at += cr_unescape_one(at, end, &c);
            to += cr_utf8_encode(c, to);
        } else {
            *to++ = *at++;
        }
    }
    k->unescaped.len += key->len;
    return 0;
}

static int push(struct cr_scan_keys *k, const uint8_t *text, struct cr_scan_key key)
{
    key.unescaped_at = (uint32_t)k->unescaped.len;
    if (key.len != key.raw_len && unescape(k, text, &key) < 0)
        return CAPRUN_E_NOMEM;
    if (k->len == k->cap && grow_stack(k) < 0)
        return CAPRUN_E_NOMEM;
    k->stack[k->len++] = key;
    return 0;
}

int cr_scan_keys_add(struct cr_scan_keys *k, size_t level, const uint8_t *text,
                     struct cr_scan_key key)
{
    size_t first = k->first[level], last = k->len;
    int r = 0;

    if (++k->seen > CR_SCAN_MAX_KEYS)
        return CAPRUN_E_TOOBIG;
    if (push(k, text, key) < 0)
        return CAPRUN_E_NOMEM;
    if (last - first < FEW) {
        for (const struct cr_scan_key *other = k->stack + first; other < k->stack + last; other++)
            if (other->len == key.len && are_equal(k, text, other, &k->stack[last]))
                return 1;
        return 0;
    }
    /* the first keys were not put into the table while they were few */
    for (size_t i = last - first == FEW ? first : last; i <= last && r == 0; i++)
        r = add_to_table(k, k->object[level], text, i);
    return r;
}
