/*
 * escape.h - strangers' text, made safe to show and to quote.
 *
 * What can move a cursor, recolour a terminal, reorder a line or hide in it is escaped, never
 * stripped: a person sees that it was there. These characters are called hidden below:
 *
 *     controls except tab; what Unicode calls default-ignorable (soft hyphen, zero-width and
 *     bidirectional marks, tags, fillers), less the variation selectors that emoji need
 *
 * All functions append to |out| and report nothing: ask cr_buf_err() at the end.
 */
#ifndef CR_ESCAPE_H
#define CR_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Appends |text| so that a terminal shows it harmlessly, on one line. A line feed becomes \n, a
 * carriage return \r, other hidden characters \u001b or, above U+FFFF, a pair like \udb40\udc01; a
 * byte that is not part of valid UTF-8 becomes \xNN. A backslash stays as it is, so the result is
 * for eyes only and cannot be turned back.
 */
void cr_escape_terminal(struct cr_buf *out, const char *text, size_t len);

/*
 * Appends |text| as a JSON string, quotes included. Each byte that is not part of valid UTF-8
 * becomes one U+FFFD. Quotes, backslashes and the controls below U+0020 are escaped, all else is
 * left as it is. The result passes CR_SCAN_STRICT unless |text| has a NUL.
 */
void cr_escape_json(struct cr_buf *out, const char *text, size_t len);
void cr_escape_json_str(struct cr_buf *out, const char *text);

/* Appends a comma, |name|, which needs no escapes, a colon and |text| as above. */
void cr_escape_member(struct cr_buf *out, const char *name, const char *text);

/*
 * Appends |json|, which cr_scan_json() has accepted under either rules, with one member a line and
 * two spaces a level. Hidden characters become \u escapes, which leaves the value the same.
 *
 * Deep values grow, up to a thousand times at the deepest: the ceiling of |out| is what stops them.
 */
void cr_escape_pretty(struct cr_buf *out, const uint8_t *json, size_t len);

#endif
