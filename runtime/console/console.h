/*
 * console.h - `console`, in C: it costs nothing until it is used, nothing that a capability does to
 * its prototypes changes it, and no code of the capability runs while a value is made into text.
 *
 * Every method writes lines to the log: a text of several lines is several of them, indented by
 * the groups that are open, and sent at once. When the log's ceiling is reached nothing is sent any
 * more. No method throws, whatever it is given.
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
