/*
 * out.h - a growing text buffer with a maximum length.
 *
 * An append past the maximum is cut between two characters, and sets |full|. So a writer appends
 * freely and checks |full| only where that saves work. After a cut |len| may be less than |max|,
 * and a shorter append may still fit: text after a cut is meaningless. Code that shortens the text
 * sets |len| only to a value that it had before.
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
    bool full;  /* text was cut, or the writer has used up its work budget */
};

void crw_out_put(struct crw_out *out, const char *text, size_t len);
void crw_out_str(struct crw_out *out, const char *text);
void crw_out_number(struct crw_out *out, uint64_t number);
void crw_out_spaces(struct crw_out *out, size_t count);

/*
 * Appends |text| in quotes, escaped as in a string literal: in single quotes, or if these would
 * need a backslash, in double quotes or backticks if these do not.
 */
void crw_out_quoted(struct crw_out *out, const char *text, size_t len);

/*
 * Begin and end the text of one value. The text may have CRW_OUT_VALUE_MAX bytes; if it was longer
 * it ends in " … cut", and |full| is reset. Pass the result of the first to the second.
 */
size_t crw_out_begin_value(struct crw_out *out);
void crw_out_end_value(struct crw_out *out, size_t begun);

/* Empties |out|. Keeps memory for the text of one value. */
void crw_out_reset(struct crw_out *out, size_t max);

/* Returns how many UTF-16 units |text| has: its length in JavaScript. */
size_t crw_out_width(const char *text, size_t len);

#endif
