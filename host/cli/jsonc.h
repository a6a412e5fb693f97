/*
 * jsonc.h - converts "JSON with comments", as editors write it, to JSON.
 */
#ifndef CR_JSONC_H
#define CR_JSONC_H

#include <stddef.h>

/*
 * Replaces comments, and commas before a closing bracket, in |text| by spaces. Line feeds and the
 * length stay the same, so places in an error are those of the file. Strings are not changed. A
 * comment or string that is not closed stays as it is: then |text| is not valid JSON, and the
 * parser reports that.
 */
void cr_jsonc_strip(char *text, size_t len);

#endif
