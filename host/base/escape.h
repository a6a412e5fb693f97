/*
 * escape.h - makes untrusted text safe to show on a terminal and to quote in JSON.
 *
 * Characters that can move the cursor, recolour the terminal, reorder a line or hide in it are
 * escaped, never removed: a person sees that they were there. They are called hidden below:
 *
 *     controls except tab; what Unicode calls default-ignorable (soft hyphen, zero-width and
 *     bidirectional marks, tags, fillers), except the variation selectors that emoji need
 *
 * All functions append to |out| and return no error: check cr_buf_err() at the end.
 */
#ifndef CR_ESCAPE_H
#define CR_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Appends |text| so that a terminal shows it harmlessly, on one line. A line feed becomes \n, a
 * carriage return \r, other hidden characters \u001b or, above U+FFFF, a pair like \udb40\udc01; a
 * byte that is not part of valid UTF-8 becomes \xNN. A backslash stays unchanged, so the result is
 * for people only: it cannot be decoded again.
 */
void cr_escape_terminal(struct cr_buf *out, const char *text, size_t len);

/*
 * The same for a text that a person decides about, and must not be able to mistake: also escapes
 * tabs, letters that are written from right to left, which reorder a line, and marks that change
 * the letter before them.
 */
void cr_escape_question(struct cr_buf *out, const char *text, size_t len);

/*
 * The same for a name: also escapes all characters outside of ASCII, which may look like others,
 * and backslashes. So two different names never look the same.
 */
void cr_escape_name(struct cr_buf *out, const char *text, size_t len);

/*
 * Appends |text| as a JSON string, quotes included. Each byte that is not part of valid UTF-8
 * becomes one U+FFFD. Quotes, backslashes and the controls below U+0020 are escaped, everything
 * else is copied unchanged. The result passes CR_SCAN_STRICT unless |text| has a NUL.
 */
void cr_escape_json(struct cr_buf *out, const char *text, size_t len);
void cr_escape_json_str(struct cr_buf *out, const char *text);

/*
 * Appends |word| as a word of a command line, in quotes if a shell would read it as something else.
 * Hidden characters stay: the result still has to be escaped for a terminal.
 */
void cr_escape_shell_word(struct cr_buf *out, const char *word);

/* Appends a comma, |name| in quotes, a colon, and |text| as above. |name| must need no escapes. */
void cr_escape_member(struct cr_buf *out, const char *name, const char *text);

/*
 * Appends |json| with one member on each line and two spaces for each level. cr_scan_json() must
 * have accepted |json|. Hidden characters become \u escapes; the value stays the same.
 *
 * Indentation can make deep values a thousand times longer: only the ceiling of |out| limits this.
 */
void cr_escape_pretty(struct cr_buf *out, const uint8_t *json, size_t len);

/*
 * The same for a part of a value, of whole tokens, that begins at the level |*depth|. Afterwards
 * |*depth| is the level of the next part, which must not begin by closing what this one opened.
 */
void cr_escape_pretty_part(struct cr_buf *out, const uint8_t *json, size_t len, size_t *depth);

#endif
