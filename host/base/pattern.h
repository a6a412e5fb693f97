/*
 * pattern.h - patterns for tool names: a glob over "ns:action".
 *
 * * matches any text, also "" and text with "/" or "." in it; ? matches any one character. A
 * pattern without a ":" matches all tools of the namespaces: "ns" is "ns:*", "*" is everything.
 */
#ifndef CR_PATTERN_H
#define CR_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* The most patterns of one list: a call is compared with all of them in one turn of the loop. */
#define CR_PATTERNS_MAX 1000

/* The description of a pattern in messages. */
#define CR_PATTERN_WHAT "a pattern like \"ns:action\", \"ns:read_*\", \"ns\" or \"*\""

/* Is |text| a pattern? */
bool cr_pattern_is(const char *text);

/* Is |text| valid as the part of a pattern after the ":"? */
bool cr_pattern_is_action(const char *text);

/* The character that an alias has for |c|: "_" for "-", "." and "/"; any other one is the same. */
char cr_pattern_alias(char c);

/*
 * Does |pattern| match the tool |method|, "ns:action"? Takes at most as many steps as the product
 * of both lengths, for any input.
 */
bool cr_pattern_matches(const char *pattern, const char *method);

/*
 * Does the glob |pattern| match |text|, UTF-8 of |len| bytes, as a whole? Takes at most as many
 * steps as cr_pattern_matches().
 */
bool cr_pattern_glob(const char *pattern, const char *text, size_t len);

/* The same, but in both texts each character that an identifier cannot have counts as "_". */
bool cr_pattern_matches_alias(const char *pattern, const char *method);

#endif
