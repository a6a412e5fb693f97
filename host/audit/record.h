/*
 * record.h - the record beside an audit: how many lines there are, and the hash of the last one. It
 * shows that lines are missing at the end, and lets a writer continue the chain without reading the
 * audit. Its file, "….state", is also what writers lock.
 */
#ifndef CR_AUDIT_RECORD_H
#define CR_AUDIT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

/* Less than a sector and in one page: a kill or a power failure leaves the old or the new one. */
#define CR_AUDIT_RECORD_BYTES 384u

struct cr_audit_record {
    uint64_t count;                /* lines, from 1 on, also those in files that were removed */
    uint8_t hash[CR_HASH_BYTES];   /* of the last line; of no line: zeros */
    uint64_t file;                 /* number that the current file gets when it is full */
    uint64_t bytes;                /* of the current file, up to the last line */
    uint64_t oldest;               /* number of the oldest file that is kept */
    uint64_t first;                /* number of its first line */
    uint8_t before[CR_HASH_BYTES]; /* hash of the line before that one */
};

/* The record of an audit without lines. */
extern const struct cr_audit_record cr_audit_record_none;

/* Writes the text of |record|, filled up with spaces. */
void cr_audit_record_show(const struct cr_audit_record *record, char ret[CR_AUDIT_RECORD_BYTES]);

/* Returns 0; CAPRUN_E_INVAL if |text| is not a record; or CAPRUN_E_NOMEM. */
int cr_audit_record_parse(const char *text, size_t len, struct cr_audit_record *ret);

/* Reads 64 lower-case hexadecimal digits. */
bool cr_audit_hash_parse(const char *text, uint8_t ret[CR_HASH_BYTES]);

#endif
