/*
 * scan_keys.h - finds duplicate keys of an object, for the strict scanner.
 *
 * The keys of all open objects are on one stack, those of the innermost object on top. A new key is
 * compared with each key of its object while these are few. From FEW keys on, the object's keys are
 * in a hash table, so that the cost of a key does not grow. The hash has a random secret for each
 * text, so that a sender cannot choose keys that collide.
 *
 * Keys are compared unescaped. A key with escapes is unescaped once, when it is added.
 */
#ifndef CR_SCAN_KEYS_H
#define CR_SCAN_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CR_SCAN_MAX_DEPTH 1000  /* arrays and objects open at once */
#define CR_SCAN_MAX_KEYS 200000 /* in all objects together; CR_SCAN_STRICT only */
#define CR_SCAN_MAX_KEY 65536   /* bytes of one key, as written; CR_SCAN_STRICT only */

/* A key as written between its quotes, and its length unescaped. */
struct cr_scan_key {
    uint32_t at;
    uint32_t raw_len;
    uint32_t len;          /* in UTF-8; equals raw_len only if nothing is escaped */
    uint32_t unescaped_at; /* in |unescaped|, if it has escapes */
};

/* Zeros before the first use, except the arrays and the secret. */
struct cr_scan_keys {
    struct cr_scan_key *stack;
    size_t len, cap;
    size_t seen;             /* keys in all */
    struct cr_buf unescaped; /* the keys on the stack that have escapes, one after the other */
    uint32_t objects;        /* opened so far */
    uint64_t secret[2];
    struct cr_scan_slot *slots;
    size_t slot_count, slots_used;      /* slot_count: 0, or a power of two */
    uint32_t first[CR_SCAN_MAX_DEPTH];  /* by level: where its keys begin on the stack */
    uint32_t object[CR_SCAN_MAX_DEPTH]; /* by level: its number; 0 is no object */
};

void cr_scan_keys_init(struct cr_scan_keys *k);
void cr_scan_keys_clear(struct cr_scan_keys *k);

/* An object opens at |level|; or the object at |level|, the innermost, ends. */
void cr_scan_keys_open(struct cr_scan_keys *k, size_t level);
void cr_scan_keys_close(struct cr_scan_keys *k, size_t level);

/*
 * Adds |key| to the object at |level|, the innermost; |text| is the whole text so far. Returns 0; 1
 * if the object has that key already; CAPRUN_E_TOOBIG over CR_SCAN_MAX_KEYS; CAPRUN_E_NOMEM, also
 * if the kernel gives no random numbers.
 */
int cr_scan_keys_add(struct cr_scan_keys *k, size_t level, const uint8_t *text,
                     struct cr_scan_key key);

#endif
