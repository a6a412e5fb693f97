/*
 * text.h - writes names, literals and comments of TypeScript. The texts are strangers'.
 */
#ifndef CR_TYPES_TEXT_H
#define CR_TYPES_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

void cr_types_spaces(struct cr_buf *out, unsigned count);

/* Appends |text| as a literal of a string, with escapes for hidden characters. */
void cr_types_literal(struct cr_buf *out, const char *text);

/* Appends |name| as the name of a member: itself if it is an identifier, else a literal. */
void cr_types_name(struct cr_buf *out, const char *name);

/* Can |name| stand after a dot? Any word can, also one like `delete`. */
bool cr_types_is_identifier(const char *name);

/*
 * Appends |text|, cut after |most| bytes, as a comment above the next line, which begins with
 * |indent| spaces. Nothing if it is "".
 */
void cr_types_comment(struct cr_buf *out, const char *text, size_t most, unsigned indent);

#endif
