/*
 * globals.h - everything that code finds beside the language itself.
 */
#ifndef CRW_GLOBALS_H
#define CRW_GLOBALS_H

#include "quickjs.h"

/* Once, in the zygote, before any code of a stranger. Returns 0, or -1 with an exception. */
int crw_globals_install(JSContext *ctx);

#endif
