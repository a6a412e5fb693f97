/*
 * jsonc.h - makes JSON of "JSON with comments", as editors write it.
 */
#ifndef CR_JSONC_H
#define CR_JSONC_H

#include <stddef.h>

/*
 * Replaces comments, and commas before a closing bracket, in |text| by spaces. Line feeds and the
 * length stay the same, so places in an error are those of the file. Strings are not changed. What
 * is not closed stays as it is: then |text| is no JSON, and the parser says so.
 */
void cr_jsonc_strip(char *text, size_t len);

#endif
