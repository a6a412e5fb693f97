/*
 * units.h - reads and shows durations and sizes with their units.
 *
 * Input is decimal digits and a unit, nothing else: no sign, space, fraction or capital letter. A
 * plain 0 needs no unit; it means "the default".
 */
#ifndef CR_UNITS_H
#define CR_UNITS_H

#include <stdint.h>

#include "base/err.h"

#define CR_UNITS_MAX_MS (24ull * 24 * 60 * 60 * 1000)     /* 24 days; fits 31 bits */
#define CR_UNITS_MAX_BYTES (1024ull * 1024 * 1024 * 1024) /* 1 TiB */

/*
 * Reads |text| like 250ms, 30s, 5m or 1h.
 *
 * Returns 0, CAPRUN_E_INVAL if |text| has another form, or CAPRUN_E_TOOBIG if it is over
 * CR_UNITS_MAX_MS. The message quotes the beginning of |text|.
 */
int cr_units_duration(const char *text, uint64_t *ret_ms, struct cr_err *err);

/* Reads |text| like 64k, 512m or 1g, powers of 1024, up to CR_UNITS_MAX_BYTES. Returns the same. */
int cr_units_size(const char *text, uint64_t *ret_bytes, struct cr_err *err);

/* Writes |ms| in the largest unit that leaves no fraction: "500 ms", "90 s", "5 min", "2 h". */
void cr_units_show_duration(uint64_t ms, char out[32]);

/* Writes |bytes| in the same way: "1000 bytes", "512 KiB", "64 MiB", "1 GiB". */
void cr_units_show_size(uint64_t bytes, char out[32]);

#endif
