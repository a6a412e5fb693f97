/*
 * when.h - parses the times in metadata.
 */
#ifndef CR_WHEN_H
#define CR_WHEN_H

#include <stdint.h>

/*
 * Parses a time of RFC 3339, like 2026-11-16T09:30:00Z, with an optional fraction of a second, in
 * UTC or with an offset like +02:00; or only a date, which means midnight UTC. Returns 0; or -1 for
 * any other text, and |ret_ms| is then untouched.
 */
int cr_when_parse(const char *text, int64_t *ret_ms);

#endif
