/*
 * out.h - text that grows, with a ceiling.
 *
 * Appends past the ceiling are cut there, and |full| says so from then on. So a writer appends
 * freely and looks at |full| where it could save work.
 */
#ifndef CRW_OUT_H
#define CRW_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crw_out {
    char *text;
    size_t len, cap;
    size_t max; /* len never passes this */
    bool full;  /* something was cut */
};

void crw_out_put(struct crw_out *out, const char *text, size_t len);
void crw_out_str(struct crw_out *out, const char *text);
void crw_out_number(struct crw_out *out, uint64_t number);
void crw_out_spaces(struct crw_out *out, size_t count);

/*
 * Puts |text| in quotes, and escapes what a string literal would: in single quotes, or in the first
 * of double quotes and backticks that needs no backslash.
 */
void crw_out_quoted(struct crw_out *out, const char *text, size_t len);

/* Empties it. Memory for up to 64 KiB is kept for the next time. */
void crw_out_reset(struct crw_out *out, size_t max);

/* How many UTF-16 units |text| has: what JavaScript calls its length. */
size_t crw_out_width(const char *text, size_t len);

#endif
