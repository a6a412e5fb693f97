/*
 * console.h - the global `console`, written in C: it costs nothing until it is used, changed
 * prototypes do not affect it, and no code of the capability runs while a value is formatted.
 *
 * Every method writes lines to the log, one for each line of the text, indented by the open groups,
 * and sends them at once. When the log has reached its limit, nothing more is sent. No method
 * throws, whatever its arguments.
 */
#ifndef CRW_CONSOLE_H
#define CRW_CONSOLE_H

#include <stddef.h>

#include "quickjs.h"

/* Defines the global `console`. Returns 0, or -1 with an exception. */
int crw_console_install(JSContext *ctx);

/* Writes |text|, valid UTF-8, to the log. */
void crw_console_write(const char *text, size_t len);

#endif
