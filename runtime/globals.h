/*
 * globals.h - defines all global objects that are not part of the language itself.
 */
#ifndef CRW_GLOBALS_H
#define CRW_GLOBALS_H

#include "quickjs.h"

/* Call once, in the zygote, before any untrusted code. Returns 0, or -1 with an exception. */
int crw_globals_install(JSContext *ctx);

#endif
