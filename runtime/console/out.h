/*
 * out.h - text that grows, with a ceiling.
 *
 * An append past the ceiling is cut there, between two characters, and |full| says so from then on.
 * So a writer appends freely and looks at |full| where it could save work. After that |len| is
 * within |max| still, but not always equal to it, and a shorter append may find room: what follows
 * a cut means nothing, and who sets |len| back sets it to where it has been.
 */
#ifndef CRW_OUT_H
#define CRW_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CRW_OUT_VALUE_MAX ((size_t)64 << 10) /* the text of one value */

struct crw_out {
    char *text;
    size_t len, cap;
    size_t max; /* len never passes this */
    bool full;  /* something was cut, or its writer has done all that it may */
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

/*
 * The text of one value begins, and ends: it may take CRW_OUT_VALUE_MAX, and ends in " … cut" if
 * that was too little; then |full| is over. What the first returns goes to the second.
 */
size_t crw_out_begin_value(struct crw_out *out);
void crw_out_end_value(struct crw_out *out, size_t begun);

/* Empties it. Memory for the text of one value is kept for the next time. */
void crw_out_reset(struct crw_out *out, size_t max);

/* How many UTF-16 units |text| has: what JavaScript calls its length. */
size_t crw_out_width(const char *text, size_t len);

#endif
