/*
 * pattern.h - which tools are meant: a glob over "ns:action".
 *
 * * is any text, also none, and also one with "/" or "." in it; ? is any one character. A pattern
 * without a ":" is of namespaces, and means all that they have: "ns" is "ns:*", "*" is everything.
 */
#ifndef CR_PATTERN_H
#define CR_PATTERN_H

#include <stdbool.h>

/* What a pattern is, for messages. */
/* In a list. A call is compared with each pattern, in one turn of the loop. */
#define CR_PATTERNS_MAX 1000

#define CR_PATTERN_WHAT "a pattern like \"ns:action\", \"ns:read_*\", \"ns\" or \"*\""

/* Is |text| one? */
bool cr_pattern_is(const char *text);

/* Is |text| the part of one that stands behind the ":"? */
bool cr_pattern_is_action(const char *text);

/*
 * Does |pattern| mean the tool |method|, "ns:action"? Takes no more steps than the length of one
 * times the length of the other, whatever is in them.
 */
bool cr_pattern_matches(const char *pattern, const char *method);

/* The same as if in both of them each character that no identifier can have were a "_". */
bool cr_pattern_matches_alias(const char *pattern, const char *method);

#endif
