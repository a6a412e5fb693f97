/*
 * when.h - times as metadata has them.
 */
#ifndef CR_WHEN_H
#define CR_WHEN_H

#include <stdint.h>

/*
 * Reads a time of RFC 3339, like 2026-11-16T09:30:00Z, with a fraction of a second or not, in UTC
 * or with an offset like +02:00; or a date alone, which means its midnight in UTC. Returns 0, or -1
 * for anything else, and |ret_ms| is then untouched.
 */
int cr_when_parse(const char *text, int64_t *ret_ms);

#endif
